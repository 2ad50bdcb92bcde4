/**
 * A trace over all n8n instances at once: each is asked as if it were the only one, and the answers are put together.
 *
 * The trace has one id, which is that of a trace in each n8n: what is known of it stays where it was read, and going
 * on goes on in each. An id of such a trace tells itself apart, so that one that was begun in a single n8n goes on
 * there alone.
 */
import * as z from "zod";
import type { Guidance, PreparedCall, Tool, ToolResult } from "../../mcp/define-tool.ts";
import { ObserverError } from "../../platform/errors.ts";
import { isObject } from "../../platform/is-object.ts";
import { newShortId } from "../../platform/short-id.ts";
import { TIME_BUDGET_MS } from "../../platform/time-limits.ts";
import { askingOneOrAll } from "../for-instances.ts";
import { ASKS_ALL } from "../instance-argument.ts";
import type { Instances, InstancesContext } from "../instances-context.ts";
import { progressOfAll } from "../instances-progress.ts";
import { errorOf, guidanceOf } from "../of-instance.ts";
import type { ToolContext } from "../tool-context.ts";
import { type Asked, tracePart } from "./instance-answers.ts";
import { mergeTraces } from "./merge-traces.ts";
import { traceRequest } from "./trace-request.ts";
import { SharedWait } from "./waiting.ts";

const PREFIX = "trace_all-";
/** For what others say that have the request, too. */
const TOKENS_OF_OTHERS = 500;
/** For what each says besides. */
const TOKENS_OF_ANOTHER = 80;

type Arguments = Readonly<Record<string, unknown>>;

export function traceInstances(instances: Instances): Tool<InstancesContext> {
  const { names } = instances;
  return askingOneOrAll(traceRequest, instances, {
    about: "Which n8n; without it all are asked",
    maxTokens: traceRequest.maxTokens + TOKENS_OF_OTHERS + (names.length - 1) * TOKENS_OF_ANOTHER,
    output: traceRequest.output.extend({
      instance: z.string().nullable(),
      instances: z.array(z.looseObject({ instance: z.string() })).optional(),
    }),
    prepare: (args) => prepareAll(isObject(args) ? args : {}, instances),
  });
}

function prepareAll(args: Arguments, instances: Instances): PreparedCall<InstancesContext> {
  const prepared = traceRequest.prepare(args);
  if (!prepared.success) return prepared;
  return {
    success: true,
    ids: [ASKS_ALL, ...prepared.ids],
    run: async (context) => await traceAll(args, context, instances),
    rest: (shown, whole) => restOf(prepared.rest(shown, whole), shown, instances),
  };
}

const shownInstance = z.object({ instance: z.string() });

function restOf(guidance: Guidance | undefined, shown: unknown, instances: Instances): Guidance | undefined {
  const { data } = shownInstance.safeParse(shown);
  return guidance === undefined || data === undefined
    ? undefined
    : guidanceOf(guidance, data.instance, instances);
}

async function traceAll(
  args: Arguments,
  context: InstancesContext,
  instances: Instances,
): Promise<ToolResult<unknown>> {
  const traceId = typeof args.traceId === "string" ? args.traceId : `${PREFIX}${newShortId()}`;
  const progress = progressOfAll(instances.names, context.progress);
  const remaining = budgetOf(args, context);
  const sharedWait = new SharedWait();
  const askEach = async (names: readonly string[], asked: Arguments): Promise<Asked[]> =>
    await Promise.all(
      names.map(async (name) => {
        const own = { ...context.of(name), newTraceId: traceId, sharedWait, progress: progress(name) };
        return await ask(name, asked, own, instances);
      }),
    );
  const asked = await askEach(instances.names, args);
  const concerned = traceId.startsWith(PREFIX)
    ? await withMissingBegun(asked, () => ({ ...args, timeBudgetMs: remaining(), waitMs: 0 }), askEach)
    : withoutStrangers(asked);
  return mergeTraces(concerned, { traceId, instances });
}

/** What is left of the call's time budget, in milliseconds: n8n instances that are asked after others share it with them. */
function budgetOf({ timeBudgetMs }: Arguments, { clock }: InstancesContext): () => number {
  const whole = typeof timeBudgetMs === "number" ? timeBudgetMs : TIME_BUDGET_MS.usual;
  const deadline = clock.now() + whole;
  return () => Math.max(TIME_BUDGET_MS.least, Math.ceil(deadline - clock.now()));
}

const knowsNothing = (asked: Asked): boolean => "error" in asked && asked.error.code === "TRACE_NOT_FOUND";

/** Of a trace that was begun in a single n8n the others know nothing: it is none of theirs. */
function withoutStrangers(asked: readonly Asked[]): readonly Asked[] {
  return asked.every(knowsNothing) ? asked : asked.filter((each) => !knowsNothing(each));
}

async function ask(
  instance: string,
  args: Arguments,
  own: ToolContext,
  instances: Instances,
): Promise<Asked> {
  const prepared = traceRequest.prepare(args);
  if (!prepared.success) throw prepared.error;
  try {
    const { message, data } = await prepared.run(own);
    if (!isObject(data)) throw new TypeError("A tool's data are an object.");
    return { instance, message, data, part: tracePart.parse(data) };
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    return { instance, error, reported: errorOf(error, instance, instances, own) };
  }
}

/** An n8n that knows nothing of a trace over all (it failed before it began, or is new here) begins it now. */
async function withMissingBegun(
  asked: readonly Asked[],
  argumentsNow: () => Arguments,
  askEach: (names: readonly string[], args: Arguments) => Promise<Asked[]>,
): Promise<readonly Asked[]> {
  const missing = asked.filter(knowsNothing).map(({ instance }) => instance);
  const known = asked.find((each) => "part" in each);
  if (known === undefined || missing.length === 0) return asked;
  const { traceId: _traceId, ...others } = argumentsNow();
  const begun = await askEach(missing, { ...others, requestId: known.part.requestId });
  return asked.map((each) => begun.find(({ instance }) => instance === each.instance) ?? each);
}
