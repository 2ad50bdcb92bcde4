/**
 * The one place that grants slots at an n8n: a Durable Object, one for each n8n under its name, so that
 * all users of all Workers share one schedule, and no n8n waits for another.
 *
 * - A slot is an RPC object that the Worker holds. The slot ends when the Worker releases it or is killed (as when a
 *   client disconnects); if even that is not reported, the slot expires.
 * - The object also stores, for a day and for all users, what this n8n is known to support.
 * - The spent rate and n8n's requested pause are in storage, so a restart does not reset the minute. Requests that
 *   were waiting are sent again.
 * - Slots exist in memory only. After a restart, the holder of an old slot cannot report its end, so a stored slot
 *   would count for too long. Until the old slots have ended, n8n may get up to twice as many concurrent requests.
 */
import { DurableObject, RpcTarget } from "cloudflare:workers";
import * as z from "zod";
import { limitsOfInstance } from "../../settings/index.ts";
import { type Capabilities, capabilities, NOTHING_KNOWN } from "../capabilities/capabilities.ts";
import { CAPABILITIES_LIFETIME_MS } from "../capabilities/store.ts";
import { type ScheduleState, type Slot, SlotSchedule } from "./slot-schedule.ts";

/** The slots of a turn and the number of requests they allow, or the seconds after which to retry. */
interface TurnAnswer {
  readonly slots: readonly HeldSlot[];
  readonly requests: number;
  readonly retryAfter: number;
}

type Answer = { readonly slot: Slot } | { readonly retryAfter: number };

const STATE_KEY = "schedule";
/**
 * The stored rate runs ahead of the real one by this much, so that a row is written for each second's worth of slots
 * instead of for each slot. A restart costs at most a second of the rate.
 */
const STORED_AHEAD_MS = 1_000;
const CAPABILITIES_KEY = "capabilities";

/** Stored capabilities of another shape or of another n8n are ignored. */
const storedCapabilities = z.object({ address: z.string(), learntAt: z.number(), capabilities });

const scheduleState = z.object({ rateFullAt: z.number(), pausedUntil: z.number() });

/** The Worker's end of a slot. */
export class HeldSlot extends RpcTarget {
  readonly #onEnd: () => void;

  constructor(onEnd: () => void) {
    super();
    this.#onEnd = onEnd;
  }

  /** The runtime calls this once nobody holds the slot any more. */
  [Symbol.dispose](): void {
    this.#onEnd();
  }
}

export class N8nLimiter extends DurableObject<Env> {
  readonly #schedule: SlotSchedule;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #stored: ScheduleState;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const stored = scheduleState.safeParse(ctx.storage.kv.get(STATE_KEY)).data;
    this.#schedule = new SlotSchedule(limitsOfInstance(env, ctx.id.name), stored);
    this.#stored = this.#schedule.state;
  }

  /**
   * Waits for a slot for the user, whose request has `timeLeftMs`. If nobody else waits, the turn gets further slots,
   * and further requests that reuse them.
   */
  async takeTurn(
    userId: string,
    timeLeftMs: number,
    requests: number,
    askedBy = userId,
  ): Promise<TurnAnswer> {
    const first = await this.#take(userId, timeLeftMs, askedBy);
    if ("retryAfter" in first) return { slots: [], requests: 0, retryAfter: first.retryAfter };
    const { slots, reuses } = this.#schedule.widen(userId, requests - 1, Date.now());
    this.#store();
    const held = [first.slot, ...slots].map(({ id }) => this.#hold(id));
    return { slots: held, requests: held.length + reuses, retryAfter: 0 };
  }

  /** n8n asked for a pause. Not a method of the slot, which may belong to an object that a restart has ended. */
  async pause(seconds: number): Promise<void> {
    this.#schedule.pause(seconds * 1_000, Date.now());
    this.#store();
    this.#wakeForNext();
  }

  /** @param address the n8n's address; capabilities of another address are not returned */
  async capabilities(address: string): Promise<Capabilities> {
    return this.#storedCapabilities(address).capabilities;
  }

  async learnCapabilities(address: string, learnt: Partial<Capabilities>): Promise<void> {
    // The day starts with the oldest known capability.
    const { capabilities: known, learntAt } = this.#storedCapabilities(address);
    this.ctx.storage.kv.put(CAPABILITIES_KEY, { address, learntAt, capabilities: { ...known, ...learnt } });
  }

  #storedCapabilities(address: string): z.infer<typeof storedCapabilities> {
    const stored = storedCapabilities.safeParse(this.ctx.storage.kv.get(CAPABILITIES_KEY)).data;
    const isValid = stored?.address === address && Date.now() - stored.learntAt < CAPABILITIES_LIFETIME_MS;
    return isValid ? stored : { address, learntAt: Date.now(), capabilities: NOTHING_KNOWN };
  }

  async #take(userId: string, timeLeftMs: number, askedBy: string): Promise<Answer> {
    const asked = this.#schedule.request(userId, Date.now(), timeLeftMs, askedBy);
    if ("retryAfter" in asked) return asked;
    const answer = new Promise<Answer>((resolve) => this.#waiting.set(asked.requestId, resolve));
    this.#decide();
    return await answer;
  }

  #decide(): void {
    const decisions = this.#schedule.decide(Date.now());
    this.#store();
    for (const decision of decisions) {
      this.#waiting.get(decision.requestId)?.(decision);
      this.#waiting.delete(decision.requestId);
    }
    this.#wakeForNext();
  }

  #hold(slotId: number): HeldSlot {
    return new HeldSlot(() => {
      this.#schedule.end(slotId, Date.now());
      this.#decide();
    });
  }

  /** Does not wait for the disk: a crash loses at most the last few milliseconds. */
  #store(): void {
    const { rateFullAt, pausedUntil } = this.#schedule.state;
    if (rateFullAt <= this.#stored.rateFullAt && pausedUntil <= this.#stored.pausedUntil) return;
    this.#stored = { rateFullAt: rateFullAt + STORED_AHEAD_MS, pausedUntil };
    this.ctx.waitUntil(this.ctx.storage.put(STATE_KEY, this.#stored, { allowUnconfirmed: true }));
  }

  /** While somebody waits, their call keeps this object awake. */
  #wakeForNext(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const now = Date.now();
    const next = this.#schedule.nextDecisionAt(now);
    if (next !== null) this.#timer = setTimeout(() => this.#decide(), next - now);
  }
}
