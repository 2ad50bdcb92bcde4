import { evictDurableObject, reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test } from "vitest";
import { LOCKED_FOR_MS, MAXIMUM_TRIES, TRIES_FORGOTTEN_AFTER_MS } from "../../src/sign-in/lock-out.ts";
import type { PassphraseVerdict } from "../../src/sign-in/passphrase-lock.ts";
import { PASSPHRASE } from "./secrets.ts";
import { Browser, destinationOf, handleOf } from "./sign-in/browser.ts";
import { openConsent, registeredClientId } from "./sign-in/client.ts";

afterEach(() => reset());

const theLock = () => env.PASSPHRASE_LOCK.getByName("passphrase");
const attempt = async (given: string): Promise<PassphraseVerdict> => theLock().attempt(given);

async function guess(times: number): Promise<void> {
  for (let number = 0; number < times; number++) await attempt(`guess ${number}`);
}

/** Moves the last try into the past, as if this much time had passed. */
async function letPass(milliseconds: number): Promise<void> {
  await runInDurableObject(theLock(), (_lock, state) => {
    const record = state.storage.kv.get<{ tries: number; lastTryAt: number }>("tries");
    if (record === undefined) throw new Error("no try was counted");
    state.storage.kv.put("tries", { ...record, lastTryAt: record.lastTryAt - milliseconds });
  });
}

describe("the lock", () => {
  test("distinguishes right from wrong, and counts wrong tries", async () => {
    expect(await attempt("wrong")).toEqual({ outcome: "wrong", triesLeft: 9 });
    expect(await attempt(PASSPHRASE)).toEqual({ outcome: "right" });
    expect(await attempt(`${PASSPHRASE}!`)).toEqual({ outcome: "wrong", triesLeft: 9 });
    expect(await attempt(PASSPHRASE.toUpperCase())).toEqual({ outcome: "wrong", triesLeft: 8 });
    expect(await attempt("")).toEqual({ outcome: "wrong", triesLeft: 7 });
  });

  test("accepts the right passphrase as the tenth try, and then resets the count", async () => {
    await guess(MAXIMUM_TRIES - 1);
    expect(await attempt(PASSPHRASE)).toEqual({ outcome: "right" });
    expect(await attempt("wrong")).toEqual({ outcome: "wrong", triesLeft: 9 });
  });

  test("refuses even the right passphrase for a while after ten wrong tries", async () => {
    await guess(MAXIMUM_TRIES);
    expect(await attempt(PASSPHRASE)).toEqual({ outcome: "locked", retryAfter: LOCKED_FOR_MS / 1000 });
    await letPass(LOCKED_FOR_MS - 60_000);
    expect(await attempt(PASSPHRASE)).toMatchObject({ outcome: "locked", retryAfter: 60 });
    await letPass(60_000);
    expect(await attempt(PASSPHRASE)).toEqual({ outcome: "right" });
  });

  test("is not extended by tries while it is locked", async () => {
    await guess(MAXIMUM_TRIES);
    await letPass(LOCKED_FOR_MS - 1000);
    await guess(20);
    await letPass(1000);
    expect(await attempt(PASSPHRASE)).toEqual({ outcome: "right" });
  });

  test("forgets old tries", async () => {
    await guess(MAXIMUM_TRIES - 1);
    await letPass(TRIES_FORGOTTEN_AFTER_MS);
    expect(await attempt("wrong")).toEqual({ outcome: "wrong", triesLeft: 9 });
  });

  test("compares only ten of many parallel guesses", async () => {
    const guesses = Array.from({ length: 50 }, (_, number) => attempt(`guess ${number}`));
    const verdicts = await Promise.all(guesses);
    expect(verdicts.filter(({ outcome }) => outcome === "wrong")).toHaveLength(MAXIMUM_TRIES - 1);
    expect(verdicts.filter(({ outcome }) => outcome === "locked")).toHaveLength(50 - (MAXIMUM_TRIES - 1));
  });

  test("does not admit the right passphrase in parallel after the tenth guess", async () => {
    const guesses = Array.from({ length: 50 }, (_, number) => (number < 12 ? `guess ${number}` : PASSPHRASE));
    const verdicts = await Promise.all(guesses.map(attempt));
    expect(verdicts.some(({ outcome }) => outcome === "right")).toBe(false);
  });

  test("survives eviction", async () => {
    await guess(MAXIMUM_TRIES);
    await evictDurableObject(theLock());
    expect(await attempt(PASSPHRASE)).toMatchObject({ outcome: "locked" });
  });

  test("stores neither the passphrase nor a guess", async () => {
    await guess(3);
    const stored = await runInDurableObject(theLock(), (_lock, state) => [...state.storage.kv.list()]);
    expect(stored).toEqual([["tries", { tries: 3, lastTryAt: expect.any(Number) }]]);
  });
});

