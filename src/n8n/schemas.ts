/**
 * Schemas of the parts of n8n's answers that we read. Every answer is checked against one of these on
 * arrival. Loose on what we do not need (n8n adds members often), strict on what we do.
 */
import * as z from "zod";
import { Omitted, type ReadValue } from "../json/omitted.ts";
import { earlierStart, firstStartOf, numberRuns, toEpochMs } from "./run-order.ts";

/** A member that counts as absent if it is malformed. */
export const lenient = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);
export const lenientText = lenient(z.string());
/** The same for a member that may be null. */
export const lenientOrNull = <T extends z.ZodType>(schema: T) => schema.nullish().catch(null);
const nullIfAbsent = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? null);

/** Ids of executions are positive integers, written as strings (older n8n: numbers). */
const executionId = z
  .union([z.string(), z.number().int()])
  .transform(String)
  .pipe(z.string().regex(/^\d{1,19}$/));

/** An execution stays readable even if it links to something that the public API does not show (engine v2). */
const link = nullIfAbsent(lenientOrNull(executionId));

/** Runs of n8n's engine v2 (a workflow's `settings.engineType`) have UUIDs, and are in no answer of its public API. */
export const isEngineV2Run = (id: string): boolean =>
  /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i.test(id);

/** The reason when an execution's list entry, or its own facts, have an unknown form. */
export const UNKNOWN_SHAPE = "its shape is unknown";

/** The reason when data is not n8n's `IRunExecutionData` version 0 or 1: half of it would be no answer. */
export const UNKNOWN_FORM = "this n8n stores executions in a form that is not known here";

export const isoDate = z.string().refine((value) => !Number.isNaN(Date.parse(value)), "is not a date");

export const EXECUTION_STATUSES = [
  "canceled",
  "crashed",
  "error",
  "new",
  "running",
  "success",
  "unknown",
  "waiting",
] as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[number];

/** A status of a later n8n is `unknown`, which n8n also has itself. Then only `stoppedAt` says whether it ended. */
const executionStatus = z.enum(EXECUTION_STATUSES).catch("unknown");

const executionFacts = z.object({
  id: executionId,
  workflowId: z.string(),
  /** Missing in lists of n8n 1.100. */
  status: executionStatus.nullish(),
  /** True once it succeeded. */
  finished: lenientOrNull(z.boolean()),
  /** How it was started: `webhook`, `trigger`, `integrated` (sub-workflow), `error`, `retry`, … */
  mode: z.string(),
  /** When n8n accepted it. Only `GET /executions/{id}` has it. */
  createdAt: lenient(isoDate),
  startedAt: nullIfAbsent(isoDate),
  stoppedAt: nullIfAbsent(isoDate),
  retryOf: link,
  retrySuccessId: link,
  waitTill: nullIfAbsent(isoDate),
});
type ExecutionFacts = z.infer<typeof executionFacts>;

type WithStatus<Facts> = Omit<Facts, "status" | "finished"> & {
  readonly status: ExecutionStatus;
  /** Present when n8n did not report the status: `error` may then also mean `crashed` or `canceled`. */
  readonly isStatusInferred?: true;
};

/** A missing status is inferred from the other facts. */
function withStatus<Facts extends ExecutionFacts>({ status, finished, ...others }: Facts): WithStatus<Facts> {
  if (status !== null && status !== undefined) return { ...others, status };
  return { ...others, status: inferredStatus(others, finished === true), isStatusInferred: true };
}

function inferredStatus(
  { stoppedAt, waitTill }: Pick<ExecutionFacts, "stoppedAt" | "waitTill">,
  isFinished: boolean,
): ExecutionStatus {
  if (isFinished) return "success";
  if (waitTill !== null) return "waiting";
  return stoppedAt === null ? "running" : "error";
}

/** One execution as the list returns it, without data. */
export const executionListItem = executionFacts.transform((facts) => withStatus(facts));
export type ExecutionListItem = z.infer<typeof executionListItem>;

export const idOfExecution = executionId;

/** An element of unknown shape must not affect the others: only its id is kept, if it has one. */
const unrecognizedElement = z
  .object({ id: executionId })
  .nullable()
  .catch(null)
  .transform((element) => ({ unrecognizedId: element?.id ?? null }));

/** The members of a list besides its elements. */
export const listEnvelope = z.object({ nextCursor: nullIfAbsent(z.string()) });

export const executionList = listEnvelope.extend({
  data: z.array(z.union([executionListItem, unrecognizedElement])),
});

export const workflowListItem = z.object({
  id: z.string(),
  name: z.string(),
  active: z.boolean(),
  createdAt: isoDate,
  updatedAt: isoDate,
  tags: z
    .array(z.looseObject({ name: z.string() }))
    .nullish()
    .transform((tags) => (tags ?? []).map((tag) => tag.name)),
});
export type WorkflowListItem = z.infer<typeof workflowListItem>;

/** `GET /discover`: the key's own scopes. Not every n8n has this endpoint. */
export const discovery = z.looseObject({ data: z.looseObject({ scopes: z.array(z.string()) }) });

const readValue = z.custom<ReadValue>((value) => value !== undefined);
const record = <T extends z.ZodType>(value: T) => z.record(z.string(), value);
const leftOut = z.instanceof(Omitted);

/** A part that the read plan left out as a whole counts as absent. */
const unlessLeftOut = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value instanceof Omitted ? undefined : value), schema.optional());

/** Connection type → output → items. An output that did not fire is null. */
const connectionData = record(z.union([z.array(z.union([z.array(readValue), z.null(), leftOut])), leftOut]));

