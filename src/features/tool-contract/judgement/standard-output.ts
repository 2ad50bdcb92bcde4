/**
 * The standard output of a tool, `{ status: "success" | "error", data, meta: { timestamp } }`, and what an answer
 * lacks of it. A fault names members of this format and kinds of JSON, never a value. Pure.
 */

import { isObject } from "../../../executions/node-data.ts";
import { containsOmitted, OMITTED_MEMBERS, Omitted, type ReadValue } from "../../../json/omitted.ts";
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
const EXPECTED_STATUS = '"success" or "error"';
const EXPECTED_TIMESTAMP = "ISO 8601";
const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Whether it is meant to be the standard output, complete or not. */
export function looksStandard(value: ReadValue | undefined): value is JsonObject {
  return isObject(value) && STATUSES.has(value.status) && ("data" in value || "meta" in value);
}

export function faultsOf(answer: ReadValue | undefined): OutputFault[] {
  if (!isObject(answer)) return [kindFault("answer", "object", answer)];
  return [...statusFaults(answer.status), ...dataFaults(answer), ...metaFaults(answer.meta)];
}

/** What is missing may only not have been read. */
export function isCut(answer: ReadValue | undefined): boolean {
  if (!isObject(answer)) return answer instanceof Omitted;
  const { status, meta } = answer;
  if (hasOmittedMembers(answer) || containsOmitted(status) || meta instanceof Omitted) return true;
  return isObject(meta) && (hasOmittedMembers(meta) || containsOmitted(meta.timestamp));
}

function hasOmittedMembers(object: JsonObject): boolean {
  return object[OMITTED_MEMBERS] instanceof Omitted;
}

function statusFaults(status: ReadValue | undefined): OutputFault[] {
  if (STATUSES.has(status)) return [];
  if (typeof status !== "string") return [kindFault("status", EXPECTED_STATUS, status)];
  return [{ member: "status", problem: "wrong_value", expected: EXPECTED_STATUS, found: "string" }];
}

/** Any JSON will do, but it must be there: an expression that finds nothing leaves it out. */
function dataFaults({ data }: JsonObject): OutputFault[] {
  return data === undefined ? [kindFault("data", "any JSON", data)] : [];
}

function metaFaults(meta: ReadValue | undefined): OutputFault[] {
  if (!isObject(meta)) return [kindFault("meta", "object", meta)];
  const { timestamp } = meta;
  if (typeof timestamp !== "string") return [kindFault("meta.timestamp", EXPECTED_TIMESTAMP, timestamp)];
  if (ISO_TIME.test(timestamp) && !Number.isNaN(Date.parse(timestamp))) return [];
  return [
    { member: "meta.timestamp", problem: "wrong_value", expected: EXPECTED_TIMESTAMP, found: "string" },
  ];
}

function kindFault(
  member: OutputFault["member"],
  expected: string,
  value: ReadValue | undefined,
): OutputFault {
  return {
    member,
    problem: value === undefined ? "missing" : "wrong_kind",
    expected,
    found: kindOf(value),
  };
}