describe("the consent page", () => {
  const newConsent = async (browser: Browser) => await openConsent(browser, await registeredClientId());

  test("is shown again after a wrong passphrase, and then works", async () => {
    const browser = new Browser();
    const handle = await newConsent(browser);
    const again = await browser.post({ handle, decision: "approve", passphrase: "wrong", scope: "n8n:data" });
    expect(again.status).toBe(403);
    expect(again.headers.has("Refresh")).toBe(false);
    const html = await again.text();
    expect(html).toContain("This passphrase is wrong. 9 tries left");
    expect(html).toMatch(/aria-invalid="true" aria-describedby="passphrase-error"/);
    expect(html).toMatch(/value="n8n:data"[^>]*checked/);
    expect(html).not.toContain('value="wrong"');

    const answer = await browser.post({
      handle: handleOf(html),
      decision: "approve",
      passphrase: PASSPHRASE,
    });
    expect(destinationOf(answer).searchParams.get("code")).not.toBeNull();
  });

  test("is bound to its browser also when shown again", async () => {
    const browser = new Browser();
    const first = await newConsent(browser);
    const keeper = browser.copy();
    const again = await browser.post({ handle: first, decision: "approve", passphrase: "wrong" });
    const handle = handleOf(await again.text());
    const stranger = new Browser();
    expect((await stranger.post({ handle, decision: "approve", passphrase: PASSPHRASE })).status).toBe(400);
    expect((await keeper.post({ handle: first, decision: "approve", passphrase: PASSPHRASE })).status).toBe(
      400,
    );
    expect((await browser.post({ handle, decision: "approve", passphrase: PASSPHRASE })).status).toBe(200);
  });

  test("counts no try for another browser's form", async () => {
    const handle = await newConsent(new Browser());
    await new Browser().post({ handle, decision: "approve", passphrase: "wrong" });
    expect(await attempt("wrong")).toEqual({ outcome: "wrong", triesLeft: 9 });
  });

  test("counts no try for declining", async () => {
    const browser = new Browser();
    const handle = await newConsent(browser);
    await browser.post({ handle, decision: "deny", passphrase: "wrong" });
    expect(await attempt("wrong")).toEqual({ outcome: "wrong", triesLeft: 9 });
  });

  test("stays locked for another address", async () => {
    for (let number = 0; number < MAXIMUM_TRIES; number++) {
      const browser = new Browser();
      const handle = await newConsent(browser);
      const address = { "CF-Connecting-IP": `203.0.113.${number}`, "X-Forwarded-For": `203.0.113.${number}` };
      await browser.post({ handle, decision: "approve", passphrase: `guess ${number}` }, address);
    }
    const owner = new Browser();
    const handle = await newConsent(owner);
    const fields = { handle, decision: "approve", passphrase: PASSPHRASE };
    const answer = await owner.post(fields, { "CF-Connecting-IP": "198.51.100.7" });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(LOCKED_FOR_MS / 1000 - 60);
    expect(await answer.text()).toContain("Wait 15 minutes");
  });

  test("compares only ten of many parallel guesses from different addresses", async () => {
    const clientId = await registeredClientId();
    const guessers = await Promise.all(
      Array.from({ length: 40 }, async (_, number) => {
        const browser = new Browser();
        const handle = await openConsent(browser, clientId);
        return { browser, handle, number };
      }),
    );
    const answers = await Promise.all(
      guessers.map(({ browser, handle, number }) =>
        browser.post(
          { handle, decision: "approve", passphrase: `guess ${number}` },
          { "CF-Connecting-IP": `203.0.113.${number}` },
        ),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 403)).toHaveLength(MAXIMUM_TRIES - 1);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40 - (MAXIMUM_TRIES - 1));
    const owner = new Browser();
    const handle = await openConsent(owner, clientId);
    expect((await owner.post({ handle, decision: "approve", passphrase: PASSPHRASE })).status).toBe(429);
  }, 30_000);

  test("allows no more guesses when one form is sent many times at once", async () => {
    const browser = new Browser();
    const handle = await newConsent(browser);
    const guesses = Array.from({ length: 30 }, (_, number) => `guess ${number}`);
    const answers = await Promise.all(
      // The right passphrase comes last, when the tries are used up.
      [...guesses, PASSPHRASE].map((passphrase) =>
        browser.copy().post({ handle, decision: "approve", passphrase }),
      ),
    );
    // The store may accept a form more than once in the same instant; the lock counts each.
    const withStatus = (expected: number) => answers.filter(({ status }) => status === expected).length;
    expect(withStatus(403)).toBeGreaterThan(0);
    expect(withStatus(403)).toBeLessThan(MAXIMUM_TRIES);
    expect(withStatus(200)).toBe(0);
  });
});
