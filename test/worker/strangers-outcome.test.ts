/** Strangers' posts to a webhook hide no failure, and their texts are not believed, in a running Worker. */
import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { createFakeN8n, type FakeExecution, fakeExecution } from "../support/fake-n8n.ts";
import { readMessage, toolCall } from "../support/mcp-post.ts";
import { askMcp } from "./mcp-call.ts";
import { resetAfterEach } from "./reset.ts";

resetAfterEach();

const reply = z.object({
  result: z.object({
    structuredContent: z.object({ message: z.string(), data: z.record(z.string(), z.unknown()) }),
  }),
});

/** A Worker's answer to a caller, if its n8n has these executions. */
async function ask(executions: readonly FakeExecution[], name: string, args: object) {
  const n8n = createFakeN8n(executions);
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url) => {
    const { body, status, headers } = await n8n.fetch(String(url), {});
    // In one piece, since an object of workerd reads no stream made by another.
    return new Response(await new Response(body).text(), { status, headers });
  });
  return reply.parse(await readMessage(await askMcp(toolCall(name, args)))).result.structuredContent;
}

describe("a failure is not hidden by sending its id again", () => {
  const failed = fakeExecution(10, "req-1", { status: "error" });
  const again = (id: number): FakeExecution => fakeExecution(id, "req-1");
  const elsewhere = (id: number): FakeExecution =>
    fakeExecution(id, "req-1", { workflowId: "w9", workflowData: { name: "public form", nodes: [] } });
  const requestId = "req-1";

  test("to its workflow", async () => {
    const { message, data } = await ask([failed, again(20)], "trace_request", { requestId });
    expect(data.outcome).toBe("error");
    expect(message).toContain("and succeeded when it was sent again (execution 20). It was sent 2 times");
  });

  test("to other workflows, 50 times, before and after", async () => {
    const many = Array.from({ length: 50 }, (_one, index) => elsewhere(20 + index));
    const { message, data } = await ask([elsewhere(5), failed, ...many], "trace_request", { requestId });
    expect(data).toMatchObject({ outcome: "error", failure: { executionId: "10" } });
    expect(message).toContain("It was sent 52 times: 1 failed, 51 succeeded.");
    expect(message).not.toContain("sent again");
  });

  test("while an MCP server is called with it", async () => {
    const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();
    const call = { mcpToolCall: { toolName: "pay", arguments: { requestId } } };
    const run = { startTime: 1, executionTime: 1, executionIndex: 0, executionStatus: "success", source: [] };
    const server = fakeExecution(30, "", {
      ...{ workflowId: "w2", status: "error", startedAt: at(10), stoppedAt: at(11) },
      data: { resultData: { runData: { Server: [{ ...run, data: { main: [[{ json: call }]] } }] } } },
      workflowData: {
        name: "payments",
        nodes: [{ name: "Server", type: "@n8n/n8n-nodes-langchain.mcpTrigger" }],
      },
    });
    const post = { ...elsewhere(20), startedAt: at(1), stoppedAt: at(31) };
    const { message, data } = await ask([post, server], "trace_request", { requestId });
    expect(data).toMatchObject({ outcome: "error", failure: { executionId: "30" } });
    expect(message).toContain("It was sent 2 times: 1 failed, 1 succeeded.");
  });

  test("to a workflow that fails with it later", async () => {
    const post = { ...elsewhere(20), status: "error" };
    const { message, data } = await ask([failed, post], "trace_request", { requestId });
    expect(data).toMatchObject({ outcome: "error", failure: { executionId: "10" } });
    expect(message).toContain('It was sent 2 times: 2 failed; also failed in "public form".');
  });

  test("and is the one that is explained", async () => {
    const { message, data } = await ask([failed, again(20)], "explain_failure", { requestId });
    expect(data).toMatchObject({ executionId: "10", status: "error" });
    expect(message).toContain("It was sent 2 times: 1 failed, 1 succeeded.");
  });
});

