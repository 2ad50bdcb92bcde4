/** What a server's own execution says of a tool call, in the forms of a real n8n 2.40.5. */
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
  test("is answered if the tool's run names the sub-workflow's execution", () => {
    expect(callOf({ run: { subExecutionId: "7" } })).toEqual({ kind: "answered", node: "tool.get_user" });
  });

  test("is failed if the tool ran without a sub-workflow's answer", () => {
    expect(callOf({ run: {} })).toEqual({ kind: "failed", node: "tool.get_user" });
  });

  test("is answered for a tool without a sub-workflow", () => {
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
  ])("is refused for %s", (_name, given, wrong) => {
    const call = callOf({ arguments: given });
    expect(
      call.kind === "refused" ? call.wrongInputs.map(({ field, problem }) => `${field} ${problem}`) : call,
    ).toEqual(wrong);
  });

  test('is "not run" for an unknown reason if its arguments are good', () => {
    expect(callOf({})).toEqual({ kind: "not_run", node: "tool.get_user" });
    expect(callOf({ arguments: { ...good, user_id: "" } })).toMatchObject({ kind: "not_run" });
    expect(callOf({ arguments: "x" })).toMatchObject({ kind: "not_run" });
  });

  test("is of an unknown tool if the server has no such tool", () => {
    const execution = mcpCall(1, { toolName: "tool_nope", arguments: {} });
    expect(mcpCallOf(readForms(execution), new Set(["Hub"]), tools)).toEqual({ kind: "unknown_tool" });
  });

  test("is not judged for other triggers, other nodes and withheld data", () => {
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

test("calls are counted with their newest executions", () => {
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
