/** What a trace says of a request that waits for somebody, once it goes on, and of a retry beside its original. */
import { describe, expect, test } from "vitest";
import { createCaller } from "../../support/call-recorded.ts";
import { entry, traced } from "../../support/called-workflows.ts";
import { createFakeN8n, type FakeExecution, fakeExecution, singlesOf } from "../../support/fake-n8n.ts";

const FOREVER = "3000-01-01T00:00:00.000Z";
const START = Date.UTC(2026, 0, 1, 0, 0, 10);
const time = (seconds: number): string => new Date(START + seconds * 1_000).toISOString();

/** An execution at this node, put to wait after so many seconds. */
function asking(node: string, seconds: number, facts: Record<string, unknown> = {}): FakeExecution {
  const runOf = (startTime: number, executionStatus: string, json: unknown, source: unknown[] = []) => [
    {
      startTime,
      executionTime: 1,
      executionIndex: source.length,
      executionStatus,
      source,
      data: { main: [[{ json }]] },
    },
  ];
  const asks = { type: "n8n-nodes-base.emailSend", parameters: { operation: "sendAndWait" } };
  return fakeExecution(10, "req-1", {
    ...{ status: "waiting", startedAt: time(0), stoppedAt: time(seconds), waitTill: FOREVER },
    workflowData: {
      name: "orders",
      nodes: [
        { name: "Webhook", type: "n8n-nodes-base.webhook" },
        { name: node, ...asks },
      ],
      connections: {},
    },
    data: {
      resultData: {
        lastNodeExecuted: node,
        runData: {
          Webhook: runOf(START, "success", { body: { requestId: "req-1" } }),
          [node]: runOf(START + 500, "waiting", {}, [{ previousNode: "Webhook" }]),
        },
      },
    },
    ...facts,
  });
}

describe("a request that waits", () => {
  const n8nWith = (...executions: FakeExecution[]) => {
    const n8n = createFakeN8n(executions);
    const caller = createCaller({ fetch: n8n.fetch });
    return { n8n, trace: async () => await caller.call("trace_request", { requestId: "req-1" }) };
  };

  test("is told with the node, what it waits for and since when, and where to look next", async () => {
    const { trace } = n8nWith(asking("Ask boss", 1));
    const { message, data } = await trace();
    expect(message).toContain(
      `It waits at "Ask boss", since ${time(1)}, for somebody's answer to its message`,
    );
    expect(data).toMatchObject({ _guidance: { example: 'explain_failure({"executionId":"10"})' } });
  });

  test("is read once while it waits, again when it waits elsewhere, and is no failure when it succeeds", async () => {
    const { n8n, trace } = n8nWith(asking("Ask boss", 1));
    await trace();
    const { length } = singlesOf(n8n);
    await trace();
    expect(singlesOf(n8n)).toHaveLength(length);
    n8n.executions = [asking("Ask chief", 2)];
    expect((await trace()).message).toContain('It waits at "Ask chief"');
    n8n.executions = [asking("Ask chief", 3, { status: "success", waitTill: null })];
    const { message } = await trace();
    expect(message).toContain("succeeded");
    expect(message).not.toContain("waits");
    expect(message).not.toContain("But in execution");
  });

  test("for its sub-workflow is told by what that waits for", async () => {
    const child: FakeExecution = { ...asking("Ask boss", 2), id: "11", workflowId: "w2", mode: "integrated" };
    const data = { ...Object(child.data), parentExecution: { executionId: "10", workflowId: "w1" } };
    const { message } = await n8nWith(asking("Call", 1), { ...child, data }).trace();
    expect(message).toContain('In execution 11 of "orders": It waits at "Ask boss"');
  });

  test("is told without that, if n8n does not return it", async () => {
    const { n8n, trace } = n8nWith(asking("Ask boss", 1));
    n8n.intercept = ({ pathname }) =>
      /executions\/\d+$/.test(pathname) ? new Response("{}", { status: 404 }) : undefined;
    expect((await trace()).message).toContain("(execution 10): it has not been resumed yet.");
  });
});

test.each([
  ["success", "succeeded on its last retry", "succeeded, too"],
  ["waiting", "succeeded on its last retry", "still waits, and may continue, too"],
])("a retry of an execution that is a %s is not all that happened", async (status, outcome, beside) => {
  const original = entry(10, "req-1", null, { status, waitTill: status === "waiting" ? FOREVER : null });
  const retry = entry(11, "req-1", null, { mode: "retry", retryOf: "10" });
  const { message } = await traced([original, retry]);
  expect(message).toContain(outcome);
  expect(message).toContain(`; execution 10, which it retries, ${beside}.`);
});

test("a retry of an execution that failed is all that counts", async () => {
  const retry = entry(11, "req-1", null, { mode: "retry", retryOf: "10" });
  const { message } = await traced([entry(10, "req-1", null, { status: "error" }), retry]);
  expect(message).not.toContain("which it retries");
});