export const executionReference = z.looseObject({ executionId, workflowId: z.string().optional() });
/** For display: it may also name a run of engine v2, which cannot be requested. */
const shownReference = executionReference.extend({
  executionId: z.union([executionId, z.string().refine(isEngineV2Run)]),
});
export type ExecutionReference = z.infer<typeof shownReference>;

/** Libraries write codes as strings or numbers. */
const errorCode = lenientOrNull(z.union([z.string(), z.number()]).transform(String));

/**
 * An error as n8n stores it on a node run or on the whole execution. Parts may be shortened. The code that throws
 * the error controls all of it.
 */
export const nodeError = z.looseObject({
  message: z.string().catch("").optional(),
  name: lenientText,
  code: errorCode,
  context: lenient(
    z.looseObject({
      type: lenientText,
      /** An HTTP node's request. */
      request: lenient(z.looseObject({ uri: lenientText })),
    }),
  ),
  /** Since n8n 2.40: why the operation failed, if the node declares it. */
  failure: lenient(z.looseObject({ cause: z.string() })),
  description: lenientOrNull(z.string()),
  httpCode: errorCode,
  lineNumber: lenientOrNull(z.number()),
  stack: lenientText,
  node: lenient(z.looseObject({ name: z.string().optional() })),
  /** The execution that a failed call of a sub-workflow started. */
  executionId: lenient(executionId),
  workflowId: lenientText,
});
export type NodeError = z.infer<typeof nodeError>;

export const redactedError = z.looseObject({ type: z.string(), httpCode: errorCode });

const epochMs = z.number().catch(0).transform(toEpochMs);

export const nodeRun = z.looseObject({
  startTime: epochMs,
  executionTime: z.number().catch(0),
  executionIndex: z.number().optional(),
  /** @see numberRuns */
  waitedMs: lenient(z.number()),
  executionStatus: z.string().optional(),
  source: z
    .array(
      z
        .looseObject({
          previousNode: z.string(),
          previousNodeOutput: z.number().optional(),
          previousNodeRun: z.number().optional(),
        })
        .nullable(),
    )
    .catch([]),
  data: unlessLeftOut(connectionData),
  inputOverride: unlessLeftOut(connectionData),
  error: unlessLeftOut(nodeError),
  metadata: lenient(
    z.looseObject({
      subExecution: lenient(shownReference),
      subExecutionsCount: lenient(z.number()),
      parentExecution: lenient(shownReference),
    }),
  ),
});
export type NodeRun = z.infer<typeof nodeRun>;

/** A node that is about to run, with its input. */
const pendingNode = z.looseObject({
  node: z.looseObject({ name: z.string() }),
  data: unlessLeftOut(connectionData),
  /** Since n8n 2.41: the executions that it called and waits for. */
  metadata: lenient(z.looseObject({ waitingChildExecutionIds: lenient(z.array(executionId)) })),
});

const agentsId = z.string().regex(/^[\w-]{1,64}$/);

const workflowNode = z.looseObject({
  name: z.string(),
  type: z.string(),
  disabled: z.boolean().optional(),
  parameters: readValue.optional(),
});
export type WorkflowNode = z.infer<typeof workflowNode>;

/**
 * One execution with its data, read within bounds. `nodes` and `runData` may lack parts that the read plan left out.
 */
export const executionWithData = executionFacts
  .extend({
    /** Since n8n 2. */
    workflowVersionId: lenientOrNull(z.string()),
    /** Since June 2026: it is above n8n's display limit, and is sent without its data. */
    dataTooLargeToDisplay: lenient(z.boolean()),
    /** Where n8n writes OpenTelemetry; only in the answer about one execution. */
    tracingContext: lenientOrNull(z.looseObject({ traceparent: z.string() })),
    customData: lenientOrNull(record(readValue)),
    workflowData: z
      .looseObject({
        id: z.string().optional(),
        name: z.string().optional(),
        settings: lenientOrNull(z.looseObject({ errorWorkflow: lenientText })),
        nodes: z.union([z.array(z.union([workflowNode, leftOut])), leftOut]).optional(),
      })
      .nullish(),
    data: z
      .looseObject(
        {
          version: z.number().max(1, UNKNOWN_FORM).nullish(),
          parentExecution: lenient(shownReference),
          /** Set if an agent of n8n's Agents module called it as a tool. */
          parentAgentRun: lenient(z.object({ agentId: agentsId, runId: agentsId })),
          // An unknown form also means that something was withheld.
          redactionInfo: z
            .looseObject({ isRedacted: z.boolean().catch(true) })
            .nullish()
            .catch({ isRedacted: true }),
          executionData: unlessLeftOut(
            z.looseObject({ nodeExecutionStack: lenient(z.array(z.union([pendingNode, leftOut]))) }),
          ),
          resultData: z
            .looseObject({
              error: lenient(nodeError),
              redactedError: lenient(redactedError),
              lastNodeExecuted: z.string().optional(),
              // The mark comes first: a run requires no member, so the mark would be accepted as a run.
              runData: record(z.union([z.array(z.union([leftOut, nodeRun])), leftOut]))
                .transform((runData) => {
                  numberRuns(runData);
                  return runData;
                })
                .optional(),
            })
            .optional(),
        },
        UNKNOWN_FORM,
      )
      .nullish(),
  })
  .transform((facts) => {
    const firstStart = firstStartOf(facts.data?.resultData?.runData ?? {});
    // An execution that was resumed keeps the end of its last go while it runs.
    const stoppedAt = facts.status === "running" ? null : facts.stoppedAt;
    return withStatus({ ...facts, stoppedAt, startedAt: earlierStart(facts, firstStart) ?? facts.startedAt });
  });
export type ExecutionWithData = z.infer<typeof executionWithData>;

/** A list of executions with their data, each of which is parsed separately. */
export const executionDataList = z.object({ data: z.array(z.unknown()) });
