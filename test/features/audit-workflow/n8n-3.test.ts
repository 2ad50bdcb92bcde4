/** Findings of what n8n 3.0 removes, however the workflow is written, and with past runs. */
import { describe, expect, test } from "vitest";
import { toPastRuns } from "../../../src/features/audit-workflow/past-runs.ts";
import { executionWithData } from "../../../src/n8n/schemas.ts";
import { type RawNode, wires, workflowOf } from "../../support/workflow-builder.ts";
import { auditAll, runsOf } from "./audited-book.ts";

const BASE = "n8n-nodes-base.";
const LANGCHAIN = "@n8n/n8n-nodes-langchain.";

/** A workflow in which this node follows the trigger, and another node follows its first output. */
const withNode = (node: Omit<RawNode, "name">) =>
  workflowOf(
    [
      { name: "Start", type: `${BASE}webhook` },
      { name: "It", ...node },
      { name: "After", type: `${BASE}noOp` },
    ],
    wires({ Start: [["It"]], It: [["After"]] }),
    { id: "w" },
  );
const found = (node: Omit<RawNode, "name">): string[] =>
  auditAll([withNode(node)])
    .findings.filter(({ rule }) => rule.startsWith("n8n-3/"))
    .map(({ rule }) => rule.replace("n8n-3/", ""));

const agent = (typeVersion: number, mode?: string) => ({
  type: `${LANGCHAIN}agent`,
  typeVersion,
  parameters: mode === undefined ? {} : { agent: mode },
});
const code = (jsCode: string) => ({ type: `${BASE}code`, typeVersion: 2, parameters: { jsCode } });
const call = (parameters: RawNode["parameters"]) => ({ type: `${BASE}executeWorkflow`, parameters });
const branch = { type: `${BASE}if`, typeVersion: 2.2, alwaysOutputData: true };

describe("the removals of n8n 3.0 in", () => {
  test.each([
    ["a Function node", { type: `${BASE}function` }, ["removed-node"]],
    ["LangChain Code", { type: `${LANGCHAIN}code` }, ["removed-node"]],
    ["Code", code("return [];"), []],
    ["the old OpenAI node", { type: `${BASE}openAi` }, ["removed-node"]],
    ["the newer OpenAI node", { type: `${LANGCHAIN}openAi` }, []],
    ["a disabled Function node", { type: `${BASE}function`, disabled: true }, []],
    ["an old agent by default", agent(1.5), ["removed-mode"]],
    ["an old Tools Agent by default", agent(1.6), []],
    ["an old agent with a mode", agent(1.7, "sqlAgent"), ["removed-mode"]],
    ["an old agent with tools", agent(1.2, "toolsAgent"), []],
    ["a new agent that kept a mode", agent(2, "sqlAgent"), []],
    ["a sub-workflow from a file", call({ source: "localFile" }), ["removed-mode"]],
    ["a sub-workflow in the node", call({ source: "parameter" }), []],
    ["a sub-workflow for each item", call({ mode: "each" }), ["once-for-each-item"]],
    ["a sub-workflow once", call({ mode: "once" }), []],
    ["code with a helper", code("return $evaluateExpression('{{ 1 }}');"), ["removed-helper"]],
    ["code that mentions one", code("// not $getPairedItem\nreturn [];"), []],
    ["an expression with a helper", call({ a: "={{ $getPairedItem('a') }}" }), ["removed-helper"]],
    ["an expression that is evaluated", call({ a: "={{ $evaluateExpression('a') }}" }), []],
    ["a text that mentions one", call({ a: "use $getPairedItem" }), []],
    ["an IF that always has output", branch, ["always-output-data"]],
    ["an IF", { ...branch, alwaysOutputData: false }, []],
    ["an old Gmail Trigger", { type: `${BASE}gmailTrigger`, typeVersion: 1.2 }, ["newer-version"]],
    ["the newest Gmail Trigger", { type: `${BASE}gmailTrigger`, typeVersion: 1.4 }, []],
    ["a node with one output", { ...branch, type: `${BASE}noOp` }, []],
    [
      "an error output",
      { ...branch, type: `${BASE}httpRequest`, onError: "continueErrorOutput" },
      ["always-output-data"],
    ],
  ] as const)("%s", (_name, node, rules) => {
    expect(found(node)).toEqual(rules);
  });

  test.each([
    ["any", "executeWorkflowTrigger", ["caller-policy"]],
    ["workflowsFromSameOwner", "executeWorkflowTrigger", []],
    ["any", "webhook", []],
  ])("who may call a workflow: %s, with a trigger of type %s", (callerPolicy, type, rules) => {
    const workflow = workflowOf([{ name: "Start", type: BASE + type }], {}, { settings: { callerPolicy } });
    expect(auditAll([workflow]).findings.map(({ rule }) => rule.replace("n8n-3/", ""))).toEqual(rules);
  });

  test("an empty item of a first output without a target is no finding", () => {
    const nodes = [
      { name: "Start", type: `${BASE}webhook` },
      { name: "It", ...branch },
    ];
    const workflow = workflowOf(nodes, wires({ Start: [["It"]] }), { id: "w" });
    expect(auditAll([workflow]).findings).toEqual([]);
  });
});

describe("past runs", () => {
  const slow = withNode(code("return [];"));
  const timed = (ms: number) => auditAll([slow], runsOf([slow], ms));

  test("reveal a Code node that took longer than n8n 3.0 allows", () => {
    expect(timed(60_000).findings).toEqual([]);
    expect(timed(72_400).findings).toMatchObject([
      {
        rule: "n8n-3/task-time",
        node: "It",
        evidence:
          "A run took 72 seconds. Ran in 2 of the newest executions (2 read), last in the one of 2026-11-02T00:00:00.000Z.",
      },
    ]);
  });

  test("are needed to judge a Code node's time, but not for other findings", () => {
    const unread = { executions: 0, byNode: new Map() };
    expect(auditAll([slow], unread)).toMatchObject({
      findings: [],
      unjudged: [{ rule: "n8n-3/task-time", node: "It", reason: expect.stringContaining("No execution") }],
    });
    expect(auditAll([withNode({ type: `${BASE}function` })], unread).findings).toMatchObject([
      { evidence: `The node's type is ${BASE}function. Ran in 0 of the newest executions (0 read).` },
    ]);
  });

  test("count only with data, and by the longest run of a loop", () => {
    const raw = {
      workflowId: "w",
      mode: "webhook",
      status: "success",
      startedAt: "2026-11-02T00:00:00.000Z",
    };
    const run = (executionTime: number) => ({ startTime: 1, executionTime, source: [] });
    const runs = toPastRuns([
      executionWithData.parse({ ...raw, id: "2", data: null }),
      executionWithData.parse({
        ...{ ...raw, id: "1" },
        data: { resultData: { runData: { It: [run(1), run(61_000), run(2)] } } },
      }),
    ]);
    expect(runs.executions).toBe(1);
    expect(auditAll([slow], runs).findings).toMatchObject([{ rule: "n8n-3/task-time" }]);
  });
});
