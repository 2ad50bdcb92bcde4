/**
 * Tools where n8n instances have names in the settings. With several, each tool takes `instance`: one that is about an
 * execution or a workflow needs it, `trace_request` and `check_connection` ask all without it. An answer then names
 * its instance, and so do the calls that it proposes. With a single one, only the names of its settings differ.
 */
import * as z from "zod";
import type { AskedId, CallContext, Guidance, PreparedCall, Tool, ToolResult } from "../mcp/define-tool.ts";
import { ALL_INSTANCES } from "../platform/all-instances.ts";
import { ObserverError } from "../platform/errors.ts";
import { isObject } from "../platform/is-object.ts";
import { nearestNames } from "../platform/nearest-names.ts";
import type { ToolContext } from "./tool-context.ts";

/** Access to each instance by its name, and never to two as one. */
export interface InstancesContext extends CallContext {
  readonly of: (name: string) => ToolContext;
  /** Names of instances that were given the same key. @throws ObserverError `CONFIGURATION_ERROR` */
  readonly withOneKey: () => readonly (readonly string[])[];
}

export interface Instances {
  /** In the order of the setting; two or more. */
  readonly names: readonly string[];
  readonly toolsThatTakeOne: ReadonlySet<string>;
}

interface AllAtOnce {
  readonly about: string;
  readonly maxTokens: number;
  readonly output: z.ZodObject;
  readonly prepare: (args: unknown) => PreparedCall<InstancesContext>;
}

export const ASKS_ALL: AskedId = { as: "instance", value: ALL_INSTANCES };

/** Names of this length in all cost a few hundred tokens in every tool together. */
const MAX_LISTED_CHARACTERS = 300;

/** Short: every tool has it, and every client pays for each of its tokens. */
function instanceArgument(names: readonly string[]): z.ZodType<string> {
  return names.join("").length <= MAX_LISTED_CHARACTERS
    ? z.enum(names).describe("Which n8n")
    : z.string().describe("Which n8n, as trace_request names it");
}

/** Adapts a tool to a single instance that has a name in the settings. */
export function forNamedInstance(tool: Tool<ToolContext>): Tool<ToolContext> {
  return {
    ...tool,
    prepare(args) {
      const prepared = tool.prepare(args);
      if (!prepared.success) return prepared;
      const run = async (context: ToolContext) =>
        await rewordErrors(prepared.run(context), (error) => inWords(error, context.inItsWords));
      return { ...prepared, run };
    },
  };
}

/** Adapts a tool so that it needs `instance`. */
export function askingOne(tool: Tool<ToolContext>, instances: Instances): Tool<InstancesContext> {
  const { names } = instances;
  return {
    ...tool,
    input: tool.input.extend({ instance: instanceArgument(names) }),
    output: tool.output.extend({ instance: z.string() }),
    audited: { ...tool.audited, instance: "instance" },
    prepare(args) {
      const { instance, others } = takeInstance(args, names);
      if (instance === undefined) throw instanceMissing(tool.name, names);
      const prepared = tool.prepare(others);
      if (!prepared.success) return prepared;
      return {
        success: true,
        ids: [{ as: "instance", value: instance }, ...prepared.ids],
        async run(context) {
          const own = context.of(instance);
          const toOwn = (error: ObserverError) => errorOf(error, instance, instances, own);
          return resultOf(await rewordErrors(prepared.run(own), toOwn), instance, instances);
        },
        rest(shown, whole) {
          const guidance = prepared.rest(shown, whole);
          return guidance && guidanceOf(guidance, instance, instances);
        },
      };
    },
  };
}

/** Adapts a tool so that it asks all instances, unless `instance` names one. */
export function askingOneOrAll(
  tool: Tool<ToolContext>,
  instances: Instances,
  { about, prepare, ...all }: AllAtOnce,
): Tool<InstancesContext> {
  const one = askingOne(tool, instances);
  return {
    ...one,
    ...all,
    input: tool.input.extend({ instance: z.enum(instances.names).optional().describe(about) }),
    prepare(args) {
      const { instance, others } = takeInstance(args, instances.names);
      return instance === undefined ? prepare(others) : one.prepare(args);
    },
  };
}

