/** The limiter of requests to n8n, in the real Durable Object. */
import { evictDurableObject, reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { createTakeTurn } from "../../src/n8n/limiter/limiter-client.ts";
import type { Slot } from "../../src/n8n/slot.ts";
import { slotsOf } from "../../src/n8n/slot.ts";
import type { ObserverError } from "../../src/platform/errors.ts";

const LONG_MS = 10_000;
const log: Readonly<Record<string, unknown>>[] = [];
const take = (userId: string, maxWaitMs = LONG_MS): Promise<Slot> =>
  slotsOf(
    createTakeTurn({ namespace: env.N8N_LIMITER, instance: "n8n", log: (line) => log.push(line) }, userId),
  )(maxWaitMs);

afterEach(async () => {
  expect(log).toEqual([]);
  await reset();
});

async function refusalOf(slot: Promise<unknown>): Promise<Pick<ObserverError, "code" | "details">> {
  return await slot.then(
    () => {
      throw new Error("It was granted.");
    },
    ({ code, details }: ObserverError) => ({ code, details }),
  );
}

async function rateFullAt(): Promise<number> {
  const limiter = env.N8N_LIMITER.getByName("n8n");
  const kept = await runInDurableObject(limiter, (_one, { storage }) => storage.kv.get("schedule"));
  return z.looseObject({ rateFullAt: z.number() }).parse(kept).rateFullAt;
}

/** An object with held slots is not evicted; it ends by a fault or a new version. */
async function crash(): Promise<void> {
  const limiter = env.N8N_LIMITER.getByName("n8n");
  await expect(runInDurableObject(limiter, (_one, state) => state.abort("a new version"))).rejects.toThrow();
}

/** All slots: N8N_MAX_CONCURRENT is four by default. */
async function takeAll(): Promise<[Slot, ...Slot[]]> {
  return [await take("anna"), await take("anna"), await take("bert"), await take("bert")];
}

describe("when all slots are taken", () => {
  test("a request is refused after waiting, with a time to retry", async () => {
    await takeAll();
    const begun = Date.now();
    expect(await refusalOf(take("cleo", 200))).toEqual({
      code: "RATE_LIMITED",
      details: { retryAfter: 1, solution: expect.stringContaining("Wait 1 second,") },
    });
    expect(Date.now() - begun).toBeGreaterThanOrEqual(190);
  });

  test("the next slot that ends goes to a waiting request", async () => {
    const [first] = await takeAll();
    const waiting = take("cleo");
    first.end();
    (await waiting).end();
  });

  test("a user at their share waits while another user is present, even if slots are free", async () => {
    (await take("bert")).end();
    await take("anna");
    await take("anna");
    expect(await refusalOf(take("anna", 50))).toMatchObject({ code: "RATE_LIMITED" });
    await take("bert");
  });
});

describe("a restart of the object", () => {
  test("frees slots that ended before it", async () => {
    for (const slot of await takeAll()) slot.end();
    await crash();
    await takeAll();
  });

  test("frees slots that end after it, since nobody can report them any more", async () => {
    const slots = await takeAll();
    await crash();
    for (const slot of slots) slot.end();
    await takeAll();
    expect(await refusalOf(take("cleo", 50))).toMatchObject({ code: "RATE_LIMITED" });
  });

  test("does not restore the minute's requests", async () => {
    for (let index = 0; index < 100; index += 1) (await take(`user-${index}`)).end();
    const before = await rateFullAt();
    await evictDurableObject(env.N8N_LIMITER.getByName("n8n"));
    (await take("anna")).end();
    expect(await rateFullAt()).toBeGreaterThan(before);
  });
});

test("the stored rate is never behind the real one, and not written for each slot", async () => {
  const written = new Set<number>();
  const begun = Date.now();
  for (let index = 0; index < 100; index += 1) {
    (await take(`user-${index}`)).end();
    written.add(await rateFullAt());
  }
  // 2,400 a minute by default, a quarter of it as a burst; of the rest, one in 33 ms.
  const spent = (100 * 60_000) / (2_400 - 600);
  expect(Math.max(...written)).toBeGreaterThanOrEqual(begun + spent);
  expect(written.size).toBeLessThanOrEqual(Math.ceil(spent / 1_000));
});

describe("when n8n asks for a pause", () => {
  test("everybody waits, even after a restart", async () => {
    const slot = await take("anna");
    await slot.pause(30);
    slot.end();
    await evictDurableObject(env.N8N_LIMITER.getByName("n8n"));
    expect(await refusalOf(take("bert"))).toMatchObject({
      code: "RATE_LIMITED",
      details: { retryAfter: 30 },
    });
  });
});
