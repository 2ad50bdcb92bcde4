/** The type of a JSON value, in JSON's words. */
import { Omitted } from "./omitted.ts";

export type JsonType = "object" | "array" | "string" | "number" | "boolean" | "null";

const SCALAR_TYPES = ["string", "number", "boolean"] as const;

/** @param value may have been left out by a reader, which still says whether it was an array or an object */
export function jsonTypeOf(value: unknown): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value) || (value instanceof Omitted && value.kind === "items")) return "array";
  return SCALAR_TYPES.find((type) => type === typeof value) ?? "object";
}
