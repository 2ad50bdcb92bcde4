/** The callers and callees of a workflow, by nodes and settings, and by known runs. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { memorableExecution, tracedExecution } from "../../builders/known-executions.ts";
import { type Caller, createCaller } from "../../support/call-recorded.ts";
import { createFakeN8n, type FakeExecution, failure, jsonAnswer } from "../../support/fake-n8n.ts";
import { rawWorkflow } from "../../support/workflow-builder.ts";

const LANGCHAIN = "@n8n/n8n-nodes-langchain";
const date = "2026-11-21T00:00:00.000Z";

const call = (name: string, value: string, facts = {}) => ({
  ...{ name, type: "n8n-nodes-base.executeWorkflow", typeVersion: 1.2 },
  parameters: { workflowId: { __rl: true, mode: "id", value } },
  ...facts,
});
const mcpServer = {
  name: "Server",
  type: `${LANGCHAIN}.mcpTrigger`,
  parameters: { path: "hub" },
  typeVersion: 2,
};
const mcpClient = {
  ...{ name: "Hub client", type: `${LANGCHAIN}.mcpClientTool`, typeVersion: 1.2 },
  parameters: { endpointUrl: "https://n8n.example.com/mcp/hub" },
};
const workflow = (id: string, nodes: Parameters<typeof rawWorkflow>[0], settings = {}) =>
  rawWorkflow(nodes, {}, { id, name: `Flow ${id}`, createdAt: date, updatedAt: date, settings });

const entry = z.looseObject({ workflowId: z.string().nullable(), by: z.string() });
const related = z.looseObject({
  callers: z.array(entry),
  callees: z.array(entry),
  callersLeftOut: z.number().optional(),
  coverage: z.looseObject({ complete: z.boolean() }).optional(),
});

function open(workflows: { id?: unknown }[], { isListed = true } = {}): Caller {
  const n8n = createFakeN8n([] as FakeExecution[]);
  n8n.intercept = (url) => {
    if (url.pathname.endsWith("/workflows"))
      return isListed ? jsonAnswer({ data: workflows, nextCursor: null }) : failure(403);
    const found = workflows.find(({ id }) => url.pathname.endsWith(`/workflows/${id}`));
    return found === undefined ? undefined : jsonAnswer({ description: null, ...found });
  };
  return createCaller({ scopes: ["n8n:read"], fetch: n8n.fetch });
}

async function ask(caller: Caller, workflowId: string) {
  const envelope = await caller.call("get_workflow", { workflowId });
  expect(envelope.status, JSON.stringify(envelope)).toBe("success");
  return { message: envelope.message ?? "", data: related.parse(envelope.data) };
}

const ALL = [
  workflow("target", [mcpServer, call("Pick", "={{ $json.id }}"), call("Charge", "charge")], {
    errorWorkflow: "handler",
  }),
  workflow("caller", [call("Ask", "target"), call("Old", "target", { disabled: true })]),
  workflow("agent", [mcpClient, { ...call("tool.target", "target"), type: `${LANGCHAIN}.toolWorkflow` }]),
  workflow("handled", [], { errorWorkflow: "target" }),
  workflow("charge", []),
  workflow("handler", []),
  workflow("dynamic", [call("Any", "={{ $json.workflow }}")]),
];

describe("by nodes and settings", () => {
  test("every kind of call is named with its node, except of disabled nodes", async () => {
    const { message, data } = await ask(open(ALL), "target");
    expect(data.callers.map(({ workflowId, by, node }) => [workflowId, by, node])).toEqual([
      ["caller", "call", "Ask"],
      ["agent", "call", "tool.target"],
      ["agent", "mcp", "Hub client"],
      ["handled", "error_workflow", null],
    ]);
    expect(data.callees).toMatchObject([
      { workflowId: null, node: "Pick", because: "expression" },
      { workflowId: "charge", workflowName: "Flow charge", node: "Charge", runs: 0 },
      { workflowId: "handler", by: "error_workflow", node: null },
    ]);
    expect(message).toContain(
      'It is called by "Flow caller" (node "Ask"), "Flow agent" (node "tool.target")',
    );
    expect(message).toContain(
      'calls one that an expression names (node "Pick"), "Flow charge" (node "Charge")',
    );
    expect(message).toContain("Of 1 node of other workflows, an expression decides");
    expect(data.coverage).toBeUndefined();
  });

  test("a client of n8n's registry, whose address the node does not hold, names no expression", async () => {
    const registry = { name: "Notion", type: `${LANGCHAIN}.mcpRegistryClientTool`, parameters: {} };
    const computed = { ...mcpClient, parameters: { endpointUrl: "={{ $json.url }}" } };
    const { message, data } = await ask(open([workflow("a", [registry])]), "a");
    expect(message).toContain("calls none");
    expect(data.callees).toEqual([]);
    expect((await ask(open([workflow("a", [computed])]), "a")).message).toContain("an expression names");
  });

  test("if n8n does not list the workflows, the answer says so and has the rest", async () => {
    const { message, data } = await ask(open(ALL, { isListed: false }), "target");
    expect(data).toMatchObject({ callers: [], coverage: { complete: false, readWorkflows: 0 } });
    expect(data.callees).toHaveLength(3);
    expect(message).toContain("It is called by no workflow that was read");
    expect(message).toContain("Not all workflows of the instance were read.");
  });

  test("the first of many callers are shown, and the rest is counted", async () => {
    const many = Array.from({ length: 30 }, (_one, at) => workflow(`c${at}`, [call("Ask", "target")]));
    const { message, data } = await ask(open([...ALL, ...many]), "target");
    expect([data.callers.length, data.callersLeftOut]).toEqual([8, 26]);
    expect(message).toContain("31 more");
  });
});

const run = (id: number, workflowId: string, facts = {}) =>
  memorableExecution(
    tracedExecution(id, { workflowId, workflowName: `Flow ${workflowId}`, startedAt: date, ...facts }),
  );

test("known runs are counted at their node, and name callers that no node names", async () => {
  const caller = open(ALL);
  const ask10 = { subExecutions: [{ executionId: "11", nodeName: "Ask" }] };
  caller.history.instance.store.rows.remember(
    [
      run(10, "caller", ask10),
      run(11, "target", { parentId: "10", subExecutions: [{ executionId: "12", nodeName: "Pick" }] }),
      run(12, "charge", { parentId: "11" }),
      run(13, "target", { parentId: "14" }),
      run(14, "caller"),
      run(15, "dynamic", { subExecutions: [{ executionId: "16", nodeName: "Any" }] }),
      run(16, "target", { parentId: "15" }),
      run(17, "handler", { mode: "error", parentId: "16" }),
      // A retry is not a call.
      run(18, "target", { parentId: "14", retryOf: "13" }),
    ],
    0,
  );
  const { message, data } = await ask(caller, "target");
  expect(data.callers.slice(0, 2)).toMatchObject([
    { workflowId: "caller", node: "Ask", runs: 2, lastRunAt: date },
    { workflowId: "dynamic", node: "Any", runs: 1 },
  ]);
  expect(data.callees).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ workflowId: "charge", node: "Pick", runs: 1 }),
      expect.objectContaining({ workflowId: "charge", node: "Charge", runs: 0 }),
      expect.objectContaining({ workflowId: "handler", by: "error_workflow", runs: 1 }),
    ]),
  );
  expect(message).toContain('It is called by "Flow caller" (node "Ask"; 2 runs known)');
});
