/**
 * Who gets a slot at n8n, and when. No I/O. No clock: `now` is passed in, in milliseconds.
 *
 * Promises, for all users together:
 * - never more slots at once, and never more given in any minute, than the limits say;
 * - the user who had a slot longest ago comes first, so that nobody is passed over twice by the same user,
 *   however much that one asks for; the requests of one user come in their order;
 * - one user has at most a quarter of the minute's slots and, where there are four or more, half of those at
 *   once: what one user does leaves the rest to the others;
 * - nobody waits longer than was asked for: then there is a refusal, with a time to come back;
 * - a slot that is never ended expires: whoever had it may have been killed.
 */

import { SLOT_LEASE_MS } from "../../platform/time-limits.ts";
import type { N8nLimits } from "../../settings/index.ts";
import { RequestRate } from "./request-rate.ts";

/** Of one user: a trace has two or three, and more than so many would be refused in the end. */
export const MAX_WAITING_OF_USER = 50;
/** Who reads while nobody asks: gets a slot only where nobody else wants one, and leaves half of them free. */
export const BACKGROUND_USER = "background";
/** Nobody is sent away for longer. */
const MAX_PAUSE_MS = 60_000;
/** Two is what a trace makes use of. */
const LEAST_SHARE_OF_SLOTS = 2;
/** Of the minute's slots. Enough for a first trace over 10,000 executions. */
const SHARE_OF_RATE = 1 / 4;
const MINUTE_MS = 60_000;
/** How often it is looked which users may be forgotten. */
const FORGET_EVERY_MS = 60_000;

export interface Slot {
  readonly id: number;
  readonly userId: string;
  /** Epoch ms. */
  readonly expiresAt: number;
}

/** What becomes of a request that waited. */
export type Decision =
  | { readonly requestId: number; readonly slot: Slot }
  /** Seconds after which it may go through. */
  | { readonly requestId: number; readonly retryAfter: number };

/** What has to be known when this is set up anew. Slots are not: nobody could end them. */
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
  /** Counts up with each slot of anybody; 0 for none. */
  lastSlot: number;
}

export class SlotSchedule {
  readonly #limits: N8nLimits;
  readonly #share: N8nLimits;
  readonly #rate: RequestRate;
  readonly #slots = new Map<number, Slot>();
  readonly #users = new Map<string, User>();
  #pausedUntil: number;
  #forgotAt = 0;
  #lastId = 0;
  #lastSlot = 0;

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
   * Asks for a slot, which `decide` grants or refuses.
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

  /** Gives as many slots as may begin now, and sends away who has waited long enough. */
  decide(now: number): Decision[] {
    for (const { id, expiresAt } of this.#slots.values()) if (expiresAt <= now) this.#slots.delete(id);
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

  /**
   * What somebody who has just got a slot may have besides, for requests that belong together: further slots, and
   * requests that are sent in a slot once the one before has ended there. Only where nobody waits; without waiting.
   */
  widen(userId: string, requests: number, now: number): { slots: Slot[]; sequels: number } {
    const user = this.#userOf(userId);
    const slots: Slot[] = [];
    while (slots.length < requests && this.#isSpare(userId, user, now) && this.#mayHold(userId, now)) {
      this.#lastId += 1;
      slots.push(this.#give(this.#lastId, userId, user, now));
    }
    let sequels = 0;
    for (; slots.length + sequels < requests && this.#isSpare(userId, user, now); sequels += 1)
      this.#countRequest(user, now);
    return { slots, sequels };
  }

  /** True when the user may send one more request, which nobody else waits to send. */
  #isSpare(userId: string, user: User, now: number): boolean {
    const isAwaited = [...this.#users.values()].some(({ waiting }) => waiting.length > 0);
    const isWithin = this.#rate.waitMs(now) === 0 && user.rate.waitMs(now) === 0;
    return (
      !isAwaited && isWithin && now >= this.#pausedUntil && (userId !== BACKGROUND_USER || this.#isQuiet)
    );
  }

  #mayHold(userId: string, now: number): boolean {
    const isFree = now >= this.#pausedUntil && this.#slots.size < this.#limits.maxConcurrent;
    return isFree && this.#slotsOf(userId) < this.#share.maxConcurrent;
  }

  /** Ends a slot; one that has expired has ended already. */
  end(slotId: number): void {
    this.#slots.delete(slotId);
  }

  /** n8n asks to be left alone: nobody gets a slot before that is over. */
  pause(milliseconds: number, now: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, now + Math.min(MAX_PAUSE_MS, milliseconds));
  }

  /** Epoch ms when `decide` has something to do, unless a slot ends before; null when nobody waits. */
  nextDecisionAt(now: number): number | null {
    const waiting = [...this.#users.values()].filter((user) => user.waiting.length > 0);
    if (waiting.length === 0) return null;
    const times = [
      this.#pausedUntil,
      now + this.#rate.waitMs(now),
      ...waiting.flatMap((user) => [now + user.rate.waitMs(now), ...user.waiting.map(({ until }) => until)]),
      ...[...this.#slots.values()].map(({ expiresAt }) => expiresAt),
    ];
    return Math.min(...times.filter((time) => time > now));
  }

  #userOf(userId: string): User {
    const known = this.#users.get(userId);
    if (known !== undefined) return known;
    const user = { waiting: [], rate: new RequestRate(this.#share.requestsPerMinute), lastSlot: 0 };
    this.#users.set(userId, user);
    return user;
  }

  #slotsOf(userId: string): number {
    return [...this.#slots.values()].filter((slot) => slot.userId === userId).length;
  }

  /** Of those who wait and may, the one whose last slot is longest ago. */
  #nextUser(now: number): [string, User] | undefined {
    if (now < this.#pausedUntil || this.#slots.size >= this.#limits.maxConcurrent) return undefined;
    if (this.#rate.waitMs(now) > 0) return undefined;
    return [...this.#users]
      .filter(
        ([userId, { waiting, rate }]) =>
          waiting.length > 0 && rate.waitMs(now) === 0 && this.#slotsOf(userId) < this.#share.maxConcurrent,
      )
      .filter(([userId]) => userId !== BACKGROUND_USER || this.#isQuiet)
      .sort(([, a], [, b]) => a.lastSlot - b.lastSlot)[0];
  }

  /** True when nobody waits, and half of the slots are left to whoever comes next. */
  get #isQuiet(): boolean {
    const isAwaited = [...this.#users].some(
      ([userId, { waiting }]) => userId !== BACKGROUND_USER && waiting.length > 0,
    );
    return !isAwaited && this.#slots.size < Math.max(1, Math.floor(this.#limits.maxConcurrent / 2));
  }

  #grant(userId: string, user: User, now: number): Decision[] {
    const first = user.waiting.shift();
    if (first === undefined) return [];
    return [{ requestId: first.requestId, slot: this.#give(first.requestId, userId, user, now) }];
  }

  #give(id: number, userId: string, user: User, now: number): Slot {
    this.#countRequest(user, now);
    const slot = { id, userId, expiresAt: now + SLOT_LEASE_MS };
    this.#slots.set(id, slot);
    return slot;
  }

  #countRequest(user: User, now: number): void {
    this.#rate.take(now);
    user.rate.take(now);
    this.#lastSlot += 1;
    user.lastSlot = this.#lastSlot;
  }

  /** When all that hinders is over, and those who wait have had their slots; a minute at most. */
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
    maxConcurrent: Math.min(maxConcurrent, Math.max(LEAST_SHARE_OF_SLOTS, half)),
    requestsPerMinute: Math.floor(requestsPerMinute * SHARE_OF_RATE),
  };
}
