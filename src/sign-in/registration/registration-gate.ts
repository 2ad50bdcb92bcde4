/**
 * Counts registrations by the policy of `registration-limits.ts`: a single Durable Object shared by all requests.
 *
 * Addresses are stored only as digests, with a salt that is replaced each hour. For the purge, it stores when each
 * client was last seen with a grant: client ids and times, nothing about users.
 */
import { DurableObject } from "cloudflare:workers";
import { ObjectCalls } from "../../platform/object-calls.ts";
import { sha256Text } from "../../platform/sha256.ts";
import type { ClientAddress } from "./client-address.ts";
import {
  admitRegistration,
  currentWindow,
  type RegistrationAdmission,
  type RegistrationWindow,
} from "./registration-limits.ts";

type RegistrationVerdict = { readonly admitted: true } | Extract<RegistrationAdmission, { admitted: false }>;

/** `seenAt` is in seconds since 1970. */
export interface GrantSighting {
  readonly clientId: string;
  readonly seenAt: number;
}

interface SaltedWindow extends RegistrationWindow {
  readonly salt: string;
}

const WINDOW_KEY = "window";
const STORED_KEY = "stored";
const DAY_SECONDS = 24 * 3600;

export class RegistrationGate extends DurableObject<Env> {
  readonly #sql: SqlStorage;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS granted (client_id TEXT PRIMARY KEY, seen_at INTEGER NOT NULL)",
    );
  }

  /** Synchronous, so that requests are counted one after another. */
  admit({ address, network }: ClientAddress): RegistrationVerdict {
    const { kv } = this.ctx.storage;
    const now = Date.now();
    const previous = kv.get<SaltedWindow>(WINDOW_KEY);
    const window = currentWindow(previous, now);
    const salt = previous?.startedAt === window.startedAt ? previous.salt : crypto.randomUUID();
    const stored = kv.get<number>(STORED_KEY) ?? 0;
    const from = { address: digest(salt, address), network: digest(salt, network) };
    const admission = admitRegistration(window, from, stored, now);
    if (!admission.admitted) return admission;
    kv.put(WINDOW_KEY, { ...admission.window, salt } satisfies SaltedWindow);
    kv.put(STORED_KEY, stored + 1);
    return { admitted: true };
  }

  /** Updates a row once a day, since writing costs money. @param seenAt seconds since 1970 @returns all sightings */
  noteGrants(clientIds: readonly string[], seenAt: number): GrantSighting[] {
    for (const clientId of clientIds) {
      this.#sql.exec(
        `INSERT INTO granted VALUES (?, ?) ON CONFLICT (client_id)
         DO UPDATE SET seen_at = excluded.seen_at WHERE excluded.seen_at >= seen_at + ${DAY_SECONDS}`,
        clientId,
        seenAt,
      );
    }
    const rows = this.#sql.exec<{ client_id: string; seen_at: number }>(
      "SELECT client_id, seen_at FROM granted",
    );
    return rows.toArray().map((row) => ({ clientId: row.client_id, seenAt: row.seen_at }));
  }

  /**
   * Deletes what is no longer needed: older sightings, and the addresses of an hour that is over.
   * @param stored clients left after a purge. @param oldestSighting seconds since 1970
   */
  settle(stored: number, oldestSighting: number): void {
    const { kv } = this.ctx.storage;
    kv.put(STORED_KEY, stored);
    const window = kv.get<SaltedWindow>(WINDOW_KEY);
    if (window !== undefined && currentWindow(window, Date.now()) !== window) kv.delete(WINDOW_KEY);
    this.#sql.exec("DELETE FROM granted WHERE seen_at < ?", oldestSighting);
  }
}

const digest = (salt: string, address: string): string => sha256Text("base64url", `${salt} ${address}`);

export const registrationGate = (env: Env): ObjectCalls<DurableObjectStub<RegistrationGate>> =>
  new ObjectCalls("RegistrationGate", () => env.REGISTRATION_GATE.getByName("registrations"));
