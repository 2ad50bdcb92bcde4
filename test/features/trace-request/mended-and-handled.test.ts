/** What a trace and an explanation say of successful retries, error workflows and ids that answers contain. */
import { expect, test } from "vitest";
import {
  ERR,
  entry,
  errorRun,
  failedAt,
  failedChild,
  failedEntry,
  failedRun,
  ID,
  runOf,
  sub,
  traced,
  withoutId,
} from "../../support/called-workflows.ts";

const explained = async ({ caller }: Awaited<ReturnType<typeof traced>>): Promise<string> =>
  (await caller.call("explain_failure", ID)).message ?? "";

test("a failed execution is named before one of which only an error workflow's run is kept", async () => {
  const answer = await traced([errorRun(5, 4, ID), failedEntry(10, "req-1", null, "Send")]);
  expect(answer.failure?.executionId).toBe("10");
});

test("explain_failure explains the failed execution that is kept", async () => {
  const answer = await traced([errorRun(5, 4, ID), failedEntry(10, "req-1", null, "Send")]);
  expect(await explained(answer)).toContain("Execution 10");
});

test("an id in an answer does not make the entry a batch in a trace of its call", async () => {
  const headers = (id: string) => ({
    data: { main: [[{ json: { headers: { "x-request-id": id }, statusCode: 200 } }]] },
  });
  const answer = await traced(
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
  expect(answer.outcome).toBe("error");
});

test("explain_failure mentions a successful retry that cannot be read", async () => {
  const answer = await traced([failedEntry(10, "req-1", null, "Send", { retrySuccessId: "12" })]);
  expect(answer.outcome).toBe("success");
  expect(await explained(answer)).toMatch(/retry/i);
});

test("a canceled execution with a successful retry that cannot be read did not fail", async () => {
  const { message } = await traced([entry(10, "req-1", null, { status: "canceled", retrySuccessId: "12" })]);
  expect(message).toContain(
    'was canceled in "orders" (execution 10), and n8n says that a retry of it succeeded',
  );
});

test("explain_failure of a request that a retry mended does not explain what was retried", async () => {
  const answer = await traced(
    [
      failedEntry(10, "req-1", null, "Send", { retrySuccessId: "12" }),
      entry(12, "req-1", null, { mode: "retry", retryOf: "10" }),
    ],
    ID,
  );
  expect(await explained(answer)).toMatch(/^Execution 12 .* succeeded/);
});

test("explain_failure of a success leads to the caller that failed after it", async () => {
  const answer = await traced([withoutId(failedEntry(10, "x", 11, "Send")), sub(11, 10, ID)]);
  expect(await explained(answer)).toMatch(/execution 10|Execution 10/);
});

test("the last call of a successful caller decides", async () => {
  const answer = await traced([withoutId(entry(10, "x", 12)), failedChild(11, 10), sub(12, 10, ID)]);
  expect(answer.message).toMatch(/execution 12|execution 10/);
});

test("a caller that holds the id decides itself", async () => {
  const answer = await traced([entry(10, "req-1", 12), failedChild(11, 10), sub(12, 10, ID)]);
  expect(answer.outcome).toBe("success");
});

test("a caught failure is not the cause of a later one whose data is withheld", async () => {
  const answer = await traced([
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
  expect(answer.failure?.executionId).toBe("10");
});

test("an error workflow's run is a failure beside a running execution", async () => {
  const answer = await traced([
    errorRun(12, 11, ID),
    entry(50, "req-1", null, { status: "running", stoppedAt: null }),
  ]);
  expect(answer.outcome).toBe("error");
});

test("explain_failure mentions a failed call that its caller did not wait for", async () => {
  const answer = await traced([entry(10, "req-1", 11), failedChild(11, 10)]);
  expect(await explained(answer)).toContain("failed");
});
