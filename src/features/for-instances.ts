/**
 * The tools where n8n instances have names in the settings. With several, each tool takes `instance`: one that is about an
 * execution or a workflow needs it, `trace_request` and `check_connection` without it ask all. With a single one
 * nothing shows but the names of its settings.
 */
import * as z from "zod";
import type { PreparedCall, ReadyCall, Tool } from "../mcp/define-tool.ts";
import { ObserverError } from "../platform/errors.ts";
import { instanceArgument, instanceMissing, listedInstance, takeInstance } from "./instance-argument.ts";
import type { Instances, InstancesContext } from "./instances-context.ts";
import { errorOf, guidanceOf, inWords, resultOf } from "./of-instance.ts";
import type { ToolContext } from "./tool-context.ts";

/** What a tool does when no n8n is named. */
export interface AllAtOnce {
  /** What `instance` means. */
  readonly about: string;
  readonly maxTokens: number;
  readonly output: z.ZodObject;
  readonly prepare: (args: unknown) => PreparedCall<InstancesContext>;
}

/** A tool of one n8n, which has a name in the settings. */
export function forNamedInstance(tool: Tool<ToolContext>): Tool<ToolContext> {
  return {
    ...tool,
    prepare(args) {
      const prepared = tool.prepare(args);
      if (!prepared.success) return prepared;
      return {
        ...prepared,
        run: async (context) =>
          await inOwnWords(
            () => prepared.run(context),
            (error) => inWords(error, context.inItsWords),
          ),
      };
    },
  };
}

/** A tool that has to be told of which n8n it is asked. */
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
      return prepared.success ? readyFor(prepared, instance, instances) : prepared;
    },
  };
}

/** A tool that asks all n8n instances, unless it is told of which it is asked. */
export function askingOneOrAll(
  tool: Tool<ToolContext>,
  instances: Instances,
  { about, prepare, ...all }: AllAtOnce,
): Tool<InstancesContext> {
  const one = askingOne(tool, instances);
  return {
    ...one,
    ...all,
    input: tool.input.extend({ instance: listedInstance(instances.names).optional().describe(about) }),
    prepare(args) {
      const { instance, others } = takeInstance(args, instances.names);
      return instance === undefined ? prepare(others) : one.prepare(args);
    },
  };
}

function readyFor(
  ready: ReadyCall<ToolContext>,
  instance: string,
  instances: Instances,
): PreparedCall<InstancesContext> {
  return {
    success: true,
    ids: [{ as: "instance", value: instance }, ...ready.ids],
    async run(context) {
      const own = context.of(instance);
      const result = await inOwnWords(
        () => ready.run(own),
        (error) => errorOf(error, instance, instances, own),
      );
      return resultOf(result, instance, instances);
    },
    rest(shown, whole) {
      const guidance = ready.rest(shown, whole);
      return guidance === undefined ? undefined : guidanceOf(guidance, instance, instances);
    },
  };
}

async function inOwnWords<Result>(
  run: () => Promise<Result>,
  toOwn: (error: ObserverError) => ObserverError,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof ObserverError ? toOwn(error) : error;
  }
}
