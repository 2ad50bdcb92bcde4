/**
 * Finds the standard output of a tool, `{ status: "success" | "error", data, meta: { timestamp } }`, in an answer, and
 * what is wrong with it. A fault names members of this format and JSON types, never a value. Pure.
 */
import { parsedJson } from "../../../json/members.ts";
import {
  containsOmitted,
  isReadObject,
  type JsonType,
  jsonTypeOf,
  OMITTED_MEMBERS,
  Omitted,
  type ReadValue,
} from "../../../json/omitted.ts";
import { isoDate } from "../../params.ts";

export interface OutputFault {
  /** `answer`: the answer as a whole. */
  readonly member: "answer" | "status" | "data" | "meta" | "meta.timestamp";
  /** `wrapped`: the standard output is inside a member of the answer, or inside a text. */
  readonly problem: "missing" | "wrong_kind" | "wrong_value" | "several_items" | "wrapped";
  readonly expected: string;
  readonly found: FoundType;
}

const STATUSES = new Set<ReadValue | undefined>(["success", "error"]);

/** Whether a value is meant to be the standard output, complete or not. */
const looksStandard = (value: ReadValue | undefined): value is { [key: string]: ReadValue } =>
  isReadObject(value) && STATUSES.has(value.status) && ("data" in value || "meta" in value);

export function faultsOf(answer: ReadValue | undefined): OutputFault[] {
  if (!isReadObject(answer)) return [faultAt("answer", "object", answer)];
  const { status, data, meta } = answer;
  const isText = typeof status === "string";
  return [
    ...(STATUSES.has(status) ? [] : [faultAt("status", '"success" or "error"', status, isText)]),
    // Any JSON value is valid, but it must exist: an expression that finds nothing omits it.
    ...(data === undefined ? [faultAt("data", "any JSON", data)] : []),
    ...metaFaults(meta),
  ];
}

/** Whether a missing member may exist, but was not read. */
export function isCut(answer: ReadValue | undefined): boolean {
  if (!isReadObject(answer)) return answer instanceof Omitted;
  const { status, meta } = answer;
  if (hasOmittedMembers(answer) || containsOmitted(status) || meta instanceof Omitted) return true;
  return isReadObject(meta) && (hasOmittedMembers(meta) || containsOmitted(meta.timestamp));
}

const hasOmittedMembers = (object: { readonly [key: string]: ReadValue }): boolean =>
  object[OMITTED_MEMBERS] instanceof Omitted;

function metaFaults(meta: ReadValue | undefined): OutputFault[] {
  if (!isReadObject(meta)) return [faultAt("meta", "object", meta)];
  const { timestamp } = meta;
  if (isoDate.safeParse(timestamp).success) return [];
  return [faultAt("meta.timestamp", "ISO 8601", timestamp, typeof timestamp === "string")];
}

function faultAt(
  member: OutputFault["member"],
  expected: string,
  value: ReadValue | undefined,
  isRightKind = false,
): OutputFault {
  const problem = value === undefined ? "missing" : isRightKind ? "wrong_value" : "wrong_kind";
  return { member, problem, expected, found: foundType(value) };
}

/** The JSON type describes a payload without showing it. */
type FoundType = JsonType | "nothing";

export const foundType = (value: ReadValue | undefined): FoundType =>
  value === undefined ? "nothing" : jsonTypeOf(value);

/** Members that commonly hold an answer. Others are not searched, because their names could be payload. */
const WRAPPERS = ["output", "response", "result", "data", "body", "json", "text", "message", "content"];
/** n8n's MCP client nests this deep: `response[0].text`, and in that text a list. */
const MAX_DEPTH = 5;
const JSON_TEXT = /^\s*[[{]/;

/**
 * Looks in the answer itself, its members, list items and JSON texts, because agents, HTTP nodes and MCP clients wrap
 * what they pass on; undefined when nothing looks like the standard output.
 */
export function standardOutputIn(value: ReadValue | undefined, depth = 0): ReadValue | undefined {
  if (looksStandard(value)) return value;
  if (value === undefined || depth >= MAX_DEPTH) return undefined;
  if (typeof value === "string")
    return JSON_TEXT.test(value) ? standardOutputIn(parsedJson(value), depth + 1) : undefined;
  if (Array.isArray(value)) return standardOutputIn(value[0], depth + 1);
  if (!isReadObject(value)) return undefined;
  for (const name of WRAPPERS) {
    const found = Object.hasOwn(value, name) ? standardOutputIn(value[name], depth + 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
