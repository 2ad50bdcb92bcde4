/** What the answer says beside the outcome is true, and the suggested next call works. */
import { describe, expect, test } from "vitest";
import { ERR, entry, ID, runOf, sub, traced } from "../../support/called-workflows.ts";
import { suggestedCall } from "../../support/envelopes.ts";
import { createFakeN8n, fakeExecution, fakeHistory } from "../../support/fake-n8n.ts";

test.each(["error", "success"])("the suggested call works after a deletion (%s)", async (status) => {
  const n8n = createFakeN8n([fakeExecution(10, "req-1", { status }), fakeExecution(11, "other")]);
  const { caller } = await traced(n8n);
  n8n.executions = n8n.executions.filter(({ id }) => id !== "10");
  await caller.call("trace_request", { requestId: "execution:10" });
  const { tool, args } = suggestedCall(await caller.call("trace_request", ID));
  expect((await caller.call(tool, args)).status).toBe("success");
});

describe("the comparison with earlier successes is suggested for", () => {
  test("the retry that succeeded, not the failed execution", async () => {
    const all = [
      fakeExecution(10, "req-1", ERR),
      fakeExecution(12, "req-1", { mode: "retry", retryOf: "10" }),
    ];
    expect((await traced(all))._guidance.example).toContain('"12"');
  });

  test("the request's own execution, not the batch above it", async () => {
    const all = [entry(10, "x", 11, { mode: "trigger" }), sub(11, 10, ID)];
    expect((await traced(all))._guidance.example).toContain('"11"');
  });
});

test("a trace that is not complete is continued, even if something mentions the id", async () => {
  const Webhook = [runOf(0, {}, { body: { note: "see req-1" } })];
  const mention = fakeExecution(500, "x", {
    data: { resultData: { runData: { Webhook }, lastNodeExecuted: "Webhook" } },
  });
  const { outcome, _guidance } = await traced([...fakeHistory(499), mention], { ...ID, limit: 100 });
  expect(outcome).toBe("not_found_yet");
  expect(_guidance.example).toContain("trace_request");
});

test("a request starts with its first execution, not with an earlier mention", async () => {
  const Webhook = [runOf(0, {}, { body: { note: "see req-1" } })];
  const times = { startedAt: "2025-12-01T00:00:00.000Z", stoppedAt: "2025-12-01T00:00:01.000Z" };
  const mention = fakeExecution(1, "x", { ...times, data: { resultData: { runData: { Webhook } } } });
  const r = await traced([mention, fakeExecution(5, "req-1")]);
  expect(r).toMatchObject({ startedAt: "2026-01-01T00:00:05.000Z" });
});

test("the number of mentions is not the number of those that are kept", async () => {
  const Webhook = [runOf(0, {}, { body: { note: "see req-1" } })];
  const data = { resultData: { runData: { Webhook } } };
  const all = Array.from({ length: 300 }, (_x, i) => fakeExecution(1 + i, "x", { data }));
  expect((await traced(all)).message).not.toContain("mentioned in 200 executions");
});

test.each([
  ["without an end", null],
  ["that ended before it began (two clocks)", "2026-01-01T00:00:04.900Z"],
])("a success %s has no duration of 0 or -100 ms", async (_name, stoppedAt) => {
  const { message } = await traced([fakeExecution(5, "req-1", { stoppedAt })]);
  expect(message).not.toMatch(/after (0|-\d+) ms/);
});

test("a request seen running and deleted since is not reported as not arrived", async () => {
  const n8n = createFakeN8n([
    fakeExecution(10, "req-1", { status: "running", stoppedAt: null }),
    fakeExecution(9, "x"),
  ]);
  let time = Date.UTC(2026, 0, 2);
  const sleep = async (ms: number) => {
    time += ms;
    n8n.executions = n8n.executions.filter(({ id }) => id !== "10");
  };
  const { message, caller } = await traced(n8n, { ...ID, waitMs: 20_000 }, { now: () => time, sleep });
  expect(caller.progress.join()).toContain("Waiting for the end of 1 execution (10: running)");
  expect(message).not.toContain("did not arrive");
});

test("another window beside a traceId is not ignored", async () => {
  const n8n = createFakeN8n([fakeExecution(1, "req-1"), fakeExecution(50, "x")]);
  const { caller, ...first } = await traced(n8n, { ...ID, startedAfter: "2026-01-01T00:00:30.000Z" });
  expect(first.outcome).toBe("not_found");
  const { traceId } = first as unknown as { traceId: string };
  const second = await caller.call("trace_request", { traceId, startedAfter: "2026-01-01T00:00:00.000Z" });
  expect(second.data).not.toMatchObject({ outcome: "not_found" });
});
