/** Which failure of a sub-workflow ended its caller, and what is said of one that did not. */
import { expect, test } from "vitest";
import {
  CONNECTIONS,
  ERR,
  entry,
  failedAt,
  failedChild,
  failedRun,
  goesOn,
  ID,
  NODES,
  runOf,
  sub,
  traced,
} from "../../support/called-workflows.ts";
import { createFakeN8n, type FakeExecution, fakeExecution } from "../../support/fake-n8n.ts";

const T = (s: number) => new Date(Date.UTC(2026, 0, 1) + s * 1000).toISOString();
const ask = async (all: readonly FakeExecution[], args: object = ID, more: object = {}) => {
  const x = await traced(createFakeN8n(all as FakeExecution[]), args, more);
  return x;
};
const caughtThenSend = (facts: object, between = 0.4) =>
  entry(
    10,
    "req-1",
    null,
    {
      ...ERR,
      startedAt: T(10),
      stoppedAt: T(10.2 + between),
      workflowData: { ...goesOn("Call"), id: "w1", connections: CONNECTIONS },
      ...facts,
    },
    { data: { main: [[{ json: { error: "optional lookup failed" } }]] } },
    { runData: { Send: [failedRun(2, "Payment refused")] }, resultData: failedAt("Send", "Payment refused") },
  );

const noId = (one: FakeExecution): FakeExecution => ({
  ...one,
  data: JSON.parse(JSON.stringify(one.data).replaceAll("requestId", "order")),
});
const failedEntry = (id: number, requestId: string, facts = {}) =>
  entry(
    id,
    requestId,
    null,
    { ...ERR, ...facts },
    {},
    { runData: { Send: [failedRun(2, "refused")] }, resultData: failedAt("Send", "refused") },
  );
const handler = (
  id: number,
  ofId: number,
  json: unknown,
  childId: number | null,
  facts: Record<string, unknown> = {},
): FakeExecution =>
  fakeExecution(id, "-", {
    mode: "error",
    workflowId: "w9",
    workflowData: {
      id: "w9",
      name: "On error",
      nodes: [{ name: "Trigger", type: "n8n-nodes-base.errorTrigger" }, NODES[1]],
    },
    data: {
      parentExecution: { executionId: String(ofId), workflowId: "w1" },
      resultData: {
        runData: {
          Trigger: [runOf(0, {}, json)],
          ...(childId === null
            ? {}
            : {
                Call: [
                  runOf(
                    1,
                    { metadata: { subExecution: { executionId: String(childId), workflowId: "w2" } } },
                    {},
                  ),
                ],
              }),
        },
        lastNodeExecuted: "Trigger",
      },
    },
    ...facts,
  });

test("an optional look-up failed, was caught, and the next node fails within a second", async () => {
  const x = await ask([
    caughtThenSend({}),
    { ...failedChild(11, 10), startedAt: T(10.1), stoppedAt: T(10.2) },
  ]);
  expect(x.failure?.executionId).toBe("10");
});

test("control: 2 seconds", async () => {
  const x = await ask([
    caughtThenSend({}, 2),
    { ...failedChild(11, 10), startedAt: T(10.1), stoppedAt: T(10.2) },
  ]);
  expect(x.failure?.executionId).toBe("10");
});

test("the error workflow hands the id to its own sub-workflow: success", async () => {
  const x = await ask([noId(failedEntry(10, "x")), handler(12, 10, { nothing: 1 }, 13), sub(13, 12, ID)]);
  expect(x.outcome).toBe("error");
});

test("the same, what failed is not kept", async () => {
  const x = await ask([handler(12, 10, { nothing: 1 }, 13), sub(13, 12, ID)]);
  expect(x.outcome).toBe("error");
});

test("posted again by the error workflow's retry: the batch below above", async () => {
  const x = await ask([
    failedEntry(10, "req-1"),
    failedEntry(11, "req-1", { retryOf: "10", mode: "retry", status: "canceled" }),
  ]);
  expect(x.message).toContain("canceled");
});

test("a batch was canceled", async () => {
  const x = await ask([noId(entry(10, "x", 11, { status: "canceled" })), sub(11, 10, ID)]);
  expect(x.message).not.toContain("is not known to have succeeded (canceled)");
});

test("a failed call below a failed attempt that a retry in n8n has mended, not awaited", async () => {
  const x = await ask([
    failedEntry(10, "req-1", { retrySuccessId: "20" }),
    entry(20, "req-1", 21, { retryOf: "10", mode: "retry" }),
    failedChild(21, 20),
  ]);
  expect(x.message).toContain("1 failed");
});
