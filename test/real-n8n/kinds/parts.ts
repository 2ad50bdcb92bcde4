/** Short builders of the nodes that kinds share. Pure. */
import { code, node, type WorkflowNode } from "../workflow-parts.ts";

type Value = string | number | boolean;

/** Sets fields; n8n derives the type from the value, and takes every expression for a text. */
export function set(name: string, fields: Readonly<Record<string, Value>>, keeps = false): WorkflowNode {
  const assignments = Object.entries(fields).map(([field, value]) => ({
    id: field,
    name: field,
    type: typeof value,
    value,
  }));
  return node(name, "n8n-nodes-base.set", 3.4, {
    assignments: { assignments },
    includeOtherFields: keeps,
    options: {},
  });
}

export function get(
  name: string,
  url: string,
  parameters: Readonly<Record<string, unknown>> = {},
): WorkflowNode {
  return node(name, "n8n-nodes-base.httpRequest", 4.2, { url, options: {}, ...parameters });
}

export function post(
  name: string,
  url: string,
  jsonBody = "={{ JSON.stringify($json.body ?? $json) }}",
): WorkflowNode {
  return get(name, url, { method: "POST", sendBody: true, specifyBody: "json", jsonBody });
}

/** Runs code once for each item. */
export function codeForEach(name: string, jsCode: string): WorkflowNode {
  return node(name, "n8n-nodes-base.code", 2, { mode: "runOnceForEachItem", jsCode });
}

/** Makes an item of each value. */
export function list(name: string, items: readonly unknown[]): WorkflowNode {
  return code(name, `return ${JSON.stringify(items)}.map((json) => ({ json }))`);
}

type Operator = "equals" | "notEquals" | "exists" | "gt" | "lt" | "contains" | "true";
export interface Test {
  readonly left: string;
  readonly type: "string" | "number" | "boolean";
  readonly operation: Operator;
  readonly right?: Value;
}

function conditions(tests: readonly Test[], typeValidation: "strict" | "loose"): Record<string, unknown> {
  return {
    options: { caseSensitive: true, leftValue: "", typeValidation, version: 2 },
    combinator: "and",
    conditions: tests.map(({ left, type, operation, right }, index) => ({
      id: `condition-${index}`,
      leftValue: left,
      rightValue: right ?? "",
      operator: { type, operation, ...(right === undefined ? { singleValue: true } : {}) },
    })),
  };
}

/** Output 0 if the condition holds, output 1 if not. */
export function when(name: string, test: Test, typeValidation: "strict" | "loose" = "strict"): WorkflowNode {
  return node(name, "n8n-nodes-base.if", 2.2, {
    conditions: conditions([test], typeValidation),
    options: {},
  });
}

export function filter(name: string, test: Test): WorkflowNode {
  return node(name, "n8n-nodes-base.filter", 2.2, { conditions: conditions([test], "strict"), options: {} });
}

/** One output for each of the values of `left`. */
export function switchOn(
  name: string,
  left: string,
  values: readonly string[],
  options: Readonly<Record<string, unknown>> = {},
): WorkflowNode {
  const rules = values.map((right) => ({
    conditions: conditions([{ left, type: "string", operation: "equals", right }], "strict"),
    renameOutput: true,
    outputKey: right,
  }));
  return node(name, "n8n-nodes-base.switch", 3.2, { rules: { values: rules }, options });
}

export function merge(name: string, parameters: Readonly<Record<string, unknown>> = {}): WorkflowNode {
  return node(name, "n8n-nodes-base.merge", 3.1, parameters);
}

/** Output 0 when all is done, output 1 for each batch. */
export function loop(name: string, batchSize = 1): WorkflowNode {
  return node(name, "n8n-nodes-base.splitInBatches", 3, { batchSize, options: {} });
}

export function noOp(name: string): WorkflowNode {
  return node(name, "n8n-nodes-base.noOp", 1);
}

export function withCredential(type: string, id: string, made: WorkflowNode): WorkflowNode {
  return { ...made, credentials: { [type]: { id, name: `Shop ${type}` } } };
}
