/**
 * The slow and simple way to find out what happened: reads every execution completely from n8n's database, and walks it.
 * It shares no code with the observer, so that tests can compare the two. Memory grows with the data.
 */
import * as z from "zod";
import { type N8nDatabase, readStoredExecutions } from "./n8n-database.ts";

/** An execution as the naive reader knows it. */
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
  /** The complete data as n8n stored it. */
  data: unknown;
}

const link = z.object({ executionId: z.string() });

/** The id that n8n gives a caller that is not stored yet. */
const UNKNOWN = "__UNKNOWN__";

const nodeRun = z.object({
  metadata: z.object({ subExecution: link.optional(), parentExecution: link.optional() }).nullish(),
  /** A failed call of a sub-workflow names it only here. */
  error: z.object({ executionId: z.unknown().optional() }).nullish(),
  /** The item of an Error Trigger names the failed execution. */
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

/** Every execution of n8n, including waiting and running ones, by ascending id. */
export function readAllExecutions(n8n: N8nDatabase): NaiveExecution[] {
  return readStoredExecutions(n8n).map(toNaiveExecution);
}

/** @param answer one execution with its data, in the public API's form */
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
 * Whether a value of the execution's data or custom data equals the id.
 * A number counts as its decimal digits; JSON in a string is parsed.
 */
export function holdsRequestId(execution: NaiveExecution, requestId: string): boolean {
  return holdsValue(execution.data, requestId) || holdsValue(execution.customData, requestId);
}

function holdsValue(value: unknown, id: string): boolean {
  if (typeof value === "string") return value === id || holdsInsideJson(value, id);
  if (typeof value === "number") return String(value) === id;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((each) => holdsValue(each, id));
}

function holdsInsideJson(text: string, id: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    return holdsValue(JSON.parse(text), id);
  } catch {
    return false;
  }
}

/** All executions linked to one of these, directly or indirectly, by ascending id. */
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
 * The origin of a failure: the failed execution among these that called no other failed one.
 * n8n gives a failed call no `subExecution`, so only the called one names its caller.
 */
export function deepestFailure(executions: NaiveExecution[]): NaiveExecution | null {
  const failed = executions.filter(({ status, mode }) => status === "error" && mode !== "error");
  const callers = new Set(failed.map(({ parentId }) => parentId));
  return failed.find(({ id }) => !callers.has(id)) ?? null;
}
