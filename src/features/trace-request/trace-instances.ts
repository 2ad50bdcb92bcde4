/**
 * Traces a request in all n8n instances at once: each traces it independently, and the answers are merged.
 *
 * The trace has the same id in every instance; each keeps its own state and continues its own part. The id has a special
 * prefix, so that a trace that began in a single instance continues only there.
 */
import * as z from "zod";
import type { TraceScope } from "../../history/resuming/trace-state.ts";
import type { Tool } from "../../mcp/define-tool.ts";
import { ObserverError, orElse } from "../../platform/errors.ts";
import { isObject } from "../../platform/is-object.ts";
import { newShortId } from "../../platform/short-id.ts";
import { TIME_BUDGET_MS } from "../../platform/time-limits.ts";
import {
  errorOf,
  forOneOrAllInstances,
  guidanceOf,
  type Instances,
  type InstancesContext,
  progressOfAll,
} from "../instances.ts";
import { TimeBudget } from "../request-limits.ts";
import type { ToolContext } from "../tool-context.ts";
import { type InstanceAnswer, mergeTraces, tracePart } from "./merge-traces.ts";
import { traceRequest } from "./trace-request.ts";

const PREFIX = "trace_all-";
/** Reserved for sentences about other instances that also have the request. */
const TOKENS_OF_OTHERS = 500;
/** Reserved for each further instance. */
const TOKENS_OF_ANOTHER = 80;

type Arguments = Readonly<Record<string, unknown>>;

export function traceInstances(instances: Instances): Tool<InstancesContext> {
  const { names } = instances;
  return forOneOrAllInstances(traceRequest, instances, {
    about: "Which n8n; without it all are asked",
    maxTokens: traceRequest.maxTokens + TOKENS_OF_OTHERS + (names.length - 1) * TOKENS_OF_ANOTHER,
    output: traceRequest.output.extend({
      instance: z.string().nullable(),
      instances: z.array(z.looseObject({ instance: z.string() })).optional(),
    }),
    run: async (args, context) => await traceAll(args, context, instances),
    rest(guidance, shown) {
      const { data } = shownInstance.safeParse(shown);
      return guidance && data && guidanceOf(guidance, data.instance, instances);
    },
  });
}

const shownInstance = z.object({ instance: z.string() });

async function traceAll(args: Arguments, context: InstancesContext, instances: Instances) {
  const traceId = typeof args.traceId === "string" ? args.traceId : `${PREFIX}${newShortId()}`;
  const progress = progressOfAll(instances.names, context.progress);
  const { timeBudgetMs = TIME_BUDGET_MS.usual } = args;
  // All instances share the call's time budget.
  const budget = new TimeBudget(context.clock, Number(timeBudgetMs));
  const left = (): number => Math.max(TIME_BUDGET_MS.least, Math.ceil(budget.leftMs));
  const begun: { scope: TraceScope | null } = { scope: null };
  const onTraced = (scope: TraceScope): void => {
    begun.scope = scope;
  };
  const shared = { newTraceId: traceId, sharedWait: { isFound: false }, onTraced };
  const askEach = async (names: readonly string[], given: Arguments): Promise<InstanceAnswer[]> =>
    await Promise.all(
      names.map(async (name) => {
        const own = { ...context.of(name), ...shared, progress: progress(name) };
        return await ask(name, given, own, instances);
      }),
    );
  const answers = await askEach(instances.names, args);
  if (!traceId.startsWith(PREFIX)) return mergeTraces(withTrace(answers), traceId, instances);
  // Instances that failed before the trace began, or were added since, begin it now.
  const missing = answers.filter(lacksTrace).map(({ instance }) => instance);
  const known = answers.find((each) => "part" in each);
  if (known === undefined || missing.length === 0) return mergeTraces(answers, traceId, instances);
  const { traceId: _traceId, ...others } = { ...args, ...(begun.scope && argumentsOf(begun.scope)) };
  const { requestId } = known.part;
  const late =
    begun.scope?.isOfOneWorkflow && !namesWorkflow(args)
      ? missing.map(workflowUnknownIn)
      : await askEach(missing, { ...others, requestId, timeBudgetMs: left(), waitMs: 0 });
  const all = answers.map((each) => late.find(({ instance }) => instance === each.instance) ?? each);
  return mergeTraces(all, traceId, instances);
}

const namesWorkflow = ({ workflowId, workflowName }: Arguments): boolean =>
  typeof workflowId === "string" || typeof workflowName === "string";

/** A trace of one workflow must not reveal executions of others. */
function workflowUnknownIn(instance: string): InstanceAnswer {
  const error = new ObserverError(
    "VALIDATION_ERROR",
    `The trace is of one workflow, and ${instance} was not asked for it yet.`,
    {
      field: "workflowName",
      expected: "the workflow of the first call",
      solution: "Call again with traceId and workflowName.",
    },
  );
  return { instance, error, reported: error };
}

/** Without the workflow id, which may differ in another n8n instance. */
const argumentsOf = ({ startedAfter, startedBefore, deep }: TraceScope): Arguments => ({
  startedAfter: startedAfter ?? undefined,
  startedBefore: startedBefore ?? undefined,
  deep,
});

const lacksTrace = (answer: InstanceAnswer): boolean =>
  "error" in answer && answer.error.code === "TRACE_NOT_FOUND";

/** Removes instances that do not know the trace, because it began in a single instance. */
const withTrace = (answers: readonly InstanceAnswer[]): readonly InstanceAnswer[] =>
  answers.every(lacksTrace) ? answers : answers.filter((each) => !lacksTrace(each));

async function ask(instance: string, args: Arguments, own: ToolContext, instances: Instances) {
  const prepared = traceRequest.prepare(args);
  if (!prepared.success) throw prepared.error;
  return await orElse<InstanceAnswer, InstanceAnswer>(
    async () => {
      const { message, data } = await prepared.run(own);
      if (!isObject(data)) throw new TypeError("A tool's data are an object.");
      return { instance, message, data, part: tracePart.parse(data) };
    },
    (error) => ({ instance, error, reported: errorOf(error, instance, instances, own) }),
  );
}
