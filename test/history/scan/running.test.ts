/** Running executions, many and large: what a look reads of them, and how it reports the rest. */
import { beforeEach, describe, expect, test } from "vitest";
import type { TraceAnswer } from "../../../src/features/trace-request/trace.ts";
import type { TakeTurn } from "../../../src/n8n/slot.ts";
import {
  clientOf,
  createFakeN8n,
  failure,
  fakeExecution,
  fakeHistory,
  forgetRequests,
} from "../../support/fake-n8n.ts";
import { inBothLanes, sizeOf } from "../../support/lane.ts";
import { createTestTraces, type TestTraces } from "../../support/test-traces.ts";
import { letAnswersTake, passTurns, runningExecution } from "./set-up.ts";

const MINUTE_MS = 60_000;
const MEGABYTE = 1_000_000;

let traces: TestTraces;
beforeEach(() => {
  traces = createTestTraces();
});

const withProgress = (saveExecutionProgress: boolean | "DEFAULT") => ({
  workflowData: { name: "orders", nodes: [], settings: { saveExecutionProgress } },
});

/** Ids whose data was sent for a trace. */
async function sentFor(n8n: ReturnType<typeof createFakeN8n>, requestId = "none"): Promise<string[]> {
  forgetRequests(n8n);
  await traces.ask(n8n, { requestId });
  return [...n8n.sent];
}

async function askAgain(n8n: ReturnType<typeof createFakeN8n>, requestId: string): Promise<TraceAnswer> {
  forgetRequests(n8n);
  return await traces.ask(n8n, { requestId });
}

