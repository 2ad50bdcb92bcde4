/** Many large running executions: what is said of those not read, and who waits for whom. */
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  createFakeN8n,
  type FakeExecution,
  type FakeN8n,
  fakeExecution,
  fakeHistory,
  forgetRequests,
  isDataPage,
} from "../../support/fake-n8n.ts";
import { queriesOf } from "../../support/local-history.ts";
import { passing, sleep, timed, tracesInPassingTime } from "../../support/passing-time.ts";
import { createTestTraces, type TestTraces, WINDOW } from "../../support/test-traces.ts";
import { letAnswersTake, passTurns, runningExecution } from "./set-up.ts";

let traces: TestTraces;
let n8n: FakeN8n;

const running = (from: number, count: number, bytes: number, facts: Record<string, unknown> = {}) => {
  const workflowData = { name: "orders", nodes: [], pinned: "x".repeat(bytes) };
  return Array.from({ length: count }, (_one, index) =>
    runningExecution(from + index, `run-${from + index}`, { workflowData, ...facts }),
  );
};

describe("running executions that were not read", () => {
  const beginSlowly = (executions: readonly FakeExecution[]): void => {
    traces = createTestTraces();
    traces.maxRunningBytes = 50_000;
    n8n = createFakeN8n(executions);
    letAnswersTake(n8n, traces, 12_000, (url) => url.searchParams.has("includeData"));
  };

  test.each(["never", "run-6"])(
    "make an answer incomplete even if their ids are below all ended ones: %s",
    async (requestId) => {
      beginSlowly([...fakeHistory(1_505).slice(1_500), ...running(6, 200, 10_000)]);
      expect(await traces.ask(n8n, { requestId })).toMatchObject({
        outcome: "not_found_yet",
        coverage: { complete: false, stoppedBy: "running" },
      });
    },
  );

  test("make an answer about their workflow incomplete", async () => {
    const ended = fakeExecution(300, "r-300", { workflowId: "w2" });
    beginSlowly([...fakeHistory(5), ...running(6, 200, 10_000, { workflowId: "w2" }), ended]);
    const window = { ...WINDOW, workflowId: "w2" };
    const { coverage } = await traces.ask(n8n, { requestId: "run-6", window });
    expect(coverage).toMatchObject({ complete: false, stoppedBy: "running" });
  });

  test("are none if each was read by one of the call's looks", async () => {
    traces = createTestTraces();
    traces.maxRunningBytes = 1;
    n8n = createFakeN8n([...fakeHistory(5), ...running(6, 60, 10_000)]);
    const { outcome, coverage } = await traces.ask(n8n, { requestId: "never" });
    expect({ outcome, coverage }).toMatchObject({
      outcome: "not_found",
      coverage: { complete: true, skipped: [] },
    });
  });

  test("are none if earlier calls had read them and this one reads them again", async () => {
    traces = createTestTraces();
    traces.maxRunningBytes = 1;
    const saving = { workflowData: { nodes: [], settings: { saveExecutionProgress: true } } };
    n8n = createFakeN8n([...fakeHistory(5), ...running(6, 60, 10_000, saving)]);
    await traces.ask(n8n, { requestId: "never" });
    traces.clock.time += 60_000;
    forgetRequests(n8n);
    const { coverage } = await traces.ask(n8n, { requestId: "never" });
    expect(coverage).toMatchObject({ complete: true, skipped: [] });
    expect(new Set(n8n.sent).size).toBe(60);
    traces.clock.time += 60_000;
    const found = await traces.ask(n8n, { requestId: "r-3" });
    expect(found.coverage).toMatchObject({ complete: false, stoppedBy: "running" });
    const { traceId } = found;
    expect((await traces.ask(n8n, { traceId })).coverage).toMatchObject({ complete: true, skipped: [] });
  });

  test("are read next where cursors cannot be made by hand", async () => {
    traces = createTestTraces();
    traces.maxRunningBytes = 300_000;
    const saving = {
      workflowData: { nodes: [], pinned: "x".repeat(10_000), settings: { saveExecutionProgress: true } },
    };
    n8n = createFakeN8n([...fakeHistory(5), ...running(6, 90, 10_000, saving)]);
    n8n.hasOpaqueCursors = true;
    const ask = async (): Promise<void> => {
      traces.clock.time += 60_000;
      await traces.ask(n8n, { requestId: "r-3" });
    };
    for (let calls = 0; calls < 4; calls += 1) await ask();
    forgetRequests(n8n);
    for (let calls = 0; calls < 6; calls += 1) await ask();
    expect(new Set(n8n.sent).size).toBe(90);
  });

  test("are read by the same call, up to its limit", async () => {
    traces = createTestTraces();
    traces.maxRunningBytes = 100_000;
    n8n = createFakeN8n([...fakeHistory(5), ...running(6, 400, 10_000)]);
    expect((await traces.ask(n8n, { requestId: "never", limit: 50 })).coverage.readNow).toBeLessThan(150);
    expect(await traces.ask(n8n, { requestId: "run-6" })).toMatchObject({ found: true });
  });
});

