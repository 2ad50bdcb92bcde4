/** Executions that did not run in one go. Their shapes are those that a real n8n 2.40.5 returned. */
import { describe, expect, test } from "vitest";
import type { Envelope } from "../../src/mcp/envelope.ts";
import { createCaller } from "../support/call-recorded.ts";
import { createFakeN8n, type FakeExecution, fakeExecution } from "../support/fake-n8n.ts";

const START = Date.UTC(2026, 0, 10, 9);
const at = (ms: number): string => new Date(START + ms).toISOString();
const NOW = START + 60_000;

const TYPES: Readonly<Record<string, string>> = {
  Webhook: "n8n-nodes-base.webhook",
  Wait: "n8n-nodes-base.wait",
  Approve: "n8n-nodes-base.executeWorkflow",
  Book: "n8n-nodes-base.httpRequest",
  Agent: "@n8n/n8n-nodes-langchain.agent",
  Model: "@n8n/n8n-nodes-langchain.lmChatOpenAi",
};
const nodes = Object.entries(TYPES).map(([name, type]) => ({
  ...{ name, type },
  parameters: name === "Wait" ? { resume: "webhook", limitWaitTime: false } : {},
}));

/** A run that sent one item. */
const run = (ms: number, more: object = {}) => ({
  ...{
    startTime: START + ms,
    executionTime: 5,
    executionIndex: 0,
    executionStatus: "success",
    source: [null],
  },
  data: { main: [[{ json: { ok: true } }]] },
  ...more,
});
const model = (ms: number) =>
  run(ms, {
    source: [{ previousNode: "Agent", previousNodeRun: 0 }],
    inputOverride: { ai_languageModel: [[{ json: { messages: ["Human: hi"], options: { model: "m1" } } }]] },
    data: {
      ai_languageModel: [
        [
          {
            json: {
              response: { generations: [[{ text: "hi", generationInfo: { finish_reason: "stop" } }]] },
              tokenUsage: { promptTokens: 20, completionTokens: 10 },
            },
          },
        ],
      ],
    },
  });
const failed = (ms: number, error: object = { name: "NodeApiError", message: "no", httpCode: "500" }) =>
  run(ms, { executionStatus: "error", error, data: undefined });

interface Data {
  readonly runData: Readonly<Record<string, readonly object[]>>;
  readonly error?: object;
  readonly lastNodeExecuted?: string;
}

const execution = (
  id: number,
  resultData: Data,
  facts: object = {},
  stack: readonly object[] = [],
): FakeExecution =>
  fakeExecution(id, "", {
    ...{ startedAt: at(0), stoppedAt: at(9_000), createdAt: at(0) },
    workflowData: { name: "orders", nodes, connections: {} },
    data: { resultData, executionData: { nodeExecutionStack: stack } },
    ...facts,
  });

const ask = async (executions: readonly FakeExecution[], tool: string, args: object): Promise<Envelope> =>
  await createCaller({ fetch: createFakeN8n([...executions]).fetch, now: () => NOW }).call(tool, args);

const BY_HAND = { name: "ManualExecutionCancelledError", message: "The execution was cancelled manually" };
/** n8n marks the node that waited as disabled when it resumes, and takes out its run. */
const RESUMED = [{ node: { name: "Wait", disabled: true } }];
const BEFORE_WAIT = { Webhook: [run(0)], Wait: [] };

describe("an execution that runs again after its wait", () => {
  const running = execution(
    1,
    { runData: BEFORE_WAIT, lastNodeExecuted: "Wait" },
    { status: "running", stoppedAt: at(225) },
    RESUMED,
  );

  test("has not ended when its wait began, though n8n keeps that as its end", async () => {
    const { message, data } = await ask([running], "get_execution", { id: "1" });
    expect(message).toContain("running; 1 of 6 nodes ran");
    expect(data).toMatchObject({ stoppedAt: null, duration: null });
    expect((await ask([running], "explain_failure", { executionId: "1" })).message).toContain(
      "has not ended",
    );
  });

  test("has no duration in a trace", async () => {
    const { data } = await ask([running], "trace_request", { requestId: "1" });
    expect(data).toMatchObject({ executions: [{ id: "1", durationMs: null }] });
  });

  test("shows no run of the node that waited, since n8n has taken it out", async () => {
    expect((await ask([running], "get_execution", { id: "1" })).data).toMatchObject({
      statistics: { executedNodes: 1 },
      availableNodes: [{ nodeName: "Webhook" }],
    });
  });
});

