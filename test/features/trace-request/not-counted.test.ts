/** Executions that hold a request's id, and are no sending of it: runs in the editor, reports, what was handed on. */
import { describe, expect, test } from "vitest";
import {
  CONNECTIONS,
  ERR,
  entry,
  errorRun,
  failedAt,
  failedChild,
  failedEntry,
  failedRun,
  goesOn,
  ID,
  NODES,
  runOf,
  sub,
  swallows,
  traced,
} from "../../support/called-workflows.ts";
import { type FakeExecution, fakeExecution } from "../../support/fake-n8n.ts";

describe("a run in n8n's editor, with the data of the request,", () => {
  test.each(["manual", "evaluation"])("is no try of it (%s): it does not mend a failure", async (mode) => {
    const { outcome, message } = await traced(
      [failedEntry(10, "req-1"), entry(20, "req-1", null, { mode })],
      ID,
    );
    expect(outcome).toBe("error");
    expect(message).not.toContain("sent again");
    expect(message).toContain("Not counted: 1 run in n8n's editor.");
  });

  test("does not make a success a failure", async () => {
    const all = [entry(10, "req-1", null), failedEntry(20, "req-1", null, "Send", { mode: "manual" })];
    const { outcome, message } = await traced(all, ID);
    expect(outcome).toBe("success");
    expect(message).toContain('in "orders" (execution 10)');
  });

  test("is told as such where there is nothing else", async () => {
    const { outcome, message } = await traced([entry(20, "req-1", null, { mode: "manual" })], ID);
    expect(outcome).toBe("success");
    expect(message).toContain("Execution 20 ran in n8n's editor.");
  });

  test.each([
    ["it", "20", []],
    ["its retry", "22", [failedEntry(22, "req-1", null, "Send", { mode: "retry", retryOf: "20" })]],
  ])("is told where %s was asked for", async (_what, id, retries) => {
    const inEditor = failedEntry(20, "req-1", null, "Send", { mode: "manual" });
    const all = [entry(10, "req-1", null), inEditor, ...retries];
    const { outcome, failure } = await traced(all, { requestId: `execution:${id}` });
    expect([outcome, failure?.executionId]).toEqual(["error", id]);
  });

  test("is not where the request went wrong", async () => {
    const inEditor = { ...swallows(20, "req-1", "orders", "boom"), mode: "manual" };
    const { message, caller } = await traced([entry(10, "req-1", null), inEditor], ID);
    expect(message).not.toContain("in execution 20");
    const failed = failedEntry(21, "req-1", null, "Send", { mode: "manual" });
    const other = await traced([entry(10, "req-1", null), failed], ID);
    for (const { call } of [caller, other.caller])
      expect((await call("explain_failure", ID)).message).toMatch(/^Execution 10 of "orders" succeeded/);
  });
});

describe("a batch that was run in n8n's editor,", () => {
  const schedule = (id: number, facts = {}) => fakeExecution(id, "-", { mode: "trigger", ...facts });

  test("is not what started the request", async () => {
    const inEditor = [schedule(20, { mode: "manual", ...ERR }), failedChild(21, 20)];
    const { outcome, message } = await traced([schedule(10), sub(11, 10, ID), ...inEditor], ID);
    expect(outcome).toBe("success");
    expect(message).not.toContain("which started it");
    expect(message).not.toContain("1 failed");
    expect(message).toContain("Not counted: 1 run in n8n's editor.");
  });

  test("does not mend a failure, which is said", async () => {
    const inEditor = [schedule(20, { mode: "manual" }), sub(21, 20, ID)];
    const { failure, message } = await traced([schedule(10, ERR), failedChild(11, 10), ...inEditor], ID);
    expect(failure?.executionId).toBe("11");
    expect(message).toContain("Not counted: 1 run in n8n's editor.");
  });
});

/** A schedule that reads rows with these ids, and sends a report of them. */
function report(id: number, ids: readonly string[], fails = false, facts = {}): FakeExecution {
  const rows = { data: { main: [ids.map((requestId) => ({ json: { requestId } }))] } };
  return fakeExecution(id, "-", {
    ...(fails ? ERR : {}),
    mode: "trigger",
    workflowId: "w7",
    workflowData: { id: "w7", name: "report", nodes: NODES, connections: CONNECTIONS },
    data: {
      resultData: {
        runData: {
          Schedule: [runOf(0, {}, {})],
          Rows: [runOf(1, rows, {})],
          ...(fails ? { Send: [failedRun(2, "refused")] } : {}),
        },
        ...(fails ? failedAt("Send", "refused") : { lastNodeExecuted: "Rows" }),
      },
    },
    ...facts,
  });
}

