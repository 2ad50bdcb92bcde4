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

/** Databases write a UUID in upper case, or in braces. */
const UUID = /^\{?([0-9a-f]{8}(-?)(?:[0-9a-f]{4}\2){3}[0-9a-f]{12})\}?$/;

/** One spelling for all of the same id: the trace id of a `traceparent`, whose parent id differs from call to call. */
export function comparedForm(text: string): string {
  const lower = text.toLowerCase();
  return traceIdOf(lower) ?? UUID.exec(lower)?.[1] ?? text;
}

export const isUuid = (text: string): boolean => UUID.test(text);

/** Longer ids contain a trace id, after a hyphen. */
export const isTraceId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

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
