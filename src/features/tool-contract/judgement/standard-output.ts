/**
 * The standard output of a tool, `{ status: "success" | "error", data, meta: { timestamp } }`, and what an answer
 * lacks of it. A fault names members of this format and kinds of JSON, never a value. Pure.
 */

import {
  containsOmitted,
  isReadObject,
  OMITTED_MEMBERS,
  Omitted,
  type ReadValue,
} from "../../../json/omitted.ts";
import { type JsonKind, kindOf } from "./json-kind.ts";

export interface OutputFault {
  /** `answer` is the answer as a whole. */
  readonly member: "answer" | "status" | "data" | "meta" | "meta.timestamp";
  /** `wrapped`: the format is kept, but in a member of the answer, or in a text. */
  readonly problem: "missing" | "wrong_kind" | "wrong_value" | "several_items" | "wrapped";
  readonly expected: string;
  readonly found: JsonKind;
}

type JsonObject = { readonly [key: string]: ReadValue };

const STATUSES = new Set<ReadValue | undefined>(["success", "error"]);
const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Whether a value is meant to be the standard output, complete or not. */
export function looksStandard(value: ReadValue | undefined): value is JsonObject {
  return isReadObject(value) && STATUSES.has(value.status) && ("data" in value || "meta" in value);
}

export function faultsOf(answer: ReadValue | undefined): OutputFault[] {
  if (!isReadObject(answer)) return [faultAt("answer", "object", answer)];
  return [...statusFaults(answer.status), ...dataFaults(answer), ...metaFaults(answer.meta)];
}

/** Whether a missing member may be there, but was not read. */
export function isCut(answer: ReadValue | undefined): boolean {
  if (!isReadObject(answer)) return answer instanceof Omitted;
  const { status, meta } = answer;
  if (hasOmittedMembers(answer) || containsOmitted(status) || meta instanceof Omitted) return true;
  return isReadObject(meta) && (hasOmittedMembers(meta) || containsOmitted(meta.timestamp));
}

function hasOmittedMembers(object: JsonObject): boolean {
  return object[OMITTED_MEMBERS] instanceof Omitted;
}

function statusFaults(status: ReadValue | undefined): OutputFault[] {
  if (STATUSES.has(status)) return [];
  return [faultAt("status", '"success" or "error"', status, typeof status === "string")];
}

/** Any JSON will do, but it must be there: an expression that finds nothing leaves it out. */
function dataFaults({ data }: JsonObject): OutputFault[] {
  return data === undefined ? [faultAt("data", "any JSON", data)] : [];
}

function metaFaults(meta: ReadValue | undefined): OutputFault[] {
  if (!isReadObject(meta)) return [faultAt("meta", "object", meta)];
  const { timestamp } = meta;
  const isText = typeof timestamp === "string";
  if (isText && ISO_TIME.test(timestamp) && !Number.isNaN(Date.parse(timestamp))) return [];
  return [faultAt("meta.timestamp", "ISO 8601", timestamp, isText)];
}

function faultAt(
  member: OutputFault["member"],
  expected: string,
  value: ReadValue | undefined,
  isRightKind = false,
): OutputFault {
  const problem = value === undefined ? "missing" : isRightKind ? "wrong_value" : "wrong_kind";
  return { member, problem, expected, found: kindOf(value) };
}
