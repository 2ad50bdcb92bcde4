/** Codes and refresh tokens that are used again, later or at the same time. */
import { createExecutionContext, reset, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createHash } from "node:crypto";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createRoleCache } from "../../src/sign-in/oauth-roles.ts";
import { serveToken } from "../../src/sign-in/tokens/serve-token.ts";
import { catchConsoleLines } from "../support/console-lines.ts";
import { PUBLIC_URL } from "./secrets.ts";
import { Browser, sendToWorker } from "./sign-in/browser.ts";
import {
  callStatus,
  exchangeCode,
  obtainCode,
  refresh,
  registeredClientId,
  signIn,
  type Tokens,
} from "./sign-in/client.ts";

const lines = catchConsoleLines();
afterEach(() => reset());

async function newCode(): Promise<{ clientId: string; code: string }> {
  const clientId = await registeredClientId();
  return { clientId, code: await obtainCode(new Browser(), clientId) };
}

async function tokensOf(response: Response | Promise<Response>): Promise<Tokens> {
  const answered = await response;
  expect(answered.status).toBe(200);
  return answered.json<Tokens>();
}

const statusOf = ({ access_token: token }: Tokens) => callStatus(token);

async function expectRefused(response: Response | Promise<Response>): Promise<void> {
  const answered = await response;
  expect([answered.status, await answered.json()]).toMatchObject([400, { error: "invalid_grant" }]);
}

/** Expects the grant to be worthless, even with what the store may still serve. */
async function expectEnded(clientId: string, ...all: readonly Tokens[]): Promise<void> {
  for (const tokens of all) {
    expect(await statusOf(tokens)).toBe(401);
    await expectRefused(refresh(clientId, tokens.refresh_token));
  }
  expect((await env.OAUTH_KV.list({ prefix: "grant:" })).keys).toEqual([]);
  expect((await env.OAUTH_KV.list({ prefix: "token:" })).keys).toEqual([]);
}

/** The same request many times at once. */
function atOnce(times: number, send: () => Promise<Response>): Promise<Response[]> {
  return Promise.all(Array.from({ length: times }, send));
}

