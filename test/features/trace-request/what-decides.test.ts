/** Which execution decides how a request ended, and what the trace says of calls, retries, error handlers and batches. */
import { describe, expect, test } from "vitest";
import { View } from "../../../src/n8n/view.ts";
import { recordedVersions } from "../../real-n8n/versions.ts";
import { holdOutDirectory, readHoldOut, toRecordingOf } from "../../recorded-n8n/hold-out.ts";
import { startRecordedN8n } from "../../recorded-n8n/server.ts";
import { createCaller, settingsFor } from "../../support/call-recorded.ts";
import {
  ERR,
  entry,
  failedAt,
  failedChild,
  failedEntry,
  failedRun,
  goesOn,
  ID,
  runOf,
  sub,
  swallows,
  traced,
} from "../../support/called-workflows.ts";
import { createFakeN8n, type FakeExecution, fakeExecution, jsonAnswer } from "../../support/fake-n8n.ts";

describe("a sub-workflow that its caller did not wait for", () => {
  test("is reported as failed in a recording of n8n 1.123", async () => {
    const kinds = await readHoldOut(holdOutDirectory("operations"));
    const kind = kinds.find((one) => one.kind === "licence-pool-empty-unseen");
    const version = recordedVersions.find((one) => one === kind?.n8n);
    if (kind === undefined || version === undefined) throw new Error("not recorded");
    const n8n = await startRecordedN8n({ version, recording: await toRecordingOf(version, kind) });
    try {
      const { message } = await createCaller({ settings: settingsFor(n8n) }).call("trace_request", {
        requestId: "rq-fc5ee6aee9",
      });
      expect(message).toMatch(/fail|went wrong/);
    } finally {
      await n8n.close();
    }
  });

  test("is reported as failed when its own execution id is traced", async () => {
    const { message } = await traced([entry(10, "req-1", 11), failedChild(11, 10)], {
      requestId: "execution:11",
    });
    expect(message).toMatch(/fail|went wrong/);
  });

  test.each(["running", "waiting"])("is reported as %s beside a caller that succeeded", async (status) => {
    const child = sub(11, 10, ID, { status, stoppedAt: null });
    const { message } = await traced([entry(10, "req-1", 11), child]);
    expect(message).toMatch(new RegExp(status));
  });
});

describe("the culprit", () => {
  test("is the failed node, not a sub-workflow whose failure was caught before", async () => {
    const parent = entry(
      10,
      "req-1",
      null,
      { ...ERR, workflowData: goesOn("Call"), stoppedAt: "2026-01-01T00:00:20.000Z" },
      { data: { main: [[{ json: { error: "optional lookup failed" } }]] } },
      { runData: { Send: [failedRun(2, "refused")] }, resultData: failedAt("Send", "refused") },
    );
    const { failure } = await traced([parent, failedChild(11, 10)]);
    expect(failure).toMatchObject({ executionId: "10", nodeName: "Send" });
  });

  test("is not the first attempt of a sub-workflow whose second attempt succeeded", async () => {
    const parent = failedEntry(10, "req-1", 12);
    const { failure } = await traced([parent, failedChild(11, 10), sub(12, 10, ID)]);
    expect(failure).toMatchObject({ executionId: "10", nodeName: "Send" });
  });

  test("is the same for explain_failure by request id", async () => {
    const parent = failedEntry(10, "req-1", 12);
    const { caller } = await traced([parent, failedChild(11, 10), sub(12, 10, ID)]);
    expect((await caller.call("explain_failure", ID)).message).toContain("Execution 10 of");
  });
});

test("a request sent once with 400 sub-workflow runs is not reported as sent again", async () => {
  const subs = Array.from({ length: 400 }, (_x, i) => sub(11 + i, 10, ID));
  const { message } = await traced([entry(10, "req-1", null), ...subs]);
  expect(message).not.toContain("sent more than");
});

describe("a sub-workflow is not a delivery", () => {
  test("where n8n does not keep the execution between it and the entry", async () => {
    const { message } = await traced([entry(10, "req-1", 11), sub(12, 11, ID)]);
    expect(message).not.toContain("sent 2 times");
  });

  test("where n8n does not keep the entry", async () => {
    const { message } = await traced([sub(11, 10, ID, ERR), sub(12, 10, ID)]);
    expect(message).not.toContain("sent again");
  });

  test("where the caller may not see the execution in between", async () => {
    const requestId = "req-a1b2c3d4-0001";
    const grand = sub(
      12,
      11,
      { requestId },
      { workflowId: "w3", workflowData: { id: "w3", name: "grand", nodes: [] } },
    );
    const all = [entry(10, requestId, 11), sub(11, 10, { requestId }), grand];
    const view = View.from({ seen: ["w1", "w3"], data: ["w1", "w3"] });
    const { message } = await traced(all, { requestId }, { view });
    expect(message).not.toContain("sent 2 times");
  });
});

