/** Pages of executions within a window of time, whatever n8n makes of date filters. */

import type { ExecutionQuery, N8nClient } from "../n8n/client.ts";
import { refusalOf } from "../n8n/refusal.ts";
import type { RequestOptions } from "../n8n/requests.ts";
import type { ExecutionListItem, ExecutionStatus } from "../n8n/schemas.ts";
import { ObserverError } from "../platform/errors.ts";
import type { DateWindow } from "./params.ts";

/** Where a started execution stands to the window: n8n before 2.36 ignores or refuses date filters. */
export function placeInWindow(
  { startedAt }: ExecutionListItem,
  window: DateWindow,
): "inside" | "before" | "after" {
  if (startedAt === null) return "inside";
  const started = Date.parse(startedAt);
  if (window.startedAfter !== undefined && started < Date.parse(window.startedAfter)) return "before";
  return window.startedBefore !== undefined && started > Date.parse(window.startedBefore)
    ? "after"
    : "inside";
}

type Page = Awaited<ReturnType<N8nClient["listExecutions"]>>;

/**
 * One page of a window, also of an n8n that refuses date filters or this status: then whether each lies in the window
 * is to be looked at, and others are left out of the page.
 * @throws ObserverError `VALIDATION_ERROR` for a status that this n8n neither filters by nor lists
 */
export async function listPage(
  client: N8nClient,
  query: ExecutionQuery,
  window: DateWindow,
  options: RequestOptions = {},
): Promise<Page> {
  const hasDates = window.startedAfter !== undefined || window.startedBefore !== undefined;
  try {
    return await client.listExecutions({ ...query, ...window }, options);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    const { status } = query;
    if (refusal.parameter === "status" && status !== undefined)
      return await listOfStatus(client, { ...query, status }, window, refusal.allowed, options);
    if (!hasDates) throw error;
    return await listPage(client, query, NO_DATES, options);
  }
}

const NO_DATES: DateWindow = { startedAfter: undefined, startedBefore: undefined };
/** In no list of an n8n that does not filter by them. */
const UNFINISHED = new Set<ExecutionStatus>(["new", "running", "waiting"]);

/** The page without the filter, and of it those of the status. */
async function listOfStatus(
  client: N8nClient,
  { status, ...query }: ExecutionQuery & { readonly status: ExecutionStatus },
  window: DateWindow,
  allowed: readonly ExecutionStatus[],
  options: RequestOptions,
): Promise<Page> {
  if (UNFINISHED.has(status)) throw unlisted(status, allowed);
  const page = await listPage(client, query, window, options);
  if (page.executions.some(({ isStatusInferred }) => isStatusInferred === true))
    throw unlisted(status, allowed);
  return { ...page, executions: page.executions.filter((item) => item.status === status) };
}

function unlisted(status: ExecutionStatus, allowed: readonly ExecutionStatus[]): ObserverError {
  const solution = UNFINISHED.has(status)
    ? "trace_request finds them by a request id: it asks for them one by one."
    : "Use error, which holds canceled and crashed ones too; get_execution tells them apart.";
  return new ObserverError("VALIDATION_ERROR", `This n8n cannot list executions that are ${status}.`, {
    field: "status",
    expected: `one of ${allowed.join(", ")}`,
    solution,
  });
}

/** Runs that have ended, newest first, and those that were passed by on the way to them. */
export interface FinishedRuns {
  readonly runs: readonly ExecutionListItem[];
  /** Waiting, or of a status that is not known. */
  readonly unfinished: number;
  /** Begun by a person in the editor, perhaps on pinned data. */
  readonly manual: number;
  /** Of a shape that is not known. */
  readonly unrecognized: number;
}

const FINISHED = new Set(["success", "error", "crashed", "canceled"]);
const MAX_PAGES = 5;
const PAGE = 100;

/**
 * The last so many finished runs of a workflow, those of the editor aside.
 * @param optionsOfNext asked before each page
 */
export async function listFinishedRuns(
  client: N8nClient,
  workflowId: string,
  window: DateWindow,
  limit: number,
  optionsOfNext: () => RequestOptions,
): Promise<FinishedRuns> {
  const runs: ExecutionListItem[] = [];
  const passed = { unfinished: 0, manual: 0, unrecognized: 0 };
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && runs.length < limit; page += 1) {
    const { executions, unrecognizedIds, nextCursor } = await listPage(
      client,
      { workflowId, limit: PAGE, cursor },
      window,
      optionsOfNext(),
    );
    passed.unrecognized += unrecognizedIds.length;
    const places = executions.map((item) => placeInWindow(item, window));
    for (const item of executions.filter((_item, index) => places[index] === "inside")) {
      if (runs.length >= limit) break;
      if (!FINISHED.has(item.status)) passed.unfinished += 1;
      else if (item.mode === "manual") passed.manual += 1;
      else runs.push(item);
    }
    if (nextCursor === null || (places.length > 0 && places.every((place) => place === "before"))) break;
    cursor = nextCursor;
  }
  return { runs, ...passed };
}
