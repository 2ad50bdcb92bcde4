/**
 * Whose turn it is to ask n8n. No I/O. No clock: `now` is passed in, in milliseconds.
 *
 * Promises, for all users together:
 * - never more turns at once, and never more in any minute, than the limits say;
 * - the user who had a turn longest ago comes first, so that nobody is passed over twice by the same user,
 *   however much that one asks for; the requests of one user come in their order;
 * - one user has at most a quarter of the minute's turns and, where there are four or more, half of those at
 *   once: what one user does leaves the rest to the others;
 * - nobody waits longer than was asked for: then there is a refusal, with a time to come back;
 * - a turn that is never ended expires: whoever had it may have been killed.
 */

import { TURN_LEASE_MS } from "../../platform/time-limits.ts";
import type { N8nLimits } from "../../settings/index.ts";
import { RequestRate } from "./request-rate.ts";

/** Of one user: a trace has two or three, and more than so many would be refused in the end. */
export const MAX_WAITING_OF_USER = 50;
/** Nobody is sent away for longer. */
const MAX_PAUSE_MS = 60_000;
/** Two is what a trace makes use of. */
const LEAST_SHARE_OF_TURNS = 2;
/** Of the minute's turns. Enough for a first trace over 10,000 executions. */
const SHARE_OF_RATE = 1 / 4;
const MINUTE_MS = 60_000;
/** How often it is looked which users may be forgotten. */
const FORGET_EVERY_MS = 60_000;

export interface Turn {
  readonly id: number;
  readonly userId: string;
  /** Epoch ms. */
  readonly expiresAt: number;
}

/** What becomes of a request that waited. */
export type Decision =
  | { readonly requestId: number; readonly turn: Turn }
  /** Seconds after which it may go through. */
  | { readonly requestId: number; readonly retryAfter: number };

/** What has to be known when this is set up anew. Turns are not: nobody could end them. */
export interface ScheduleState {
  /** Epoch ms: @see RequestRate */
  readonly rateFullAt: number;
  /** Epoch ms. */
  readonly pausedUntil: number;
}

interface Waiting {
  readonly requestId: number;
  /** Epoch ms. */
  readonly until: number;
}

interface User {
  readonly waiting: Waiting[];
  readonly rate: RequestRate;
  /** Counts up with each turn of anybody; 0 for none. */
  lastTurn: number;
}

export class TurnSchedule {
  readonly #limits: N8nLimits;
  readonly #share: N8nLimits;
  readonly #rate: RequestRate;
  readonly #turns = new Map<number, Turn>();
  readonly #users = new Map<string, User>();
  #pausedUntil: number;
  #forgotAt = 0;
  #lastId = 0;
  #lastTurn = 0;

  constructor(limits: N8nLimits, state?: ScheduleState) {
    this.#limits = limits;
    this.#share = shareOf(limits);
    this.#rate = new RequestRate(limits.requestsPerMinute, state?.rateFullAt);
    this.#pausedUntil = state?.pausedUntil ?? 0;
  }

