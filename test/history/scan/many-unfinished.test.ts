/** More unfinished or unreadable executions than one look reads: none is lost, and n8n is asked for few at a time. */
import { expect, test } from "vitest";
import { NOTHING_KNOWN } from "../../../src/n8n/capabilities/capabilities.ts";
import { ContinuedSearch } from "../../support/continued-search.ts";
import {
  createFakeN8n,
  type FakeExecution,
  type FakeN8n,
  fakeExecution,
  fakeHistory,
  forgetRequests,
  isDataPage,
  N8N_1_123,
  singlesOf,
} from "../../support/fake-n8n.ts";
import { createLocalCapabilities } from "../../support/local-capabilities.ts";
import { createTestTraces, type TestTraces } from "../../support/test-traces.ts";
import { claimedButUnknown } from "../night/naive-reading.ts";
import { each, ended, put } from "./queue-set-up.ts";
import { iso, letAnswersTake, runningExecution } from "./set-up.ts";

const LATER = 3_000;
const MAX_SINGLE_READS = 100;

function begin(traces = createTestTraces()): TestTraces {
  traces.clock.time = Date.parse(iso(LATER));
  return traces;
}

const waits = (id: number): FakeExecution =>
  fakeExecution(id, `w-${id}`, { status: "waiting", stoppedAt: iso(id + 1), waitTill: iso(9_000) });

async function lookOften(traces: TestTraces, n8n: FakeN8n, times: number): Promise<void> {
  for (let looks = 0; looks < times; looks += 1) {
    traces.clock.time += 60_000;
    await traces.ask(n8n, { requestId: "never" });
  }
}

/** Ends all running executions. */
function letAllEnd(n8n: FakeN8n): void {
  n8n.executions = n8n.executions.map((one) =>
    one.status === "running"
      ? fakeExecution(Number(one.id), "wanted", { startedAt: one.startedAt, stoppedAt: iso(LATER) })
      : one,
  );
}

test("one of more than 1,000 waiting executions that wakes during the first scan is read once it has ended", async () => {
  const traces = begin();
  const n8n = createFakeN8n([...ended(1, 200), ...each(201, 1_300, waits), ...ended(1_301, 1_700)]);
  n8n.intercept = (url) => {
    if (isDataPage(url))
      put(n8n, runningExecution(210, "wanted", { startedAt: iso(210), stoppedAt: iso(211) }));
    return undefined;
  };
  await traces.ask(n8n, { requestId: "never" });
  n8n.intercept = () => undefined;
  put(n8n, ...each(201, 1_300, (id) => fakeExecution(id, `w-${id}`, { stoppedAt: iso(LATER + 2) })));
  await lookOften(traces, n8n, 15);
  expect(claimedButUnknown(n8n.executions, traces.history.sql)).toEqual([]);
});

test("many waiting executions on a slow n8n leave a call time to read", async () => {
  const traces = begin();
  const n8n = createFakeN8n([...fakeHistory(2_000), ...each(2_001, 7_000, waits)]);
  letAnswersTake(n8n, traces, 500);
  const { coverage } = await traces.ask(n8n, { requestId: "never" });
  expect(coverage.readNow).toBeGreaterThan(1_000);
});

test.each([100, 200])(
  "%d running executions are all read where cursors cannot be made by hand",
  async (count) => {
    const traces = begin();
    const workflowData = { name: "orders", nodes: [], settings: { saveExecutionProgress: true } };
    const run = (id: number): FakeExecution => runningExecution(id, "other", { workflowData });
    const n8n = createFakeN8n([...fakeHistory(300), ...each(301, 300 + count, run)]);
    n8n.hasOpaqueCursors = true;
    const { coverage } = await traces.ask(n8n, { requestId: "none", deep: true });
    expect(coverage).toMatchObject({ complete: true, skipped: [] });
  },
);

test("each of more than 100 executions that n8n 1.x does not list gets its turn", async () => {
  const traces = begin(createTestTraces(undefined, createLocalCapabilities(NOTHING_KNOWN)));
  const n8n = createFakeN8n([...ended(1, 20), ...each(21, 170, waits), ...ended(171, 230)]);
  n8n.old = N8N_1_123;
  await lookOften(traces, n8n, 6);
  put(n8n, fakeExecution(25, "wanted", { startedAt: iso(25), stoppedAt: iso(LATER + 500) }));
  await lookOften(traces, n8n, 2);
  expect(await traces.ask(n8n, { requestId: "wanted" })).toMatchObject({ found: true });
});

