/**
 * Classifies what people have of a request by its form: a request id, an execution's id, a W3C `traceparent`. Session
 * ids, trace ids and custom data look like request ids; only the place where they are found tells them apart. Pure.
 */
import { keysOf } from "../../json/path-text.ts";
import { traceIdOf } from "../../platform/traceparent.ts";

export interface RequestForm {
  /** The text to look for in executions; null if only an execution is meant. */
  readonly value: string | null;
  /** The execution that may be meant. Plain digits can be either. */
  readonly executionId: string | null;
}

const EXECUTION_ID = /^[1-9]\d{0,18}$/;
/** Means only an execution: `execution:10`, `Execution #10`, `executionId=10`. */
const ONLY_EXECUTION = /^execution(?:[-_ ]?id)?(?:\s{0,9}[:=]\s{0,9}|\s)#?([1-9]\d{0,18})$/i;

export const executionRequestId = (executionId: string): string => `execution:${executionId}`;

export function formOf(asked: string): RequestForm {
  const [, meant] = ONLY_EXECUTION.exec(asked) ?? [];
  if (meant !== undefined) return { value: null, executionId: meant };
  return { value: comparedForm(asked), executionId: EXECUTION_ID.test(asked) ? asked : null };
}

/** Databases write a UUID in upper case, in braces or without hyphens; RFC 9562 also as a URN. */
const UUID = /^(?:urn:uuid:)?\{?([0-9a-f]{8}(-?)(?:[0-9a-f]{4}\2){3}[0-9a-f]{12})\}?$/;
/** Crockford's base 32 ignores case: github.com/ulid/spec. */
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const NOT_ASCII = /[^\0-\x7f]/;
/** A longer text is no id, and changing it would take time. */
const LONGEST = 1_024;

/**
 * One spelling for all of the same id: without blanks around it; a UUID as 32 hex digits, as traces write it; the trace
 * id of a `traceparent`, whose parent id differs from call to call; a ULID in upper case; composed characters.
 */
export function comparedForm(text: string): string {
  if (text.length > LONGEST) return text;
  const bare = text.trim();
  const lower = bare.toLowerCase();
  const traceId = traceIdOf(lower);
  if (traceId !== undefined) return traceId;
  const [, uuid] = UUID.exec(lower) ?? [];
  if (uuid !== undefined) return uuid.replaceAll("-", "");
  const upper = bare.toUpperCase();
  return ULID.test(upper) ? upper : composed(bare);
}

/** The text with the spelling of `comparedForm` wherever it mentions the id. Hyphens of a UUID stay. */
export function spelledLike(id: string, text: string): string {
  if (isTraceId(id)) return text.toLowerCase();
  if (ULID.test(id)) return text.toUpperCase();
  return NOT_ASCII.test(id) ? composed(text) : text;
}

const composed = (text: string): string => (NOT_ASCII.test(text) ? text.normalize("NFC") : text);

/** True for the compared form of a UUID or a trace id. */
export const isTraceId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

/** @param id 32 hex digits */
export const uuidOf = (id: string): string => id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

export type FoundAs = "requestId" | "sessionId" | "traceId" | "customData" | "executionId";

/** A conversation has many requests: its id leads to all of them, but none of them leads to the others. */
const CONVERSATION_KEYS = new Set(["sessionid", "chatid"]);

/** A key may contain a path: `headers.traceparent`. */
const lastNameOf = (key: string): string => key.slice(key.lastIndexOf(".") + 1).toLowerCase();

/** @param key the last key of a path */
export const isConversation = (key: string | number | undefined): boolean =>
  CONVERSATION_KEYS.has(lastNameOf(String(key)));

/** @param path as it is displayed */
export function kindOfPath(path: string, isKnown: boolean): FoundAs {
  const keys = keysOf(path);
  const last = lastNameOf(keys.at(-1) ?? "");
  if (last === "traceparent") return "traceId";
  if (isConversation(last)) return "sessionId";
  return keys[0] === "customData" && !isKnown ? "customData" : "requestId";
}
