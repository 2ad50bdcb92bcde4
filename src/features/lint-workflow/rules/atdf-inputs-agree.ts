import type { WorkflowNodeWithParameters } from "../../../n8n/workflow-schemas.ts";
import type { AtdfInput } from "../../../workflows/atdf/block.ts";
import { fromAiArguments } from "../../../workflows/from-ai.ts";
import { parameterAt } from "../../../workflows/node-parameters.ts";
import type { ServerTool } from "../../../workflows/server-tools.ts";
import {
  type AuditRule,
  found,
  notJudged,
  PASSED,
  type RuleFinding,
  type RuleOutcome,
  together,
} from "../rule.ts";
import type { AuditSubject } from "../subject.ts";

export const atdfInputsAgree: AuditRule = {
  id: "atdf/inputs-agree",
  severity: "error",
  title: "The inputs of an ATDF block are those that the node and its sub-workflow take.",
  reason: "An agent fills in what it was told of, and the sub-workflow waits for something else.",
  good: "user_id stands in the block, in a $fromAI of the node, and in the trigger of the sub-workflow.",
  bad: "The block says id, the node asks for user_id.",
  appliesTo: ["server"],
  judge: ({ outline, graph, instance }) =>
    together(
      outline.tools.flatMap((tool) => {
        const node = graph.nodes.get(tool.node);
        return node === undefined || tool.calls === undefined ? [] : judgeTool(tool, node, instance);
      }),
    ),
};

function judgeTool(
  tool: ServerTool,
  node: WorkflowNodeWithParameters,
  instance: AuditSubject["instance"],
): RuleOutcome {
  const block = tool.description === undefined ? null : instance.readAtdf(tool.description).block;
  // Without a block there is nothing that could agree: `atdf/valid` says so.
  if (block === null) return PASSED;
  if (node.typeVersion < 2 && node.parameters.specifyInputSchema === true)
    return notJudged(tool.node, "Its inputs stand in a schema of the node's first version.");
  return found(
    ...disagreementsWithNode(tool, block.inputs),
    ...disagreementsWithWorkflow(tool, node, block.inputs, instance),
  );
}

/** What langchain and n8n call the one text of a tool without inputs of its own. */
const FREE_TEXT_NAMES = new Set(["input", "query"]);

function disagreementsWithNode({ node, inputs }: ServerTool, described: readonly AtdfInput[]): RuleFinding[] {
  const [only] = inputs;
  const isFreeText = inputs.length === 1 && only?.name === "input";
  const taken = new Map(inputs.map((input) => [input.name, input]));
  const describedNames = new Set(described.map(({ name }) => name));
  const isTaken = (name: string): boolean => taken.has(name) || (isFreeText && FREE_TEXT_NAMES.has(name));
  return [
    ...described
      .filter(({ name }) => !isTaken(name))
      .map(({ name }) => finding(node, name, "The block names an input that the node does not take.")),
    ...inputs
      .filter(({ name }) => !describedNames.has(name) && !isFreeText)
      .map(({ name }) => finding(node, name, "The node takes an input that the block does not name.")),
    ...described
      .filter(({ name, type }) => differ(type, taken.get(name)?.type))
      .map(({ name }) => finding(node, name, "The block gives an input another type than the node.")),
  ];
}

/** The words of guides and people → n8n's. */
const TYPES: Readonly<Record<string, string>> = {
  string: "string",
  text: "string",
  number: "number",
  integer: "number",
  int: "number",
  float: "number",
  boolean: "boolean",
  bool: "boolean",
  object: "json",
  array: "json",
  json: "json",
};

/** Of types that are not known, nothing is said. */
function differ(described: string | null, taken: string | undefined): boolean {
  const key = (described ?? "").trim().toLowerCase();
  const [expected, given] = [Object.hasOwn(TYPES, key) ? TYPES[key] : undefined, TYPES[taken ?? ""]];
  return expected !== undefined && given !== undefined && expected !== given;
}

/** An argument is handed on under the name of the field in which it stands. */
function disagreementsWithWorkflow(
  { node: name, calls }: ServerTool,
  node: WorkflowNodeWithParameters,
  described: readonly AtdfInput[],
  instance: AuditSubject["instance"],
): RuleFinding[] {
  const called = calls?.kind === "id" ? instance.workflows.get(calls.workflowId)?.inputs : undefined;
  // One that takes whatever comes names nothing.
  if (called === undefined || called === null || called.mode === "passthrough") return [];
  const taken = new Set(called.inputs.map((input) => input.name));
  const fields = parameterAt(node.parameters, "workflowInputs", "value");
  const handedOn = new Map(
    fromAiArguments(node.parameters).arguments.map(({ key, path }) => [key, fieldOf(path)]),
  );
  const isTaken = (input: string): boolean => taken.has(input) || taken.has(handedOn.get(input) ?? "");
  const unmapped = typeof fields === "object" && fields !== null ? Object.keys(fields) : [];
  return [
    ...described
      .filter((input) => !isTaken(input.name))
      .map((input) =>
        finding(name, input.name, "The sub-workflow does not take an input that the block names."),
      ),
    ...called.inputs
      .filter((input) => unmapped.length > 0 && !unmapped.includes(input.name))
      .map((input) =>
        finding(name, input.name, "The sub-workflow takes an input that the node does not give."),
      ),
  ];
}

/** `workflowInputs.value.user_id` → `user_id`. */
const fieldOf = (path: string): string => path.slice("workflowInputs.value.".length);

function finding(node: string, name: string, message: string): RuleFinding {
  return {
    node,
    message,
    evidence: `The input is ${name}.`,
    fix: "Use the same names and types in the block, in the node's inputs and in the sub-workflow's trigger.",
  };
}