describe("the node that ran when an execution was stopped", () => {
  const stopped = async (
    runData: Data["runData"],
    stack: readonly object[],
    facts: object = {},
  ): Promise<string | undefined> => {
    const made = execution(1, { runData, error: BY_HAND }, { status: "canceled", ...facts }, stack);
    return (await ask([made], "explain_failure", { executionId: "1" })).message;
  };

  test("is the one that waited", async () => {
    const waits = { Webhook: [run(0)], Wait: [run(10, { executionStatus: "waiting" })] };
    expect(await stopped(waits, [{ node: { name: "Wait" } }])).toContain(
      'after 9000 ms while it waited at "Wait"',
    );
  });

  test.each<[string, Data["runData"], object[], object?]>([
    ["it had been resumed", BEFORE_WAIT, RESUMED],
    ["nothing was saved since its start", {}, [{ node: { name: "Webhook" } }]],
    [
      "nothing was saved since its retry",
      { Webhook: [run(-9_000)], Book: [] },
      [{ node: { name: "Book" } }],
      { mode: "retry", retryOf: "0" },
    ],
  ])("is not known if %s", async (_name, runData, stack, facts) => {
    expect(await stopped(runData, stack, facts)).toMatch(/stopped it by hand after 9000 ms\.$/);
  });
});

test("a caller whose sub-workflow failed after a wait is explained by it, whatever node the error names", async () => {
  // The error has no `executionId`, as n8n writes it with the call that ends at once.
  const error = { name: "NodeApiError", message: "no", httpCode: "500", node: { name: "Book" } };
  const metadata = { subExecution: { executionId: "2", workflowId: "w2" } };
  const caller = execution(
    1,
    {
      runData: { Webhook: [run(0)], Approve: [run(8_000, { executionStatus: "error", error, metadata })] },
      ...{ error, lastNodeExecuted: "Approve" },
    },
    { status: "error" },
  );
  const called = execution(
    2,
    { runData: { Book: [failed(7_000, error)] }, error, lastNodeExecuted: "Book" },
    { status: "error", mode: "integrated", workflowId: "w2" },
  );
  const { message } = await ask([called, caller], "explain_failure", { executionId: "1" });
  expect(message).toContain('"Approve" failed because the sub-workflow it called failed');
  expect(message).toContain("execution 2");
  expect((await ask([called, caller], "get_execution", { id: "1" })).message).toContain('at node "Approve"');
});

test.each([
  ["error", '"Approve" waited for "orders" (execution 2), which failed, and went on with what it had given'],
  ["success", "No problem is visible"],
])("a caller that n8n 1.x resumed after its sub-workflow ended with %s says so", async (status, says) => {
  const metadata = { subExecution: { executionId: "2", workflowId: "w2" }, subExecutionsCount: 1 };
  const runData = { Webhook: [run(0)], Approve: [run(8_000, { metadata })], Book: [run(8_010)] };
  const error = { name: "Error", message: "The approval was refused" };
  const failure = status === "error" ? { error, runData: { Book: [failed(7_000, error)] } } : null;
  const called = execution(
    2,
    { runData: { Book: [run(7_000)] }, lastNodeExecuted: "Book", ...failure },
    { status, mode: "integrated", workflowId: "w2" },
  );
  const caller = execution(1, { runData, lastNodeExecuted: "Book" });
  expect((await ask([called, caller], "explain_failure", { executionId: "1" })).message).toContain(says);
});

describe("a retry", () => {
  const first = { Webhook: [run(0)], Agent: [run(10)], Model: [model(11)] };
  const original = execution(
    1,
    { runData: { ...first, Book: [failed(20)] }, error: { message: "no" }, lastNodeExecuted: "Book" },
    { status: "error" },
  );
  const retry = execution(
    2,
    { runData: { ...first, Book: [run(30_000)] }, lastNodeExecuted: "Book" },
    { mode: "retry", retryOf: "1", createdAt: at(28_900), startedAt: at(29_000), stoppedAt: at(31_000) },
  );

  test("has not used what the execution had used that it retries", async () => {
    const { data } = await ask([retry, original], "query_executions", { groupBy: ["mode"] });
    expect(data).toMatchObject({
      totals: { count: 2, items: 4, llmCalls: 1, promptTokens: 20, completionTokens: 10 },
      groups: [
        { mode: "webhook", items: 3, llmCalls: 1 },
        { mode: "retry", items: 1 },
      ],
    });
  });

  test("says which nodes and agents did not run again", async () => {
    expect((await ask([retry], "get_execution", { id: "2" })).message).toContain(
      "4 of 6 nodes ran, 3 of them only in the execution it began from",
    );
    expect((await ask([retry], "explain_agent_run", { executionId: "2" })).message).toContain(
      '"Agent" ran only in the execution that this one began from.',
    );
    for (const tool of ["get_execution", "explain_agent_run"]) {
      const args = tool === "get_execution" ? { id: "1" } : { executionId: "1" };
      expect((await ask([original], tool, args)).message).not.toContain("began from");
    }
  });
});

test("a partial run in the editor, which lacks the calls of an agent that ran before, is no run of this agent", async () => {
  const runData = { Webhook: [run(0)], Agent: [run(10)], Book: [run(30_000)] };
  const facts = { mode: "manual", createdAt: at(28_900), startedAt: at(29_000), stoppedAt: at(31_000) };
  const partial = execution(3, { runData, lastNodeExecuted: "Book" }, facts);
  expect(await ask([partial], "explain_agent_run", { executionId: "3" })).toMatchObject({
    message: expect.stringContaining("ran no agent"),
    data: { agents: [] },
  });
});
