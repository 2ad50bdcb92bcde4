/**
 * Decides who gets a slot at n8n, and when. No I/O. No clock: `now` is passed in, in milliseconds.
 *
 * Promises, for all users together:
 * - never more slots at once, and never more granted in any minute, than the limits say;
 * - the user whose last slot was longest ago is served first, so that no user overtakes another twice,
 *   however much they request; the requests of one user are served in order;
 * - a user alone may use everything. While other users are present, a user has a share of the concurrent slots: half of
 *   them (at least two), because a granted slot cannot be taken back; the short requests of a turn may exceed it as
 *   long as one slot stays free. The share of the minute is a quarter; beyond it, a user gets only what is left of the
 *   burst above a reserve, so that the next user finds some;
 * - requests whose answers everybody shares get a slot first; background reading gets one last, and never more of the
 *   minute than a share;
 * - a request that has waited `SLOT_WAIT_MS` is refused with a time to retry. Up to as many requests of a user as one
 *   call sends at a time wait longer: while n8n answers, or if they will get one of the slots held now. So a slow n8n
 *   refuses nobody who makes one call, as long as its requests have time;
 * - a slot that is never ended expires, because its holder may have been killed.
 */
import { MINUTE_MS } from "../../platform/durations.ts";
import { LEAST_REQUEST_MS, SLOT_LEASE_MS, SLOT_WAIT_MS } from "../../platform/time-limits.ts";
import type { N8nLimits } from "../../settings/index.ts";
import { RequestRate } from "./request-rate.ts";

/** For one user: a trace has six at most, and requests beyond this would be refused in the end. */
export const MAX_WAITING_OF_USER = 50;
/** The index's own reads, which get a slot only when nobody else wants one, and leave half of the slots free. */
export const BACKGROUND_USER = "background";
/**
 * The user of requests whose answers all callers share (polls for new executions, the list of workflows). Only one of
 * each kind runs at a time, so they are served first, and have no share of the minute. This user never counts as
 * present; the user who caused the request does. The space keeps the name apart from every user's id.
 */
export const EVERYBODY = "for everybody";
/** A longer pause that n8n asks for is cut to this. */
const MAX_PAUSE_MS = MINUTE_MS;
/** A scan uses two. */
const MIN_SHARE_OF_SLOTS = 2;
/** A quarter of the minute's slots is enough for a first trace over 10,000 executions. */
const SHARE_OF_RATE = 1 / 4;
/** The part of the burst that only users within their share may use. */
const RESERVE = 1 / 4;
/** A user counts as present for this long after the last request, and may be about to send the next one. */
const PRESENT_MS = 5_000;
/** The most requests that one call sends at a time: this many of a user's may hold a slot or wait beyond the limit. */
const MAX_PATIENT_OF_USER = 4;
/** A poll sends two or three requests at a time; further requests reuse a slot. */
const MAX_SLOTS_OF_TURN = 3;
const CLEAN_UP_EVERY_MS = MINUTE_MS;

export interface Slot {
  readonly id: number;
  readonly userId: string;
  readonly expiresAt: number;
}

/** The outcome of a request that waited. */
type Decision =
  | { readonly requestId: number; readonly slot: Slot }
  /** Seconds after which it may succeed. */
  | { readonly requestId: number; readonly retryAfter: number };

/** The state that survives a restart. Slots do not survive, because nobody could end them. */
export interface ScheduleState {
  /** Epoch ms: @see RequestRate */
  readonly rateFullAt: number;
  readonly pausedUntil: number;
}

interface Waiting {
  readonly requestId: number;
  readonly until: number;
  /** Epoch ms; applies instead of `until` to requests that are next in line. */
  readonly untilIfInLine: number;
}

interface User {
  readonly waiting: Waiting[];
  readonly rate: RequestRate;
  /** Number of the user's last slot, counted over all users; 0 for none. */
  lastSlot: number;
  /** Epoch ms of the last request. */
  askedAt: number;
}

export class SlotSchedule {
  readonly #limits: N8nLimits;
  readonly #share: N8nLimits;
  readonly #rate: RequestRate;
  readonly #reserve: number;
  readonly #slots = new Map<number, Slot>();
  readonly #users = new Map<string, User>();
  #pausedUntil: number;
  #cleanedUpAt = 0;
  /** Epoch ms of n8n's last answer. */
  #answeredAt = 0;
  #lastId = 0;
  #lastSlot = 0;

