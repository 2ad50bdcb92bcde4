/**
 * Executions at which n8n failed for so long that a call ended. In memory only: losing it costs time, not correctness.
 * No I/O.
 *
 * Without it, an execution of hundreds of megabytes would end each call at the same page, so that nothing older ever
 * became known, and retrying it would use up each look for new executions.
 */
import { setNewest } from "../../platform/bounded-collections.ts";
import { OVERTIME_MS } from "../../platform/time-limits.ts";

const MAX_HELD = 1_000;
/** A failed read that took at least this long is slow. */
const SLOW_MS = 1_000;
/** The pause after a slow retry, in multiples of its duration; longer after each further one. */
const PAUSE_FACTOR = 100;

/** A shorter wait may only be what was left of the call's time: it says nothing about the execution. */
const MIN_WAIT_MS = 3_000;
/** The same in multiples of n8n's current response time, up to what the first page of a call gets. */
const MIN_WAIT_IN_ANSWERS = 2;
const MAX_WAIT_MS = OVERTIME_MS.firstPage.most;
/** A single answer may be slow by chance. */
const MAX_NOTED_MS = 10_000;

export class SlowReads {
  #answerMs = 0;
  readonly #callEnds = new Map<string, number>();
  /** How often reading an execution has failed, and when it may be requested again, epoch ms. */
  readonly #failures = new Map<string, { readonly count: number; readonly nextAt: number }>();

  /** n8n's current response time, in milliseconds: the weight of a slow answer is halved with each later one. */
  get answerMs(): number {
    return this.#answerMs;
  }

  /** Records the response time of a fast request. @param tookMs in milliseconds */
  noteAnswer(tookMs: number): void {
    this.#answerMs = Math.max(Math.min(MAX_NOTED_MS, tookMs), this.#answerMs / 2);
  }

  /** The time that n8n takes for this many answers, within bounds. All in milliseconds. */
  timeFor(answers: number, { least, most }: { readonly least: number; readonly most: number }): number {
    return Math.min(most, Math.max(least, answers * this.#answerMs));
  }

  /** Whether a page that did not arrive had enough time to. @param waitedMs in milliseconds */
  hadEnoughTime(waitedMs: number): boolean {
    return waitedMs >= this.timeFor(MIN_WAIT_IN_ANSWERS, { least: MIN_WAIT_MS, most: MAX_WAIT_MS });
  }

  /** A call ended at a page whose first missing execution is this one. @returns how many calls have */
  noteCallEnd(id: string): number {
    const ends = (this.#callEnds.get(id) ?? 0) + 1;
    setNewest(this.#callEnds, id, ends, MAX_HELD);
    return ends;
  }

  /** True if calls have ended at one of these, so that they are read one by one. */
  isSlow(ids: Iterable<string>): boolean {
    return [...ids].some((id) => this.#callEnds.has(id));
  }

  noteArrived(ids: Iterable<string>): void {
    for (const id of ids) {
      this.#callEnds.delete(id);
      this.#failures.delete(id);
    }
  }

  /** The executions that may be requested (again) now, those that failed least first. */
  due(ids: readonly string[], now: number): string[] {
    return this.leastFailedFirst(ids.filter((id) => (this.#failures.get(id)?.nextAt ?? 0) <= now));
  }

  /** The same order, including those that may not be requested yet. */
  leastFailedFirst(ids: readonly string[]): string[] {
    const failuresOf = (id: string): number => this.#failures.get(id)?.count ?? 0;
    return ids.toSorted((a, b) => failuresOf(a) - failuresOf(b));
  }

  /** A single failure may be chance: only repeated ones cause a pause. @param tookMs duration in milliseconds */
  noteFailure(id: string, tookMs: number, now: number): void {
    const count = (this.#failures.get(id)?.count ?? 0) + 1;
    const nextAt = tookMs < SLOW_MS ? now : now + PAUSE_FACTOR * (count - 1) * tookMs;
    setNewest(this.#failures, id, { count, nextAt }, MAX_HELD);
  }
}
