/**
 * Queues the calls of an isolate, whose single thread all users share: decides when a call may start.
 *
 * - A user alone runs up to `MAX_CONCURRENT_CALLS` at the same time. While others are active, now or in the last seconds,
 *   a user runs up to `MAX_BESIDE_OTHERS`. A user whose recent calls took more than a few seconds then rests after each
 *   call for a multiple of its time, at most four seconds. So heavy users come later, and a single call never waits. The
 *   thread cannot distinguish work from waiting: most of a call that took long and read little counts as n8n's time.
 * - Long work gives way while another user's call runs (`isolate-thread.ts`).
 * - A user's calls get places in the order in which they came. A call that gets none in time is refused.
 * - A call that waits for something to happen in n8n is idle, so it leaves its place to the user's other calls until it
 *   checks again. At most `MAX_PAUSED_CALLS` of a user's calls do so; the others keep their places.
 *
 * Waiting calls poll: a promise that another request resolves keeps no request alive (the runtime cancels it as hung),
 * and the client of a woken call may have gone. The first in line polls often, later ones less often. A client that
 * disconnects frees its place (`mcp/run-call.ts`), but not every disconnection is noticed. So a place expires when
 * clients give up, not when the longest call must be over: one extra call in the isolate costs less than places held
 * for nobody. No I/O except the clock.
 */
import type { AdmittedCall } from "../mcp/run-call.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import { ObserverError } from "../platform/errors.ts";
import { CLIENT_PATIENCE_MS } from "../platform/time-limits.ts";
import { forgetAfter, IsolateThread, PRESENT_MS } from "./isolate-thread.ts";

export const MAX_CONCURRENT_CALLS = 8;
export const MAX_BESIDE_OTHERS = 2;
/** Additional calls of a user that may be paused. */
export const MAX_PAUSED_CALLS = 8;
/** How long a call waits for a place. */
const MAX_WAIT_MS = 10_000;
const POLL_MS = 10;
const MAX_POLL_MS = 200;
/** A waiting call that has not polled for this long is gone. */
const GONE_MS = 2_000;
/** The time of a call counts for this multiple of it. */
const REST_TIMES = 4;
const MAX_REST_MS = 4_000;
/** A user whose calls took no longer than this together need not rest; from half of it on, one call runs at a time. */
export const MAX_UNTHROTTLED_MS = 3_000;
const MAX_REMEMBERED_MS = REST_TIMES * MAX_UNTHROTTLED_MS + MAX_REST_MS;
/** A call that has run for this long is long work. */
const LONG_MS = 300;
/** A call counts for at most this long plus the time of reading its bytes; the rest was n8n's time. */
const MAX_WITHOUT_READING_MS = 1_000;
/** Bytes that are read and redacted in a millisecond, at least. */
const MIN_BYTES_PER_MS = 1_000;

class User {
  /** Call number → when it started, in epoch ms. */
  readonly running = new Map<number, number>();
  readonly paused = new Map<number, number>();
  /** Call number → when it last polled, in the order in which the calls came. */
  readonly waiting = new Map<number, number>();
  /** Epoch ms when the time of the user's calls no longer counts. */
  restedAt = 0;
  seenAt = 0;

  /** Clamps times to now: a clock that was set back must not make anybody wait longer. */
  forgetGone(now: number): void {
    forgetAfter(CLIENT_PATIENCE_MS, this.running, now);
    forgetAfter(CLIENT_PATIENCE_MS, this.paused, now);
    forgetAfter(GONE_MS, this.waiting, now);
    this.restedAt = Math.min(this.restedAt, now + MAX_REMEMBERED_MS);
  }

  isActive(now: number): boolean {
    return this.running.size > 0 || this.waiting.size > 0 || Math.abs(now - this.seenAt) < PRESENT_MS;
  }

  restMs(now: number): number {
    return Math.max(0, this.restedAt - REST_TIMES * MAX_UNTHROTTLED_MS - now);
  }

  /** How many calls the user may run while others are active. */
  maxBesideOthers(now: number): number {
    return this.restedAt - now > (REST_TIMES * MAX_UNTHROTTLED_MS) / 2 ? 1 : MAX_BESIDE_OTHERS;
  }

  /** @param bytes that n8n has sent for the call */
  leave(call: number, now: number, bytes: number): void {
    const started = this.running.get(call);
    if (started === undefined) return;
    this.running.delete(call);
    this.seenAt = now;
    const workedMs = Math.min(now - started, MAX_WITHOUT_READING_MS + bytes / MIN_BYTES_PER_MS);
    const restedAt = Math.max(this.restedAt, now) + REST_TIMES * workedMs;
    this.restedAt = Math.min(restedAt, now + MAX_REMEMBERED_MS);
  }
}

