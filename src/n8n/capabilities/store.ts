/**
 * Stores an n8n's known capabilities between calls, for all users, and gives each call its view of them.
 *
 * They expire after a day, so that a replaced n8n is examined again even if nothing contradicts them.
 */
import type { Clock } from "../../platform/clock.ts";
import { DAY_MS, MINUTE_MS } from "../../platform/durations.ts";
import type { N8nClient } from "../client.ts";
import type { ExecutionListItem, ExecutionStatus } from "../schemas.ts";
import { type Capabilities, NOTHING_KNOWN } from "./capabilities.ts";
import { learnStatuses } from "./learn.ts";

export const CAPABILITIES_LIFETIME_MS = DAY_MS;

export interface CapabilityStore {
  recall(): Promise<Capabilities>;
  learn(learnt: Partial<Capabilities>): Promise<void>;
  /** Whether n8n said in the last minute that it filters by these statuses. Without this method, n8n is asked each time. */
  isConfirmed?(statuses: readonly ExecutionStatus[]): boolean;
  /** Notes that n8n has just said that it filters by these statuses. */
  confirm?(statuses: readonly ExecutionStatus[]): void;
}

/** How long recalled capabilities are used before they are recalled again: another call may have learnt something. */
export const RECALLED_MS = MINUTE_MS;

/**
 * Lets many calls share one recall of the store, and n8n's statement about its statuses in the last minute. Calls
 * immediately see what another call has learnt.
 */
export class RecalledCapabilities implements CapabilityStore {
  readonly #store: CapabilityStore;
  readonly #clock: Pick<Clock, "now">;
  #known: Promise<Capabilities> | null = null;
  #recalledAt = Number.NEGATIVE_INFINITY;
  #confirmed = "";
  #confirmedAt = Number.NEGATIVE_INFINITY;

  constructor(store: CapabilityStore, clock: Pick<Clock, "now">) {
    this.#store = store;
    this.#clock = clock;
  }

  async recall(): Promise<Capabilities> {
    // Absolute, so that capabilities are recalled again after the clock was set back, too.
    const isRecent = Math.abs(this.#clock.now() - this.#recalledAt) <= RECALLED_MS;
    if (this.#known !== null && isRecent) return await this.#known;
    this.#recalledAt = this.#clock.now();
    return await this.#keep(this.#store.recall());
  }

  isConfirmed(statuses: readonly ExecutionStatus[]): boolean {
    const age = Math.abs(this.#clock.now() - this.#confirmedAt);
    return statuses.join() === this.#confirmed && age <= RECALLED_MS;
  }

  confirm(statuses: readonly ExecutionStatus[]): void {
    this.#confirmed = statuses.join();
    this.#confirmedAt = this.#clock.now();
  }

  async learn(learnt: Partial<Capabilities>): Promise<void> {
    const before = this.recall();
    void this.#keep(before.then((known) => ({ ...known, ...learnt })));
    await this.#store.learn(learnt);
  }

  /** A failure is not kept: the next caller tries again. */
  #keep(known: Promise<Capabilities>): Promise<Capabilities> {
    this.#known = known;
    known.catch(() => {
      if (this.#known === known) this.#known = null;
    });
    return known;
  }
}

/** The capabilities as one call sees them: recalled once, plus what the call has learnt itself. */
export class KnownCapabilities {
  readonly #store: CapabilityStore;
  readonly #learnStatuses: typeof learnStatuses;
  #recalled: Promise<Capabilities> | null = null;
  #learnt: Partial<Capabilities> = {};

  /** @param ask asks n8n, or shares what another call is asking */
  constructor(store: CapabilityStore, ask: typeof learnStatuses = learnStatuses) {
    this.#store = store;
    this.#learnStatuses = ask;
  }

  async get(): Promise<Capabilities> {
    this.#recalled ??= this.#store.recall();
    return { ...(await this.#recalled), ...this.#learnt };
  }

  /** Asks n8n by which statuses it filters, unless that is known. @throws ObserverError when n8n fails */
  async withStatuses(client: N8nClient, timeoutMs?: number): Promise<Capabilities> {
    const present = await this.get();
    if (present.statuses !== null) return present;
    await this.learn({ statuses: await this.#askStatuses(client, timeoutMs) });
    return await this.get();
  }

  /**
   * Asks n8n again by which statuses it filters, unless it has just said so: an older n8n at the same address hides
   * waiting executions, and nothing else would contradict the known capabilities.
   * @returns whether the n8n has changed @throws ObserverError when n8n fails
   */
  async hasChanged(client: N8nClient, timeoutMs?: number): Promise<boolean> {
    const present = await this.get();
    if (this.#learnt.statuses !== undefined || present.statuses === null) return false;
    if (this.#store.isConfirmed?.(present.statuses) === true) return false;
    const statuses = await this.#askStatuses(client, timeoutMs);
    if (statuses.join() === present.statuses.join()) return false;
    await this.learn({ ...NOTHING_KNOWN, statuses });
    return true;
  }

  async #askStatuses(client: N8nClient, timeoutMs?: number): Promise<ExecutionStatus[]> {
    const statuses = await this.#learnStatuses(client, { timeoutMs });
    this.#store.confirm?.(statuses);
    return statuses;
  }

  /** Stores only what is new. */
  async learn(learnt: Partial<Capabilities>): Promise<void> {
    const present: Capabilities = await this.get();
    if (JSON.stringify({ ...present, ...learnt }) === JSON.stringify(present)) return;
    this.#learnt = { ...this.#learnt, ...learnt };
    await this.#store.learn(learnt);
  }

  /**
   * Learns from a list that was read anyway. If it contradicts the known capabilities, n8n is another version now, and
   * none of them holds any longer.
   * @returns whether the n8n has changed
   */
  async see(items: readonly ExecutionListItem[]): Promise<boolean> {
    const [first] = items;
    if (first === undefined) return false;
    const listsStatus = first.isStatusInferred !== true;
    const { listsStatus: before } = await this.get();
    if (before === listsStatus) return false;
    await this.learn(before === null ? { listsStatus } : { ...NOTHING_KNOWN, listsStatus });
    return before !== null;
  }
}
