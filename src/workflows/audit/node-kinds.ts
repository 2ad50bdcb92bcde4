/** What a step of a flow is to the guide: a check, a critical call, or work of its own. Pure. */
import type { WorkflowNodeWithParameters } from "../../n8n/workflow-schemas.ts";
import { MAIN, type WorkflowGraph } from "../graph.ts";
import { textAt } from "../node-parameters.ts";
import { isTriggerType, shortType } from "../node-types.ts";

/** Nodes of n8n itself that touch nothing outside the execution. All others may fail, or have an effect. */
const LOCAL = new Set(
  `aggregate aiTransform code compareDatasets compression convertToFile crypto dateTime debugHelper editImage
  evaluation executionData extractFromFile filter form function functionItem html htmlExtract if interval itemLists jwt
  limit markdown merge moveBinaryData noOp readBinaryFile removeDuplicates renameKeys respondToChat respondToWebhook set
  simulate sort splitInBatches splitOut spreadsheetFile start stickyNote stopAndError summarize switch totp wait
  writeBinaryFile xml`.split(/\s+/),
);

/** A call that can fail for reasons outside the workflow: HTTP, databases, services, models, other workflows. */
export function isCritical({ type }: Pick<WorkflowNodeWithParameters, "type">): boolean {
  const isOwn = type.startsWith("n8n-nodes-base.") || type.startsWith("@n8n/");
  return !isTriggerType(type) && !(isOwn && LOCAL.has(shortType(type)));
}

/** The critical calls among the steps of the flow; what only serves another node is a part of that one. */
export function criticalSteps(
  graph: WorkflowGraph,
  nodes: readonly WorkflowNodeWithParameters[],
): WorkflowNodeWithParameters[] {
  return nodes.filter((node) => isCritical(node) && isStep(graph, node));
}

/** Whether items flow through it. */
function isStep(graph: WorkflowGraph, { name }: WorkflowNodeWithParameters): boolean {
  return graph.incoming(name, MAIN).length > 0;
}

const CHECKS = new Set(["if", "switch", "filter", "guardrails"]);
/** In code: a condition, or a call that names what it does. */
const CHECKING_CODE = /\bif\s*\(|\bthrow\b|\bvalidat|\bassert|\?\s*\{|\braise\b/i;

/** The source of a Code node, in whichever language; undefined for other nodes. */
export function codeOf({ type, parameters }: WorkflowNodeWithParameters): string | undefined {
  if (!["code", "function", "functionItem"].includes(shortType(type))) return undefined;
  return (
    textAt(parameters, "jsCode") ??
    textAt(parameters, "pythonCode") ??
    textAt(parameters, "functionCode") ??
    ""
  );
}

/** Whether it can turn bad input away. */
export function isCheck(node: WorkflowNodeWithParameters): boolean {
  const code = codeOf(node);
  return code === undefined ? CHECKS.has(shortType(node.type)) : CHECKING_CODE.test(code);
}
