/** Retries that mend, error workflows that tell, and ids that answers bring in: what a trace and an explanation say. */
import { expect, test } from "vitest";
import {
  ERR,
  entry,
  failedAt,
  failedChild,
  failedRun,
  ID,
  runOf,
  sub,
  traced,
} from "../../support/called-workflows.ts";
import { type FakeExecution, fakeExecution } from "../../support/fake-n8n.ts";

const failedEntry = (id: number, requestId: string, childId: number | null, node: string, facts = {}) =>
  entry(
    id,
    requestId,
    childId,
    { ...ERR, ...facts },
    {},
    { runData: { [node]: [failedRun(2, "refused")] }, resultData: failedAt(node, "refused") },
  );
const handler = (
  id: number,
  ofId: number,
  json: unknown,
  facts: Record<string, unknown> = {},
): FakeExecution =>
  fakeExecution(id, "-", {
    mode: "error",
    workflowId: "w9",
    workflowData: {
      id: "w9",
      name: "On error",
      nodes: [{ name: "Trigger", type: "n8n-nodes-base.errorTrigger" }],
    },
    data: {
      parentExecution: { executionId: String(ofId), workflowId: "w1" },
      resultData: { runData: { Trigger: [runOf(0, {}, json)] }, lastNodeExecuted: "Trigger" },
    },
    ...facts,
  });
const noId = (one: FakeExecution): FakeExecution => ({
  ...one,
  data: JSON.parse(JSON.stringify(one.data).replaceAll("requestId", "order")),
});
const ask = async (all: readonly FakeExecution[], args: object = ID) => {
  const x = await traced(all, args);
  return x;
};
const explained = async (
  x: { caller: { call: (name: string, args: object) => Promise<{ readonly message?: string }> } },
  args: object = ID,
) => {
  const result = await x.caller.call("explain_failure", args);
  const text = result.message ?? JSON.stringify(result);
  return text;
};

test("an older error-workflow run hides an execution that failed and is there", async () => {
  const x = await ask([handler(5, 4, ID), failedEntry(10, "req-1", null, "Send")]);
  await explained(x);
  expect(x.failure?.executionId).toBe("10");
});

test("explain_failure refuses", async () => {
  const x = await ask([handler(5, 4, ID), failedEntry(10, "req-1", null, "Send")]);
  expect(await explained(x)).toContain("Execution 10");
});

test("a call of an entry that was answered with another id at the same path, asked by its id", async () => {
  const headers = (id: string) => ({
    data: { main: [[{ json: { headers: { "x-request-id": id }, statusCode: 200 } }]] },
  });
  const x = await ask(
    [
      entry(
        10,
        "-",
        11,
        ERR,
        {},
        {
          runData: {
            Webhook: [runOf(0, headers("req-1"), {})],
            Ask: [runOf(1, headers("up-000123"), {})],
            Send: [failedRun(3, "refused")],
          },
          resultData: failedAt("Send", "refused"),
        },
      ),
      sub(11, 10, { nothing: 1 }),
    ],
    { requestId: "execution:11" },
  );
  expect(x.outcome).toBe("error");
});

test("explain_failure of what a retry mended that n8n does not keep", async () => {
  const x = await ask([failedEntry(10, "req-1", null, "Send", { retrySuccessId: "12" })]);
  expect(x.outcome).toBe("success");
  expect(await explained(x)).toMatch(/retry/i);
});

test("explain_failure of a success that failed where it started", async () => {
  const x = await ask([noId(failedEntry(10, "x", 11, "Send")), sub(11, 10, ID)]);
  expect(await explained(x)).toMatch(/execution 10|Execution 10/);
});

test("the caller without the id calls again after a failure, and succeeds", async () => {
  const x = await ask([noId(entry(10, "x", 12)), failedChild(11, 10), sub(12, 10, ID)]);
  await explained(x);
  expect(x.message).toMatch(/execution 12|execution 10/);
});

test("same with the id in the caller", async () => {
  const x = await ask([entry(10, "req-1", 12), failedChild(11, 10), sub(12, 10, ID)]);
  expect(x.outcome).toBe("success");
});

test("redacted caller: caught failure is the culprit", async () => {
  const x = await ask([
    entry(
      10,
      "req-1",
      11,
      { ...ERR, stoppedAt: "2026-01-01T00:20:00.000Z" },
      {},
      {
        runData: { Send: [runOf(2, { executionStatus: "error", data: undefined }, {})] },
        resultData: { lastNodeExecuted: "Send", redactedError: { type: "NodeApiError", httpCode: "402" } },
      },
    ),
    failedChild(11, 10),
  ]);
  expect(x.failure?.executionId).toBe("10");
});

test("running carrier + nothing: success told while the handler of an unkept failure", async () => {
  const x = await ask([
    handler(12, 11, ID),
    entry(50, "req-1", null, { status: "running", stoppedAt: null }),
  ]);
  expect(x.outcome).toBe("error");
});

test("unawaited failed child: explain_failure by request id", async () => {
  const x = await ask([entry(10, "req-1", 11), failedChild(11, 10)]);
  expect(await explained(x)).toContain("failed");
});