test("running executions not read again also count for a caller who joins the scan", async () => {
  traces = createTestTraces();
  traces.maxRunningBytes = 50_000;
  const saving = { workflowData: { nodes: [], settings: { saveExecutionProgress: true } } };
  n8n = createFakeN8n([...fakeHistory(500), ...running(501, 60, 10_000, saving)]);
  for (let looks = 0; looks < 20; looks += 1) await traces.ask(n8n, { requestId: "never", limit: 1 });
  const { promise: gate, resolve: letGo } = Promise.withResolvers<void>();
  n8n.intercept = async (url) => {
    if (url.searchParams.get("status") === "running") traces.clock.time += 6_000;
    if (isDataPage(url)) await gate;
    return undefined;
  };
  const first = traces.ask(n8n, { requestId: "never" }, "anna");
  await passTurns(100);
  traces.clock.time += 1_000;
  const second = traces.ask(n8n, { requestId: "r-3" }, "ben");
  await passTurns(300);
  letGo();
  await first;
  expect((await second).coverage).toMatchObject({ complete: false, stoppedBy: "running" });
});

describe("a caller who looks for long", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  const begin = (executions: readonly FakeExecution[]): void => {
    traces = tracesInPassingTime();
    traces.maxRunningBytes = 400_000;
    n8n = createFakeN8n(executions);
  };

  async function search(text: string) {
    const sources = traces.sourcesOf(n8n);
    const thread = { isShared: false, giveWay: async () => {} };
    const caller = { userId: "sam", view: traces.view, sources, newId: () => "1", thread };
    const bounds = { window: WINDOW, limit: 2_000, maxHits: 10, timeBudgetMs: 20_000, searchId: undefined };
    const asked = { query: { text }, ...bounds };
    return await queriesOf(traces.history, caller).search(asked, async () => {}, sources.redactLarge);
  }

  test("lets others in between two looks", async () => {
    begin(fakeHistory(50));
    await passing(traces.ask(n8n, { requestId: "r-3" }));
    n8n.latencyMs = 400;
    n8n.executions = [...fakeHistory(50), ...running(51, 500, 100_000)];
    const { result } = await passing(
      Promise.all([
        sleep(2_000).then(() =>
          timed(() => traces.ask(n8n, { requestId: "r-3", timeBudgetMs: 5_000 }, "cleo")),
        ),
        sleep(2_000).then(() => timed(() => search("r-33"))),
        traces.ask(n8n, { requestId: "never", timeBudgetMs: 55_000 }, "ben"),
      ]),
    );
    const [traced, searched] = result;
    expect(traced.tookMs).toBeLessThan(10_000);
    expect(searched.tookMs).toBeLessThan(15_000);
    expect(searched.hits.length).toBeGreaterThan(0);
  });

  test("does not delay a caller who has found a request in the same look", async () => {
    begin([...fakeHistory(50), ...running(51, 400, 100_000)]);
    n8n.latencyMs = 400;
    const { result } = await passing(
      Promise.all([
        timed(() => traces.ask(n8n, { requestId: "r-3" }, "anna")),
        sleep(100).then(() => traces.ask(n8n, { requestId: "never" }, "ben")),
      ]),
    );
    expect(result[0]).toMatchObject({ outcome: "success", coverage: { stoppedBy: "running" } });
    expect(result[0].tookMs).toBeLessThan(5_000);
  });
});
