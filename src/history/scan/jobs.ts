/** Splits what a scan reads into jobs of at most a page, and tracks how far down history is known. Pure. */
import type { ExecutionQuery } from "../../n8n/client.ts";
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { lowerOf } from "../../platform/id-order.ts";
import type { ListedRun } from "../reading/read-executions.ts";
import type { Stretch } from "../store/stretches.ts";

export interface ListedPage {
  /** Executions of the window, newest first. */
  readonly items: readonly ExecutionListItem[];
  /** Ids of the executions that have to be read. */
  readonly unread: ReadonlySet<string>;
  /** The lowest id that n8n listed; null for an empty page. */
  readonly listedTo: string | null;
  /** Everything from the previous page down to this id was listed or is known; null for an empty first page. */
  readonly low: string | null;
  readonly isLast: boolean;
  /** True when n8n has nothing older at all. */
  readonly isBottom: boolean;
  /** Requests the same executions with data, if this n8n does not accept hand-made cursors; else null. */
  readonly query: ExecutionQuery | null;
}

/** A section of history, in the order of the scan. */
export interface Step {
  /** Everything from the previous step down to this id is known once this step is done. */
  readonly low: string;
  readonly isBottom: boolean;
}

/** A step, and the executions that have to be read for it. */
export interface Job extends Step {
  readonly run: ListedRun;
}

/** Read through gaps of up to this many known executions, instead of sending another request. */
const MAX_KNOWN_BETWEEN = 10;

/**
 * The jobs of a page: one without reads if the whole page is known, none if the first page is empty.
 * @param workflowId the list's own filter
 * @param pageSize maximum executions of a job
 */
export function jobsOf(page: ListedPage, workflowId: string | null, pageSize: number): Job[] {
  const { items, unread, low, isBottom, query } = page;
  if (low === null) return [];
  if (unread.size === 0) {
    const run = { items: [], wanted: new Set<string>(), workflowId: null, query: null };
    return [{ run, low, isBottom }];
  }
  const bounds = { mostBetween: MAX_KNOWN_BETWEEN, size: pageSize };
  const runs = query === null ? runsOf(items, unread, bounds) : [items];
  return runs.map((run, index) => {
    const wanted = new Set(run.map(({ id }) => id).filter((id) => unread.has(id)));
    const step = index === runs.length - 1 ? { low, isBottom } : { low: lastIdOf(run, low), isBottom: false };
    return { run: { items: run, wanted, workflowId, query }, ...step };
  });
}

/** The parts of a list that contain the wanted executions and few others. @param size maximum executions of a part */
export function runsOf(
  items: readonly ExecutionListItem[],
  wanted: ReadonlySet<string>,
  { mostBetween, size = Number.POSITIVE_INFINITY }: { readonly mostBetween: number; readonly size?: number },
): ExecutionListItem[][] {
  const runs: ExecutionListItem[][] = [];
  let between: ExecutionListItem[] = [];
  for (const item of items) {
    if (!wanted.has(item.id)) {
      between.push(item);
      continue;
    }
    const run = runs.at(-1);
    if (run !== undefined && between.length <= mostBetween && run.length + between.length < size)
      run.push(...between, item);
    else runs.push([item]);
    between = [];
  }
  return runs;
}

/** Cuts a job to its first `remaining` wanted executions; null if none are left. */
export function cutToLimit(job: Job, remaining: number): Job | null {
  const { run } = job;
  if (run.wanted.size <= Math.max(0, remaining)) return job;
  if (remaining <= 0) return null;
  const wanted = new Set(
    run.items
      .map(({ id }) => id)
      .filter((id) => run.wanted.has(id))
      .slice(0, remaining),
  );
  // A page that was never listed cannot be cut.
  if (wanted.size === 0) return null;
  const items = run.items.slice(0, run.items.findLastIndex(({ id }) => wanted.has(id)) + 1);
  return { run: { ...run, items, wanted }, low: lastIdOf(items, job.low), isBottom: false };
}

const lastIdOf = (items: readonly ExecutionListItem[], otherwise: string): string =>
  items.at(-1)?.id ?? otherwise;

export interface Descent extends Step {
  /** The lowest id known before; null at first. */
  readonly above: string | null;
}

/** How far down a scan has come without a gap. */
export class Frontier {
  readonly #steps: { readonly step: Step; end: Step; isDone: boolean }[] = [];
  #reached: Step | null = null;

  /** Everything down to this id is known; null when nothing is. */
  get low(): string | null {
    return this.#reached?.low ?? null;
  }

  /** Adds the next step down. Steps begin in order and end in any order. */
  begin(step: Step): void {
    this.#steps.push({ step, end: step, isDone: false });
  }

  /** The step will not be done: neither it nor any step begun after it counts. */
  giveUp(step: Step): void {
    const place = this.#steps.findIndex((one) => one.step === step);
    if (place !== -1) this.#steps.splice(place);
  }

  /** @param end the actual end, if it is not that of the step @returns null if the scan has come no further */
  finish(step: Step, end: Step = step): Descent | null {
    const entry = this.#steps.find((one) => one.step === step);
    if (entry !== undefined) Object.assign(entry, { end, isDone: true });
    const undone = this.#steps.findIndex(({ isDone }) => !isDone);
    const last = this.#steps.splice(0, undone === -1 ? this.#steps.length : undone).at(-1);
    if (last === undefined) return null;
    const before = this.#reached;
    const reached = { low: last.end.low, isBottom: last.end.isBottom };
    this.#reached = reached;
    const isSame = before?.low === reached.low && before.isBottom === reached.isBottom;
    return isSame ? null : { above: before?.low ?? null, ...reached };
  }
}

/**
 * The part of a descent that may be claimed as known; null when there is none.
 * @param settledAt executions above this id have just begun, so that some may be missing; null when none has settled
 */
export function claimable({ above, low, isBottom }: Descent, settledAt: string | null): Stretch | null {
  if (settledAt === null) return null;
  const high = above === null ? settledAt : lowerOf(above, settledAt);
  return lowerOf(high, low) === low ? { high, low, isBottom } : null;
}
