/** Whoever can post to a webhook can send a request id again: what failed is told all the same, and first. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { createCaller, settingsFor } from "../../support/call-recorded.ts";
import { dataOf } from "../../support/envelopes.ts";
import {
  createFakeN8n,
  type FakeExecution,
  type FakeN8n,
  fakeExecution,
  fakeHistory,
} from "../../support/fake-n8n.ts";
import { createTestTraces } from "../../support/test-traces.ts";

const SETTINGS = settingsFor({ baseUrl: "http://localhost:1", apiKey: "a-key-for-these-tests" });

const failed = (id: number): FakeExecution => fakeExecution(id, "req-1", { status: "error" });
const succeeded = (id: number): FakeExecution => fakeExecution(id, "req-1");
/** The same id, posted to a workflow that has nothing to do with it. */
const elsewhere = (id: number): FakeExecution =>
  fakeExecution(id, "req-1", { workflowId: "w9", workflowData: { name: "public form", nodes: [] } });

const told = z.looseObject({
  outcome: z.string(),
  failure: z.looseObject({ executionId: z.string() }).nullable(),
  executions: z.array(z.looseObject({ id: z.string(), status: z.string() })),
  deliveries: z.array(z.looseObject({ executionId: z.string(), outcome: z.string() })).optional(),
  moreDeliveries: z.record(z.string(), z.number()).optional(),
});

async function traced(executions: readonly FakeExecution[]) {
  const caller = createCaller({ settings: SETTINGS, fetch: createFakeN8n(executions).fetch });
  const result = await caller.call("trace_request", { requestId: "req-1" });
  return { message: result.message, ...dataOf(result, told) };
}

describe("a failed delivery", () => {
  test("is told with a later success of the same workflow", async () => {
    const { message, outcome, failure } = await traced([failed(10), succeeded(20)]);
    expect(message).toMatch(
      /^Request "req-1" failed .*in "orders" \(execution 10\), and succeeded when it was sent again \(execution 20\)\. It was sent 2 times: 1 failed, 1 succeeded\./,
    );
    expect([outcome, failure?.executionId]).toEqual(["error", "10"]);
  });

  test("is told as it was when another workflow is sent the id", async () => {
    const { message, outcome } = await traced([failed(10), elsewhere(20)]);
    expect(message).toMatch(/ failed .*\(execution 10\)\. It was sent 2 times: 1 failed, 1 succeeded\./);
    expect(message).not.toContain("sent again");
    expect(outcome).toBe("error");
  });

  test("is told between two successes", async () => {
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

  test("is among those that are followed, where there are more than can be", async () => {
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

test("all succeeded: it did", async () => {
  const { message, outcome, failure, deliveries } = await traced([succeeded(10), succeeded(20)]);
  expect(message).toMatch(
    / succeeded in "orders" \(execution 20\) after 500 ms\. It was sent 2 times: 2 succeeded\./,
  );
  expect([outcome, failure, deliveries]).toEqual(["success", null, undefined]);
});

test("a success that was found before all was read is not the last word", async () => {
  const answer = await createTestTraces().ask(createFakeN8n([failed(10), succeeded(20)]), {
    requestId: "req-1",
    limit: 1,
  });
  expect(answer.sentence).toContain("The rest of the window was not read yet: it may have been sent before.");
});

describe("explain_failure says, as trace_request does,", () => {
  const explained = async (n8n: FakeN8n) => {
    const caller = createCaller({ settings: SETTINGS, fetch: n8n.fetch });
    return (await caller.call("explain_failure", { requestId: "req-1" })).message;
  };

  test("that the rest was not read", async () => {
    const n8n = createFakeN8n([failed(10), ...fakeHistory(900).slice(10), succeeded(1_000)]);
    n8n.intercept = (url) => {
      const cursor = url.searchParams.get("cursor");
      const isBack = cursor !== null && Number(JSON.parse(atob(cursor)).lastId) < 800;
      return isBack ? new Response("{}", { status: 500 }) : undefined;
    };
    expect(await explained(n8n)).toContain(
      "The rest of the window was not read yet: it may have been sent before.",
    );
  });

  test("that there are more than could be followed", async () => {
    const many = Array.from({ length: 400 }, (_one, index) => elsewhere(20 + index));
    expect(await explained(createFakeN8n([failed(10), ...many]))).toContain(
      "More executions hold it than could be followed.",
    );
  });

  test("of a session, that there are several requests", async () => {
    const inSession = (id: number): FakeExecution =>
      JSON.parse(JSON.stringify(succeeded(id)).replace("requestId", "sessionId"));
    expect(await explained(createFakeN8n([inSession(10), inSession(20)]))).toContain(
      "There are 2 requests with it: 2 succeeded.",
    );
  });
});

test("of a session, no message hides that another failed", async () => {
  const inSession = (id: number, facts: Record<string, unknown> = {}): FakeExecution =>
    JSON.parse(JSON.stringify(fakeExecution(id, "session-abc", facts)).replace("requestId", "sessionId"));
  const n8n = createFakeN8n([inSession(10, { status: "error" }), inSession(20)]);
  const answer = await createTestTraces().ask(n8n, { requestId: "session-abc" });
  expect(answer).toMatchObject({ foundAs: "sessionId", outcome: "error", decidingId: "10" });
  expect(answer.sentence).toMatch(/^The request of session "session-abc" failed/);
  expect(answer.sentence).toContain("There are 2 requests with it: 1 failed, 1 succeeded.");
});

test("explain_failure explains the workflow that failed first, and names the others", async () => {
  const posts = ["a", "b", "c", "d", "e", "a"].map((name, index) =>
    fakeExecution(20 + index, "req-1", {
      status: "error",
      workflowId: `w-${name}`,
      workflowData: { name: `form ${name}`, nodes: [] },
    }),
  );
  const fetch = createFakeN8n([failed(8), failed(10), ...posts]).fetch;
  const { message } = await createCaller({ settings: SETTINGS, fetch }).call("explain_failure", {
    requestId: "req-1",
  });
  expect(message).toMatch(/^Execution 10 of "orders" failed: /);
  expect(message).toContain(
    'It was sent 8 times: 8 failed; also failed in "form a", "form e", "form d" and 2 more workflows.',
  );
});

test("explain_failure explains the newest that failed, and says that others succeeded", async () => {
  const fetch = createFakeN8n([failed(8), failed(10), elsewhere(20), succeeded(30)]).fetch;
  const result = await createCaller({ settings: SETTINGS, fetch }).call("explain_failure", {
    requestId: "req-1",
  });
  expect(dataOf(result, z.looseObject({ executionId: z.string(), status: z.string() }))).toMatchObject({
    executionId: "10",
    status: "error",
  });
  expect(result.message).toMatch(
    /^Execution 10 of "orders" failed: .* It was sent 4 times: 2 failed, 2 succeeded\.$/,
  );
});