test("an error workflow's run alone is not a success of its request", async () => {
  const handler = fakeExecution(12, "req-1", {
    mode: "error",
    workflowId: "w9",
    workflowData: { name: "On error", nodes: [] },
  });
  Object.assign(handler.data as object, { parentExecution: { executionId: "10", workflowId: "w1" } });
  expect((await traced([handler, fakeExecution(13, "other")])).outcome).not.toBe("success");
});

test('a retry of an earlier delivery is not "sent again"', async () => {
  const all = [
    fakeExecution(5, "req-1", ERR),
    fakeExecution(10, "req-1", ERR),
    fakeExecution(30, "req-1", { mode: "retry", retryOf: "5" }),
  ];
  expect((await traced(all)).message).not.toContain("sent again");
});

test("an execution that waits at its own Wait node is not waiting for its sub-workflow", async () => {
  const parent = entry(10, "req-1", 11, { status: "waiting", waitTill: "2026-01-09T00:00:00.000Z" });
  const { message } = await traced([parent, sub(11, 10, ID, { status: "running", stoppedAt: null })]);
  expect(message).not.toContain("for its sub-workflow");
});

test('a different problem elsewhere is not "the same"', async () => {
  const timesOut = swallows(12, "req-1", "invoices", "Payment refused: card expired");
  const { message } = await traced([swallows(10, "req-1", "orders", "Not found"), timesOut]);
  expect(message).not.toContain("Same in");
});

test("a retry that n8n reports as successful is mentioned even if it is not kept", async () => {
  const { message } = await traced([
    fakeExecution(10, "req-1", { ...ERR, retrySuccessId: "12" }),
    fakeExecution(13, "x"),
  ]);
  expect(message).toMatch(/retry/);
});

test("an error that a batch swallowed for another request is not reported of this one", async () => {
  const batch = { ...swallows(10, "x", "nightly", "Not found", 11), mode: "trigger" };
  expect((await traced([batch, sub(11, 10, ID)])).message).not.toContain("But in execution 10");
});

describe("a batch whose webhook received several ids", () => {
  /** A webhook that received two orders and calls a sub-workflow for each: 11 for A-4711, 12 for B-4712. */
  function batch(
    failedId: string | null,
    facts: Record<string, unknown>,
    failedStatus = ERR,
  ): FakeExecution[] {
    const orders = [{ requestId: "A-4711" }, { requestId: "B-4712" }];
    const Webhook = [runOf(0, { data: { main: [[{ json: { body: { orders } } }]] } }, {})];
    const error = { message: "boom", name: "NodeOperationError", executionId: failedId, workflowId: "w2" };
    const isOver = facts.status === "error";
    const Call = [
      isOver ? runOf(1, { executionStatus: "error", error, data: undefined }, {}) : runOf(1, {}, {}),
    ];
    const resultData = { lastNodeExecuted: "Call", ...(isOver ? { error } : {}), runData: { Webhook, Call } };
    const statusOf = (id: string) => (id === failedId ? failedStatus : {});
    return [
      entry(10, "x", null, { ...facts, data: { resultData } }),
      sub(11, 10, { requestId: "A-4711" }, statusOf("11")),
      sub(12, 10, { requestId: "B-4712" }, statusOf("12")),
    ];
  }

  test("does not make a request fail in the execution of another one", async () => {
    const r = await traced(batch("12", ERR), { requestId: "A-4711" });
    expect(r.failure?.executionId).not.toBe("12");
    expect(r.executions.map(({ id }) => id)).not.toContain("12");
  });

  test("does not make the request of a successful execution fail", async () => {
    expect((await traced(batch("12", ERR), { requestId: "execution:11" })).outcome).toBe("success");
  });

  test("does not make a failed request succeed because it continued", async () => {
    expect((await traced(batch("11", {}), { requestId: "A-4711" })).outcome).toBe("error");
  });
});

test("digits that are no request id in a workflow do not match another workflow's execution id", async () => {
  const n8n = createFakeN8n([
    fakeExecution(12, "y", { ...ERR, workflowId: "w9", workflowData: { name: "invoices", nodes: [] } }),
    fakeExecution(40, "z"),
  ]);
  const times = { createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-01T00:00:00.000Z" };
  const workflow = {
    id: "w1",
    name: "orders",
    active: true,
    isArchived: false,
    nodes: [],
    connections: {},
    settings: {},
    tags: [],
    ...times,
  };
  n8n.intercept = (url) => (/workflows/.test(url.pathname) ? jsonAnswer(workflow) : undefined);
  expect((await traced(n8n, { requestId: "12", workflowId: "w1" })).outcome).toBe("not_found");
});

describe("400 sub-workflow runs without the id", () => {
  const all = () => [
    entry(10, "req-1", null),
    ...Array.from({ length: 400 }, (_x, i) => sub(11 + i, 10, { x: i }, i === 3 ? ERR : {})),
  ];

  test("are not counted as the 299 that were followed", async () => {
    expect((await traced(all())).message).not.toContain("With 299 sub-workflow runs.");
  });

  test("include the failed one in the answer", async () => {
    const { caller: _caller, fake: _fake, ...answer } = await traced(all());
    expect(JSON.stringify(answer)).toMatch(/"14[ "]/);
  });
});
