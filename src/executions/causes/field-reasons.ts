/**
 * What an error's body says about single fields. Services share no format, but two patterns: a row that holds the
 * name of the field next to the reason (`{ field, description }`, `{ param, message }`, `{ loc, msg }`), or an
 * object that maps names to reasons (`errors: { email: ["is taken"] }`). Payload. Pure.
 */
import { parsedJson, partOf } from "../../json/members.ts";
import type { NodeError } from "../../n8n/schemas.ts";
import { firstFound } from "../../platform/first-found.ts";
import { isObject } from "../../platform/is-object.ts";
import { rawTextsOf } from "./rule.ts";

interface FieldReason {
  readonly field: string;
  readonly reason: string;
}

/** n8n keeps the body as it came: the status, and then the body as JSON within JSON. */
const BODY = /^\d{3} - (?=["[{])/;
const FIELD = ["field", "param", "parameter", "pointer", "loc", "path", "property", "source", "attribute"];
const REASON = ["message", "reason", "description", "detail", "msg", "error"];
export const isReasonName = (name: string): boolean =>
  [...REASON, "details", "error_description"].includes(name.toLowerCase());
const REASONS_BY_NAME = /^(?:errors|fields|(?:field|validation|model)_?(?:errors|state))$/i;
/** True for members of an answer that repeat what was sent. */
export const isRequest = (name: string): boolean =>
  /^(?:request|input|payload|params|variables)$/i.test(name);
const MAX_REASONS = 3;
const MAX_DEPTH = 6;
const MAX_ROWS = 20;

/** The service's answer, wherever n8n kept it. */
export const bodiesOf = (error: NodeError | undefined): unknown[] => [
  partOf(error, "context", "data"),
  ...rawTextsOf(error).map((text) => {
    const value = BODY.test(text) ? parsedJson(text.replace(BODY, "")) : undefined;
    return typeof value === "string" ? parsedJson(value) : value;
  }),
];

export function fieldReasonsOf(error: NodeError | undefined): FieldReason[] {
  const all = bodiesOf(error).flatMap((body) => reasonsIn(body));
  return [...new Map(all.map((one) => [`${one.field}: ${one.reason}`, one])).values()].slice(0, MAX_REASONS);
}

/** @param under the names that lead to it, below an object that maps names to reasons; null outside of one */
function reasonsIn(value: unknown, key = "", depth = 0, under: string[] | null = null): FieldReason[] {
  if (depth > MAX_DEPTH) return [];
  if (Array.isArray(value))
    return value.slice(0, MAX_ROWS).flatMap((one) => reasonsIn(one, key, depth + 1, under));
  if (!isObject(value)) return [];
  // The answer as a whole names the address that was asked for, or who answered.
  const isAnswer = depth === 0 || value.timestamp !== undefined;
  const ofRow = depth > 1 ? [...FIELD, "name"] : FIELD;
  const names = isAnswer ? ofRow.filter((name) => name !== "path" && name !== "source") : ofRow;
  const field = firstFound(names, (name) => placeIn(value[name]));
  const reason = firstFound(REASON, (name) => textIn(value[name]));
  if (field !== null && reason !== null) return [{ field, reason }];
  const above = under ?? (REASONS_BY_NAME.test(key) ? [] : null);
  return Object.entries(value)
    .slice(0, MAX_ROWS)
    .flatMap(([name, member]) => {
      const said = above === null || isReasonName(name) ? null : textIn(member);
      const path = above === null ? null : [...above, name];
      // Deeper down, only a sentence is a reason.
      const isReason = said !== null && path !== null && (path.length === 1 || /\S\s+\S/.test(said));
      if (isReason) return [{ field: path.join("."), reason: said }];
      if (isRequest(name)) return [];
      // What stands beside a reason is about it, such as where it was thrown.
      return reasonsIn(member, name, depth + 1, reason === null ? path : null);
    });
}

function textIn(value: unknown): string | null {
  const text: unknown = Array.isArray(value) ? value[0] : value;
  return typeof text === "string" && text.trim() !== "" ? text : null;
}

/** `line_items[0][price]`, `/data/attributes/quantity`, `["body", "due_date"]`, `{ pointer }`. */
function placeIn(value: unknown): string | null {
  if (isObject(value)) return placeIn(value.pointer ?? value.parameter);
  const place = Array.isArray(value) ? value.join(".") : value;
  return typeof place === "string" && /^[\p{L}\p{N}_$@./[\]-]{1,100}$/u.test(place) ? place : null;
}
