/** From what n8n lists to what is to be read, in runs that are no longer than a page. Pure. */
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import type { ListedRun } from "../reading/read-executions.ts";
import type { FrontierStep } from "./frontier.ts";
import type { ListedPage } from "./listing.ts";

/** A run of listed executions to read, and how far down everything is known once they are. */
export interface Job {
  readonly run: ListedRun;
  readonly step: FrontierStep;
}

/** Known executions between unknown ones are read again rather than asked around, up to this many. */
const MAX_KNOWN_BETWEEN = 10;

/**
 * What is to be read of a page; empty when all of it is known.
 * @param workflowId the list's own filter
 * @param pageSize most executions of a run
 */
export function jobsOf(page: ListedPage, workflowId: string | null, pageSize: number): Job[] {
  const { items, unread, low, isBottom, query } = page;
  if (low === null || unread.size === 0) return [];
  const runs = query === null ? runsOf(items, unread, pageSize) : [items];
  return runs.map((run, index) => {
    const wanted = new Set(run.map(({ id }) => id).filter((id) => unread.has(id)));
    const isLast = index === runs.length - 1;
    return {
      run: { items: run, wanted, workflowId, query },
      step: isLast ? { low, isBottom } : { low: run.at(-1)?.id ?? low, isBottom: false },
    };
  });
}

/** Splits a list where many known executions stand between unknown ones, and at the page size. */
function runsOf(
  items: readonly ExecutionListItem[],
  unread: ReadonlySet<string>,
  pageSize: number,
): ExecutionListItem[][] {
  const runs: ExecutionListItem[][] = [];
  let run: ExecutionListItem[] = [];
  let between: ExecutionListItem[] = [];
  for (const item of items) {
    if (!unread.has(item.id)) {
      between.push(item);
      continue;
    }
    if (run.length > 0 && (between.length > MAX_KNOWN_BETWEEN || run.length + between.length >= pageSize)) {
      runs.push(run);
      run = [];
    } else if (run.length > 0) {
      run.push(...between);
    }
    between = [];
    run.push(item);
  }
  return run.length > 0 ? [...runs, run] : runs;
}

/** The first `room` wanted executions of a job: all of it, a part of it, or null for nothing. */
export function cutToLimit(job: Job, room: number): Job | null {
  const { run } = job;
  if (run.wanted.size <= Math.max(0, room)) return job;
  if (room <= 0) return null;
  const wanted = new Set(
    run.items
      .map(({ id }) => id)
      .filter((id) => run.wanted.has(id))
      .slice(0, room),
  );
  const end = run.items.findLastIndex(({ id }) => wanted.has(id)) + 1;
  const items = run.items.slice(0, end);
  return {
    run: { ...run, items, wanted },
    step: { low: items.at(-1)?.id ?? job.step.low, isBottom: false },
  };
}
