/**
 * The single thread of an isolate, which all users share. Long work pauses so that the calls of other users go first:
 * for a second in all, since requests to n8n can time out during pauses. It does not pause for a user whose own work is
 * long, or two searches would wait for each other while the thread is idle.
 *
 * On Cloudflare the Worker and the history index may have separate isolates. No I/O except the clock.
 */
import type { SharedThread } from "../history/reading/shared-thread.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import { CLIENT_PATIENCE_MS } from "../platform/time-limits.ts";

/** How long after a call its user still counts as active. */
export const PRESENT_MS = 3_000;
/** Long work pauses for this multiple of the time since its last pause. */
const PAUSE_TIMES = 4;
const MAX_PAUSE_MS = 40;
/** All pauses of one call together. */
export const MAX_PAUSES_MS = 1_000;

/** What is done for one call of a user. */
export interface ThreadWork extends SharedThread {
  /** Idempotent. */
  readonly end: () => void;
}

interface Work {
  readonly userId: string;
  /** Epoch ms. */
  began: number;
  isLong: boolean;
}

/** Deletes entries of this age. Clamps times to now, in case the clock was set back. @param times in epoch ms */
export function forgetAfter<Key>(milliseconds: number, times: Map<Key, number>, now: number): void {
  for (const [key, at] of times)
    if (at <= now - milliseconds) times.delete(key);
    else times.set(key, Math.min(at, now));
}

export class IsolateThread {
  readonly #running = new Set<Work>();
  /** User → when their work last ended, in epoch ms. */
  readonly #endedAt = new Map<string, number>();
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** @param longAfterMs work that has taken less than this does not pause */
  begin(userId: string, longAfterMs = 0): ThreadWork {
    this.#forgetGone();
    const clock = this.#clock;
    const work: Work = { userId, began: clock.now(), isLong: false };
    this.#running.add(work);
    let workedSince = work.began;
    let pauseLeftMs = MAX_PAUSES_MS;
    const pause = async (): Promise<void> => {
      // The clock advances only while something is awaited.
      await clock.sleep(0);
      const isNeeded = this.#isNeededByOthers(userId);
      const now = clock.now();
      work.isLong = now - work.began >= longAfterMs;
      if (work.isLong && isNeeded) {
        const pauseMs = Math.max(0, Math.min(MAX_PAUSE_MS, pauseLeftMs, PAUSE_TIMES * (now - workedSince)));
        pauseLeftMs -= pauseMs;
        if (pauseMs > 0) await clock.sleep(pauseMs);
      }
      workedSince = clock.now();
    };
    let pausing: Promise<void> | null = null;
    const isShared = (): boolean => this.#isShared(userId);
    return {
      get isShared() {
        return isShared();
      },
      // The parallel parts of a call pause together; one after another, some part would always be working.
      giveWay: async () => {
        pausing ??= pause().finally(() => {
          pausing = null;
        });
        await pausing;
      },
      end: () => {
        if (this.#running.delete(work)) this.#endedAt.set(userId, clock.now());
      },
    };
  }

  #isNeededByOthers(userId: string): boolean {
    const work = this.#ofOthers(userId);
    const long = new Set(work.filter(({ isLong }) => isLong).map((one) => one.userId));
    return work.some((one) => !long.has(one.userId));
  }

  #isShared(userId: string): boolean {
    return this.#ofOthers(userId).length > 0 || [...this.#endedAt.keys()].some((other) => other !== userId);
  }

  #ofOthers(userId: string): readonly Work[] {
    this.#forgetGone();
    return [...this.#running].filter((work) => work.userId !== userId);
  }

  /** Not every disconnection is noticed. */
  #forgetGone(): void {
    const now = this.#clock.now();
    for (const work of this.#running) {
      work.began = Math.min(work.began, now);
      if (now - work.began >= CLIENT_PATIENCE_MS) this.#running.delete(work);
    }
    forgetAfter(PRESENT_MS, this.#endedAt, now);
  }
}

/** Of this isolate. */
export const isolateThread = new IsolateThread();
