/**
 * Where n8n failed for so long that a call ended, in memory only: losing it costs time, and claims nothing. No I/O.
 *
 * One execution of hundreds of megabytes would otherwise end each call at the same page, so that nothing below it ever
 * became known, and a retry of it would take up each look at what is new.
 */
import { OVERTIME_MS } from "../../platform/time-limits.ts";

const MAX_HELD = 1_000;
/** A retry that took at least as long is slow. */
const SLOW_MS = 1_000;
/** The pause after a slow retry, in multiples of its time; longer after each further one. */
const PAUSE = 100;

/** Less may be all the time that a call had left: it says nothing of the execution that did not come. */
const LEAST_WAIT_MS = 3_000;
/** Likewise, in multiples of the time that n8n takes to answer at present; no more than the first page of a call gets. */
const LEAST_WAIT_IN_ANSWERS = 2;
const MOST_WAIT_MS = OVERTIME_MS.firstPage.most;
/** One answer may take long by chance. */
const MOST_NOTED_MS = 10_000;

export class SlowReads {
  #answerMs = 0;
  readonly #ends = new Map<string, number>();
  /** How often it has failed, and epoch ms when it may be asked for again. */
  readonly #failures = new Map<string, { readonly count: number; readonly nextAt: number }>();

  /** About how long n8n takes to answer at present, in milliseconds. A long answer counts half with each one after it. */
  get answerMs(): number {
    return this.#answerMs;
  }

  /** n8n has answered what it answers fast. @param tookMs in milliseconds */
  noteAnswer(tookMs: number): void {
    this.#answerMs = Math.max(Math.min(MOST_NOTED_MS, tookMs), this.#answerMs / 2);
  }

  /** As long as n8n takes for so many answers, within bounds. All in milliseconds. */
  timeFor(answers: number, { least, most }: { readonly least: number; readonly most: number }): number {
    return Math.min(most, Math.max(least, answers * this.#answerMs));
  }

  /** Whether a page that did not come had the time to. @param waitedMs in milliseconds */
  hadTime(waitedMs: number): boolean {
    return waitedMs >= this.timeFor(LEAST_WAIT_IN_ANSWERS, { least: LEAST_WAIT_MS, most: MOST_WAIT_MS });
  }

  /** A call ended at a page, of which this execution is the first that did not come. @returns how many have */
  endedAt(id: string): number {
    const ends = (this.#ends.get(id) ?? 0) + 1;
    hold(this.#ends, id, ends);
    return ends;
  }

  /** True if calls have ended at one of these: they are read one by one. */
  isSlow(ids: Iterable<string>): boolean {
    return [...ids].some((id) => this.#ends.has(id));
  }

  came(ids: Iterable<string>): void {
    for (const id of ids) {
      this.#ends.delete(id);
      this.#failures.delete(id);
    }
  }

  /** Of executions that n8n failed to return before: those that may be asked for again, first those asked for least often. */
  due(ids: readonly string[], now: number): string[] {
    return this.leastFailedFirst(ids.filter((id) => (this.#failures.get(id)?.nextAt ?? 0) <= now));
  }

  /** The same order, whether they may be asked for again or not. */
  leastFailedFirst(ids: readonly string[]): string[] {
    const failuresOf = (id: string): number => this.#failures.get(id)?.count ?? 0;
    return ids.toSorted((a, b) => failuresOf(a) - failuresOf(b));
  }

  /** Once may be by chance: a pause follows when it fails again. @param tookMs how long it took, in milliseconds */
  failed(id: string, tookMs: number, now: number): void {
    const count = (this.#failures.get(id)?.count ?? 0) + 1;
    const nextAt = tookMs < SLOW_MS ? now : now + PAUSE * (count - 1) * tookMs;
    hold(this.#failures, id, { count, nextAt });
  }
}

function hold<Value>(held: Map<string, Value>, id: string, value: Value): void {
  held.delete(id);
  held.set(id, value);
  const [oldest] = held.keys();
  if (held.size > MAX_HELD && oldest !== undefined) held.delete(oldest);
}
