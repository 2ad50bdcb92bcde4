/**
 * Tools that explain, compare and sum up reveal no payload without n8n:data, even if it imitates what they show:
 * errors in n8n's own words, names of fields, ids and numbers written by code.
 */
import { describe, expect, test } from "vitest";
import { TOOLS } from "../../src/features/index.ts";
import { renderAnswer } from "../../src/mcp/rendering/render-answer.ts";
import { type AgentExecutionOptions, agentExecution } from "../support/agent-executions.ts";
import { type Caller, createCaller } from "../support/call-recorded.ts";
import { compared, linked, type Sent } from "../support/compared-executions.ts";
import { createFakeN8n, type FakeExecution, jsonAnswer } from "../support/fake-n8n.ts";

/** Somebody's name and number, which no workflow contains. */
const NAME = "Zaphod";
const NUMBER = 987_654;
const PAYLOAD = /zaphod|98765/i;
const READ = ["n8n:read"];

const callerOn = (executions: readonly FakeExecution[], scopes = READ): Caller =>
  createCaller({ fetch: createFakeN8n(executions).fetch, scopes });

async function expectClean(caller: Caller, tool: string, args: object): Promise<void> {
  const answer = await caller.call(tool, args);
  const rendering = TOOLS.find(({ name }) => name === tool)?.rendering;
  for (const form of [JSON.stringify(answer), renderAnswer(answer, rendering)])
    expect(PAYLOAD.exec(form)?.[0], form).toBeUndefined();
  expect(answer.status, JSON.stringify(answer)).toBe("success");
}

/** The words by which the rules recognize a cause. */
const SENTENCES = [
  NAME,
  `${NAME} is not defined`,
  `Module '${NAME}' is disallowed`,
  `Cannot find module '${NAME}'`,
  `Cannot read properties of undefined (reading '${NAME}')`,
  `$json.${NAME}.map is not a function`,
  `${NAME} is not iterable`,
  `Couldn't find the field '${NAME}'`,
  `'${NAME}' expects a number but we got '${NAME}'`,
  `Wrong type: '${NAME}' is a string but was expecting a number [condition 0, item ${NUMBER}]`,
  `The value in the "${NAME}" field is not valid JSON`,
  `Unexpected token '${NAME}' is not valid JSON`,
  `timeout of ${NUMBER}ms exceeded`,
  `connect ECONNREFUSED ${NAME}:${NUMBER}`,
  `getaddrinfo ENOTFOUND ${NAME}`,
  `Unrecognized node type: ${NAME}`,
  `Credential with ID "${NAME}" does not exist for type "${NAME}"`,
  `The sub-workflow (${NAME}) cannot be called by this workflow`,
  "Workflow is not active and cannot be executed.",
  `Invalid URL: ${NAME}`,
  `Max iterations (${NUMBER}) reached.`,
  `503 - ${NAME}`,
];
const TYPES = [
  ...["n8n-nodes-base.code", "n8n-nodes-base.httpRequest", "n8n-nodes-base.if", "n8n-nodes-base.set"],
  ...["n8n-nodes-base.readWriteFile", "n8n-nodes-base.stopAndError", "@n8n/n8n-nodes-langchain.agent"],
];

/** An error of which every member is written by whoever throws it. */
function hostileError(sentence: string): object {
  return {
    ...{ name: NAME, message: sentence, description: sentence, messages: [sentence], stack: sentence },
    ...{ code: NAME, httpCode: NAME, executionId: `${NUMBER}321`, workflowId: NAME },
    context: {
      type: NAME,
      nodeCause: NAME,
      itemIndex: NUMBER,
      request: { uri: `https://${NAME}.example/${NUMBER}` },
    },
    failure: { cause: NAME },
    cause: { name: NAME, message: sentence },
    extra: { workflowId: "w9" },
    node: { name: NAME, parameters: { [NAME]: NAME } },
  };
}

const PARAMETERS = {
  url: "https://api.example.com/orders",
  jsCode: "return $json.body.total.map((one) => one)",
  conditions: {
    conditions: [{ leftValue: "={{ $json.total }}", rightValue: 1, operator: { type: "number" } }],
  },
};
const payload = { [NAME]: { [`${NAME} ${NUMBER}`]: NAME, list: [{ [NAME]: NUMBER }] }, total: NAME };

