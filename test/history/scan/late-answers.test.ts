/** Outdated answers, and executions whose end n8n stores twice: the index has n8n's present state. */
import { expect, test } from "vitest";
import { cursorBelow } from "../../../src/n8n/execution-cursor.ts";
import {
  createFakeN8n,
  type FakeExecution,
  type FakeN8n,
  failure,
  fakeExecution,
  fakeHistory,
  isList,
  jsonAnswer,
} from "../../support/fake-n8n.ts";
import { createTestTraces, type TestTraces } from "../../support/test-traces.ts";
import { ended, put, queued, tracesOf } from "./queue-set-up.ts";
import { holdFirst, iso, runningExecution } from "./set-up.ts";

const begin = (second: number): TestTraces => {
  const traces = createTestTraces();
  traces.clock.time = Date.parse(iso(second));
  return traces;
};

/** The first page of n8n's list at present. */
function firstPage(n8n: FakeN8n): Response {
  const listed = n8n.executions.filter(({ status }) => status !== "running").reverse();
  const data = listed.slice(0, 25).map(({ data: _data, workflowData: _workflow, ...one }) => one);
  return jsonAnswer({ data, nextCursor: cursorBelow(data.at(-1)?.id ?? "1", 25) });
}

test.each(["a deep trace", "the background"])(
  "an outdated answer with a queued execution that has ended meanwhile is no other history: %s",
  async (who) => {
    const traces = begin(400);
    const notBegun = { status: "new", startedAt: null, stoppedAt: null };
    const n8n = createFakeN8n([...fakeHistory(300), fakeExecution(301, "wanted", notBegun)]);
    await traces.ask(n8n, { requestId: "never" });
    traces.clock.time += 60_000;
    const { held, letGo } = holdFirst(n8n, isList, () => firstPage(n8n));
    const { instance } = traces.history;
    const { epoch } = instance.store.listed;
    const late =
      who === "the background" ? traces.step(n8n) : traces.ask(n8n, { requestId: "never", deep: true });
    await held;
    put(n8n, fakeExecution(301, "wanted", { startedAt: iso(461), stoppedAt: iso(462) }));
    traces.clock.time += 2_000;
    expect(await traces.ask(n8n, { requestId: "wanted" }, "ben")).toMatchObject({ outcome: "success" });
    letGo();
    await late;
    expect(instance.store.listed.epoch).toBe(epoch);
    expect(await traces.ask(n8n, { requestId: "r-5" })).toMatchObject({ found: true, deletedIds: [] });
  },
);

test("a queued execution that was canceled and then run is no other history", async () => {
  const traces = tracesOf(true);
  const n8n = createFakeN8n([...ended(1, 300), ...queued(301, 303)]);
  const look = async (): Promise<void> => {
    traces.clock.time += 20_000;
    await traces.ask(n8n, { requestId: "never" });
  };
  await look();
  put(n8n, fakeExecution(301, "q-301", { status: "canceled", startedAt: null, stoppedAt: iso(610) }));
  await look();
  await look();
  const { listed } = traces.history.instance.store;
  const { epoch } = listed;
  put(n8n, fakeExecution(301, "q-301", { startedAt: iso(611), stoppedAt: iso(700) }));
  await look();
  expect(listed.epoch).toBe(epoch);
});

test("executions in the queue of a restored n8n are known again though unchanged", async () => {
  const traces = tracesOf(true);
  const n8n = createFakeN8n([...ended(1, 300), ...queued(301, 303)]);
  await traces.ask(n8n, { requestId: "never" });
  traces.clock.time += 20_000;
  // Another execution has the id of the newest ended one.
  put(n8n, fakeExecution(300, "s-300", { startedAt: iso(5_000), stoppedAt: iso(5_001) }));
  for (let looks = 0; looks < 3; looks += 1) {
    traces.clock.time += 20_000;
    await traces.ask(n8n, { requestId: "never" });
  }
  const { outcome, coverage } = await traces.ask(n8n, { requestId: "q-302" });
  expect({ outcome, ...coverage }).toMatchObject({ outcome: "queued", complete: true, skipped: [] });
});

test("an execution canceled twice, the second time with all its data, is read again", async () => {
  const traces = begin(3_000);
  const runs = runningExecution(201, "other", { startedAt: iso(201) });
  const n8n = createFakeN8n([...fakeHistory(200), runs]);
  await traces.ask(n8n, { requestId: "never" });
  put(n8n, { ...runs, status: "canceled", stoppedAt: iso(3_000) });
  await traces.ask(n8n, { requestId: "never" });
  const facts = { status: "canceled", startedAt: iso(201), stoppedAt: iso(3_001) };
  put(n8n, fakeExecution(201, "wanted", facts));
  traces.clock.time += 60_000;
  expect(await traces.ask(n8n, { requestId: "wanted" })).toMatchObject({ found: true });
});

test("one slow failure at an ended execution does not delay its next reading", async () => {
  const traces = begin(3_000);
  const n8n = createFakeN8n(fakeHistory(300).with(199, runningExecution(200, "w", { startedAt: iso(200) })));
  await traces.ask(n8n, { requestId: "never" });
  put(n8n, fakeExecution(200, "wanted", { startedAt: iso(200), stoppedAt: iso(3_010) }));
  n8n.intercept = (url) => {
    if (!url.pathname.endsWith("/200")) return undefined;
    n8n.intercept = () => undefined;
    traces.clock.time += 5_000;
    return failure(504);
  };
  await traces.ask(n8n, { requestId: "wanted" });
  traces.clock.time += 60_000;
  expect(await traces.ask(n8n, { requestId: "wanted" })).toMatchObject({ found: true });
});

test("an ended execution whose data always times out stops delaying later calls", async () => {
  const traces = begin(3_000);
  const run = (id: number): FakeExecution => runningExecution(id, `w-${id}`, { startedAt: iso(id) });
  const n8n = createFakeN8n(fakeHistory(300).with(199, run(200)).with(99, run(100)));
  await traces.ask(n8n, { requestId: "never" });
  for (const id of [200, 100])
    put(n8n, fakeExecution(id, `w-${id}`, { startedAt: iso(id), stoppedAt: iso(3_010) }));
  n8n.intercept = (url) => {
    if (!url.pathname.endsWith("/200")) return undefined;
    traces.clock.time += 25_000;
    return failure(504);
  };
  const times: number[] = [];
  for (let calls = 0; calls < 4; calls += 1) {
    traces.clock.time += 60_000;
    const askedAt = traces.clock.time;
    const { coverage } = await traces.ask(n8n, { requestId: "r-5" });
    times.push(traces.clock.time - askedAt);
    expect(coverage).toMatchObject({ complete: false });
    expect(coverage.skipped.map(({ executionId }) => executionId)).toContain("200");
  }
  expect(times.slice(2)).toEqual([0, 0]);
  expect(await traces.ask(n8n, { requestId: "w-100" })).toMatchObject({ found: true });
});
