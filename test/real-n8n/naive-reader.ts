/**
 * The slow and simple way to know what happened: reads every execution from n8n's own database, whole, and walks it.
 * Promises: it shares no code with the observer, so that tests can compare the two. Memory grows with the data.
 */
import * as z from "zod";
import { type N8nDatabase, readStoredExecutions } from "./n8n-database.ts";

/** What a naive reader knows of one execution. */
export interface NaiveExecution {
  id: string;
  workflowId: string;
  workflowName: string;
  status: string;
  mode: string;
  startedAt: string | null;
  stoppedAt: string | null;
  retryOf: string | null;
  /** The execution that called this one, or whose failure it handles. */
  parentId: string | null;
  subExecutionIds: string[];
  lastNodeExecuted: string | null;
  errorMessage: string | null;
  customData: Record<string, string>;
  /** The whole data, as n8n stored it. */
  data: unknown;
}

const link = z.object({ executionId: z.string() });

/** The id that n8n gives to a caller which was not stored yet. */
const UNKNOWN = "__UNKNOWN__";

const nodeRun = z.object({
  metadata: z.object({ subExecution: link.optional(), parentExecution: link.optional() }).nullish(),
  /** A call of a sub-workflow that failed names it here, and here alone. */
  error: z.object({ executionId: z.unknown().optional() }).nullish(),
  /** Of an Error Trigger: the item says which execution it is about. */
  data: z.object({ main: z.array(z.array(z.unknown()).nullable()).optional() }).nullish(),
});

const errorTriggerItem = z.object({
  json: z.object({ execution: z.object({ id: z.union([z.string(), z.number()]).transform(String) }) }),
});

const resultData = z.object({
  runData: z.record(z.string(), z.array(nodeRun)).default({}),
  lastNodeExecuted: z.string().optional(),
  error: z.object({ message: z.string() }).nullish(),
});

const execution = z.object({
  id: z.string(),
  workflowId: z.string(),
  status: z.string(),
  mode: z.string(),
  startedAt: z.string().nullable(),
  stoppedAt: z.string().nullable(),
  retryOf: z.string().nullable(),
  workflowData: z.object({ name: z.string() }),
  customData: z.record(z.string(), z.string()).default({}),
  data: z.looseObject({ resultData, parentExecution: link.nullish() }),
});

/** Every execution that n8n has, waiting and running ones too, by ascending id. */
export function readAllExecutions(n8n: N8nDatabase): NaiveExecution[] {
  return readStoredExecutions(n8n).map(toNaiveExecution);
}

/** `answer` is one execution with its data, as the public API gives it. */
export function toNaiveExecution(answer: unknown): NaiveExecution {
  const { workflowData, data, ...known } = execution.parse(answer);
  const { runData, lastNodeExecuted, error } = data.resultData;
  const runs = Object.values(runData).flat();
  const called = runs.flatMap(({ metadata, error: failure }) =>
    [metadata?.subExecution?.executionId, failure?.executionId].filter((id) => typeof id === "string"),
  );
  const callers = [
    data.parentExecution?.executionId,
    ...runs.map(({ metadata }) => metadata?.parentExecution?.executionId),
    ...(known.mode === "error" ? runs.map(handledExecution) : []),
  ];
  return {
    ...known,
    workflowName: workflowData.name,
    parentId: callers.find((id) => id !== undefined && id !== UNKNOWN) ?? null,
    subExecutionIds: called.filter((id) => id !== known.id),
    lastNodeExecuted: lastNodeExecuted ?? null,
    errorMessage: error?.message ?? null,
    data: z.object({ data: z.unknown() }).parse(answer).data,
  };
}

function handledExecution({ data }: z.infer<typeof nodeRun>): string | undefined {
  return errorTriggerItem.safeParse(data?.main?.[0]?.[0]).data?.json.execution.id;
}

/**
 * Whether some value of the execution's data, or of its custom data, is the id: the whole of it, not a part.
 * A number counts as its decimal digits; JSON held in a string is looked into.
 */
export function holdsRequestId(execution: NaiveExecution, requestId: string): boolean {
  return holdsValue(execution.data, requestId) || holdsValue(execution.customData, requestId);
}

function holdsValue(value: unknown, wanted: string): boolean {
  if (typeof value === "string") return value === wanted || holdsInsideJson(value, wanted);
  if (typeof value === "number") return String(value) === wanted;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((each) => holdsValue(each, wanted));
}

function holdsInsideJson(text: string, wanted: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    return holdsValue(JSON.parse(text), wanted);
  } catch {
    return false;
  }
}

/** Everything that is linked to one of these executions, directly or through others, by ascending id. */
export function linkedExecutions(all: NaiveExecution[], startIds: string[]): NaiveExecution[] {
  const neighbours = new Map<string, Set<string>>(all.map(({ id }) => [id, new Set<string>()]));
  for (const each of all) {
    for (const other of [each.parentId, each.retryOf, ...each.subExecutionIds]) {
      if (other === null) continue;
      neighbours.get(each.id)?.add(other);
      neighbours.get(other)?.add(each.id);
    }
  }
  const reached = new Set<string>();
  const pending = [...startIds];
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (reached.has(id)) continue;
    reached.add(id);
    pending.push(...(neighbours.get(id) ?? []));
  }
  return all.filter(({ id }) => reached.has(id));
}

/**
 * Where a failure began: the failed execution among these that called no other failed one.
 * n8n gives a failed call no `subExecution`, so that only the called one tells who called it.
 */
export function deepestFailure(executions: NaiveExecution[]): NaiveExecution | null {
  const failed = executions.filter(({ status, mode }) => status === "error" && mode !== "error");
  const callers = new Set(failed.map(({ parentId }) => parentId));
  return failed.find(({ id }) => !callers.has(id)) ?? null;
}
