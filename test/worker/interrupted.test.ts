/** Durable Objects that are reset in the middle of a call, as each deployment does it. */
import { reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createTakeTurn } from "../../src/n8n/limiter/limiter-client.ts";
import { slotsOf } from "../../src/n8n/slot.ts";
import { userIdOf } from "../../src/sign-in/oidc/user-ids.ts";
import { readFingerprintKey } from "../../src/sign-in/passphrase-lock.ts";
import { GrantLedger, hasEnded } from "../../src/sign-in/tokens/grant-ledger.ts";
import { createHistoryQueries } from "../../src/wiring/history-calls.ts";
import { historyIndexName } from "../../src/wiring/history-index-name.ts";
import { onlyN8nOf } from "./only-n8n.ts";
import { PASSPHRASE } from "./secrets.ts";
import { Browser, handleOf } from "./sign-in/browser.ts";
import { authorizeUrl, exchangeCode, obtainCode, registeredClientId } from "./sign-in/client.ts";

const WINDOW = { workflowId: null, startedAfter: null, startedBefore: null };

beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

/** Lets the call wait before its object, and resets that. */
async function interrupted<Result>(object: DurableObjectStub, call: () => Promise<Result>): Promise<Result> {
  const resetting = runInDurableObject(object, async (_object, state) => {
    await state.blockConcurrencyWhile(async () => {
      await sleep(200);
      state.abort("a new version");
    });
  }).catch(() => "was reset");
  await sleep(50);
  const answer = call();
  // Handled below.
  answer.catch(() => {});
  expect(await resetting).toBe("was reset");
  return await answer;
}

const index = () => env.HISTORY_INDEX.getByName(historyIndexName(env, onlyN8nOf(env)));
const QUERY = {
  requestId: "never sent",
  traceId: undefined,
  window: WINDOW,
  limit: 2_000,
  deep: false,
  timeBudgetMs: 20_000,
  mayReadData: true,
};
const trace = async () =>
  await createHistoryQueries(
    env,
    { userId: "anna", access: { kind: "all" }, countBytes: () => {}, log: () => {} },
    onlyN8nOf(env),
  ).trace(QUERY, async () => {});
const lock = () => env.PASSPHRASE_LOCK.getByName("passphrase");

describe("what may be done twice is done again:", () => {
  test("a trace", async () => {
    const first = await trace();
    const again = await interrupted(index(), trace);
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

  test("asking who somebody is, and whether a sign-in still stands", async () => {
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

test("what n8n asked for in an answer to a request from before a reset holds", async () => {
  const take = slotsOf(
    createTakeTurn({ namespace: env.N8N_LIMITER, instance: "n8n", log: () => {} }, "anna"),
  );
  const slot = await take(1_000);
  await interrupted(env.N8N_LIMITER.getByName("n8n"), () => Promise.resolve());
  await slot.pause(30);
  slot.end();
  await expect(take(1_000)).rejects.toMatchObject({ code: "RATE_LIMITED", details: { retryAfter: 30 } });
});

describe("what may not be done twice is told, with the next step:", () => {
  test("a passphrase on the consent page: it is not known whether it was counted", async () => {
    const browser = new Browser();
    const handle = handleOf(await (await browser.open(authorizeUrl(await registeredClientId()))).text());
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

  test("an exchange of a code: nobody is told that it was stolen", async () => {
    const clientId = await registeredClientId();
    const code = await obtainCode(new Browser(), clientId);
    const [userId = "", grantId = ""] = code.split(":");
    // The ledger is asked before whether the grant has ended, which may be asked twice.
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