/** @returns a function that waits for a place for a user's call. It throws `RATE_LIMITED` if none becomes free in time */
export function createAdmit(
  clock: Clock = systemClock,
  thread = new IsolateThread(clock),
): (userId: string) => Promise<AdmittedCall> {
  const calls = new ConcurrentCalls(clock, thread);
  return async (userId) => await calls.enter(userId);
}

class ConcurrentCalls {
  readonly #users = new Map<string, User>();
  readonly #clock: Clock;
  readonly #thread: IsolateThread;
  #calls = 0;

  constructor(clock: Clock, thread: IsolateThread) {
    this.#clock = clock;
    this.#thread = thread;
  }

  /** @throws ObserverError `RATE_LIMITED` if no place becomes free in time */
  async enter(userId: string): Promise<AdmittedCall> {
    this.#forgetGone();
    const user = this.#users.get(userId) ?? new User();
    this.#users.set(userId, user);
    this.#calls += 1;
    const call = this.#calls;
    if (!(await this.#take(user, call))) throw tooManyCalls();
    let work = this.#thread.begin(userId, LONG_MS);
    let hasLeft = false;
    let bytes = 0;
    const leave = (): void => {
      hasLeft = true;
      user.paused.delete(call);
      work.end();
      user.leave(call, this.#clock.now(), bytes);
    };
    return {
      leave,
      noteRead: (more) => {
        bytes += more;
      },
      pause: async (milliseconds) => {
        work.end();
        await this.#pause(user, call, milliseconds, bytes, () => hasLeft);
        bytes = 0;
        work = this.#thread.begin(userId, LONG_MS);
        // It may have left while it waited for its place.
        if (hasLeft) leave();
      },
      giveWay: async () => await work.giveWay(),
    };
  }

  async #take(user: User, call: number): Promise<boolean> {
    const deadline = this.#clock.now() + MAX_WAIT_MS;
    for (;;) {
      const now = this.#clock.now();
      user.waiting.set(call, now);
      const waitMs = this.#waitMs(user, call, now);
      const mayStart = waitMs === 0;
      if (mayStart) user.running.set(call, now);
      if (mayStart || now >= deadline) {
        user.waiting.delete(call);
        return mayStart;
      }
      await this.#clock.sleep(Math.min(waitMs, deadline - now));
    }
  }

  /** Milliseconds until a waiting call polls again; 0 if it may start. */
  #waitMs(user: User, call: number, now: number): number {
    user.forgetGone(now);
    user.seenAt = now;
    const ahead = [...user.waiting.keys()].indexOf(call);
    const isAlone = ![...this.#users.values()].some((other) => other !== user && other.isActive(now));
    // Each call ahead gets a place first.
    if (user.running.size + ahead >= (isAlone ? MAX_CONCURRENT_CALLS : user.maxBesideOthers(now)))
      return Math.min(MAX_POLL_MS, POLL_MS * (ahead + 1));
    return isAlone ? 0 : Math.min(MAX_POLL_MS, user.restMs(now));
  }

  async #pause(
    user: User,
    call: number,
    milliseconds: number,
    bytes: number,
    hasLeft: () => boolean,
  ): Promise<void> {
    const now = this.#clock.now();
    user.forgetGone(now);
    if (hasLeft() || user.paused.size >= MAX_PAUSED_CALLS) return await this.#clock.sleep(milliseconds);
    user.paused.set(call, now);
    user.leave(call, now, bytes);
    try {
      await this.#clock.sleep(milliseconds);
    } finally {
      user.paused.delete(call);
    }
    if (!hasLeft()) await this.#take(user, call);
  }

  #forgetGone(): void {
    const now = this.#clock.now();
    for (const [userId, user] of this.#users) {
      user.forgetGone(now);
      if (!user.isActive(now) && user.paused.size === 0 && user.restedAt <= now) this.#users.delete(userId);
    }
  }
}

const tooManyCalls = (): ObserverError =>
  new ObserverError("RATE_LIMITED", "The limit of calls at the same time for one user is reached.", {
    retryAfter: 1,
    solution: `Call again when your other calls are answered: while other users are active, ${MAX_BESIDE_OTHERS} of a user's calls run at the same time.`,
  });
