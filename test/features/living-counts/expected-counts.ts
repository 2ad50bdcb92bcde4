/**
 * What `query_executions` and `summarize_failures` may answer, from their documentation (docs/query.md, docs/digests.md)
 * and a plain list of n8n's executions. Each execution has options, the states in which it may be counted: one where
 * that is certain, several where n8n changed meanwhile or the answer claims no knowledge, null where it may be missing.
 */
import { FAULTS, failingNodeOf, hasEnded, itemsIn, type Made } from "./made-executions.ts";
import { TAGS, type ToldN8n } from "./told-n8n.ts";

export type Options = readonly (Made | null)[];

/** Since when each execution is known for certain, by id. */
export class Knowledge {
  readonly #n8n: ToldN8n;
  readonly #since = new Map<number, number>();
  /** Set once the oldest executions were dropped: those that n8n has deleted may be lost. */
  isLossy = false;

  constructor(n8n: ToldN8n) {
    this.#n8n = n8n;
  }

  know(id: number, tick: number): void {
    this.#since.set(id, Math.max(tick, this.#since.get(id) ?? -1));
  }

  forgetAll(): void {
    this.isLossy = true;
    this.#since.clear();
  }

  /** @param began the tick at which the call started @param isFresh whether the answer claims to know the current state */
  optionsOf(id: number, began: number, isFresh: boolean): Options {
    const versions = this.#n8n.versions.get(id) ?? [];
    const since = this.#since.get(id) ?? -1;
    const from = isFresh ? began : Math.max(0, since);
    const alive = versions.filter((_one, at) => (versions[at + 1]?.tick ?? Number.POSITIVE_INFINITY) > from);
    const options = new Set<Made | null>(alive.map(({ made }) => made));
    const [first] = versions;
    if (first !== undefined && (first.tick > began || (!isFresh && since < 0))) options.add(null);
    if (versions.at(-1)?.made !== null) return [...options];
    const last = versions.at(-2);
    const deletedAt = versions.at(-1)?.tick ?? 0;
    if (last?.made == null || !hasEnded(last.made)) return [...options];
    options.add(last.made);
    const isCertain = since >= last.tick && since < deletedAt && !this.isLossy;
    if (isCertain && deletedAt <= began) options.delete(null);
    return [...options];
  }
}

export const isFailed = ({ status, isByHand }: Made): boolean =>
  status === "error" || status === "crashed" || (status === "canceled" && !isByHand);

export const isOfEditor = ({ mode }: Made): boolean => mode === "manual" || mode === "evaluation";

export interface Span {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

export const isIn = ({ startedAt }: Made, { from, to }: Span): boolean =>
  startedAt !== null && startedAt >= from && startedAt < to;

/** The error as answers name it. */
export function errorOf(made: Made): {
  readonly errorClass: string | null;
  readonly httpStatus: string | null;
} {
  const fault = made.fault === null ? undefined : FAULTS[made.fault];
  const who = made.isByHand ? "Manual" : "Timeout";
  const ofEnd = made.status === "canceled" ? `${who}ExecutionCancelledError` : null;
  return { errorClass: fault?.shownClass ?? ofEnd, httpStatus: fault?.httpCode ?? null };
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** The keys of an execution in a grouping, in UTC. */
export function keysBy(by: string, made: Made): readonly (string | null)[] {
  const start = new Date(made.startedAt ?? 0);
  const text = start.toISOString();
  const { errorClass, httpStatus } = errorOf(made);
  const keys: Record<string, readonly (string | null)[]> = {
    workflow: [made.workflowId],
    tag: (TAGS[made.workflowId]?.length ?? 0) > 0 ? (TAGS[made.workflowId] ?? []) : [null],
    status: [made.status],
    mode: [made.mode],
    node: [failingNodeOf(made)],
    errorClass: [errorClass],
    httpStatus: [httpStatus],
    hour: [`${text.slice(0, 13)}:00`],
    day: [text.slice(0, 10)],
    weekday: [WEEKDAYS[start.getUTCDay()] ?? ""],
    hourOfDay: [String(start.getUTCHours())],
  };
  return keys[by] ?? [];
}

/** The names of all groups of an execution. */
export const groupsOf = (made: Made, groupBy: readonly string[]): string[] =>
  groupBy
    .reduce<(string | null)[][]>(
      (all, by) => all.flatMap((keys) => keysBy(by, made).map((key) => [...keys, key])),
      [[]],
    )
    .map((keys) => JSON.stringify(keys));

export interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** The smallest and largest possible count. */
export const boundsOf = (all: readonly Options[], counts: (made: Made) => boolean): Bounds => ({
  least: all.filter((options) => options.every((one) => one !== null && counts(one))).length,
  most: all.filter((options) => options.some((one) => one !== null && counts(one))).length,
});

export function expectBetween(what: string, is: number, { least, most }: Bounds): void {
  if (is < least || is > most)
    throw new Error(`${what}: counted ${is}, expected ${least === most ? "" : `${least} to `}${most}.`);
}

/** The executions as they certainly are; undefined if one of them has several options. */
export function certain(all: readonly Options[]): Made[] | undefined {
  if (all.some((options) => options.length > 1)) return undefined;
  return all.flatMap(([one]) => one ?? []);
}

export const rankOf = (sorted: readonly number[], part: number): number | undefined =>
  sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)];

const durationsOf = (all: readonly Made[]): number[] =>
  all
    .filter(hasEnded)
    .map(({ startedAt, stoppedAt }) => (stoppedAt ?? 0) - (startedAt ?? 0))
    .toSorted((a, b) => a - b);

export function measuresOf(all: readonly Made[]) {
  const durations = durationsOf(all);
  return {
    count: all.length,
    failures: all.filter(isFailed).length,
    medianMs: rankOf(durations, 0.5),
    p95Ms: rankOf(durations, 0.95),
    // What an unfinished execution has done is known only in part.
    items: all.every(hasEnded) ? all.reduce((sum, made) => sum + itemsIn(made), 0) : undefined,
  };
}

export const isOpen = (one: Made | null): boolean => one !== null && !hasEnded(one);
