/** The stored activity log: one Durable Object gives the lines of all users one order. An alarm deletes expired lines. */
import { DurableObject } from "cloudflare:workers";
import { DAY_MS, HOUR_MS } from "../platform/durations.ts";
import { readOr } from "../platform/errors.ts";
import { ObjectCalls } from "../platform/object-calls.ts";
import { MAXIMUM_AUDIT_DAYS, readAuditSettings } from "../settings/index.ts";
import {
  type ActivityPage,
  ActivityRows,
  type ClientFacts,
  type OutcomeCounts,
  type Position,
  type Window,
} from "./activity-rows.ts";
import type { ActivityEntry } from "./entry.ts";

const PRUNE_EVERY_MS = HOUR_MS;

export class ActivityLog extends DurableObject<Env> {
  readonly #rows: ActivityRows;
  /** Caches that an alarm is set, which saves a look-up for each line. */
  #hasAlarm = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#rows = new ActivityRows(ctx.storage.sql);
  }

  async put(entries: readonly ActivityEntry[]): Promise<void> {
    const removed = this.#rows.put(entries, Date.now());
    if (removed > 0) console.warn(JSON.stringify({ event: "audit_full", removed }));
    await this.#wake();
  }

  async page(window: Window, after: Position | undefined, limit: number): Promise<ActivityPage> {
    const since = Math.max(window.since, Date.now() - this.#days() * DAY_MS);
    return this.#rows.page({ ...window, since }, after, limit);
  }

  /** @param since epoch ms; expired entries are left out */
  async outcomes(since: number): Promise<OutcomeCounts> {
    return this.#rows.outcomes(Math.max(since, Date.now() - this.#days() * DAY_MS));
  }

  async clients(ids: readonly string[]): Promise<Map<string, ClientFacts>> {
    return this.#rows.clients(ids);
  }

  override async alarm(): Promise<void> {
    this.#hasAlarm = false;
    this.#rows.prune(Date.now() - this.#days() * DAY_MS);
    await this.#wake();
  }

  async #wake(): Promise<void> {
    if (this.#hasAlarm) return;
    const oldest = this.#rows.oldest();
    if (oldest === null) return;
    this.#hasAlarm = (await this.ctx.storage.getAlarm()) !== null;
    if (this.#hasAlarm) return;
    const now = Date.now();
    const expiry = Math.max(oldest + this.#days() * DAY_MS, now + PRUNE_EVERY_MS);
    // At least once a day, because AUDIT_DAYS may be lowered.
    await this.ctx.storage.setAlarm(Math.min(expiry, now + DAY_MS));
    this.#hasAlarm = true;
  }

  /** A malformed number (reported with the other settings) must neither stop the log nor empty it. */
  #days(): number {
    return readOr(() => readAuditSettings(this.env).days, MAXIMUM_AUDIT_DAYS);
  }
}

export const activityLog = (env: Env): ObjectCalls<DurableObjectStub<ActivityLog>> =>
  new ObjectCalls("ActivityLog", () => env.ACTIVITY_LOG.getByName("activity-log"));
