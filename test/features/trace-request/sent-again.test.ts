/** A stranger who knows a webhook can post a request id again: the failure is still reported, and first. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { createCaller } from "../../support/call-recorded.ts";
import { dataOf } from "../../support/envelopes.ts";
import {
  createFakeN8n,
  type FakeExecution,
  type FakeN8n,
  fakeExecution,
  fakeHistory,
} from "../../support/fake-n8n.ts";
import { createTestTraces } from "../../support/test-traces.ts";

const failed = (id: number): FakeExecution => fakeExecution(id, "req-1", { status: "error" });
const succeeded = (id: number): FakeExecution => fakeExecution(id, "req-1");
/** The same id, posted to an unrelated workflow. */
const elsewhere = (id: number): FakeExecution =>
  fakeExecution(id, "req-1", { workflowId: "w9", workflowData: { name: "public form", nodes: [] } });

const answerSchema = z.looseObject({
  outcome: z.string(),
  failure: z.looseObject({ executionId: z.string() }).nullable(),
  executions: z.array(z.looseObject({ id: z.string(), status: z.string() })),
  deliveries: z.array(z.looseObject({ executionId: z.string(), outcome: z.string() })).optional(),
  moreDeliveries: z.record(z.string(), z.number()).optional(),
});

async function traced(executions: readonly FakeExecution[]) {
  const caller = createCaller({ fetch: createFakeN8n(executions).fetch });
  const result = await caller.call("trace_request", { requestId: "req-1" });
  return { message: result.message, ...dataOf(result, answerSchema) };
}

const explained = async (n8n: FakeN8n) =>
  await createCaller({ fetch: n8n.fetch }).call("explain_failure", {
    requestId: "req-1",
  });

describe("a failed delivery", () => {
  test("is reported with a later success of the same workflow", async () => {
    const { message, outcome, failure } = await traced([failed(10), succeeded(20)]);
    expect(message).toMatch(
      /^Request "req-1" failed .*in "orders" \(execution 10\), and succeeded when it was sent again \(execution 20\)\. It was sent 2 times: 1 failed, 1 succeeded\./,
    );
    expect([outcome, failure?.executionId]).toEqual(["error", "10"]);
  });

  test("is reported without a retry's words when another workflow receives the id", async () => {
    const { message, outcome } = await traced([failed(10), elsewhere(20)]);
    expect(message).toMatch(/ failed .*\(execution 10\)\. It was sent 2 times: 1 failed, 1 succeeded\./);
    expect(message).not.toContain("sent again");
    expect(outcome).toBe("error");
  });

  test("is reported between two successes", async () => {
    const { message, failure } = await traced([succeeded(5), failed(10), elsewhere(20)]);
    expect(message).toContain("It was sent 3 times: 1 failed, 2 succeeded.");
    expect(message).not.toContain("sent again");
    expect(failure?.executionId).toBe("10");
  });

  test("comes first among many, and the others are counted", async () => {
    const many = Array.from({ length: 50 }, (_one, index) => elsewhere(20 + index));
    const { message, outcome, executions, deliveries, moreDeliveries } = await traced([failed(10), ...many]);
    expect(message).toContain("It was sent 51 times: 1 failed, 50 succeeded.");
    expect(outcome).toBe("error");
    expect(executions.map(({ id }) => id)).toEqual(["10"]);
    expect(deliveries?.map(({ executionId }) => executionId)).toEqual(["10", "69", "68", "67", "66"]);
    expect(deliveries?.[0]).toMatchObject({ workflow: "orders", outcome: "error" });
    expect(moreDeliveries).toEqual({ success: 46 });
  });

  test("is among the followed ones where there are more than can be followed", async () => {
    const n8n = createFakeN8n([
      failed(10),
      ...Array.from({ length: 400 }, (_one, index) => elsewhere(20 + index)),
    ]);
    const answer = await createTestTraces().ask(n8n, { requestId: "req-1" });
    expect(answer).toMatchObject({ outcome: "error", decidingId: "10" });
    expect(answer.sentence).toContain(
      "More executions hold it than could be followed. Among those that were, it was sent 300 times: 1 failed, 299 succeeded.",
    );
  });
});

test("a request succeeded if all its deliveries did", async () => {
  const { message, outcome, failure, deliveries } = await traced([succeeded(10), succeeded(20)]);
  expect(message).toMatch(
    / succeeded in "orders" \(execution 20\) after 500 ms\. It was sent 2 times: 2 succeeded\./,
  );
  expect([outcome, failure, deliveries]).toEqual(["success", null, undefined]);
});

