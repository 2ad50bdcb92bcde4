/**
 * What earlier looks saw of the running executions. In memory only: losing it costs reads, not correctness. No clock.
 *
 * n8n stores the data of a running execution when it begins, when it is put to wait, and when it ends; in between only
 * if its progress is saved. An execution is *settled* once its stored data cannot change before it is put to wait or
 * ends, which n8n's list shows: it stays in the list with other times, or leaves it. That is known
 * - if its workflow does not save progress (`saveExecutionProgress`, which n8n stores per execution), or
 * - if no run of its trigger was stored a minute after it was seen running: a trigger passes on its input at once, so
 *   its run would have been the first progress.
 */

import type { ExecutionFacts } from "../../executions/execution-facts.ts";
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { setNewest } from "../../platform/bounded-collections.ts";
import { MINUTE_MS } from "../../platform/durations.ts";
import type { TracedExecution } from "./traced-execution.ts";

/** Modes whose first node is a trigger that already has its output, so that its run takes no time. */
const BEGUN_BY_TRIGGER: ReadonlySet<string> = new Set(["webhook", "trigger", "integrated", "error"]);
const FIRST_RUN_MS = MINUTE_MS;
/** Twice as many as a look lists. */
const MAX_HELD = 2_000;

/** How many are read at first, while the size of their data is unknown. */
export const FIRST_RUNNING_PAGE = 25;
/** At most this many, with at most this much data, are read together with the list. */
const FEW = 8;
const LITTLE_BYTES = 256 * 1024;

/** What was read of an execution. */
interface Read {
  readonly execution: TracedExecution;
  readonly facts: ExecutionFacts;
  readonly savesProgress: boolean | null;
}

type Times = Pick<ExecutionListItem, "startedAt" | "stoppedAt">;

interface Held extends Times {
  /** Epoch ms since when it is known to be running. */
  readonly since: number;
  /** Epoch ms when its data was last requested; null if it was not read. */
  readonly readAt: number | null;
  readonly isSettled: boolean;
}

export class RunningLooks {
  /** Page size for the next look: what the last one would have read next, up to `FIRST_RUNNING_PAGE`. */
  pageSize = FIRST_RUNNING_PAGE;
  readonly #held = new Map<string, Held>();
  #littleCount: number | null = null;

  /** n8n lists the execution as running. @param now epoch ms */
  see({ id, startedAt, stoppedAt }: ExecutionListItem, now: number): void {
    const held = this.#of(id, { startedAt, stoppedAt });
    const next = held ?? { startedAt, stoppedAt, since: now, readAt: null, isSettled: false };
    setNewest(this.#held, id, next, MAX_HELD);
  }

  /** @param askedAt epoch ms when it was requested */
  noteRead({ execution, facts, savesProgress }: Read, askedAt: number): void {
    const { id, mode, stoppedAt } = execution;
    const held = this.#of(id, execution);
    if (held === undefined || execution.status !== "running") return;
    const isUntouched = facts.runs === 0 && facts.incomplete === null && stoppedAt === null;
    const showsNoProgress = isUntouched && BEGUN_BY_TRIGGER.has(mode) && askedAt >= held.since + FIRST_RUN_MS;
    const isSettled = savesProgress === false || (savesProgress === null && showsNoProgress);
    setNewest(this.#held, id, { ...held, readAt: askedAt, isSettled }, MAX_HELD);
  }

  /** How many were running at the last look, if one request can list and read them all; else null. */
  get littleCount(): number | null {
    return this.#littleCount;
  }

  /** @param running the listed executions @param bytes how much of their data was read */
  noteLook(running: readonly (Times & { readonly id: string })[], bytes: number): void {
    const isFew = running.length <= FEW && bytes > 0 && bytes <= LITTLE_BYTES;
    const mayChange = running.some((item) => !this.isSettled(item));
    this.#littleCount = isFew && mayChange ? running.length : null;
  }

  readAt(id: string): number | null {
    return this.#held.get(id)?.readAt ?? null;
  }

  /** True if the data that was read cannot change while the execution runs. */
  isSettled(item: Times & { readonly id: string }): boolean {
    return this.#of(item.id, item)?.isSettled ?? false;
  }

  /** Undefined if the execution was put to wait meanwhile: it then has another `stoppedAt`, and other data. */
  #of(id: string, { startedAt, stoppedAt }: Times): Held | undefined {
    const held = this.#held.get(id);
    return held?.startedAt === startedAt && held.stoppedAt === stoppedAt ? held : undefined;
  }
}