describe("a report that lists the ids of several requests", () => {
  const IDS = ["req-1", "req-2", "req-3"];

  test("is no sending of any", async () => {
    const all = [entry(10, "req-1", null), report(60, IDS), report(61, IDS)];
    const { message } = await traced(all, ID);
    expect(message).toContain('succeeded in "orders" (execution 10)');
    expect(message).toContain("Not counted: 2 runs that list other ids, too.");
    expect(message).not.toContain("It was sent");
  });

  test.each([
    ["it", []],
    ["its retry", [report(6, IDS, true, { mode: "retry", retryOf: "5" })]],
  ])("may have failed because of another (%s): the own failure comes first", async (_what, retries) => {
    const { failure } = await traced([report(5, IDS, true), ...retries, failedEntry(10, "req-1")], ID);
    expect(failure?.executionId).toBe("10");
  });

  test("that failed, and succeeded with its next run, works the requests off", async () => {
    const all = [entry(10, "req-1", null), report(60, IDS, true), report(61, IDS)];
    const { message } = await traced(all, ID);
    expect(message).toContain("(execution 60), and succeeded when it was sent again (execution 61)");
    expect(message).not.toContain("Not counted");
  });

  test.each(["waiting", "running"])("has not gone wrong where it is %s", async (status) => {
    const { outcome, message } = await traced([report(60, IDS, false, { status, stoppedAt: null })], ID);
    expect(outcome).toBe(status);
    expect(message).not.toContain("what went wrong");
  });

  test.each([
    ["where the request itself succeeded", [entry(10, "req-1", null), report(60, IDS, true)]],
    ["where nothing else holds the id", [report(60, IDS, true)]],
  ])("may have failed because of another: that is said %s", async (_where, all) => {
    const { outcome, message } = await traced(all, ID);
    expect(outcome).toBe("error");
    expect(message).toContain("Execution 60 lists other ids, too: what went wrong may concern those.");
  });

  test("that lists only this one may be what works it off", async () => {
    const { message } = await traced([entry(10, "req-1", null), report(60, ["req-1"], true)], ID);
    expect(message).toContain('failed at node "Send" in "report" (execution 60). It was sent 2 times');
    expect(message).not.toContain("lists other ids");
  });
});

describe("what began while another workflow of the request ran may be its doing", () => {
  const billing = (id: number, startedAt: string): FakeExecution =>
    fakeExecution(id, "req-1", {
      workflowId: "w8",
      workflowData: { id: "w8", name: "billing", nodes: [] },
      startedAt,
      stoppedAt: "2026-01-01T00:00:12.500Z",
    });

  test("an error workflow's", async () => {
    const times = { startedAt: "2026-01-01T00:00:10.600Z", stoppedAt: "2026-01-01T00:00:12.000Z" };
    const all = [
      failedEntry(10, "req-1"),
      errorRun(12, 10, { order: 1 }, times),
      billing(13, "2026-01-01T00:00:10.800Z"),
    ];
    const { outcome, message } = await traced(all, ID);
    expect(outcome).toBe("error");
    expect(message).toContain(
      '"billing" (execution 13) began while "On error" (execution 12) ran, which may have sent it.',
    );
  });

  test("that of a workflow that calls others by HTTP", async () => {
    const { message } = await traced([entry(10, "req-1", null), billing(13, "2026-01-01T00:00:10.300Z")], ID);
    expect(message).toContain('began while "orders" (execution 10) ran, which may have sent it.');
  });

  test("of two that did not run at the same time, nothing is said", async () => {
    const { message } = await traced([entry(10, "req-1", null), billing(13, "2026-01-01T00:00:12.300Z")], ID);
    expect(message).toContain("It was sent 2 times");
    expect(message).not.toContain("may have sent it");
  });
});

test("an error workflow whose own run failed is told", async () => {
  const { message } = await traced([failedEntry(10, "req-1"), errorRun(12, 10, { order: 1 }, ERR)], ID);
  expect(message).toContain("With 1 error-handler run (1 failed).");
});

describe("a batch above a request", () => {
  const other = (one: FakeExecution): FakeExecution =>
    JSON.parse(JSON.stringify(one).replaceAll("requestId", "job"));
  const retry = other(fakeExecution(13, "night", { mode: "retry", retryOf: "10" }));
  const handler = errorRun(12, 10, {});

  test("that failed elsewhere gives the request no error handler and no retry", async () => {
    const batch = other(failedEntry(10, "night", 11));
    const { message, outcome } = await traced([batch, sub(11, 10, ID), handler, retry]);
    expect(outcome).toBe("success");
    expect(message).not.toMatch(/retry|error-handler/);
  });

  test("that failed because of the request was handled and retried for it", async () => {
    const batch = other(failedEntry(10, "night", 11, "Call"));
    const { message } = await traced([batch, failedChild(11, 10), handler, retry]);
    expect(message).toContain("1 error-handler run, 1 retry.");
  });
});

test("what went wrong in a successful batch may concern another of its ids", async () => {
  const items = [{ json: { requestId: "req-1" } }, { json: { requestId: "req-2" } }];
  const answers = [{ json: {} }, { json: { error: "refused" } }];
  const runData = {
    Webhook: [runOf(0, { data: { main: [items] } }, {})],
    Send: [runOf(2, { data: { main: [answers] } }, {})],
  };
  const { message } = await traced([entry(10, "-", null, { workflowData: goesOn("Send") }, {}, { runData })]);
  expect(message).toContain("succeeded");
  expect(message).toContain("Execution 10 lists other ids, too: what went wrong may concern those.");
});