/** Audit lines about a grant that ended by a replay. */
const replaysIn = (logged: readonly string[]) => logged.filter((line) => /"revoked".*_replayed"/.test(line));

describe("a code", () => {
  test.each([2, 10])(
    "exchanged %i times at once gives tokens to one request, and they end",
    async (times) => {
      const { clientId, code } = await newCode();
      const answers = await atOnce(times, () => exchangeCode(clientId, code));
      const [first, ...more] = answers.filter(({ ok }) => ok);
      expect(more).toEqual([]);
      for (const answer of answers) if (answer !== first) await expectRefused(answer);
      if (first === undefined) throw new Error("no exchange succeeded");
      await expectEnded(clientId, await tokensOf(first));
      expect(replaysIn(lines)[0]).toContain('"reason":"code_replayed"');
      expect(lines.join()).not.toContain(code);
    },
  );

  test("exchanged again later is refused, and ends the grant everywhere at once", async () => {
    const { clientId, code } = await newCode();
    const tokens = await tokensOf(exchangeCode(clientId, code));
    const restore = await remember("token:");
    await expectRefused(
      exchangeCode(clientId, code, { code_verifier: "not-the-verifier-of-the-one-who-has-it-all" }),
    );
    await restore();
    expect(await statusOf(tokens)).toBe(401);
    expect(replaysIn(lines)).toHaveLength(1);
    expect(replaysIn(lines)[0]).toContain('"outcome":"revoked"');
  });

  test("exchanged again while the store still serves it as new is refused, and ends the grant", async () => {
    const { clientId, code } = await newCode();
    const restore = await remember("grant:");
    const tokens = await tokensOf(exchangeCode(clientId, code));
    await restore();
    await expectRefused(exchangeCode(clientId, code));
    await expectEnded(clientId, tokens);
  });

  test("is not used up by requests that may not exchange it", async () => {
    const { clientId, code } = await newCode();
    const attempts = [
      exchangeCode(await registeredClientId(), code),
      exchangeCode(clientId, code, { code_verifier: "another-verifier-of-at-least-forty-three-characters" }),
      exchangeCode(clientId, code, { redirect_uri: "https://client.example/other" }),
    ];
    for (const attempt of attempts) expect((await attempt).status).toBe(400);
    const tokens = await tokensOf(exchangeCode(clientId, code));
    expect(await statusOf(tokens)).toBe(200);
  });

  test("that is made up, or for a foreign resource, uses up and ends nothing", async () => {
    const { clientId, code } = await newCode();
    const [mine, ...others] = await Promise.all([
      exchangeCode(clientId, code),
      exchangeCode(clientId, code, { resource: "https://other.example/mcp" }),
      exchangeCode(clientId, `${code}x`),
      exchangeCode(clientId, code.slice(0, -1)),
    ]);
    expect(others.map(({ status }) => status)).toEqual([400, 400, 400]);
    const tokens = await tokensOf(mine);
    expect((await exchangeCode(clientId, code, { resource: "https://other.example/mcp" })).status).toBe(400);
    expect(await statusOf(tokens)).toBe(200);
  });

  test("of another sign-in is not affected", async () => {
    const [one, two] = [await signIn(), await signIn()];
    const code = await obtainCode(new Browser(), two.clientId);
    await atOnce(2, () => exchangeCode(two.clientId, code));
    expect(await statusOf(one.tokens)).toBe(200);
    expect((await refresh(one.clientId, one.tokens.refresh_token)).status).toBe(200);
  });
});

describe("a refresh token", () => {
  test("whose answer was lost can be used again, repeatedly", async () => {
    const { clientId, tokens } = await signIn();
    for (let lost = 0; lost < 3; lost++) await tokensOf(refresh(clientId, tokens.refresh_token));
    const last = await tokensOf(refresh(clientId, tokens.refresh_token));
    expect(last.refresh_token).not.toBe(tokens.refresh_token);
    const next = await tokensOf(refresh(clientId, last.refresh_token));
    expect(await statusOf(next)).toBe(200);
    expect(replaysIn(lines)).toEqual([]);
  });

  test("used twice at once, as clients do, ends nothing", async () => {
    const { clientId, tokens } = await signIn();
    const both = await atOnce(2, () => refresh(clientId, tokens.refresh_token));
    const issued = await Promise.all(both.map(tokensOf));
    // The store keeps the one that was written last, which continues to work.
    const storedId = await storedRefreshTokenId();
    const stored = issued.find(({ refresh_token: token }) => idOf(token) === storedId);
    if (stored === undefined) throw new Error("the store has neither");
    expect(await statusOf(await tokensOf(refresh(clientId, stored.refresh_token)))).toBe(200);
  });

  test("replayed after its successor was used ends the grant for both sides", async () => {
    const { clientId, tokens } = await signIn();
    const second = await tokensOf(refresh(clientId, tokens.refresh_token));
    const third = await tokensOf(refresh(clientId, second.refresh_token));
    await expectRefused(refresh(clientId, tokens.refresh_token));
    expect(replaysIn(lines)).toHaveLength(1);
    expect(replaysIn(lines)[0]).toContain('"reason":"refresh_token_replayed"');
    await expectEnded(clientId, tokens, second, third);
    // An old token cannot fill the audit log.
    expect(replaysIn(lines)).toHaveLength(1);
    expect(lines.join()).not.toContain(tokens.refresh_token);
  });

  test("replayed much later ends it as well", async () => {
    const { clientId, tokens } = await signIn();
    let last = tokens;
    for (let time = 0; time < 10; time++) last = await tokensOf(refresh(clientId, last.refresh_token));
    await expectRefused(refresh(clientId, tokens.refresh_token));
    await expectEnded(clientId, last);
  });

  test("stolen and used by both sides ends for both when one is refused", async () => {
    const { clientId, tokens } = await signIn();
    const owner = await tokensOf(refresh(clientId, tokens.refresh_token));
    const thief = await tokensOf(refresh(clientId, tokens.refresh_token));
    expect(await statusOf(thief)).toBe(200);
    await expectRefused(refresh(clientId, owner.refresh_token));
    await expectEnded(clientId, owner, thief);
  });

  test("superseded is refused even if the store still accepts it, and ends the grant", async () => {
    const { clientId, tokens } = await signIn();
    const restore = await remember("grant:");
    const second = await tokensOf(refresh(clientId, tokens.refresh_token));
    const third = await tokensOf(refresh(clientId, second.refresh_token));
    await restore();
    await expectRefused(refresh(clientId, tokens.refresh_token));
    await expectEnded(clientId, third);
  });

  test("of an ended grant is refused, even if the store is stale", async () => {
    const { clientId, tokens } = await signIn();
    const second = await tokensOf(refresh(clientId, tokens.refresh_token));
    const third = await tokensOf(refresh(clientId, second.refresh_token));
    const restore = await remember("grant:");
    await expectRefused(refresh(clientId, tokens.refresh_token));
    await restore();
    await expectRefused(refresh(clientId, third.refresh_token));
    await expectEnded(clientId, third);
  });

  test("of a grant older than ledgers works, and is watched from then on", async () => {
    const { clientId, tokens } = await signIn();
    await runInDurableObject(ledgerOf(tokens.refresh_token), (_ledger, state) => state.storage.deleteAll());
    const second = await tokensOf(refresh(clientId, tokens.refresh_token));
    const third = await tokensOf(refresh(clientId, second.refresh_token));
    await expectRefused(refresh(clientId, tokens.refresh_token));
    await expectEnded(clientId, third);
  });
});

describe("a revocation (RFC 7009)", () => {
  const revoke = (clientId: string, token: string): Promise<Response> => {
    const body = new URLSearchParams({ client_id: clientId, token });
    return sendToWorker(new Request(`${PUBLIC_URL}/token`, { method: "POST", body }));
  };

  test("ends the grant at once, even if the store still serves it", async () => {
    const { clientId, tokens } = await signIn();
    const second = await tokensOf(refresh(clientId, tokens.refresh_token));
    const restore = [await remember("grant:"), await remember("token:")];
    expect((await revoke(clientId, second.refresh_token)).status).toBe(200);
    for (const put of restore) await put();
    expect(await statusOf(second)).toBe(401);
    await expectRefused(refresh(clientId, second.refresh_token));
  });

  test("of a token that was never issued, or by another client, ends nothing", async () => {
    const { clientId, tokens } = await signIn();
    const { refresh_token: real } = tokens;
    const madeUp = real.slice(0, -1) + (real.endsWith("x") ? "y" : "x");
    expect((await revoke(clientId, madeUp)).status).toBe(200);
    expect((await revoke(await registeredClientId(), tokens.refresh_token)).status).toBe(200);
    expect(await statusOf(tokens)).toBe(200);
    await tokensOf(refresh(clientId, tokens.refresh_token));
  });
});

describe("a grant ends only by a whole token that was once valid", () => {
  test("and not by its ids, a part, another secret or an access token", async () => {
    const { clientId, code } = await newCode();
    const tokens = await tokensOf(exchangeCode(clientId, code));
    const second = await tokensOf(refresh(clientId, tokens.refresh_token));
    const last = await tokensOf(refresh(clientId, second.refresh_token));
    const [userId = "", grantId = "", secret = ""] = tokens.refresh_token.split(":");
    const stranger = await signIn();
    const made = [
      `${userId}:${grantId}:${"A".repeat(32)}`,
      `${userId}:${grantId}:${secret.slice(0, -1)}`,
      `${userId}:${grantId}:${stranger.tokens.refresh_token.split(":")[2]}`,
      `${userId}:${grantId}:`,
      `${userId}:${grantId}`,
      code.slice(0, -1),
      last.access_token,
      tokens.refresh_token.toUpperCase(),
    ];
    for (const token of made) await expectRefusedAnyhow(refresh(clientId, token));
    for (const token of made) await expectRefusedAnyhow(refresh(stranger.clientId, token));
    expect(replaysIn(lines)).toEqual([]);
    expect(await statusOf(last)).toBe(200);
    expect(await statusOf(await tokensOf(refresh(clientId, last.refresh_token)))).toBe(200);
  });

  test("and nothing is stored about a made-up grant", async () => {
    const clientId = await registeredClientId();
    const token = `owner:${"x".repeat(16)}:${"y".repeat(32)}`;
    await expectRefused(refresh(clientId, token));
    const stored = await runInDurableObject(ledgerOf(token), async (_ledger, { storage }) => [
      ...(await storage.list()),
      await storage.getAlarm(),
    ]);
    expect(stored).toEqual([null]);
  });

  async function expectRefusedAnyhow(response: Promise<Response>): Promise<void> {
    const answered = await response;
    expect(answered.status).toBe(400);
    expect(await answered.json()).toMatchObject({
      error: expect.stringMatching(/^invalid_(grant|request)$/),
    });
  }
});

describe("the ledger", () => {
  test("contains no token, and is empty once the grant has expired", async () => {
    const { clientId, tokens } = await signIn();
    const second = await tokensOf(refresh(clientId, tokens.refresh_token));
    const ledger = ledgerOf(tokens.refresh_token);
    const stored = await runInDurableObject(ledger, async (_ledger, { storage }) =>
      JSON.stringify([...(await storage.list())]),
    );
    expect(stored).toContain("successors");
    for (const token of [tokens.refresh_token, second.refresh_token])
      expect(stored).not.toContain(token.split(":")[2]);
    expect(await runDurableObjectAlarm(ledger)).toBe(true);
    expect(
      await runInDurableObject(ledger, async (_ledger, { storage }) => [...(await storage.list())]),
    ).toEqual([]);
  });

  test("wakes only when the grant can have ended", async () => {
    const { tokens } = await signIn();
    const alarm = await runInDurableObject(ledgerOf(tokens.refresh_token), (_ledger, { storage }) =>
      storage.getAlarm(),
    );
    const { keys } = await env.OAUTH_KV.list({ prefix: "grant:" });
    const end = (keys[0]?.expiration ?? Number.POSITIVE_INFINITY) * 1_000;
    expect(alarm).toBeGreaterThanOrEqual(end - 1_000);
  });
});

test("a token issued for an unreadable request is withheld", async () => {
  const roles = createRoleCache(async () => new Response())(PUBLIC_URL);
  const answer = { access_token: "a", refresh_token: "b", token_type: "bearer" };
  vi.spyOn(roles.authorizationServer, "fetch").mockImplementation(async () => Response.json(answer));
  for (const fields of [
    { grant_type: "refresh_token", refresh_token: "two:parts" },
    { grant_type: "refresh_token", refresh_token: `owner:grant:${"x".repeat(600)}` },
    { grant_type: "another" },
  ]) {
    const request = new Request(`${PUBLIC_URL}/token`, { method: "POST", body: new URLSearchParams(fields) });
    const serving = serveToken({ request, env, ctx: createExecutionContext(), roles });
    await expect(serving).rejects.toThrow(/ledger/);
  }
});

test("a web app can read the refusal of a replay", async () => {
  const { clientId, code } = await newCode();
  const restore = await remember("grant:");
  await tokensOf(exchangeCode(clientId, code));
  await restore();
  const answer = await exchangeCode(clientId, code, {}, (request) => {
    request.headers.set("Origin", "https://app.example");
    return sendToWorker(request);
  });
  expect(answer.headers.get("Access-Control-Allow-Origin")).toBe("https://app.example");
  expect(answer.headers.get("Cache-Control")).toContain("no-store");
  await expectRefused(answer);
});

/** What the store serves under a prefix now; calling the result restores it, as another location may serve it. */
async function remember(prefix: string): Promise<() => Promise<void>> {
  const { keys } = await env.OAUTH_KV.list({ prefix });
  const values = await Promise.all(
    keys.map(async ({ name, metadata }) => ({ name, metadata, value: (await env.OAUTH_KV.get(name)) ?? "" })),
  );
  return async () => {
    for (const { name, metadata, value } of values) await env.OAUTH_KV.put(name, value, { metadata });
  };
}

function ledgerOf(token: string) {
  const [userId = "", grantId = ""] = token.split(":");
  return env.GRANT_LEDGER.getByName(`${userId}:${grantId}`);
}

/** The id under which the library stores a token. */
function idOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

async function storedRefreshTokenId(): Promise<unknown> {
  const [key] = (await env.OAUTH_KV.list({ prefix: "grant:" })).keys;
  const grant = await env.OAUTH_KV.get<{ refreshTokenId: string }>(key?.name ?? "", "json");
  return grant?.refreshTokenId;
}