describe("a running execution", () => {
  test("whose workflow saves no progress is read once", async () => {
    const n8n = createFakeN8n([...fakeHistory(5), runningExecution(6, "r-6", withProgress(false))]);
    expect(await sentFor(n8n)).toContain("6");
    expect(await sentFor(n8n)).toEqual([]);
    expect(await traces.ask(n8n, { requestId: "r-6" })).toMatchObject({ found: true, outcome: "running" });
  });

  test.each([
    ["its workflow saves progress", withProgress(true)],
    ["a run of it was stored", { data: fakeExecution(6, "r-6").data }],
    ["it was started by hand", { mode: "manual" }],
    ["it waited before", { stoppedAt: new Date(Date.UTC(2026, 0, 1)).toISOString() }],
  ])("is read by each look if %s", async (_why, facts) => {
    const n8n = createFakeN8n([...fakeHistory(5), runningExecution(6, "r-6", facts)]);
    for (let look = 0; look < 4; look += 1) {
      expect(await sentFor(n8n)).toContain("6");
      traces.clock.time += MINUTE_MS;
    }
  });

  test("under n8n's default is read until a minute has shown that nothing is saved", async () => {
    const n8n = createFakeN8n([...fakeHistory(5), runningExecution(6, "r-6", withProgress("DEFAULT"))]);
    expect(await sentFor(n8n)).toContain("6");
    traces.clock.time += MINUTE_MS - 1;
    expect(await sentFor(n8n)).toContain("6");
    traces.clock.time += 1;
    expect(await sentFor(n8n)).toContain("6");
    expect(await sentFor(n8n)).toEqual([]);
  });

  test("is read within the turn of the lists, together with its list if small", async () => {
    const kinds = [
      runningExecution(6, "r-6", { ...withProgress(true), filling: "x".repeat(256 * 1024) }),
      runningExecution(6, "r-6", withProgress(true)),
      runningExecution(7, "r-7", withProgress(false)),
    ];
    for (const [one, requests] of [
      [kinds[0], 3],
      [kinds[1], 2],
      [kinds[2], 2],
    ] as const) {
      traces = createTestTraces();
      const n8n = createFakeN8n([...fakeHistory(5), ...(one === undefined ? [] : [one])]);
      await sentFor(n8n);
      const turns: number[] = [];
      const slot = { pause: async () => {}, end: () => {} };
      const takeTurn: TakeTurn = async (_waitMs, asked) => {
        turns.push(asked);
        return { slots: [slot, slot], requests: asked };
      };
      forgetRequests(n8n);
      const client = clientOf(n8n, { takeTurn });
      await traces.ask({ ...n8n, client }, { requestId: "r-5" });
      expect(n8n.requests).toHaveLength(requests);
      expect(turns).toEqual([requests]);
    }
  });

  test("is read together with its list once known, while many, large or failing ones are read otherwise", async () => {
    const others = fakeHistory(5);
    const running = (from: number, to: number, filling = "") =>
      Array.from({ length: to - from + 1 }, (_one, index) =>
        runningExecution(from + index, `r-${from + index}`, { ...withProgress(true), filling }),
      );
    const n8n = createFakeN8n([...others, ...running(6, 6)]);
    const listsOf = () => n8n.requests.filter((request) => request.includes("status=running"));
    await sentFor(n8n);
    const before = { workflowId: null, startedAfter: null, startedBefore: "2026-01-01T00:00:00.000Z" };
    await traces.ask(n8n, { requestId: "none", window: before, deep: true });
    await sentFor(n8n);
    expect(listsOf()).toEqual([expect.stringContaining("limit=5&includeData=true")]);
    n8n.executions = [...others, ...running(6, 12)];
    expect(await sentFor(n8n)).toEqual(["12", "11", "10", "9", "8", "7", "6"]);
    expect(await traces.ask(n8n, { requestId: "r-6" })).toMatchObject({ found: true, outcome: "running" });
    n8n.intercept = ({ search }) => (search.includes("limit=11&includeData") ? failure(500) : undefined);
    n8n.executions = [...others, ...running(6, 13)];
    const answer = await traces.ask(n8n, { requestId: "r-13" });
    expect(answer).toMatchObject({ found: true, coverage: { complete: true, skipped: [] } });
    n8n.intercept = () => undefined;
    n8n.executions = [...others, ...running(6, 6, "x".repeat(256 * 1024))];
    await sentFor(n8n);
    await sentFor(n8n);
    expect(listsOf()[0]).not.toContain("includeData");
    n8n.executions = others;
    await sentFor(n8n);
    await sentFor(n8n);
    expect(listsOf()).toEqual([expect.not.stringContaining("includeData")]);
  });

  test("is redacted once for all looks while its data stays the same", async () => {
    const n8n = createFakeN8n([...fakeHistory(5), runningExecution(6, "r-6", withProgress(true))]);
    let redactions = 0;
    const { sourcesOf } = traces;
    const redactLarge = async (value: unknown) => {
      redactions += 1;
      return value;
    };
    traces.sourcesOf = (one) => ({ ...sourcesOf(one), redactLarge });
    // The second look is the first to request data and list together.
    for (const requestId of ["none", "other"]) expect(await sentFor(n8n, requestId)).toContain("6");
    redactions = 0;
    expect(await sentFor(n8n, "third")).toContain("6");
    expect(await traces.ask(n8n, { requestId: "r-6" })).toMatchObject({ found: true, outcome: "running" });
    expect(redactions).toBe(0);
    n8n.executions = [...fakeHistory(5), runningExecution(6, "r-7", withProgress(true))];
    expect(await traces.ask(n8n, { requestId: "r-7" })).toMatchObject({ found: true, outcome: "running" });
    expect(redactions).toBeGreaterThan(0);
  });

  test("that waited between two looks is read again", async () => {
    const others = fakeHistory(5);
    const n8n = createFakeN8n([...others, runningExecution(6, "r-6", withProgress(false))]);
    await sentFor(n8n);
    const stoppedAt = new Date(Date.UTC(2026, 0, 1, 12)).toISOString();
    n8n.executions = [...others, runningExecution(6, "woken", { ...withProgress(false), stoppedAt })];
    expect(await traces.ask(n8n, { requestId: "woken" })).toMatchObject({ found: true });
  });

  test("that has ended is read again", async () => {
    const others = fakeHistory(5);
    const n8n = createFakeN8n([...others, runningExecution(6, "r-6", withProgress(false))]);
    await sentFor(n8n);
    n8n.executions = [...others, fakeExecution(6, "ended")];
    const answer = await traces.ask(n8n, { requestId: "ended" });
    expect(answer).toMatchObject({ found: true, outcome: "success" });
  });
});

