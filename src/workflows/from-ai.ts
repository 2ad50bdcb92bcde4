/**
 * Finds the arguments that a calling model fills in, `$fromAI(key, description, type, default)`, as n8n does: by text
 * search in parameters of any depth. A problem reports where n8n, and thus the tool, fails. Follows n8n-workflow 2.40,
 * `from-ai-parse-utils.ts`; nothing is evaluated. Pure.
 */
import { parsedJson } from "../json/members.ts";
import { type NodeParameters, textsIn } from "./node-parameters.ts";

const FROM_AI_TYPES = ["string", "number", "boolean", "json"] as const;
type FromAiType = (typeof FROM_AI_TYPES)[number];

interface FromAiArgument {
  readonly key: string;
  readonly description: string | undefined;
  readonly type: FromAiType;
  /** Undefined if there is none: then the model must provide the argument. */
  readonly defaultValue: unknown;
  /** The path in the node's parameters, such as `workflowInputs.value.start_date`. */
  readonly path: string;
}

export type FromAiArguments = ReturnType<typeof fromAiArguments>;

const CALL = /\$fromAI\s*\(\s*/gi;
/** Limits for the calls in one text and the length of one call, which no real tool exceeds. */
const MAX_CALLS = 100;
const MAX_LENGTH = 20_000;

/** A call from which n8n cannot make an argument. */
class FromAiProblem extends Error {}

/** Each key once, because n8n uses the last call with a key. The problems keep n8n from building the tool. */
export function fromAiArguments(parameters: NodeParameters) {
  const found = new Map<string, FromAiArgument>();
  const problems: { path: string; problem: string }[] = [];
  for (const { path, text } of textsIn(parameters)) {
    try {
      for (const argument of argumentsInText(text, path)) found.set(argument.key, argument);
    } catch (error) {
      if (!(error instanceof FromAiProblem)) throw error;
      problems.push({ path, problem: error.message });
    }
  }
  return { arguments: [...found.values()], problems };
}

function argumentsInText(text: string, path: string): FromAiArgument[] {
  const calls = [...text.matchAll(CALL)];
  if (calls.length > MAX_CALLS) throw new FromAiProblem(`More than ${MAX_CALLS} calls of $fromAI.`);
  return calls.map(({ 0: start, index }) => ({
    ...toArgument(splitArguments(insideBrackets(text, index + start.length))),
    path,
  }));
}

const QUOTES = new Set(['"', "'", "`"]);

/** The text up to the closing bracket, including nested brackets and quoted text. */
function insideBrackets(text: string, start: number): string {
  let depth = 1;
  let quote = "";
  const end = Math.min(text.length, start + MAX_LENGTH);
  for (let at = start; at < end; at += 1) {
    const sign = text.charAt(at);
    if (quote !== "") {
      if (sign === "\\") at += 1;
      else if (sign === quote) quote = "";
    } else if (QUOTES.has(sign)) quote = sign;
    else if (sign === "(") depth += 1;
    else if (sign === ")") depth -= 1;
    if (depth === 0) return text.slice(start, at);
  }
  throw new FromAiProblem("A call of $fromAI is not closed.");
}

/** Splits at unquoted commas. A backslash escapes the next character, and is dropped. */
function splitArguments(text: string): string[] {
  const parts: string[] = [];
  let part = "";
  let quote = "";
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === "," && quote === "") {
      parts.push(part.trim());
      part = "";
    } else if (sign === "\\") {
      at += 1;
      part += text.charAt(at);
    } else {
      if (quote === sign) quote = "";
      else if (quote === "" && QUOTES.has(sign)) quote = sign;
      part += sign;
    }
  }
  if (part !== "") parts.push(part.trim());
  return parts.map(unquoted);
}

function unquoted(text: string): string {
  const first = text.charAt(0);
  return text.length > 1 && QUOTES.has(first) && text.endsWith(first) ? text.slice(1, -1) : text;
}

function toArgument(parts: readonly string[]): Omit<FromAiArgument, "path"> {
  const [key = "", description, rawType = "string", rawDefault] = parts;
  const type = FROM_AI_TYPES.find((known) => known === rawType.toLowerCase());
  if (type === undefined) throw new FromAiProblem("A call of $fromAI names a type that n8n does not know.");
  return { key, description, type, defaultValue: toDefault(rawDefault, type) };
}

function toDefault(text: string | undefined, type: FromAiType): unknown {
  if (text === undefined || type === "string") return text;
  const lower = text.toLowerCase();
  if (type === "boolean" && (lower === "true" || lower === "false")) return lower === "true";
  if (type === "number" && !Number.isNaN(Number(text))) return Number(text);
  const parsed = parsedJson(text);
  // A default that is not JSON is a plain text.
  return parsed === undefined ? text : parsed;
}
