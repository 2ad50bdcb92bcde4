/**
 * The origin that clients use, where no setting says it: the `workers.dev` address at which somebody signed in first.
 * Every token names it, so from then on it stays; `PUBLIC_URL` says otherwise at any time.
 *
 * Until somebody has signed in nothing is kept, so a stranger who opens an address decides nothing. A Durable Object
 * keeps it, since of two first sign-ins in the same instant one has to be the first.
 */
import { DurableObject } from "cloudflare:workers";
import { ObjectCalls } from "../platform/object-calls.ts";
import { readWorkerName } from "../settings/index.ts";

const ORIGIN_KEY = "origin";

export class PublicAddress extends DurableObject<Env> {
  /** `null` before the first sign-in. */
  read(): string | null {
    return this.ctx.storage.kv.get<string>(ORIGIN_KEY) ?? null;
  }

  /** Keeps the origin, unless one is kept. @returns the one that is */
  pin(origin: string): string {
    const { kv } = this.ctx.storage;
    const known = kv.get<string>(ORIGIN_KEY);
    if (known !== undefined) return known;
    kv.put(ORIGIN_KEY, origin);
    return origin;
  }
}

/** Origins by the Worker's name. A stored origin never changes, so it is read once. */
const known = new Map<string, string>();

const addressOf = (env: Env, workerName: string) =>
  new ObjectCalls("PublicAddress", () => env.PUBLIC_ADDRESS.getByName(workerName));

/** The origin of the first sign-in; `undefined` before it, and where a setting says the origin. */
export async function findPinnedOrigin(env: Env): Promise<string | undefined> {
  const name = readWorkerName(env);
  if (name === undefined) return undefined;
  const origin =
    known.get(name) ?? (await addressOf(env, name).repeatable(async (address) => await address.read()));
  if (origin !== null) known.set(name, origin);
  return origin ?? undefined;
}

/** Keeps an origin, unless one is kept. @returns the one that is; `undefined` where a setting says the origin */
export async function keepOrigin(env: Env, origin: string): Promise<string | undefined> {
  const name = readWorkerName(env);
  if (name === undefined) return undefined;
  const pinned = await addressOf(env, name).repeatable(async (address) => await address.pin(origin));
  known.set(name, pinned);
  return pinned;
}