const nodesOf = (type: string) => ({ Read: { type, parameters: PARAMETERS } });
const webhook = (body: unknown): Sent => ({ node: "Webhook", items: [[{ body }, { body }]] });
const usual = (id: number, type: string): FakeExecution =>
  compared(id, [webhook({ total: [1], plan: 1 }), { node: "Read", items: [[{ ok: true }]] }], {
    nodes: nodesOf(type),
  });
const failed = (id: number, type: string, sentence: string, parameters: object = PARAMETERS): FakeExecution =>
  linked(
    compared(id, [webhook(payload), { node: "Read", error: hostileError(sentence) }], {
      nodes: { Read: { type, parameters } },
      customData: { [NAME]: NAME },
    }),
  );

describe.each(SENTENCES)("an error message %j reveals no payload", (sentence) => {
  test.each(TYPES)("at a node of type %s", async (type) => {
    const caller = callerOn([usual(8, type), failed(9, type, sentence)]);
    await expectClean(caller, "explain_failure", { executionId: "9" });
    await expectClean(caller, "compare_executions", { id: "9" });
    await expectClean(caller, "get_execution", { id: "9" });
  });
});

test.each([
  "Wrong type: 'x' is a string but was expecting a number [condition 0, item 0]",
  "Workflow is not active and cannot be executed.",
  "The sub-workflow (w9) cannot be called by this workflow",
])("a Code node's error %j in n8n's own words only means that the code threw", async (sentence) => {
  const jsCode = "throw new Error(await this.helpers.httpRequest($json.body))";
  const execution = failed(9, "n8n-nodes-base.code", sentence, { jsCode });
  const { data } = await callerOn([execution]).call("explain_failure", { executionId: "9" });
  expect(data).toMatchObject({ explanation: { cause: "code_threw", node: "Read" } });
});

test("items that look like errors, and fields that no workflow mentions, reveal no payload", async () => {
  const sent = [
    { error: `There was an error: "${NAME}"`, message: NAME },
    payload,
    { status: "error", message: NAME },
  ];
  for (const onError of ["continueRegularOutput", "continueErrorOutput", "stopWorkflow"]) {
    const nodes = { Read: { type: "n8n-nodes-base.code", onError, parameters: PARAMETERS } };
    const now = compared(9, [webhook(payload), { node: "Read", items: [sent, sent] }], { nodes });
    const caller = callerOn([
      compared(8, [webhook({ total: 1 }), { node: "Read", items: [[{ a: 1 }]] }], { nodes }),
      now,
    ]);
    await expectClean(caller, "explain_failure", { executionId: "9" });
    await expectClean(caller, "compare_executions", { id: "9" });
  }
});

describe("an agent", () => {
  const ask = async (options: Partial<AgentExecutionOptions>, scopes = READ): Promise<Caller> => {
    const execution = agentExecution({ rounds: 4, text: NAME, failsEvery: 2, ...options });
    return createCaller({ fetch: async (url) => answerOf(url, execution), scopes });
  };
  const answerOf = (url: string, execution: object): Response =>
    jsonAnswer(url.includes("/executions?") ? { data: [], nextCursor: null } : execution);

  test.each(SENTENCES)("reveals no payload if its model and tools say %j, under other keys", async (text) => {
    const caller = await ask({ text, keys: [NAME, `${NAME}_${NUMBER}`] });
    await expectClean(caller, "explain_agent_run", { executionId: "7" });
    await expectClean(caller, "explain_failure", { executionId: "7" });
  });

  test("shows the payload with n8n:data, but only in data", async () => {
    const caller = await ask({ keys: [NAME] }, ["n8n:read", "n8n:data"]);
    const { message, data } = await caller.call("explain_agent_run", { executionId: "7" });
    expect(message).not.toMatch(PAYLOAD);
    expect(JSON.stringify(data)).toMatch(PAYLOAD);
  });
});

test("a digest reveals no payload of failures in n8n's own words", async () => {
  const executions = SENTENCES.map((sentence, index) =>
    failed(index + 1, TYPES[index % TYPES.length] ?? "", sentence),
  );
  const caller = callerOn(executions);
  const window = { startedAfter: "2026-01-01", startedBefore: "2026-01-02", timeBudgetMs: 55_000 };
  await expectClean(caller, "summarize_failures", window);
});
