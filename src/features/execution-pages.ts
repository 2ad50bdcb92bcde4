/** Lists executions within a time window, even where n8n does not support date filters. */
import type { ExecutionQuery } from "../n8n/client.ts";
import { refusalOf } from "../n8n/refusal.ts";
import type { RequestOptions } from "../n8n/requests.ts";
import type { ExecutionListItem, ExecutionStatus } from "../n8n/schemas.ts";
import type { VisibleN8n } from "../n8n/visible-n8n.ts";
import { ObserverError } from "../platform/errors.ts";
import type { DateWindow } from "./params.ts";

/** Compares a start time with the window, for n8n before 2.36, which ignores or refuses date filters. */
function placeInWindow({ startedAt }: ExecutionListItem, { startedAfter, startedBefore }: DateWindow) {
  if (startedAt === null) return "inside";
  const started = Date.parse(startedAt);
  if (startedAfter !== undefined && started < Date.parse(startedAfter)) return "before";
  return startedBefore !== undefined && started > Date.parse(startedBefore) ? "after" : "inside";
}

/** The executions inside the window. `isPast` if all are before it: later pages are older still. */
export function inWindow(executions: readonly ExecutionListItem[], window: DateWindow) {
  const places = executions.map((item) => placeInWindow(item, window));
  return {
    inside: executions.filter((_item, index) => places[index] === "inside"),
    isPast: places.length > 0 && places.every((place) => place === "before"),
  };
}

type Page = Awaited<ReturnType<VisibleN8n["listExecutions"]>>;

/**
 * Lists one page of a window. If n8n refuses date filters, the page includes executions outside the window; if it
 * refuses the status, executions with another status are filtered out here.
 * @throws ObserverError `VALIDATION_ERROR` for a status that this n8n neither filters by nor lists
 */
export async function listPage(
  client: VisibleN8n,
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
/** An n8n that cannot filter by these statuses does not list such executions at all. */
const UNFINISHED = new Set<ExecutionStatus>(["new", "running", "waiting"]);

async function listOfStatus(
  client: VisibleN8n,
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

/** Finished runs, newest first, and counts of the runs that were skipped. */
export interface FinishedRuns {
  readonly runs: readonly ExecutionListItem[];
  /** Waiting, or of an unknown status. */
  readonly unfinished: number;
  /** Started in the editor, perhaps with pinned data. */
  readonly manual: number;
  readonly unrecognized: number;
  /** True if listing stopped at `MOST_LISTED_EXECUTIONS` before the limit was reached. */
  readonly isCut: boolean;
}

const FINISHED = new Set(["success", "error", "crashed", "canceled"]);
const MAX_PAGES = 5;
const PAGE = 100;
export const MOST_LISTED_EXECUTIONS = MAX_PAGES * PAGE;

/** The last finished runs of a workflow, except those from the editor. @param optionsOfNext called before each page */
export async function listFinishedRuns(
  client: VisibleN8n,
  workflowId: string,
  window: DateWindow,
  limit: number,
  optionsOfNext: () => RequestOptions,
): Promise<FinishedRuns> {
  const runs: ExecutionListItem[] = [];
  const passed = { unfinished: 0, manual: 0, unrecognized: 0 };
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && runs.length < limit; page += 1) {
    const query = { workflowId, limit: PAGE, cursor };
    const { executions, unrecognizedIds, nextCursor } = await listPage(
      client,
      query,
      window,
      optionsOfNext(),
    );
    passed.unrecognized += unrecognizedIds.length;
    const { inside, isPast } = inWindow(executions, window);
    for (const item of inside) {
      if (runs.length >= limit) break;
      if (!FINISHED.has(item.status)) passed.unfinished += 1;
      else if (item.mode === "manual") passed.manual += 1;
      else runs.push(item);
    }
    if (nextCursor === null || isPast) return { runs, ...passed, isCut: false };
    cursor = nextCursor;
  }
  return { runs, ...passed, isCut: runs.length < limit };
}
