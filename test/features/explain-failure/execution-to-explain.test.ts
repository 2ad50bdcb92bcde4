/** Which execution of a request explain_failure explains. */
import { expect, test } from "vitest";
import * as z from "zod";
import { readKinds } from "../../recorded-n8n/kinds.ts";
import { createCaller } from "../../support/call-recorded.ts";
import { dataOf } from "../../support/envelopes.ts";
import { createFakeN8n, type FakeExecution, fakeExecution } from "../../support/fake-n8n.ts";

const answer = z.looseObject({
  executionId: z.string(),
  explanation: z.looseObject({ cause: z.string(), node: z.string().nullable() }),
});

async function explained(executions: readonly FakeExecution[]) {
  const caller = createCaller({ fetch: createFakeN8n(executions).fetch });
  return dataOf(await caller.call("explain_failure", { requestId: "kind-1" }), answer);
}

/** A recorded success that swallowed an error, called by the execution with id `parentId`. */
async function swallowing(id: number, parentId: number): Promise<FakeExecution> {
  const recorded = (await readKinds("2.40.5")).find(({ kind }) => kind === "caught-code");
  const data = z.looseObject({}).parse(recorded?.answer.data);
  const parentExecution = { executionId: String(parentId), workflowId: "w1" };
  return fakeExecution(id, "kind-1", {
    ...recorded?.answer,
    id: String(id),
    mode: "integrated",
    data: { ...data, parentExecution },
  });
}

test("the execution that swallowed an error is explained in a successful request", async () => {
  const executions = [fakeExecution(10, "kind-1"), await swallowing(12, 10)];
  expect(await explained(executions)).toMatchObject({
    executionId: "12",
    explanation: { cause: "error_caught", node: "Stock" },
  });
});

test("an execution that swallowed an error is not explained once n8n has deleted it", async () => {
  const n8n = createFakeN8n([fakeExecution(10, "kind-1"), await swallowing(12, 10), fakeExecution(13, "x")]);
  const caller = createCaller({ fetch: n8n.fetch });
  await caller.call("trace_request", { requestId: "kind-1" });
  n8n.executions = n8n.executions.filter(({ id }) => id !== "12");
  await caller.call("trace_request", { requestId: "execution:12" });
  const result = await caller.call("explain_failure", { requestId: "kind-1" });
  expect(dataOf(result, answer).executionId).toBe("10");
});

test("an execution that n8n fails to return does not mean that no execution has the id", async () => {
  const n8n = createFakeN8n([fakeExecution(1, "another-1"), fakeExecution(2, "kind-1")]);
  n8n.broken.add("2");
  const caller = createCaller({ fetch: n8n.fetch });
  const explained = await caller.call("explain_failure", { requestId: "kind-1" });
  expect(explained).toMatchObject({ status: "error" });
  expect(JSON.stringify(explained)).not.toContain("No execution that n8n has holds this request id");
});

test("an id that is also the number of another execution is reported as both", async () => {
  const executions = [fakeExecution(10, "12"), fakeExecution(12, "kind-1")];
  const caller = createCaller({ fetch: createFakeN8n(executions).fetch });
  const { message, data } = await caller.call("explain_failure", { requestId: "12" });
  expect(data).toMatchObject({ executionId: "10" });
  expect(message).toContain('Execution 12 is something else: "execution:12" asks for it.');
  const asExecution = await caller.call("explain_failure", { requestId: "10" });
  expect(asExecution).toMatchObject({ data: { executionId: "10" } });
  expect(asExecution.message).toContain("10 was taken as an execution id: no request id matches it.");
});

test("the deciding execution is explained where nothing was swallowed", async () => {
  expect(await explained([fakeExecution(10, "kind-1")])).toMatchObject({
    executionId: "10",
    explanation: { cause: "nothing_found" },
  });
});
