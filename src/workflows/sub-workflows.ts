/** Finds which workflows a workflow calls, through which nodes, and what inputs a called workflow takes. Pure. */
import { memberOf, parsedJson, textAt } from "../json/members.ts";
import { jsonTypeOf } from "../json/omitted.ts";
import { callsWorkflow } from "../n8n/workflow-callers.ts";
import type { WorkflowNodeWithParameters } from "../n8n/workflow-schemas.ts";
import { listAt, literalOf } from "./node-parameters.ts";
import { EXECUTE_WORKFLOW_TRIGGER } from "./node-types.ts";

/** How a node refers to the workflow that it calls. */
export type SubWorkflowReference =
  | { readonly kind: "id"; readonly workflowId: string }
  | { readonly kind: "expression" }
  /** The node itself contains the workflow. */
  | { readonly kind: "inline" }
  /** A file on the server or a URL, as in old versions of n8n. */
  | { readonly kind: "elsewhere" }
  | { readonly kind: "missing" };

/** The calls of these nodes, including disabled ones. */
export function subWorkflowCalls(nodes: readonly WorkflowNodeWithParameters[]) {
  return nodes
    .filter(({ type }) => callsWorkflow(type))
    .map((node) => ({ node: node.name, isDisabled: node.disabled, reference: subWorkflowReference(node) }));
}

export function subWorkflowReference({ parameters }: WorkflowNodeWithParameters): SubWorkflowReference {
  const source = textAt(parameters, "source") ?? "database";
  if (source === "parameter") return { kind: "inline" };
  if (source !== "database") return { kind: "elsewhere" };
  const given = memberOf(parameters, "workflowId");
  // A resource locator, {__rl, mode, value}, or only the id in the first versions of the nodes.
  const value = typeof given === "object" ? memberOf(given, "value") : given;
  const workflowId = literalOf(value)?.trim();
  if (workflowId === undefined) return { kind: typeof value === "string" ? "expression" : "missing" };
  return workflowId === "" ? { kind: "missing" } : { kind: "id", workflowId };
}

export interface WorkflowInputs {
  /** `fields` and `example` declare inputs; `passthrough` accepts all data. */
  readonly mode: "fields" | "example" | "passthrough";
  /** Types are `string`, `number`, `boolean`, `array`, `object` or `any`. */
  readonly inputs: readonly { readonly name: string; readonly type: string }[];
}

/** A sub-workflow's inputs, from its trigger; null when it has no trigger for calls of other workflows. */
export function workflowInputs(nodes: readonly WorkflowNodeWithParameters[]): WorkflowInputs | null {
  const trigger = nodes.find((node) => node.type === EXECUTE_WORKFLOW_TRIGGER && !node.disabled);
  if (trigger === undefined) return null;
  const { parameters, typeVersion } = trigger;
  // The first version had no choice; later ones define fields by default.
  const source = typeVersion < 1.1 ? "passthrough" : (textAt(parameters, "inputSource") ?? "workflowInputs");
  if (source === "jsonExample") return { mode: "example", inputs: exampleInputs(textAt(parameters, source)) };
  if (source !== "workflowInputs") return { mode: "passthrough", inputs: [] };
  const inputs = listAt(parameters, "workflowInputs", "values").flatMap((field) => {
    const [name, type] = [memberOf(field, "name"), memberOf(field, "type")];
    return typeof name === "string" ? [{ name, type: typeof type === "string" ? type : "string" }] : [];
  });
  return { mode: "fields", inputs };
}

function exampleInputs(example: string | undefined): WorkflowInputs["inputs"] {
  // An example that is not JSON declares nothing; n8n's editor refuses it.
  const parsed = parsedJson(example ?? "{}");
  if (typeof parsed !== "object" || parsed === null) return [];
  return Object.entries(parsed).map(([name, value]) => ({
    name,
    type: value === null ? "any" : jsonTypeOf(value),
  }));
}
