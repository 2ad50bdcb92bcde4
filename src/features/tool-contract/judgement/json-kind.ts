/** Names the kind of JSON that a value is, which says something of a payload without showing it. Pure. */
import { Omitted, type ReadValue } from "../../../json/omitted.ts";

export type JsonKind = "object" | "array" | "string" | "number" | "boolean" | "null" | "nothing";

const PLAIN_KINDS = ["string", "number", "boolean"] as const;

export function kindOf(value: ReadValue | undefined): JsonKind {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (value instanceof Omitted) return value.kind === "items" ? "array" : "object";
  if (Array.isArray(value)) return "array";
  return PLAIN_KINDS.find((kind) => kind === typeof value) ?? "object";
}