  get state(): ScheduleState {
    return { rateFullAt: this.#rate.fullAt, pausedUntil: this.#pausedUntil };
  }

  /**
   * Asks for a turn, which `decide` grants or refuses.
   * @param maxWaitMs longest time until then
   * @returns the request's id, or a refusal when waiting is of no use
   */
  request(userId: string, now: number, maxWaitMs: number): { requestId: number } | { retryAfter: number } {
    this.#forgetIdleUsers(now);
    const user = this.#userOf(userId);
    const isHopeless = user.waiting.length >= MAX_WAITING_OF_USER || this.#pausedUntil - now > maxWaitMs;
    if (isHopeless) return { retryAfter: this.#retryAfter(userId, now) };
    this.#lastId += 1;
    user.waiting.push({ requestId: this.#lastId, until: now + maxWaitMs });
    return { requestId: this.#lastId };
  }

  /** Gives as many turns as may begin now, and sends away who has waited long enough. */
  decide(now: number): Decision[] {
    for (const { id, expiresAt } of this.#turns.values()) if (expiresAt <= now) this.#turns.delete(id);
    const decisions: Decision[] = [];
    for (let next = this.#nextUser(now); next !== undefined; next = this.#nextUser(now))
      decisions.push(...this.#grant(...next, now));
    for (const [userId, { waiting }] of this.#users) {
      const isLate = ({ until }: Waiting): boolean => until <= now;
      for (const { requestId } of waiting.filter(isLate))
        decisions.push({ requestId, retryAfter: this.#retryAfter(userId, now) });
      waiting.splice(0, waiting.length, ...waiting.filter((one) => !isLate(one)));
    }
    return decisions;
  }

  /** Ends a turn; one that has expired has ended already. */
  end(turnId: number): void {
    this.#turns.delete(turnId);
  }

  /** n8n asks to be left alone: nobody's turn comes before that is over. */
  pause(milliseconds: number, now: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, now + Math.min(MAX_PAUSE_MS, milliseconds));
  }

  /** Epoch ms when `decide` has something to do, unless a turn ends before; null when nobody waits. */
  nextDecisionAt(now: number): number | null {
    const waiting = [...this.#users.values()].filter((user) => user.waiting.length > 0);
    if (waiting.length === 0) return null;
    const times = [
      this.#pausedUntil,
      now + this.#rate.waitMs(now),
      ...waiting.flatMap((user) => [now + user.rate.waitMs(now), ...user.waiting.map(({ until }) => until)]),
      ...[...this.#turns.values()].map(({ expiresAt }) => expiresAt),
    ];
    return Math.min(...times.filter((time) => time > now));
  }

  #userOf(userId: string): User {
    const known = this.#users.get(userId);
    if (known !== undefined) return known;
    const user = { waiting: [], rate: new RequestRate(this.#share.requestsPerMinute), lastTurn: 0 };
    this.#users.set(userId, user);
    return user;
  }

  #turnsOf(userId: string): number {
    return [...this.#turns.values()].filter((turn) => turn.userId === userId).length;
  }

  /** Of those who wait and may, the one whose last turn is longest ago. */
  #nextUser(now: number): [string, User] | undefined {
    if (now < this.#pausedUntil || this.#turns.size >= this.#limits.maxConcurrent) return undefined;
    if (this.#rate.waitMs(now) > 0) return undefined;
    return [...this.#users]
      .filter(
        ([userId, { waiting, rate }]) =>
          waiting.length > 0 && rate.waitMs(now) === 0 && this.#turnsOf(userId) < this.#share.maxConcurrent,
      )
      .sort(([, a], [, b]) => a.lastTurn - b.lastTurn)[0];
  }

  #grant(userId: string, user: User, now: number): Decision[] {
    const first = user.waiting.shift();
    if (first === undefined) return [];
    this.#rate.take(now);
    user.rate.take(now);
    this.#lastTurn += 1;
    user.lastTurn = this.#lastTurn;
    const turn = { id: first.requestId, userId, expiresAt: now + TURN_LEASE_MS };
    this.#turns.set(turn.id, turn);
    return [{ requestId: first.requestId, turn }];
  }

  /** When all that hinders is over, and those who wait have had their turns; a minute at most. */
  #retryAfter(userId: string, now: number): number {
    const backlog = [...this.#users.values()].reduce((sum, user) => sum + user.waiting.length, 0);
    const milliseconds = Math.max(
      this.#pausedUntil - now,
      this.#rate.waitMs(now) + (backlog * MINUTE_MS) / this.#limits.requestsPerMinute,
      this.#userOf(userId).rate.waitMs(now),
    );
    return Math.ceil(Math.min(MINUTE_MS, Math.max(1_000, milliseconds)) / 1_000);
  }

  /** Someone who has all of their share again is like someone who was never here. */
  #forgetIdleUsers(now: number): void {
    if (now < this.#forgotAt + FORGET_EVERY_MS) return;
    this.#forgotAt = now;
    for (const [userId, { waiting, rate }] of this.#users)
      if (waiting.length === 0 && rate.fullAt <= now) this.#users.delete(userId);
  }
}

/** The most that one user may have. */
function shareOf({ maxConcurrent, requestsPerMinute }: N8nLimits): N8nLimits {
  const half = Math.floor(maxConcurrent / 2);
  return {
    maxConcurrent: Math.min(maxConcurrent, Math.max(LEAST_SHARE_OF_TURNS, half)),
    requestsPerMinute: Math.floor(requestsPerMinute * SHARE_OF_RATE),
  };
}
