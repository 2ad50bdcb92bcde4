import type { AtdfInput } from "../../atdf/block.ts";
import { readAtdf } from "../../atdf/read-atdf.ts";
import type { ServerTool } from "../../server-tools.ts";
import { type AuditRule, found, type RuleFinding, type RuleOutcome, together } from "../rule.ts";
import type { AuditSubject } from "../subject.ts";

export const atdfInputsAgree: AuditRule = {
  id: "atdf/inputs-agree",
  severity: "error",
  title: "The inputs of an ATDF block are those that the node and its sub-workflow take.",
  reason: "An agent fills in what it was told of, and the sub-workflow waits for something else.",
  good: "user_id stands in the block, in a $fromAI of the node, and in the trigger of the sub-workflow.",
  bad: "The block says id, the node asks for user_id.",
  appliesTo: ["server"],
  judge: ({ outline, instance }) => together(outline.tools.map((tool) => judgeTool(tool, instance))),
};

function judgeTool(tool: ServerTool, instance: AuditSubject["instance"]): RuleOutcome {
  const block = tool.description === undefined ? null : readAtdf(tool.description).block;
  // Without a block there is nothing that could agree: `atdf/valid` says so.
  if (tool.calls === undefined || block === null || block.inputs.length === 0) return found();
  return found(
    ...disagreementsWithNode(tool, block.inputs),
    ...missingInWorkflow(tool, block.inputs, instance),
  );
}

function disagreementsWithNode({ node, inputs }: ServerTool, described: readonly AtdfInput[]): RuleFinding[] {
  const [taken, told] = [inputs.map(({ name }) => name), described.map(({ name }) => name)];
  return [
    ...told
      .filter((name) => !taken.includes(name))
      .map((name) => finding(node, name, "The block names an input that the node does not take.")),
    ...taken
      .filter((name) => !told.includes(name))
      .map((name) => finding(node, name, "The node takes an input that the block does not name.")),
  ];
}

function missingInWorkflow(
  { node, calls }: ServerTool,
  described: readonly AtdfInput[],
  instance: AuditSubject["instance"],
): RuleFinding[] {
  const called = calls?.kind === "id" ? instance.workflows.get(calls.workflowId)?.inputs : undefined;
  // One that takes whatever comes names nothing.
  if (called === undefined || called === null || called.mode === "passthrough") return [];
  const taken = new Set(called.inputs.map(({ name }) => name));
  return described
    .filter(({ name }) => !taken.has(name))
    .map(({ name }) => finding(node, name, "The sub-workflow does not take an input that the block names."));
}

function finding(node: string, name: string, message: string): RuleFinding {
  return {
    node,
    message,
    evidence: `The input is ${name}.`,
    fix: "Use the same names in the block, in the node's inputs and in the sub-workflow's trigger.",
  };
}
