/** Durable Objects that are reset in the middle of a call, as by each deployment. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { createTakeTurn } from "../../src/n8n/limiter/limiter-client.ts";
import { slotsOf } from "../../src/n8n/slot.ts";
import { userIdOf } from "../../src/sign-in/oidc/user-ids.ts";
import { readFingerprintKey } from "../../src/sign-in/passphrase-lock.ts";
import { GrantLedger, hasEnded } from "../../src/sign-in/tokens/grant-ledger.ts";
import { indexOf, queriesOf, TRACE_QUERY } from "./only-n8n.ts";
import { resetAfterEach } from "./reset.ts";
import { PASSPHRASE } from "./secrets.ts";
import { Browser } from "./sign-in/browser.ts";
import { exchangeCode, obtainCode, openConsent, registeredClientId } from "./sign-in/client.ts";

beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
});
resetAfterEach();

/** Lets the call wait for its object, and then resets the object. */
async function interrupted<Result>(object: DurableObjectStub, call: () => Promise<Result>): Promise<Result> {
  const resetting = runInDurableObject(object, async (_object, state) => {
    await state.blockConcurrencyWhile(async () => {
      await sleep(200);
      state.abort("a new version");
    });
  }).catch(() => "was reset");
  await sleep(50);
  const answer = call();
  // Handled by the caller.
  answer.catch(() => {});
  expect(await resetting).toBe("was reset");
  return await answer;
}

const trace = async () =>
  await queriesOf("anna").trace({ ...TRACE_QUERY, requestId: "never sent" }, async () => {});
const lock = () => env.PASSPHRASE_LOCK.getByName("passphrase");

describe("a call that may be repeated is repeated:", () => {
  test("a trace", async () => {
    const first = await trace();
    const again = await interrupted(indexOf(), trace);
    expect(again.coverage.complete).toBe(true);
    expect(again.coverage.readNow).toBeLessThan(first.coverage.readNow);
    expect(again.coverage.scannedExecutions).toBe(first.coverage.scannedExecutions);
  });

  test("waiting for a slot at n8n", async () => {
    const take = slotsOf(
      createTakeTurn({ namespace: env.N8N_LIMITER, instance: "n8n", log: () => {} }, "anna"),
    );
    (await interrupted(env.N8N_LIMITER.getByName("n8n"), () => take(5_000))).end();
  });

  test("looking up a user, a key, and whether a grant has ended", async () => {
    const id = await userIdOf(env, "https://idp.test", "ada");
    const users = env.USER_IDS.getByName("user-ids");
    expect(await interrupted(users, () => userIdOf(env, "https://idp.test", "ada"))).toBe(id);
    const key = await readFingerprintKey(env);
    expect(await interrupted(lock(), () => readFingerprintKey(env))).toBe(key);
    const ledger = env.GRANT_LEDGER.getByName("anna:grant-1");
    const grant = { userId: "anna", grantId: "grant-1" };
    expect(await interrupted(ledger, () => hasEnded(env, grant))).toBe(false);
  });
});

test("a pause that n8n asked for before a reset still applies", async () => {
  const take = slotsOf(
    createTakeTurn({ namespace: env.N8N_LIMITER, instance: "n8n", log: () => {} }, "anna"),
  );
  const slot = await take(1_000);
  await interrupted(env.N8N_LIMITER.getByName("n8n"), () => Promise.resolve());
  await slot.pause(30);
  slot.end();
  await expect(take(1_000)).rejects.toMatchObject({ code: "RATE_LIMITED", details: { retryAfter: 30 } });
});

describe("a call that may not be repeated fails with the next step:", () => {
  test("a passphrase on the consent page, which may have been counted", async () => {
    const browser = new Browser();
    const handle = await openConsent(browser, await registeredClientId());
    const answer = await interrupted(lock(), () =>
      browser.post({ handle, decision: "approve", passphrase: PASSPHRASE }),
    );
    expect(answer.status).toBe(503);
    expect(answer.headers.get("Retry-After")).toBe("1");
    const page = await answer.text();
    expect(page).toContain("The server was updated in the middle of this");
    expect(page).toContain("connect again");
    expect(page).not.toContain("incident");
  });

  test("an exchange of a code, which is not reported as stolen", async () => {
    const clientId = await registeredClientId();
    const code = await obtainCode(new Browser(), clientId);
    const [userId = "", grantId = ""] = code.split(":");
    // Asking the ledger whether the grant has ended comes before, and may be repeated.
    const exchanged = vi.spyOn(GrantLedger.prototype, "recordExchange");
    exchanged.mockImplementationOnce(async function (this: GrantLedger) {
      Reflect.get(this, "ctx").abort("a new version");
      return true;
    });
    const answer = await exchangeCode(clientId, code);
    expect(exchanged).toHaveBeenCalledTimes(1);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({
      error: "temporarily_unavailable",
      error_description: expect.stringContaining("updated in the middle"),
    });
    expect(await hasEnded(env, { userId, grantId })).toBe(false);
  });
});
