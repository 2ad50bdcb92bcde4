import { evictDurableObject, reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test } from "vitest";
import { LOCKED_FOR_MS, MAXIMUM_TRIES, TRIES_FORGOTTEN_AFTER_MS } from "../../src/sign-in/lock-out.ts";
import type { PassphraseVerdict } from "../../src/sign-in/passphrase-lock.ts";
import { PASSPHRASE } from "./secrets.ts";
import { Browser, destinationOf, handleOf } from "./sign-in/browser.ts";
import { authorizeUrl, registeredClientId } from "./sign-in/client.ts";

afterEach(() => reset());

const theLock = () => env.PASSPHRASE_LOCK.getByName("passphrase");
const attempt = async (given: string): Promise<PassphraseVerdict> => theLock().attempt(given);

async function guess(times: number): Promise<void> {
  for (let number = 0; number < times; number++) await attempt(`guess ${number}`);
}

/** Moves the last try into the past, as if the time had gone by. */
async function letPass(milliseconds: number): Promise<void> {
  await runInDurableObject(theLock(), (_lock, state) => {
    const record = state.storage.kv.get<{ tries: number; lastTryAt: number }>("tries");
    if (record === undefined) throw new Error("no try was counted");
    state.storage.kv.put("tries", { ...record, lastTryAt: record.lastTryAt - milliseconds });
  });
}

describe("the lock", () => {
  test("tells right from wrong", async () => {
    expect(await attempt("wrong")).toEqual({ outcome: "wrong", triesLeft: 9 });
    expect(await attempt(PASSPHRASE)).toEqual({ outcome: "right" });
    expect(await attempt(`${PASSPHRASE}!`)).toEqual({ outcome: "wrong", triesLeft: 9 });
    expect(await attempt(PASSPHRASE.toUpperCase())).toEqual({ outcome: "wrong", triesLeft: 8 });
    expect(await attempt("")).toEqual({ outcome: "wrong", triesLeft: 7 });
  });

  test("the tenth try may still be right, and then all are forgotten", async () => {
    await guess(MAXIMUM_TRIES - 1);
    expect(await attempt(PASSPHRASE)).toEqual({ outcome: "right" });
    expect(await attempt("wrong")).toEqual({ outcome: "wrong", triesLeft: 9 });
  });

  test("after ten wrong tries even the right passphrase is refused, for a while", async () => {
    await guess(MAXIMUM_TRIES);
    expect(await attempt(PASSPHRASE)).toEqual({ outcome: "locked", retryAfter: LOCKED_FOR_MS / 1000 });
    await letPass(LOCKED_FOR_MS - 60_000);
    expect(await attempt(PASSPHRASE)).toMatchObject({ outcome: "locked", retryAfter: 60 });
    await letPass(60_000);
    expect(await attempt(PASSPHRASE)).toEqual({ outcome: "right" });
  });

  test("tries while it is locked do not make it last longer", async () => {
    await guess(MAXIMUM_TRIES);
    await letPass(LOCKED_FOR_MS - 1000);
    await guess(20);
    await letPass(1000);
    expect(await attempt(PASSPHRASE)).toEqual({ outcome: "right" });
  });

  test("old tries are forgotten", async () => {
    await guess(MAXIMUM_TRIES - 1);
    await letPass(TRIES_FORGOTTEN_AFTER_MS);
    expect(await attempt("wrong")).toEqual({ outcome: "wrong", triesLeft: 9 });
  });

  test("guesses in parallel are compared ten times and no more", async () => {
    const guesses = Array.from({ length: 50 }, (_, number) => attempt(`guess ${number}`));
    const verdicts = await Promise.all(guesses);
    expect(verdicts.filter(({ outcome }) => outcome === "wrong")).toHaveLength(MAXIMUM_TRIES - 1);
    expect(verdicts.filter(({ outcome }) => outcome === "locked")).toHaveLength(50 - (MAXIMUM_TRIES - 1));
  });

  test("the right passphrase among parallel guesses does not get in after the tenth", async () => {
    const guesses = Array.from({ length: 50 }, (_, number) => (number < 12 ? `guess ${number}` : PASSPHRASE));
    const verdicts = await Promise.all(guesses.map(attempt));
    expect(verdicts.some(({ outcome }) => outcome === "right")).toBe(false);
  });

  test("eviction does not reset it", async () => {
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
  async function openConsent(browser: Browser, scope = "n8n:read"): Promise<string> {
    const page = await browser.open(authorizeUrl(await registeredClientId(), { scope }));
    return handleOf(await page.text());
  }

  test("comes again after a wrong passphrase, and goes on from there", async () => {
    const browser = new Browser();
    const handle = await openConsent(browser);
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

  test("the page that comes again is bound to the browser as well", async () => {
    const browser = new Browser();
    const first = await openConsent(browser);
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

  test("a form that is not this browser's costs no try", async () => {
    const handle = await openConsent(new Browser());
    await new Browser().post({ handle, decision: "approve", passphrase: "wrong" });
    expect(await attempt("wrong")).toEqual({ outcome: "wrong", triesLeft: 9 });
  });

  test("declining costs no try", async () => {
    const browser = new Browser();
    const handle = await openConsent(browser);
    await browser.post({ handle, decision: "deny", passphrase: "wrong" });
    expect(await attempt("wrong")).toEqual({ outcome: "wrong", triesLeft: 9 });
  });

  test("another address does not get around the lock-out", async () => {
    for (let number = 0; number < MAXIMUM_TRIES; number++) {
      const browser = new Browser();
      const handle = await openConsent(browser);
      const address = { "CF-Connecting-IP": `203.0.113.${number}`, "X-Forwarded-For": `203.0.113.${number}` };
      await browser.post({ handle, decision: "approve", passphrase: `guess ${number}` }, address);
    }
    const owner = new Browser();
    const handle = await openConsent(owner);
    const fields = { handle, decision: "approve", passphrase: PASSPHRASE };
    const answer = await owner.post(fields, { "CF-Connecting-IP": "198.51.100.7" });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(LOCKED_FOR_MS / 1000 - 60);
    expect(await answer.text()).toContain("Wait 15 minutes");
  });

  test("guesses at once from as many addresses are compared ten times and no more", async () => {
    const clientId = await registeredClientId();
    const guessers = await Promise.all(
      Array.from({ length: 40 }, async (_, number) => {
        const browser = new Browser();
        const handle = handleOf(await (await browser.open(authorizeUrl(clientId))).text());
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
    const handle = handleOf(await (await owner.open(authorizeUrl(clientId))).text());
    expect((await owner.post({ handle, decision: "approve", passphrase: PASSPHRASE })).status).toBe(429);
  }, 30_000);

  test("one form sent many times at once gives no more guesses", async () => {
    const browser = new Browser();
    const handle = await openConsent(browser);
    const guesses = Array.from({ length: 30 }, (_, number) => `guess ${number}`);
    const answers = await Promise.all(
      // The right one comes last, when the tries are used up.
      [...guesses, PASSPHRASE].map((passphrase) =>
        browser.copy().post({ handle, decision: "approve", passphrase }),
      ),
    );
    // The store may take a form more than once in the same instant; the lock counts each.
    const withStatus = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
    expect(withStatus(403)).toBeGreaterThan(0);
    expect(withStatus(403)).toBeLessThan(MAXIMUM_TRIES);
    expect(withStatus(200)).toBe(0);
  });
});