  constructor(limits: N8nLimits, state?: ScheduleState) {
    this.#limits = limits;
    this.#share = shareOf(limits);
    this.#rate = new RequestRate(limits.requestsPerMinute, state?.rateFullAt);
    this.#reserve = Math.floor(this.#rate.burst * RESERVE);
    this.#pausedUntil = state?.pausedUntil ?? 0;
  }

  get state(): ScheduleState {
    return { rateFullAt: this.#rate.fullAt, pausedUntil: this.#pausedUntil };
  }

  /**
   * Asks for a slot, which `decide` grants or refuses.
   * @param timeLeftMs until the end of the answer; the decision comes earlier
   * @param askedBy the user who caused a request of `EVERYBODY`, and who counts as present
   * @returns the request's id, or a refusal when waiting is pointless
   */
  request(
    userId: string,
    now: number,
    timeLeftMs: number,
    askedBy = userId,
  ): { requestId: number } | { retryAfter: number } {
    this.#boundTimes(now);
    this.#removeIdleUsers(now);
    const user = this.#userOf(userId);
    this.#userOf(askedBy).askedAt = now;
    const maxWaitMs = Math.min(SLOT_WAIT_MS, timeLeftMs);
    const isPointless = user.waiting.length >= MAX_WAITING_OF_USER || this.#pausedUntil - now > maxWaitMs;
    if (isPointless) return { retryAfter: this.#retryAfter(userId, now) };
    this.#lastId += 1;
    const until = now + maxWaitMs;
    const untilIfInLine = Math.max(until, now + timeLeftMs - LEAST_REQUEST_MS);
    user.waiting.push({ requestId: this.#lastId, until, untilIfInLine });
    return { requestId: this.#lastId };
  }

  /** Grants as many slots as may begin now, and refuses the requests whose waiting time is over. */
  decide(now: number): Decision[] {
    this.#boundTimes(now);
    if (!this.#hasWaiting) return [];
    const decisions: Decision[] = [];
    for (let granted = this.#grantNext(now); granted !== undefined; granted = this.#grantNext(now))
      decisions.push(granted);
    const next = this.#nextInLine(now);
    const isOverdue = (one: Waiting): boolean => (next.has(one) ? one.untilIfInLine : one.until) <= now;
    for (const [userId, { waiting }] of this.#users) {
      for (const { requestId } of waiting.filter(isOverdue))
        decisions.push({ requestId, retryAfter: this.#retryAfter(userId, now) });
      waiting.splice(0, waiting.length, ...waiting.filter((one) => !isOverdue(one)));
    }
    return decisions;
  }

  /** Ends expired slots. After the clock was set back, no stored time may lie too far in the future. */
  #boundTimes(now: number): void {
    if (this.#pausedUntil > now + 2 * MAX_PAUSE_MS) this.#pausedUntil = now;
    this.#cleanedUpAt = Math.min(this.#cleanedUpAt, now);
    this.#answeredAt = Math.min(this.#answeredAt, now);
    for (const user of this.#users.values()) user.askedAt = Math.min(user.askedAt, now);
    for (const [id, slot] of this.#slots) {
      const expiresAt = Math.min(slot.expiresAt, now + SLOT_LEASE_MS);
      if (expiresAt <= now) this.#slots.delete(id);
      else if (expiresAt < slot.expiresAt) this.#slots.set(id, { ...slot, expiresAt });
    }
  }

  /**
   * Grants a user who has just got a slot more for requests that belong together: further slots, and requests that
   * reuse a slot once its previous request has ended. Granted only while nobody else waits, and at once or not at all.
   */
  widen(userId: string, requests: number, now: number): { slots: Slot[]; reuses: number } {
    const user = this.#userOf(userId);
    const slots: Slot[] = [];
    while (
      slots.length < Math.min(requests, MAX_SLOTS_OF_TURN - 1) &&
      this.#maySendMore(userId, user, now) &&
      this.#mayWiden(userId, now)
    ) {
      this.#lastId += 1;
      slots.push(this.#grantSlot(this.#lastId, userId, user, now));
    }
    let reuses = 0;
    for (; slots.length + reuses < requests && this.#maySendMore(userId, user, now); reuses += 1)
      this.#countRequest(user, now);
    return { slots, reuses };
  }

  /** True when the user may send one more request and nobody is waiting. */
  #maySendMore(userId: string, user: User, now: number): boolean {
    return !this.#hasWaiting && this.#mayBegin(userId, user, now);
  }

  get #hasWaiting(): boolean {
    return [...this.#users.values()].some(({ waiting }) => waiting.length > 0);
  }

  #mayBegin(userId: string, user: User, now: number): boolean {
    const mayAsk = now >= this.#pausedUntil && this.#rateWaitMs(userId, user, now) === 0;
    return mayAsk && (userId !== BACKGROUND_USER || this.#isQuiet);
  }

  #mayHold(userId: string, now: number): boolean {
    return this.#slots.size < this.#limits.maxConcurrent && this.#slotWaitMs(userId, now) === 0;
  }

  /** The requests of a turn are short: they may exceed the user's share as long as the next user finds a slot. */
  #mayWiden(userId: string, now: number): boolean {
    const leavesOne = userId !== BACKGROUND_USER && this.#slots.size + 1 < this.#limits.maxConcurrent;
    return leavesOne || this.#mayHold(userId, now);
  }

  /** Milliseconds until the user may hold one more slot if nothing but time passes. */
  #slotWaitMs(userId: string, now: number): number {
    if (this.#slotsOf(userId) < this.#share.maxConcurrent) return 0;
    return Math.max(0, this.#othersPresentUntil(userId) - now);
  }

  /** Epoch ms until which other users are present; infinite while one of them waits or holds a slot. */
  #othersPresentUntil(userId: string): number {
    const others = [...this.#users].filter(([other]) => other !== userId && !NOT_PERSONS.has(other));
    return Math.max(
      0,
      ...others.map(([other, { waiting, askedAt }]) =>
        waiting.length > 0 || this.#slotsOf(other) > 0 ? Number.POSITIVE_INFINITY : askedAt + PRESENT_MS,
      ),
    );
  }

  /** Milliseconds until the rates allow the user one more request. */
  #rateWaitMs(userId: string, user: User, now: number): number {
    const withinShare = Math.max(this.#rate.waitMs(now), user.rate.waitMs(now));
    const aboveReserve = this.#rate.waitMs(now, this.#reserve);
    return userId === BACKGROUND_USER
      ? Math.max(withinShare, aboveReserve)
      : Math.min(withinShare, aboveReserve);
  }

  /** Ends a slot; has no effect on an expired one. */
  end(slotId: number, now: number): void {
    if (this.#slots.delete(slotId)) this.#answeredAt = now;
  }

  /** Nobody gets a slot before the pause is over. */
  pause(milliseconds: number, now: number): void {
    this.#boundTimes(now);
    this.#pausedUntil = Math.max(this.#pausedUntil, now + Math.min(MAX_PAUSE_MS, milliseconds));
  }

  /** Epoch ms when `decide` next has something to do, unless a slot ends earlier; null when nobody waits. */
  nextDecisionAt(now: number): number | null {
    if (!this.#hasWaiting) return null;
    const times = [
      this.#pausedUntil,
      ...[...this.#users].flatMap(([userId, user]) => this.#decisionTimesOf(userId, user, now)),
      ...[...this.#slots.values()].map(({ expiresAt }) => expiresAt),
    ];
    return Math.min(...times.filter((time) => time > now));
  }

  /** When a waiting user may get a slot, as far as only time decides, or gives up. */
  #decisionTimesOf(userId: string, user: User, now: number): number[] {
    if (user.waiting.length === 0) return [];
    const givesUp = user.waiting.flatMap(({ until, untilIfInLine }) => [until, untilIfInLine]);
    return [now + this.#rateWaitMs(userId, user, now), now + this.#slotWaitMs(userId, now), ...givesUp];
  }

  #userOf(userId: string): User {
    const known = this.#users.get(userId);
    if (known !== undefined) return known;
    const user = {
      waiting: [],
      rate: new RequestRate((userId === EVERYBODY ? this.#limits : this.#share).requestsPerMinute),
      lastSlot: 0,
      askedAt: 0,
    };
    this.#users.set(userId, user);
    return user;
  }

  #slotsOf(userId: string): number {
    return [...this.#slots.values()].filter((slot) => slot.userId === userId).length;
  }

  /** Grants a slot to the waiting user who may have one and whose last slot was longest ago. */
  #grantNext(now: number): Decision | undefined {
    const [next] = [...this.#users]
      .filter(([userId, { waiting }]) => waiting.length > 0 && this.#mayHold(userId, now))
      .filter(([userId, user]) => this.#mayBegin(userId, user, now))
      .sort(leastRecentFirst);
    const requestId = next?.[1].waiting.shift()?.requestId;
    if (next === undefined || requestId === undefined) return undefined;
    return { requestId, slot: this.#grantSlot(requestId, ...next, now) };
  }

  /**
   * Requests that lack only a slot, and will get one. While n8n does not answer, at most as many as slots are held now:
   * one of each user, then a second of each, in the order in which users are served. No user has more of them than one
   * call sends, including requests in flight; the requests of `EVERYBODY` may belong to several calls.
   */
  #nextInLine(now: number): ReadonlySet<Waiting> {
    const users = [...this.#users]
      .filter(([userId, user]) => userId !== BACKGROUND_USER && this.#mayBegin(userId, user, now))
      .sort(leastRecentFirst);
    const inLine = users
      .flatMap(([userId, { waiting }]) => {
        const most = userId === EVERYBODY ? MAX_WAITING_OF_USER : MAX_PATIENT_OF_USER;
        return waiting
          .slice(0, most)
          .map((one, place) => ({ one, holds: this.#slotsOf(userId) + place }))
          .filter(({ holds }) => holds < most);
      })
      .sort((a, b) => a.holds - b.holds);
    const most = now - this.#answeredAt < SLOT_WAIT_MS ? inLine.length : this.#slots.size;
    return new Set(inLine.slice(0, most).map(({ one }) => one));
  }

  /** True when no user waits and half of the slots are free for the next user. */
  get #isQuiet(): boolean {
    const hasWaiting = [...this.#users].some(
      ([userId, { waiting }]) => userId !== BACKGROUND_USER && waiting.length > 0,
    );
    return !hasWaiting && this.#slots.size < Math.max(1, Math.floor(this.#limits.maxConcurrent / 2));
  }

  #grantSlot(id: number, userId: string, user: User, now: number): Slot {
    this.#countRequest(user, now);
    const slot = { id, userId, expiresAt: now + SLOT_LEASE_MS };
    this.#slots.set(id, slot);
    return slot;
  }

  #countRequest(user: User, now: number): void {
    this.#rate.take(now);
    // Requests beyond the share are not counted: a user who was alone has the usual share once others come.
    if (user.rate.waitMs(now) === 0) user.rate.take(now);
    this.#lastSlot += 1;
    user.lastSlot = this.#lastSlot;
  }

  /** Seconds until the requests waiting now are probably served and a new one may succeed; at most a minute. */
  #retryAfter(userId: string, now: number): number {
    const user = this.#userOf(userId);
    const backlog = [...this.#users.values()].reduce((sum, user) => sum + user.waiting.length, 0);
    const grantedAt = Math.min(
      now,
      ...[...this.#slots.values()].map((slot) => slot.expiresAt - SLOT_LEASE_MS),
    );
    const milliseconds = Math.max(
      // n8n has already taken this long for an answer.
      Math.min(SLOT_WAIT_MS, now - grantedAt),
      this.#pausedUntil - now,
      this.#rateWaitMs(userId, user, now) + (backlog * MINUTE_MS) / this.#limits.requestsPerMinute,
    );
    return Math.ceil(Math.min(MINUTE_MS, Math.max(1_000, milliseconds)) / 1_000);
  }

  /** Removes the entries of users whose whole share is available again and who are no longer present. */
  #removeIdleUsers(now: number): void {
    if (now < this.#cleanedUpAt + CLEAN_UP_EVERY_MS) return;
    this.#cleanedUpAt = now;
    for (const [userId, { waiting, rate, askedAt }] of this.#users)
      if (waiting.length === 0 && Math.max(rate.fullAt, askedAt + PRESENT_MS) <= now)
        this.#users.delete(userId);
  }
}

const NOT_PERSONS: ReadonlySet<string> = new Set([BACKGROUND_USER, EVERYBODY]);

const lastSlotOf = ([userId, { lastSlot }]: readonly [string, User]): number =>
  userId === EVERYBODY ? 0 : lastSlot;
const leastRecentFirst = (one: readonly [string, User], other: readonly [string, User]): number =>
  lastSlotOf(one) - lastSlotOf(other);

function shareOf({ maxConcurrent, requestsPerMinute }: N8nLimits): N8nLimits {
  const half = Math.floor(maxConcurrent / 2);
  return {
    maxConcurrent: Math.min(maxConcurrent, Math.max(MIN_SHARE_OF_SLOTS, half)),
    requestsPerMinute: Math.floor(requestsPerMinute * SHARE_OF_RATE),
  };
}