test("more than 100 broken executions do not hide an older one that recovers", async () => {
  const traces = begin();
  const n8n = createFakeN8n(fakeHistory(400));
  for (const id of [...each(250, 360, String), "100"]) n8n.broken.add(id);
  // Each call passes over a limited number.
  for (let calls = 0; calls < 30; calls += 1) await traces.ask(n8n, { requestId: "never" }).catch(() => {});
  n8n.broken.delete("100");
  await lookOften(traces, n8n, 30);
  expect(await traces.ask(n8n, { requestId: "r-100" })).toMatchObject({ found: true });
  n8n.broken.clear();
  forgetRequests(n8n);
  await lookOften(traces, n8n, 1);
  expect(singlesOf(n8n)).toHaveLength(MAX_SINGLE_READS);
});

test.each([true, false])(
  "a look requests few single executions when many end before it reads them (known: %s)",
  async (isKnown) => {
    const traces = begin();
    const n8n = createFakeN8n(fakeHistory(300));
    if (isKnown) await traces.ask(n8n, { requestId: "never" });
    n8n.executions.push(...each(301, 900, (id) => runningExecution(id, "wanted", { startedAt: iso(id) })));
    n8n.intercept = (url) => {
      if (url.searchParams.get("status") === "running" && url.searchParams.has("includeData")) letAllEnd(n8n);
      return undefined;
    };
    forgetRequests(n8n);
    const { coverage } = await traces.ask(n8n, { requestId: "never" });
    expect(coverage).toMatchObject({ complete: true, skipped: [] });
    expect(singlesOf(n8n).length).toBeLessThanOrEqual(MAX_SINGLE_READS);
  },
);

test("a continued search requests few single executions though others read many meanwhile", async () => {
  const traces = begin();
  traces.maxRunningBytes = 1;
  const settings = { saveExecutionProgress: true };
  const workflowData = { nodes: [], pinned: "x".repeat(10_000), settings };
  const run = (id: number): FakeExecution => runningExecution(id, "wanted", { workflowData });
  const n8n = createFakeN8n([...fakeHistory(5), ...each(6, 905, run)]);
  letAnswersTake(n8n, traces, 6_000, (url) => url.searchParams.has("includeData"));
  const search = new ContinuedSearch({ traces, n8n }, { text: "wanted" });
  await search.call(2_000);
  n8n.intercept = () => undefined;
  letAllEnd(n8n);
  await lookOften(traces, n8n, 12);
  forgetRequests(n8n);
  let answer = await search.call(2_000);
  expect(singlesOf(n8n).length).toBeLessThanOrEqual(2 * MAX_SINGLE_READS);
  for (let calls = 0; answer?.coverage.complete !== true && calls < 12; calls += 1)
    answer = await search.call(2_000);
  expect({ complete: answer?.coverage.complete, found: search.found.size }).toEqual({
    complete: true,
    found: 900,
  });
});

test("a running execution in an unknown form keeps nothing else from being known", async () => {
  const traces = begin();
  const n8n = createFakeN8n([...fakeHistory(1_500), runningExecution(1_501, "other", { data: "gone" })]);
  await lookOften(traces, n8n, 2);
  expect(traces.history.instance.store.stretches.of("listed")).toHaveLength(1);
});

test("a deep trace reaches the oldest execution though more run than a look reads", async () => {
  const traces = begin();
  const workflowData = { name: "orders", nodes: [], settings: { saveExecutionProgress: false } };
  const run = (id: number): FakeExecution => runningExecution(id, "other", { workflowData });
  const n8n = createFakeN8n([...fakeHistory(5_000), ...each(5_001, 6_001, run)]);
  let { traceId } = await traces.ask(n8n, { requestId: "none", deep: true });
  for (let calls = 0; calls < 5; calls += 1) traceId = (await traces.ask(n8n, { traceId })).traceId;
  expect(n8n.sent).toContain("1");
});