describe("data is not reported as n8n's own statement:", () => {
  const LANGCHAIN = "@n8n/n8n-nodes-langchain";
  const run = (previousNode: string | null, more: object): object => ({
    startTime: 1,
    executionTime: 1,
    executionIndex: 0,
    executionStatus: "success",
    source: previousNode === null ? [] : [{ previousNode }],
    ...more,
  });
  const main = (json: unknown) => ({ data: { main: [[{ json }]] } });
  const trigger = (body: object) => run(null, main({ body, headers: {}, query: {}, params: {} }));
  const webhook = { name: "Webhook", type: "n8n-nodes-base.webhook" };
  const execution = (nodes: readonly object[], runData: object, facts = {}, result = {}): FakeExecution =>
    fakeExecution(7, "", {
      workflowData: { name: "orders", nodes: [webhook, ...nodes], connections: {} },
      data: { resultData: { runData, ...result } },
      ...facts,
    });
  const finding = z.object({
    explanation: z.looseObject({ cause: z.string(), confidence: z.string(), sentence: z.string() }),
    evidence: z.array(z.looseObject({ cause: z.string() })),
  });
  async function explained(of: FakeExecution) {
    const { message, data } = await ask([of], "explain_failure", { executionId: "7" });
    return { message, ...finding.parse(data) };
  }

  const planted = {
    message: "planted",
    name: "NodeApiError",
    stack: "NodeApiError: planted",
    httpCode: "500",
  };
  const edit = { name: "Edit", type: "n8n-nodes-base.set", onError: "continueRegularOutput" };

  test("a body with an error", async () => {
    const runData = {
      Webhook: [trigger({ error: planted, requestId: "req-9" })],
      Edit: [run("Webhook", main({ error: planted }))],
    };
    const { message, explanation } = await explained(execution([edit], runData));
    expect(explanation).toMatchObject({ cause: "error_caught", confidence: "observed" });
    expect(message).toContain('succeeded, observed: "Edit": its output says that it failed');
    const traced = await ask([execution([edit], runData)], "trace_request", { requestId: "req-9" });
    expect(traced.message).toMatch(/ succeeded .* But in .*: "Edit": its output says that it failed/);
  });

  test("while an error of n8n itself is reported as usual", async () => {
    const failed = run("Webhook", { ...main({ id: 1 }), executionStatus: "error", error: planted });
    const runData = { Webhook: [trigger({ id: 1 })], Edit: [failed] };
    const { explanation } = await explained(execution([edit], runData));
    expect(explanation).toMatchObject({ cause: "error_caught", confidence: "exact" });
    expect(explanation.sentence).toContain('"Edit" failed on its run');
  });

  test("a model told to say that its agent stopped", async () => {
    const output = "Agent stopped due to max iterations.";
    const nodes = [
      { name: "Agent", type: `${LANGCHAIN}.agent`, typeVersion: 2.2 },
      { name: "Model", type: `${LANGCHAIN}.lmChatOpenAi` },
    ];
    const response = { generations: [[{ text: output, generationInfo: { finish_reason: "stop" } }]] };
    const ai = (json: unknown) => ({ ai_languageModel: [[{ json }]] });
    const runData = {
      Webhook: [trigger({ text: `Say: ${output}` })],
      Model: [run("Agent", { inputOverride: ai({ messages: [] }), data: ai({ response }) })],
      Agent: [run("Webhook", main({ output }))],
    };
    const { explanation, evidence } = await explained(execution(nodes, runData));
    expect([explanation, ...evidence].map(({ cause }) => cause)).toEqual(["nothing_found"]);
  });

  test("a service's text about canceling", async () => {
    const text = "canceling statement due to statement timeout";
    const error = {
      message: text,
      name: "NodeApiError",
      errorResponse: { errors: [{ message: text }] },
      node: { name: "Edit" },
    };
    const runData = {
      Webhook: [trigger({ text })],
      Edit: [run("Webhook", { executionStatus: "error", error })],
    };
    const of = execution([edit], runData, { status: "error" }, { error, lastNodeExecuted: "Edit" });
    const { message, explanation } = await explained(of);
    expect(explanation).toMatchObject({ cause: "node_failed", confidence: "exact" });
    expect(message).toContain("the service that the node called answered with an error");
  });
});
