/** The ledger of a grant: which code and refresh token may still be used, and that an end is final. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { recordAssertion } from "../../src/sign-in/tokens/grant-ledger.ts";

const DAY_MS = 86_400_000;
let grants = 0;

type Ledger = ReturnType<typeof newLedger>;
function newLedger() {
  grants += 1;
  return env.GRANT_LEDGER.getByName(`owner:grant-${grants}`);
}

/** A ledger after a code exchange and two refreshes. */
async function usedLedger() {
  const ledger = newLedger();
  expect(await ledger.recordExchange("code", "first")).toBe(true);
  expect(await ledger.recordRefresh("first", "second")).toBe(true);
  expect(await ledger.recordRefresh("second", "third")).toBe(true);
  expect(await ledger.hasEnded()).toBe(false);
  return ledger;
}

const alarmOf = (ledger: Ledger) => runInDurableObject(ledger, (_ledger, { storage }) => storage.getAlarm());

test.each<[string, (ledger: Ledger) => Promise<boolean>]>([
  ["a code that is exchanged again", (ledger) => ledger.recordExchange("code", "other")],
  ["a refresh token that is used after its successor", (ledger) => ledger.recordRefresh("first", "other")],
  ["a refresh token that nobody was given", (ledger) => ledger.recordRefresh("made up", "other")],
])("%s ends the grant, and nothing of it works again", async (_what, replay) => {
  const ledger = await usedLedger();
  expect(await replay(ledger)).toBe(false);
  expect(await ledger.hasEnded()).toBe(true);
  expect(await ledger.recordRefresh("third", "fourth")).toBe(false);
  expect(await ledger.recordExchange("code", "other")).toBe(false);
});

test.each([
  ["code", true],
  ["first", true],
  ["second", false],
  ["third", false],
  ["made up", false],
])(
  "%s, refused by the library, ends the grant if it was superseded, and is reported once",
  async (token, ends) => {
    const ledger = await usedLedger();
    expect(await ledger.recordRefusal(token)).toBe(ends);
    expect(await ledger.hasEnded()).toBe(ends);
    expect(await ledger.recordRefusal(token)).toBe(false);
  },
);

test.each([
  ["code", true],
  ["second", true],
  ["third", true],
  ["made up", false],
])("%s, revoked by a client, ends the grant if it belongs to it", async (token, ends) => {
  const ledger = await usedLedger();
  await ledger.recordRevocation(token);
  expect(await ledger.hasEnded()).toBe(ends);
});

test("a grant older than ledgers continues, and is watched from then on", async () => {
  const ledger = newLedger();
  expect(await ledger.recordRefresh("old", "second")).toBe(true);
  expect(await ledger.recordRefresh("second", "third")).toBe(true);
  expect(await ledger.recordRefusal("old")).toBe(true);
});

test("nothing is stored about an unknown grant", async () => {
  const ledger = newLedger();
  expect(await ledger.recordRefusal("made up")).toBe(false);
  await ledger.recordRevocation("made up");
  expect([await ledger.hasEnded(), await alarmOf(ledger)]).toEqual([false, null]);
});

test("everything is stored a day longer than a grant lasts, counted anew from its end", async () => {
  const daysLeft = async () => Math.round((((await alarmOf(ledger)) ?? 0) - Date.now()) / DAY_MS);
  const ledger = await usedLedger();
  expect(await daysLeft()).toBe(31);
  await runInDurableObject(ledger, (_ledger, { storage }) => storage.setAlarm(Date.now() + DAY_MS));
  await ledger.recordRefresh("third", "fourth");
  expect(await daysLeft()).toBe(1);
  await ledger.end();
  expect(await daysLeft()).toBe(31);
  await runDurableObjectAlarm(ledger);
  expect(await ledger.hasEnded()).toBe(false);
});

test("an assertion can be used once per user", async () => {
  const use = async (userId: string, assertion = "one") => await recordAssertion(env, userId, assertion);
  expect([await use("ada"), await use("ada"), await use("grace")]).toEqual([true, false, true]);
  expect(await use("ada", "another")).toBe(true);
});

test("a refresh token of the provider is used by one request at a time", async () => {
  const ledger = newLedger();
  expect(await ledger.beginUpstreamRefresh("replaced")).toBe(true);
  expect(await ledger.beginUpstreamRefresh("new")).toBe(true);
  await ledger.endUpstreamRefresh("new");
  expect(await ledger.beginUpstreamRefresh("replaced")).toBe(false);
  expect(await ledger.beginUpstreamRefresh("new")).toBe(true);
});
