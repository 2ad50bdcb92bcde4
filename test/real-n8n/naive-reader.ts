/**
 * The slow and simple way to know what happened: fetches every execution, one after another, whole, and walks it.
 * Promises: it shares no code with the observer, so that tests can compare the two. Memory grows with the data.
 */
import * as z from "zod";
import { type ApiAccess, callApi, listExecutionsAfter } from "./n8n-api.ts";

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
  /** `data` of the public API, as it came. */
  data: unknown;
}

const link = z.object({ executionId: z.string() });

const nodeRun = z.object({ metadata: z.object({ subExecution: link.optional() }).optional() });

const resultData = z.object({
  runData: z.record(z.string(), z.array(nodeRun)).default({}),
  lastNodeExecuted: z.string().optional(),
  error: z.object({ message: z.string() }).optional(),
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
  data: z.looseObject({ resultData, parentExecution: link.optional() }),
});

/** Every execution that n8n has, running ones too, by ascending id. */
export async function readAllExecutions(baseUrl: string, key: string): Promise<NaiveExecution[]> {
  const access: ApiAccess = { baseUrl, key };
  const executions: NaiveExecution[] = [];
  for (const { id } of await listExecutionsAfter(access, 0)) {
    const answer = await callApi(access, "GET", `/executions/${id}?includeData=true`);
    executions.push(toNaiveExecution(answer));
  }
  return executions;
}

/** `answer` is one execution with its data, as the public API gives it. */
export function toNaiveExecution(answer: unknown): NaiveExecution {
  const { workflowData, data, ...known } = execution.parse(answer);
  const { runData, lastNodeExecuted, error } = data.resultData;
  const subExecutions = Object.values(runData)
    .flat()
    .map((run) => run.metadata?.subExecution?.executionId);
  return {
    ...known,
    workflowName: workflowData.name,
    parentId: data.parentExecution?.executionId ?? null,
    subExecutionIds: subExecutions.filter((id) => id !== undefined),
    lastNodeExecuted: lastNodeExecuted ?? null,
    errorMessage: error?.message ?? null,
    data: z.object({ data: z.unknown() }).parse(answer).data,
  };
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
