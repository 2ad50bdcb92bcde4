/**
 * Adapts tools to n8n instances that have names in the settings. With several instances, each tool takes `instance`:
 * tools about an execution or a workflow require it, `trace_request` and `check_connection` ask all instances without it.
 * Answers and the calls that they suggest then name the instance. With one instance, only names of settings differ.
 */
import * as z from "zod";
import type { CallContext, Guidance, NamedId, Tool, ToolResult } from "../mcp/define-tool.ts";
import { ALL_INSTANCES } from "../platform/all-instances.ts";
import { ObserverError } from "../platform/errors.ts";
import { isObject } from "../platform/is-object.ts";
import { nearestNames } from "../platform/nearest-names.ts";
import type { ToolContext } from "./tool-context.ts";

export interface InstancesContext extends CallContext {
  readonly of: (name: string) => ToolContext;
  /** Groups of instances with the same API key. @throws ObserverError `CONFIGURATION_ERROR` */
  readonly instancesSharingKey: () => readonly (readonly string[])[];
}

export interface Instances {
  /** Two or more, in the order of the setting. */
  readonly names: readonly string[];
  readonly toolsWithInstance: ReadonlySet<string>;
}

interface AllInstancesOptions {
  readonly about: string;
  readonly maxTokens: number;
  readonly output: z.ZodObject;
  /** Asks all instances. @param args without `instance`, already validated by the tool */
  readonly run: (
    args: Readonly<Record<string, unknown>>,
    context: InstancesContext,
  ) => Promise<ToolResult<unknown>>;
  /** Adapts the tool's guidance about what did not fit to the answer from all instances. */
  readonly rest?: (guidance: Guidance | undefined, shown: unknown) => Guidance | undefined;
}

const ALL_INSTANCES_ID: NamedId = { as: "instance", value: ALL_INSTANCES };

/** Names of this total length cost a few hundred tokens across all tools. */
const MAX_LISTED_CHARACTERS = 300;

/** Kept short, because every tool has it, which costs every client tokens. */
function instanceArgument(names: readonly string[]): z.ZodType<string> {
  return names.join("").length <= MAX_LISTED_CHARACTERS
    ? z.enum(names).describe("Which n8n")
    : z.string().describe("Which n8n, as trace_request names it");
}

export function forNamedInstance(tool: Tool<ToolContext>): Tool<ToolContext> {
  return {
    ...tool,
    prepare(args) {
      const prepared = tool.prepare(args);
      if (!prepared.success) return prepared;
      const run = async (context: ToolContext) =>
        await rewordErrors(prepared.run(context), (error) =>
          withRenamedSettings(error, context.renameSettings),
        );
      return { ...prepared, run };
    },
  };
}

export function forOneInstance(tool: Tool<ToolContext>, instances: Instances): Tool<InstancesContext> {
  const { names } = instances;
  return {
    ...tool,
    input: tool.input.extend({ instance: instanceArgument(names) }),
    output: tool.output.extend({ instance: z.string() }),
    audited: { ...tool.audited, instance: "instance" },
    prepare(args) {
      const { instance: given, others } = splitInstance(args);
      const instance = names.find((name) => name === given);
      if (instance === undefined) return { success: false, error: wrongInstance(given, tool.name, names) };
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

export function forOneOrAllInstances(
  tool: Tool<ToolContext>,
  instances: Instances,
  { about, run, rest = (guidance) => guidance, ...all }: AllInstancesOptions,
): Tool<InstancesContext> {
  const one = forOneInstance(tool, instances);
  return {
    ...one,
    ...all,
    input: tool.input.extend({ instance: z.enum(instances.names).optional().describe(about) }),
    prepare(args) {
      const { instance, others } = splitInstance(args);
      if (instance !== undefined) return one.prepare(args);
      const prepared = tool.prepare(others);
      if (!prepared.success) return prepared;
      return {
        success: true,
        ids: [ALL_INSTANCES_ID, ...prepared.ids],
        run: async (context) => await run(isObject(others) ? others : {}, context),
        rest: (shown, whole) => rest(prepared.rest(shown, whole), shown),
      };
    },
  };
}

/** Splits off the argument `instance`; if the arguments are not an object, the tool itself refuses them. */
function splitInstance(args: unknown): { readonly instance?: unknown; readonly others: unknown } {
  if (!isObject(args)) return { others: args };
  const { instance, ...others } = args;
  return { instance, others };
}

function wrongInstance(given: unknown, tool: string, names: readonly string[]): ObserverError {
  const list = names.join(", ");
  const expected = `one of: ${list}`;
  const solution = `Call again with one of these as instance: ${list}.`;
  if (given !== undefined)
    return new ObserverError("INSTANCE_NOT_FOUND", "No n8n instance has this name.", {
      field: "instance",
      expected,
      candidates: nearestNames(typeof given === "string" ? given : "", names, 3),
      solution,
    });
  return new ObserverError("VALIDATION_ERROR", `${tool} needs instance: there are several n8n instances.`, {
    field: "instance",
    expected,
    solution: `${solution} An id is valid only in its own n8n; trace_request without instance asks all of them, and says which has it.`,
  });
}

/**
 * Combines the progress of several instances: sums their steps, and names the instance in each message.
 * @returns a progress function for each instance, by name
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

/** Matches the beginning of a call: `get_execution({`. */
const CALL = /\b([a-z]+(?:_[a-z]+)+)\(\{(\}?)/g;

/** Adds the instance to each call that one of our texts suggests. */
function withInstance(text: string, instance: string, { toolsWithInstance }: Instances): string {
  return text.replace(CALL, (call: string, tool: string, end: string) =>
    toolsWithInstance.has(tool) ? `${tool}({"instance":"${instance}"${end === "" ? "," : "}"}` : call,
  );
}

/** Adds the instance at the beginning of the suggested call; its arguments may hold anything, so they stay untouched. */
export function guidanceOf({ message, example }: Guidance, instance: string, instances: Instances): Guidance {
  const [begin = ""] = /^[a-z_]+\(\{\}?/.exec(example) ?? [];
  return { message, example: withInstance(begin, instance, instances) + example.slice(begin.length) };
}

const isGuidance = (value: unknown): value is Guidance =>
  isObject(value) && typeof value.message === "string" && typeof value.example === "string";

/** Names the instance in a result. Values inside `data` may be payload, so they stay untouched. */
function resultOf({ message, data }: ToolResult<unknown>, instance: string, instances: Instances) {
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

const INSTANCE_INDEPENDENT_CODES = new Set(["CONFIGURATION_ERROR", "INTERRUPTED"]);

/** Names the instance in an error, and in the calls that it suggests. */
export function errorOf(
  error: ObserverError,
  instance: string,
  instances: Instances,
  { renameSettings }: Pick<ToolContext, "renameSettings">,
): ObserverError {
  if (INSTANCE_INDEPENDENT_CODES.has(error.code)) return error;
  const { code, message, details } = withRenamedSettings(error, renameSettings);
  return new ObserverError(code, `In ${instance}: ${message}`, {
    instance,
    ...details,
    solution: withInstance(details.solution, instance, instances),
  });
}

function withRenamedSettings(
  { code, message, details }: ObserverError,
  renameSettings: ToolContext["renameSettings"],
): ObserverError {
  const { field, solution } = details;
  return new ObserverError(code, renameSettings(message), {
    ...details,
    ...(field === undefined ? {} : { field: renameSettings(field) }),
    solution: renameSettings(solution),
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
