/** What a server's own execution tells of a tool call. The shapes are those of a real n8n 2.40.5. */
import { describe, expect, test } from "vitest";
import {
  type CalledTool,
  type McpCall,
  mcpCallOf,
} from "../../../../src/features/tool-contract/judgement/mcp-call.ts";
import { callReport } from "../../../../src/features/tool-contract/judgement/reports.ts";
import { type CallFacts, mcpCall, readForms } from "../../../support/tool-runs.ts";

const inputs = [
  { name: "user_id", type: "string", isRequired: true },
  { name: "payload", type: "json", isRequired: true },
  { name: "with_details", type: "boolean", isRequired: false },
];
const tools = new Map<string, CalledTool>([
  ["tool.get_user", { node: "tool.get_user", inputs, callsWorkflow: true }],
  ["Calculator", { node: "Calculator", inputs: [], callsWorkflow: false }],
]);
const good = { user_id: "u", payload: { a: 1 } };

const callOf = (facts: Partial<CallFacts>, triggers = ["Hub"]): McpCall => {
  const execution = mcpCall(1, {
    toolName: "tool_get_user",
    arguments: good,
    node: "tool.get_user",
    ...facts,
  });
  return mcpCallOf(readForms(execution), new Set(triggers), tools);
};

describe("a call", () => {
  test("was answered: the tool's run names the sub-workflow's", () => {
    expect(callOf({ run: { subExecutionId: "7" } })).toEqual({ kind: "answered", node: "tool.get_user" });
  });

  test("failed: the tool ran, and no sub-workflow answered", () => {
    expect(callOf({ run: {} })).toEqual({ kind: "failed", node: "tool.get_user" });
  });

  test("of a tool without a sub-workflow was answered", () => {
    expect(callOf({ node: "Calculator", run: {} })).toEqual({ kind: "answered", node: "Calculator" });
  });

  test("of a tool without a sub-workflow failed with the tool's node", () => {
    const run = { executionStatus: "error" };
    expect(callOf({ node: "Calculator", run })).toEqual({ kind: "failed", node: "Calculator" });
  });

  test.each<[string, unknown, string[]]>([
    ["a missing argument", { payload: { a: 1 } }, ["user_id missing"]],
    ["one of the wrong kind", { user_id: 5, payload: [1] }, ["user_id wrong_kind"]],
    ["text for JSON", { user_id: "u", payload: "{}" }, ["payload wrong_kind"]],
    ["JSON that is empty", { user_id: "u", payload: {} }, ["payload empty"]],
    ["a list that is empty", { user_id: "u", payload: [] }, ["payload empty"]],
    ["several", { with_details: "yes" }, ["user_id missing", "payload missing", "with_details wrong_kind"]],
    ["none at all", {}, ["user_id missing", "payload missing"]],
  ])("was refused for %s", (_name, given, wrong) => {
    const call = callOf({ arguments: given });
    expect(
      call.kind === "refused" ? call.wrongInputs.map(({ field, problem }) => `${field} ${problem}`) : call,
    ).toEqual(wrong);
  });

  test("with good arguments that did not run: nothing tells why", () => {
    expect(callOf({})).toEqual({ kind: "not_run", node: "tool.get_user" });
    expect(callOf({ arguments: { ...good, user_id: "" } })).toMatchObject({ kind: "not_run" });
    expect(callOf({ arguments: "x" })).toMatchObject({ kind: "not_run" });
  });

  test("of a tool that there is not", () => {
    const execution = mcpCall(1, { toolName: "tool_nope", arguments: {} });
    expect(mcpCallOf(readForms(execution), new Set(["Hub"]), tools)).toEqual({ kind: "unknown_tool" });
  });

  test("cannot be told of other triggers, other nodes, other runs, withheld data", () => {
    const unjudged = { kind: "unjudged", reason: "no_call" };
    expect(callOf({}, ["Another"])).toEqual(unjudged);
    expect(callOf({ node: "tool.renamed" })).toEqual(unjudged);
    const execution = mcpCall(1, { toolName: "t", arguments: {} });
    const withheld = {
      ...execution,
      data: { ...Object(execution.data), redactionInfo: { isRedacted: true } },
    };
    expect(mcpCallOf(readForms(withheld), new Set(["Hub"]), tools)).toEqual({
      kind: "unjudged",
      reason: "withheld_by_n8n",
    });
  });
});

test("calls are counted, with the newest executions", () => {
  const refused = {
    kind: "refused",
    node: "tool.get_user",
    wrongInputs: [{ field: "user_id", problem: "missing" }],
  } as const;
  const calls: McpCall[] = [
    { kind: "answered", node: "tool.get_user" },
    { kind: "unknown_tool" },
    ...Array.from({ length: 7 }, () => refused),
    { kind: "failed", node: "tool.get_user" },
    { kind: "not_run", node: "Calculator" },
    { kind: "unjudged", reason: "no_call" },
  ];
  const judged = calls.map((call, index) => ({ executionId: String(100 - index), call }));
  expect(callReport(judged)).toEqual({
    calls: 11,
    answered: 1,
    refused: 7,
    failed: [{ node: "tool.get_user", count: 1, executionIds: ["91"] }],
    notRun: [{ node: "Calculator", count: 1, executionIds: ["90"] }],
    wrongArguments: [
      {
        node: "tool.get_user",
        field: "user_id",
        problem: "missing",
        count: 7,
        executionIds: ["98", "97", "96", "95", "94"],
      },
    ],
    unknownTool: { count: 1, executionIds: ["99"] },
  });
});