test("a success found before the whole window was read is not final", async () => {
  const answer = await createTestTraces().ask(createFakeN8n([failed(10), succeeded(20)]), {
    requestId: "req-1",
    limit: 1,
  });
  expect(answer.sentence).toContain("The rest of the window was not read yet: it may have been sent before.");
});

describe("explain_failure says, like trace_request,", () => {
  test("that the rest of the window was not read", async () => {
    const n8n = createFakeN8n([failed(10), ...fakeHistory(900).slice(10), succeeded(1_000)]);
    n8n.intercept = (url) => {
      const cursor = url.searchParams.get("cursor");
      const isBack = cursor !== null && Number(JSON.parse(atob(cursor)).lastId) < 800;
      return isBack ? new Response("{}", { status: 500 }) : undefined;
    };
    expect((await explained(n8n)).message).toContain(
      "The rest of the window was not read yet: it may have been sent before.",
    );
  });

  test("that more executions hold the id than could be followed", async () => {
    const many = Array.from({ length: 400 }, (_one, index) => elsewhere(20 + index));
    expect((await explained(createFakeN8n([failed(10), ...many]))).message).toContain(
      "More executions hold it than could be followed.",
    );
  });

  test("that a session has several requests", async () => {
    const inSession = (id: number): FakeExecution =>
      JSON.parse(JSON.stringify(succeeded(id)).replace("requestId", "sessionId"));
    expect((await explained(createFakeN8n([inSession(10), inSession(20)]))).message).toContain(
      "There are 2 requests with it: 2 succeeded.",
    );
  });
});

test("a later message of a session does not hide that another one failed", async () => {
  const inSession = (id: number, facts: Record<string, unknown> = {}): FakeExecution =>
    JSON.parse(JSON.stringify(fakeExecution(id, "session-abc", facts)).replace("requestId", "sessionId"));
  const n8n = createFakeN8n([inSession(10, { status: "error" }), inSession(20)]);
  const answer = await createTestTraces().ask(n8n, { requestId: "session-abc" });
  expect(answer).toMatchObject({ foundAs: "sessionId", outcome: "error", decidingId: "10" });
  expect(answer.sentence).toMatch(/^The request of session "session-abc" failed/);
  expect(answer.sentence).toContain("; a later one succeeded (execution 20). ");
  expect(answer.sentence).not.toContain("sent again");
  expect(answer.sentence).toContain("There are 2 requests with it: 1 failed, 1 succeeded.");
});

test("a later execution with the same custom data is not the same request sent again", async () => {
  const of = (id: number, facts: Record<string, unknown> = {}): FakeExecution =>
    fakeExecution(id, `req-${id}`, { customData: { customer: "acme" }, ...facts });
  const n8n = createFakeN8n([of(10, { status: "error" }), of(20)]);
  const { foundAs, sentence } = await createTestTraces().ask(n8n, { requestId: "acme" });
  expect(foundAs).toBe("customData");
  expect(sentence).toContain("; a later one succeeded (execution 20). ");
});

test("a session with more requests than could be followed was not sent so often", async () => {
  const inSession = (id: number): FakeExecution =>
    JSON.parse(JSON.stringify(fakeExecution(id, "session-abc")).replace("requestId", "sessionId"));
  const n8n = createFakeN8n(Array.from({ length: 320 }, (_one, index) => inSession(10 + index)));
  const { sentence } = await createTestTraces().ask(n8n, { requestId: "session-abc" });
  expect(sentence).toContain("Among those that were, there are 300 requests with it: 300 succeeded.");
});

test("explain_failure explains the workflow that failed first, and names the others", async () => {
  const posts = ["a", "b", "c", "d", "e", "a"].map((name, index) =>
    fakeExecution(20 + index, "req-1", {
      status: "error",
      workflowId: `w-${name}`,
      workflowData: { name: `form ${name}`, nodes: [] },
    }),
  );
  const { message } = await explained(createFakeN8n([failed(8), failed(10), ...posts]));
  expect(message).toMatch(/^Execution 10 of "orders" failed: /);
  expect(message).toContain(
    'It was sent 8 times: 8 failed; also failed in "form a", "form e", "form d" and 2 more workflows.',
  );
});

test("explain_failure explains the newest failure, and counts the successes", async () => {
  const result = await explained(createFakeN8n([failed(8), failed(10), elsewhere(20), succeeded(30)]));
  expect(dataOf(result, z.looseObject({ executionId: z.string(), status: z.string() }))).toMatchObject({
    executionId: "10",
    status: "error",
  });
  expect(result.message).toMatch(
    /^Execution 10 of "orders" failed: .* It was sent 4 times: 2 failed, 2 succeeded\.$/,
  );
});
