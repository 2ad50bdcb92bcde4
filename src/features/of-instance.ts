/**
 * Makes of what a tool says of one n8n what it says of one of several: the n8n is named, the next call names it, and
 * settings have the names that they have there.
 */
import type { Guidance, ToolResult } from "../mcp/define-tool.ts";
import { ObserverError } from "../platform/errors.ts";
import { isObject } from "../platform/is-object.ts";
import type { Instances } from "./instances-context.ts";
import type { ToolContext } from "./tool-context.ts";

/** The beginning of a call: `get_execution({`. */
const CALL = /\b([a-z]+(?:_[a-z]+)+)\(\{(\}?)/g;

/** Of these n8n is not the cause: they are the same for every one. */
const OF_NO_INSTANCE = new Set(["CONFIGURATION_ERROR", "INTERRUPTED"]);

/** A text of ours with each call in it made one of this n8n. */
export function withInstance(text: string, instance: string, { toolsThatTakeOne }: Instances): string {
  return text.replace(CALL, (call: string, tool: string, end: string) =>
    toolsThatTakeOne.has(tool) ? `${tool}({"instance":"${instance}"${end === "" ? "," : "}"}` : call,
  );
}

/** What follows the name of the call is arguments, which may hold anything. */
export function guidanceOf(guidance: Guidance, instance: string, instances: Instances): Guidance {
  const { message, example } = guidance;
  const [begin = ""] = /^[a-z_]+\(\{\}?/.exec(example) ?? [];
  return { message, example: withInstance(begin, instance, instances) + example.slice(begin.length) };
}

function isGuidance(value: unknown): value is Guidance {
  return isObject(value) && typeof value.message === "string" && typeof value.example === "string";
}

/** The result, with the n8n in it. Members of `data` are ours, and what is below may be payload. */
export function resultOf(
  { message, data }: ToolResult<unknown>,
  instance: string,
  instances: Instances,
): ToolResult<unknown> {
  if (!isObject(data)) throw new TypeError("A tool's data are an object.");
  const { _guidance: guidance } = data;
  return {
    message: `In ${instance}: ${message}`,
    data: {
      instance,
      ...data,
      ...(isGuidance(guidance) ? { _guidance: guidanceOf(guidance, instance, instances) } : {}),
    },
  };
}

/** The error in the words of one of several n8n instances. */
export function errorOf(
  error: ObserverError,
  instance: string,
  instances: Instances,
  { inItsWords }: Pick<ToolContext, "inItsWords">,
): ObserverError {
  if (OF_NO_INSTANCE.has(error.code)) return error;
  const { code, message, details } = inWords(error, inItsWords);
  return new ObserverError(code, `In ${instance}: ${message}`, {
    instance,
    ...details,
    solution: withInstance(details.solution, instance, instances),
  });
}

/** The error, with the settings of an n8n named as they are where it has a name. */
export function inWords(
  { code, message, details }: ObserverError,
  inItsWords: ToolContext["inItsWords"],
): ObserverError {
  const { field } = details;
  return new ObserverError(code, inItsWords(message), {
    ...details,
    ...(field === undefined ? {} : { field: inItsWords(field) }),
    solution: inItsWords(details.solution),
  });
}
