/** An error that stands in an item, as far as its class and codes are concerned. Whoever wrote it wrote all of it. */
import { isReadObject, type ReadValue } from "../../../json/omitted.ts";
import type { NodeError } from "../../../n8n/schemas.ts";

export type { WorkflowNode } from "../../../n8n/schemas.ts";

/** @returns undefined for what is no object */
export function nodeError(value: ReadValue): NodeError | undefined {
  if (!isReadObject(value)) return undefined;
  const code = value.code ?? value.status ?? value.statusCode ?? value.httpCode;
  const text = typeof code === "number" ? String(code) : code;
  return {
    name: typeof value.name === "string" ? value.name : undefined,
    code: typeof text === "string" ? text : null,
    httpCode: typeof value.status === "number" ? String(value.status) : null,
  };
}