/**
 * Splits off the argument `instance`; arguments that are no object are left for the tool to refuse.
 * @throws ObserverError `INSTANCE_NOT_FOUND`
 */
function takeInstance(
  args: unknown,
  names: readonly string[],
): { readonly instance?: string; readonly others: unknown } {
  if (!isObject(args)) return { others: args };
  const { instance, ...others } = args;
  if (instance === undefined) return { others };
  if (typeof instance === "string" && names.includes(instance)) return { instance, others };
  const list = names.join(", ");
  throw new ObserverError("INSTANCE_NOT_FOUND", "There is no n8n of this name here.", {
    field: "instance",
    expected: `one of: ${list}`,
    candidates: nearestNames(typeof instance === "string" ? instance : "", names, 3),
    solution: `Call again with one of these as instance: ${list}.`,
  });
}

function instanceMissing(tool: string, names: readonly string[]): ObserverError {
  const list = names.join(", ");
  return new ObserverError("VALIDATION_ERROR", `${tool} needs instance: there are several n8n instances.`, {
    field: "instance",
    expected: `one of: ${list}`,
    solution: `Call again with one of these as instance: ${list}. An id means something in its own n8n alone; trace_request without instance asks all of them, and says which has it.`,
  });
}

/**
 * Reports the progress of several instances as one: what is done is summed, and each message names its instance.
 * @returns gives an instance's own progress, by its name
 */
export function progressOfAll(
  names: readonly string[],
  report: CallContext["progress"],
): (name: string) => CallContext["progress"] {
  const doneBy = new Map<string, number>();
  return (name) => async (done, message, total) => {
    doneBy.set(name, Math.max(done, doneBy.get(name) ?? 0));
    const all = [...doneBy.values()].reduce((sum, each) => sum + each, 0);
    await report(all, `${name}: ${message}`, total === undefined ? undefined : total * names.length);
  };
}

/** The beginning of a call: `get_execution({`. */
const CALL = /\b([a-z]+(?:_[a-z]+)+)\(\{(\}?)/g;

/** Adds the instance to each call that a text of ours proposes. */
function withInstance(text: string, instance: string, { toolsThatTakeOne }: Instances): string {
  return text.replace(CALL, (call: string, tool: string, end: string) =>
    toolsThatTakeOne.has(tool) ? `${tool}({"instance":"${instance}"${end === "" ? "," : "}"}` : call,
  );
}

/** Adds the instance to the proposed call: to its beginning alone, as its arguments may hold anything. */
export function guidanceOf({ message, example }: Guidance, instance: string, instances: Instances): Guidance {
  const [begin = ""] = /^[a-z_]+\(\{\}?/.exec(example) ?? [];
  return { message, example: withInstance(begin, instance, instances) + example.slice(begin.length) };
}

function isGuidance(value: unknown): value is Guidance {
  return isObject(value) && typeof value.message === "string" && typeof value.example === "string";
}

/** Names the instance in a result. Below the members of `data` may be payload, which stays as it is. */
function resultOf(
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

const OF_NO_INSTANCE = new Set(["CONFIGURATION_ERROR", "INTERRUPTED"]);

/** Names the instance in an error, and in the calls that it proposes. */
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

/** Replaces the names of settings in an error by those of the instance. */
function inWords(
  { code, message, details }: ObserverError,
  inItsWords: ToolContext["inItsWords"],
): ObserverError {
  const { field, solution } = details;
  return new ObserverError(code, inItsWords(message), {
    ...details,
    ...(field === undefined ? {} : { field: inItsWords(field) }),
    solution: inItsWords(solution),
  });
}

async function rewordErrors<Result>(
  result: Promise<Result>,
  reword: (error: ObserverError) => ObserverError,
): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    throw error instanceof ObserverError ? reword(error) : error;
  }
}
