/** Executions that a scan had read before another caller joined it may have changed by then. */
import { expect, test } from "vitest";
import { cursorBelow, readExecutionCursor } from "../../../src/n8n/execution-cursor.ts";
import {
  createFakeN8n,
  type FakeExecution,
  type FakeN8n,
  fakeExecution,
  fakeHistory,
  forgetRequests,
  isDataPage,
  jsonAnswer,
} from "../../support/fake-n8n.ts";
import { createTestTraces, type TestTraces, WINDOW } from "../../support/test-traces.ts";
import { iso, passTurns, runningExecution } from "./set-up.ts";

/** Answers with n8n's present state, and holds back the first answer that contains this execution. */
function holdPageOf(n8n: FakeN8n, id: string) {
  const { promise: held, resolve: noteHeld } = Promise.withResolvers<void>();
  const { promise: gate, resolve: letGo } = Promise.withResolvers<void>();
  n8n.intercept = async (url) => {
    if (!isDataPage(url)) return undefined;
    const limit = Number(url.searchParams.get("limit"));
    const above = BigInt(readExecutionCursor(url.searchParams.get("cursor") ?? "")?.lastId ?? 1_000_000);
    const below = n8n.executions
      .filter((one) => one.status !== "running" && BigInt(one.id) < above)
      .reverse();
    const data = below.slice(0, limit);
    const last = data.at(-1)?.id;
    const nextCursor = below.length > limit && last !== undefined ? cursorBelow(last, limit) : null;
    const answer = jsonAnswer({ data, nextCursor });
    if (data.some((one) => one.id === id)) {
      noteHeld();
      await gate;
    }
    return answer;
  };
  return { held, letGo };
}

const begin = (): TestTraces => {
  const traces = createTestTraces();
  traces.clock.time = Date.parse(iso(3_000));
  return traces;
};

test.each(["250", "50"])("a waiting execution that ended before a caller joined is found: %s", async (id) => {
  const traces = begin();
  const startedAt = iso(Number(id));
  const waits = { status: "waiting", startedAt, stoppedAt: iso(400), waitTill: iso(9_000) };
  const waiting = fakeExecution(Number(id), "early", waits);
  const n8n = createFakeN8n(fakeHistory(300).with(Number(id) - 1, waiting));
  n8n.dates = "filtered";
  // The newest are known, so a look goes no further down.
  await traces.ask(n8n, { requestId: "never", window: { ...WINDOW, startedAfter: iso(260) } });
  const { held, letGo } = holdPageOf(n8n, id);
  const first = traces.ask(n8n, { requestId: "never" }, "anna");
  await held;
  const ended = fakeExecution(Number(id), "late", { startedAt, stoppedAt: iso(3_002) });
  n8n.executions = n8n.executions.with(Number(id) - 1, ended);
  traces.clock.time += 5_000;
  const second = traces.ask(n8n, { requestId: "late" }, "ben");
  await passTurns(300);
  letGo();
  await first;
  expect(await second).toMatchObject({ found: true, coverage: { complete: true } });
});

test.each([
  ["dates, late", { ...WINDOW, startedAfter: iso(2_000) }, 2_050],
  ["dates, before any page is stored", { ...WINDOW, startedAfter: iso(2_000) }, 2_850],
  ["a workflow, late", { ...WINDOW, workflowId: "w1" }, 2_050],
  ["a workflow, before any page is stored", { ...WINDOW, workflowId: "w1" }, 2_850],
])("a joined scan of %s reads no more than its window", async (_what, window, id) => {
  const traces = begin();
  const of = (one: FakeExecution): FakeExecution => ({
    ...one,
    workflowId: Number(one.id) > 2_000 ? "w1" : "w2",
  });
  const facts = { status: "waiting", startedAt: iso(id), stoppedAt: iso(id + 1), waitTill: iso(9_000) };
  const n8n = createFakeN8n(
    fakeHistory(2_900)
      .with(id - 1, fakeExecution(id, "early", facts))
      .map(of),
  );
  n8n.dates = "filtered";
  const { held, letGo } = holdPageOf(n8n, String(id));
  const first = traces.ask(n8n, { requestId: "never", window }, "anna");
  await held;
  const ended = fakeExecution(id, "late", { startedAt: iso(id), stoppedAt: iso(3_002) });
  n8n.executions = n8n.executions.with(id - 1, of(ended));
  traces.clock.time += 5_000;
  const second = traces.ask(n8n, { requestId: "late", window }, "ben");
  await passTurns(300);
  letGo();
  await first;
  const { found, coverage } = await second;
  expect({ found, complete: coverage.complete }).toEqual({ found: true, complete: true });
  expect(coverage.readNow).toBeLessThan(1_000);
});

test("running executions that a joined scan read earlier are read again or reported", async () => {
  const traces = begin();
  const settings = { saveExecutionProgress: true };
  const workflowData = { name: "orders", nodes: [], settings, pinned: "x".repeat(2_000) };
  const run = (requestId: string) =>
    Array.from({ length: 60 }, (_one, index) => runningExecution(301 + index, requestId, { workflowData }));
  const n8n = createFakeN8n([...fakeHistory(300), ...run("early")]);
  const { held, letGo } = holdPageOf(n8n, "200");
  const first = traces.ask(n8n, { requestId: "never" }, "anna");
  await held;
  n8n.executions = [...fakeHistory(300), ...run("late")];
  forgetRequests(n8n);
  traces.maxRunningBytes = 1;
  traces.clock.time += 5_000;
  // A caller who has found a request does not wait for other running executions.
  const second = traces.ask(n8n, { requestId: "r-3" }, "ben");
  await passTurns(300);
  letGo();
  await first;
  const { coverage } = await second;
  const read = new Set(n8n.sent.filter((id) => Number(id) > 300)).size;
  expect({ isWhole: read === 60, complete: coverage.complete }).not.toEqual({
    isWhole: false,
    complete: true,
  });
});
