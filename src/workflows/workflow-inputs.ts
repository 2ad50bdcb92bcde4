/** Reads a sub-workflow's inputs from its trigger. Pure. */
import type { WorkflowNodeWithParameters } from "../n8n/workflow-schemas.ts";
import { listAt, parameterAt, textAt } from "./node-parameters.ts";
import { EXECUTE_WORKFLOW_TRIGGER } from "./node-types.ts";

export interface WorkflowInput {
  readonly name: string;
  /** `string`, `number`, `boolean`, `array`, `object` or `any`. */
  readonly type: string;
}

export interface WorkflowInputs {
  /** `fields` and `example` name what it takes; `passthrough` takes whatever comes. */
  readonly mode: "fields" | "example" | "passthrough";
  readonly inputs: readonly WorkflowInput[];
}

/** Null when the workflow has no trigger for calls of other workflows. */
export function workflowInputs(nodes: readonly WorkflowNodeWithParameters[]): WorkflowInputs | null {
  const trigger = nodes.find((node) => node.type === EXECUTE_WORKFLOW_TRIGGER && !node.disabled);
  if (trigger === undefined) return null;
  const { parameters, typeVersion } = trigger;
  // The first version had no choice; its successors define fields unless told otherwise.
  const source = typeVersion < 1.1 ? "passthrough" : (textAt(parameters, "inputSource") ?? "workflowInputs");
  if (source === "jsonExample") return { mode: "example", inputs: exampleInputs(textAt(parameters, source)) };
  if (source !== "workflowInputs") return { mode: "passthrough", inputs: [] };
  const inputs = listAt(parameters, "workflowInputs", "values").flatMap((field) => {
    const [name, type] = [parameterAt(field, "name"), parameterAt(field, "type")];
    return typeof name === "string" ? [{ name, type: typeof type === "string" ? type : "string" }] : [];
  });
  return { mode: "fields", inputs };
}

function exampleInputs(example: string | undefined): WorkflowInput[] {
  try {
    const parsed: unknown = JSON.parse(example ?? "{}");
    if (typeof parsed !== "object" || parsed === null) return [];
    return Object.entries(parsed).map(([name, value]) => ({ name, type: typeOfExample(value) }));
  } catch {
    // An example that is no JSON names nothing; n8n refuses it in the editor.
    return [];
  }
}

function typeOfExample(value: unknown): string {
  if (value === null) return "any";
  return Array.isArray(value) ? "array" : typeof value;
}
