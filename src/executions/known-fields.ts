/**
 * Which field names may be shown to anyone who may not see payload: the one rule for all answers. A payload's key may be
 * anything, even a person's name, whatever its form. Names that the workflow itself mentions in its parameters and
 * expressions are configuration, and so are n8n's own names. Pure.
 */
import type { ExecutionWithData } from "../n8n/schemas.ts";
import { isObject } from "../platform/is-object.ts";
import { nodesByName } from "./node-runs.ts";

export type IsKnownField = (key: string) => boolean;

const OF_N8N = `body query params headers webhookUrl executionMode $binary data binary json error message description
  code name status statusCode statusMessage response output text result success mcpToolCall toolName arguments execution
  workflow timestamp id chatInput sessionId tool content-type content-length authorization user-agent host accept`;

const WORD = /[\p{L}_$][\p{L}\p{N}_$-]*/gu;
/** Names of form fields: `Question 1`. */
const NUMBERED = /(?<![\p{L}\p{N}_$-])[\p{L}_$][\p{L}\p{N}_$-]* \d{1,2}(?!\p{N})/gu;
const MAX_WORDS = 50_000;

export function mentionedIn(executions: readonly ExecutionWithData[]): IsKnownField {
  const words = new Set(OF_N8N.split(/\s+/));
  for (const execution of executions)
    for (const { parameters } of nodesByName(execution).values()) collect(parameters, words);
  return (key) => words.has(key) || isEachMentioned(key, words);
}

function isEachMentioned(key: string, words: ReadonlySet<string>): boolean {
  const parts = key.match(WORD) ?? [];
  return parts.length > 1 && parts.join(" ") === key && parts.every((part) => words.has(part));
}

/** Whether the workflow mentions each word of a name: `customerId` consists of `customer` and `id`. */
export function isEachWordMentioned(name: string, isKnown: IsKnownField): boolean {
  const words = name.split(/(?<=[a-z0-9])(?=[A-Z])|[_\s-]+/).filter((word) => word !== "");
  return isKnown(name) || words.every((word) => isKnown(word) || isKnown(word.toLowerCase()));
}

function collect(value: unknown, words: Set<string>): void {
  if (words.size > MAX_WORDS) return;
  if (typeof value === "string")
    for (const form of [WORD, NUMBERED]) for (const [word] of value.matchAll(form)) words.add(word);
  else if (Array.isArray(value)) for (const item of value) collect(item, words);
  else if (isObject(value))
    for (const [key, member] of Object.entries(value)) {
      collect(key, words);
      collect(member, words);
    }
}
