/** More running executions than one call can read: a search or deep trace still finishes, and never too early. */
import { expect, test } from "vitest";
import { ContinuedSearch } from "../../support/continued-search.ts";
import {
  createFakeN8n,
  type FakeExecution,
  type FakeN8n,
  fakeExecution,
  fakeHistory,
  forgetRequests,
} from "../../support/fake-n8n.ts";
import { type TestTraces, WINDOW } from "../../support/test-traces.ts";
import { tracesOf } from "../scan/queue-set-up.ts";
import { expectNothingTwice, iso, letAnswersTake, runningExecution } from "../scan/set-up.ts";

/** More than the first page of a look, and more than a slow call has time for. */
const SOME = 60;
const MANY = 600;
const value = "wanted";
const PAGE_MS = 6_000;

/** @param saveExecutionProgress whether the data of a running execution may change */
function begin(count: number, saveExecutionProgress: boolean): { traces: TestTraces; n8n: FakeN8n } {
  const traces = tracesOf(false);
  traces.clock.time = Date.parse(iso(1_000));
  traces.maxRunningBytes = 1;
  const settings = { saveExecutionProgress };
  const workflowData = { name: "orders", nodes: [], pinned: "x".repeat(10_000), settings };
  const running = Array.from({ length: count }, (_one, index) =>
    runningExecution(6 + index, value, { workflowData }),
  );
  return { traces, n8n: createFakeN8n([...fakeHistory(5), ...running]) };
}

/** Lets each page with data take so long that a call has time for few. */
function slowDown({ traces, n8n }: ReturnType<typeof begin>): void {
  letAnswersTake(n8n, traces, PAGE_MS, (url) => url.searchParams.has("includeData"));
}

test.each([true, false])(
  "one call with enough time reads everything that runs (looked before: %s)",
  async (hasLooked) => {
    const { traces, n8n } = begin(SOME, true);
    if (hasLooked) await traces.ask(n8n, { requestId: "r-1" });
    const search = new ContinuedSearch({ traces, n8n }, { path: "body.requestId", value });
    const answer = await search.call(2_000);
    expect(answer?.coverage).toMatchObject({ complete: true, stoppedBy: "complete", skipped: [] });
    expect(search.found.size).toBe(SOME);
  },
);

test("several calls read each running execution once if its data cannot change", async () => {
  const set = begin(MANY, false);
  slowDown(set);
  const search = new ContinuedSearch(set, { text: value });
  let answer = await search.call(2_000);
  expect(answer?.coverage).toMatchObject({ complete: false, stoppedBy: "running" });
  for (let calls = 0; answer?.coverage.complete !== true && calls < 10; calls += 1)
    answer = await search.call(2_000);
  expect(answer?.coverage).toMatchObject({ complete: true, skipped: [] });
  expect(search.found.size).toBe(MANY);
  expectNothingTwice(set.n8n);
});

test("running executions that may have changed are not taken as read, and are counted", async () => {
  const set = begin(MANY, true);
  slowDown(set);
  const search = new ContinuedSearch(set, { text: value });
  for (let calls = 0; calls < 12; calls += 1) {
    const answer = await search.call(2_000);
    expect(answer?.coverage).toMatchObject({ complete: false, stoppedBy: "running" });
  }
  expect(search.found.size).toBe(MANY);
  const answer = await search.call(2_000);
  expect(answer?.coverage.skipped).toEqual([
    {
      executionId: null,
      reason: expect.stringMatching(/^\d+ running executions were not read again in this call/),
    },
  ]);
});

test("running executions that others have read are not taken as searched", async () => {
  const set = begin(SOME, false);
  set.traces.maxRunningBytes = undefined;
  await set.traces.ask(set.n8n, { requestId: "none" }, "bert");
  const search = new ContinuedSearch(set, { text: value });
  await search.call(2_000);
  expect(search.found.size).toBe(SOME);
});

test("an execution that waits and continues between two calls is searched again", async () => {
  const { traces, n8n } = begin(SOME, false);
  const search = new ContinuedSearch({ traces, n8n }, { text: "later" });
  expect((await search.call(2_000))?.coverage.complete).toBe(true);
  n8n.executions = n8n.executions.map((one) =>
    one.id === "44" ? { ...one, stoppedAt: iso(1_100), data: runningExecution(44, "later").data } : one,
  );
  traces.clock.time = Date.parse(iso(1_200));
  expect((await search.call(2_000))?.coverage.complete).toBe(true);
  expect([...search.found]).toEqual(["44"]);
});

test.each(["search", "deep trace"])(
  "an execution that was waiting and resumed with other data is read by a %s",
  async (what) => {
    const { traces, n8n } = begin(1, false);
    const isDeep = what === "deep trace";
    const search = new ContinuedSearch({ traces, n8n }, { text: "later" });
    const asked = { requestId: "later", window: WINDOW, deep: true };
    const changeTo = (facts: Partial<FakeExecution>): void => {
      n8n.executions = n8n.executions.map((one) => (one.id === "6" ? { ...one, ...facts } : one));
    };
    changeTo({ status: "waiting", stoppedAt: iso(500), waitTill: iso(90_000) });
    const traceId = isDeep ? (await traces.ask(n8n, asked)).traceId : undefined;
    if (!isDeep) await search.call(2_000);
    traces.clock.time += 60_000;
    changeTo({ status: "running", waitTill: null, data: runningExecution(6, "later").data });
    await traces.ask(n8n, { requestId: "none" }, "bert");
    traces.clock.time += 1_000;
    if (!isDeep) await search.call(2_000);
    const found = isDeep
      ? (await traces.ask(n8n, { ...asked, traceId })).executions.map(({ id }) => id)
      : [...search.found];
    expect(found).toEqual(["6"]);
  },
);

test("executions running in another workflow do not affect an answer about this one", async () => {
  const { traces, n8n } = begin(MANY, true);
  n8n.executions.push(fakeExecution(700, "r-700", { workflowId: "w2" }));
  for (let looks = 0; looks < 30; looks += 1) await traces.ask(n8n, { requestId: "none" });
  const window = { ...WINDOW, workflowId: "w2" };
  const { coverage } = await traces.ask(n8n, { requestId: "r-700", window });
  expect(coverage).toMatchObject({ complete: true, skipped: [] });
});

test("a deep trace counts executions it has read before as searched", async () => {
  const set = begin(MANY, false);
  slowDown(set);
  const asked = { requestId: "none", window: WINDOW, deep: true };
  let answer = await set.traces.ask(set.n8n, asked);
  for (let calls = 0; answer.coverage.complete !== true && calls < 10; calls += 1)
    answer = await set.traces.ask(set.n8n, { ...asked, traceId: answer.traceId });
  expect(answer.coverage).toMatchObject({ complete: true, scannedExecutions: MANY + 5 });
  expect(answer.coverage.searchedForMentions).toBe(MANY + 5);
  forgetRequests(set.n8n);
  await set.traces.ask(set.n8n, { ...asked, traceId: answer.traceId });
  expect(set.n8n.sent).toEqual([]);
});