/** A megabyte each in the heavy lane, a hundredth of it in `npm test`. */
test(
  "each look reads some of a thousand running megabyte executions and reports how many are left",
  inBothLanes,
  async () => {
    const bytes = sizeOf(MEGABYTE, MEGABYTE / 100);
    if (bytes < MEGABYTE) traces.maxRunningBytes = 32 * bytes;
    // In a part that is not searched, so that the test takes little time.
    const filling = { workflowData: { name: "orders", nodes: [], pinned: "x".repeat(bytes) } };
    const running = Array.from({ length: 1_000 }, (_one, index) =>
      runningExecution(index + 6, `run-${index + 6}`, filling),
    );
    const n8n = createFakeN8n([...fakeHistory(5), ...running]);
    // Pages grow for small executions, so the last page of a look may be larger.
    const most = sizeOf(50, 100);
    const read = new Set<string>();
    for (let look = 0; look < 3; look += 1) {
      const { found, coverage } = await askAgain(n8n, "r-3");
      expect(n8n.sent.length).toBeGreaterThan(20);
      expect(n8n.sent.length).toBeLessThanOrEqual(most);
      expect(n8n.sent.filter((id) => read.has(id))).toEqual([]);
      for (const id of n8n.sent) read.add(id);
      const unread = 1_005 - read.size;
      expect({ found, ...coverage }).toMatchObject({
        found: true,
        complete: false,
        stoppedBy: "running",
        scannedExecutions: read.size,
        skipped: expect.arrayContaining([
          expect.objectContaining({
            reason: `it runs, and was not read yet; the same in ${unread - 1} executions before it`,
          }),
        ]),
      });
      traces.clock.time += MINUTE_MS;
    }
    // Time runs out in the middle of them.
    letAnswersTake(n8n, traces, 12_000, (url) => url.searchParams.has("includeData"));
    const late = await askAgain(n8n, "run-6");
    expect(late).toMatchObject({
      outcome: "not_found_yet",
      coverage: { complete: false, stoppedBy: "running" },
    });
    expect(late.sentence).toContain("not all running executions were read yet");
    n8n.intercept = () => undefined;
    expect(await askAgain(n8n, "run-6")).toMatchObject({ found: true, outcome: "running" });
    expect(await traces.ask(n8n, { requestId: "run-1005" })).toMatchObject({
      found: true,
      outcome: "running",
    });
    expect(await traces.ask(n8n, { requestId: "r-3" })).toMatchObject({ found: true });
  },
);

test("a look requests no larger pages of large running executions than the last look learned", async () => {
  const filling = { workflowData: { name: "orders", nodes: [], pinned: "x".repeat(2 * MEGABYTE) } };
  const running = Array.from({ length: 30 }, (_one, index) =>
    runningExecution(index + 6, `run-${index + 6}`, filling),
  );
  const n8n = createFakeN8n([...fakeHistory(5), ...running]);
  await traces.ask(n8n, { requestId: "none" });
  traces.clock.time += MINUTE_MS;
  await sentFor(n8n);
  const pages = n8n.requests.filter((request) => /status=running.*includeData=true/.test(request));
  const sizes = pages.map((request) => Number(new URL(request, "http://n8n").searchParams.get("limit")));
  expect(sizes.length).toBeGreaterThan(2);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(5);
});

test.each([false, "DEFAULT"] as const)(
  "a deep trace reads running executions whatever is known of them (saves progress: %s)",
  async (saves) => {
    const data = {
      resultData: { runData: {} },
      executionData: {
        nodeExecutionStack: [
          { node: { name: "Webhook" }, data: { main: [[{ json: { note: "on m-77" } }]] } },
        ],
      },
    };
    const n8n = createFakeN8n([...fakeHistory(5), runningExecution(6, "", { data, ...withProgress(saves) })]);
    for (let look = 0; look < 3; look += 1) {
      await traces.ask(n8n, { requestId: "never" });
      traces.clock.time += 2 * MINUTE_MS;
    }
    const { executions, coverage } = await traces.ask(n8n, { requestId: "m-77", deep: true });
    expect(executions).toMatchObject([{ id: "6", match: { kind: "mentioned" } }]);
    expect(coverage).toMatchObject({ complete: true, readNow: 6 });
  },
);

test("a first look lists the newest after the running ones, while their data is read", async () => {
  const n8n = createFakeN8n([...fakeHistory(5), runningExecution(6, "r-6")]);
  const isNewestListed = () => n8n.requests.some((request) => !/status=|includeData=/.test(request));
  const seen: [what: string, isNewestListed: boolean][] = [];
  n8n.intercept = async ({ searchParams }) => {
    if (searchParams.get("status") !== "running") return undefined;
    await passTurns(20);
    seen.push([searchParams.get("includeData") === "true" ? "data" : "list", isNewestListed()]);
    return undefined;
  };
  expect(await traces.ask(n8n, { requestId: "r-6" })).toMatchObject({ found: true, outcome: "running" });
  expect(seen).toEqual([
    ["list", false],
    ["data", true],
  ]);
});
