/** Sign-ins end when the operator revokes them, and when the passphrase is changed. */
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { hasEnded } from "../../../src/sign-in/tokens/grant-ledger.ts";
import { mcpPost, toolCall } from "../../support/mcp-post.ts";
import { HOST } from "../mcp-call.ts";
import { DOCUMENT_HOST, PUBLIC_URL, SERVICE_TOKEN } from "../secrets.ts";
import { callStatus, mcpRequest, obtainTokens, registeredClientId } from "../sign-in/client.ts";
import { askOperator, findEntry, readAudit, send, sendWith } from "./client.ts";

afterEach(() => reset());

interface SignedIn {
  readonly clientId: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly grantId: string;
}

async function signIn(name = "Test client"): Promise<SignedIn> {
  const clientId = await registeredClientId({ client_name: name });
  const { access_token: accessToken, refresh_token: refreshToken } = await obtainTokens(clientId);
  return { clientId, accessToken, refreshToken, grantId: accessToken.split(":")[1] ?? "" };
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const statusOf = ({ accessToken }: SignedIn) => callStatus(accessToken);

function refreshRequest({ clientId, refreshToken }: SignedIn): Request {
  return new Request(`${PUBLIC_URL}/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "refresh_token",
      client_id: clientId,
      refresh_token: refreshToken,
    }),
  });
}

const grantList = z.object({ grants: z.array(z.looseObject({ grantId: z.string() })), cursor: z.null() });
const listGrants = async () => grantList.parse(await (await send(askOperator("grants/list"))).json()).grants;
const revoke = async (id: string): Promise<unknown> =>
  await (await send(askOperator("grants/revoke", { id }))).json();

describe("the list of grants", () => {
  test("names users, clients, scopes and times, and contains no secret", async () => {
    expect(await listGrants()).toEqual([]);
    const { clientId, grantId, accessToken, refreshToken } = await signIn("Cla\u202eude");
    await findEntry({ outcome: "token_issued" });
    const grants = await listGrants();
    expect(grants).toEqual([
      {
        userId: "owner",
        grantId,
        clientId,
        clientName: "Claude",
        via: "passphrase",
        scopes: ["n8n:read"],
        createdAt: expect.stringMatching(/^20\d\d-/),
        expiresAt: expect.stringMatching(/^20\d\d-/),
        lastUsedAt: null,
      },
    ]);
    for (const token of [accessToken, refreshToken])
      expect(JSON.stringify(grants)).not.toContain(token.split(":")[2]);
  });
});

test("only the sign-in that was used has a last use, also beside others of the same user and app", async () => {
  const clientId = `https://${DOCUMENT_HOST}/good.json`;
  const [used, other] = [await obtainTokens(clientId), await obtainTokens(clientId)];
  const call = mcpPost(used.access_token, toolCall("list_workflows", {}), HOST);
  await (await send(new Request(`${PUBLIC_URL}/mcp`, call))).text();
  const grantIdOf = ({ access_token }: { access_token: string }) => access_token.split(":")[1];
  // A call is noted after its answer.
  const lastUses = await vi.waitFor(async () => {
    const all = (await listGrants()).map(({ grantId, lastUsedAt }) => [grantId, lastUsedAt]);
    if (all.every(([, lastUsedAt]) => lastUsedAt === null)) throw new Error("no sign-in has a last use yet");
    return all;
  });
  expect(Object.fromEntries(lastUses)).toEqual({
    [grantIdOf(used) ?? ""]: expect.stringMatching(/^20\d\d-/),
    [grantIdOf(other) ?? ""]: null,
  });
});

test("listing reads each grant once, however many a user has", async () => {
  const stored = { clientId: "app", scope: ["n8n:read"], createdAt: 1_700_000_000 };
  const names = Array.from({ length: 250 }, (_, index) => `grant:owner:${String(index).padStart(16, "0")}`);
  await Promise.all(names.map(async (name) => await env.OAUTH_KV.put(name, JSON.stringify(stored))));
  const read: string[] = [];
  const get: KVNamespace["get"] = (key: unknown, ...options: unknown[]) => {
    read.push(String(key));
    return Reflect.apply(env.OAUTH_KV.get, env.OAUTH_KV, [key, ...options]);
  };
  const counting = new Proxy(env.OAUTH_KV, {
    get: (store, name) => (name === "get" ? get : Reflect.get(store, name).bind(store)),
  });
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const answer = await sendWith({ OAUTH_KV: counting }, askOperator("grants/list", { cursor }));
    cursor = z.object({ cursor: z.string().nullable() }).parse(await answer.json()).cursor;
  }
  expect(read.toSorted()).toEqual(names);
});

describe("a revoked grant", () => {
  test("ends at once for calls and refreshes, and other grants continue", async () => {
    const [removed, other] = [await signIn(), await signIn()];
    expect(await statusOf(removed)).toBe(200);
    expect(await revoke(removed.grantId)).toEqual({
      revoked: [{ userId: "owner", grantId: removed.grantId }],
      cursor: null,
    });
    expect(await statusOf(removed)).toBe(401);
    // Removed from KV too, before anything else would have removed it.
    const { keys } = await env.OAUTH_KV.list();
    expect(keys.filter(({ name }) => name.includes(`:${removed.grantId}`))).toEqual([]);
    const refreshed = await send(refreshRequest(removed));
    expect([refreshed.status, await refreshed.json()]).toMatchObject([400, { error: "invalid_grant" }]);
    expect(await statusOf(other)).toBe(200);
    expect((await listGrants()).map(({ grantId }) => grantId)).toEqual([other.grantId]);
    expect(await findEntry({ outcome: "revoked" })).toMatchObject({
      via: "operator",
      userId: "owner",
      grantId: removed.grantId,
    });
  });

  test("is not restored by stale KV data, nor by a refresh in between", async () => {
    const removed = await signIn();
    const keys = (await env.OAUTH_KV.list()).keys.filter(({ name }) => /^(grant|token):/.test(name));
    const stale = await Promise.all(
      keys.map(async ({ name }) => ({ name, value: (await env.OAUTH_KV.get(name)) ?? "" })),
    );
    expect(stale.length).toBe(2);
    await revoke(removed.grantId);
    const putBack = () => Promise.all(stale.map(({ name, value }) => env.OAUTH_KV.put(name, value)));
    await putBack();
    expect(await statusOf(removed)).toBe(401);
    expect(await (await send(refreshRequest(removed))).json()).toMatchObject({ error: "invalid_grant" });
    expect(await findEntry({ outcome: "refresh_refused" })).toMatchObject({ reason: "revoked" });
    // The library deletes the grant that it was told is invalid.
    expect(await listGrants()).toEqual([]);
  });

  test("cannot be recognized while its ledger does not answer, so nobody is admitted", async () => {
    const signedIn = await signIn();
    const getByName = () => ({ hasEnded: async () => Promise.reject(new Error("out of reach")) });
    const call = mcpRequest(bearer(signedIn.accessToken));
    expect((await sendWith({ GRANT_LEDGER: { getByName } }, call)).status).toBe(503);
    const refreshed = await sendWith({ GRANT_LEDGER: { getByName } }, refreshRequest(signedIn));
    expect(refreshed.ok).toBe(false);
    expect(await statusOf(signedIn)).toBe(200);
  });

  test("of a user includes all of theirs, and signing in again works", async () => {
    const [one, two] = [await signIn(), await signIn()];
    expect(await revoke("owner")).toMatchObject({ revoked: [{}, {}] });
    expect([await statusOf(one), await statusOf(two)]).toEqual([401, 401]);
    expect(await statusOf(await signIn())).toBe(200);
  });

  test("is none for an unknown id or the beginning of one", async () => {
    const signedIn = await signIn();
    for (const id of ["nobody", "own", signedIn.grantId.slice(0, -1)])
      expect(await revoke(id)).toEqual({ revoked: [], cursor: null });
    for (const id of ["", "grant:owner", "*"])
      expect((await send(askOperator("grants/revoke", { id }))).status).toBe(400);
    expect(await statusOf(signedIn)).toBe(200);
    expect(await hasEnded(env, { userId: "owner", grantId: signedIn.grantId })).toBe(false);
  });
});

describe("when the passphrase is changed", () => {
  const CHANGED = { ACCESS_PASSPHRASE: "another passphrase altogether" };
  const call = (token: string) => mcpRequest(bearer(token));

  test("sign-ins with the old one end, by call and by refresh", async () => {
    const signedIn = await signIn();
    expect((await sendWith({}, call(signedIn.accessToken))).status).toBe(200);
    expect((await sendWith(CHANGED, call(signedIn.accessToken))).status).toBe(401);
    const refreshed = await sendWith(CHANGED, refreshRequest(signedIn));
    expect(await refreshed.json()).toMatchObject({ error: "invalid_grant" });
    expect(await findEntry({ outcome: "refresh_refused" })).toMatchObject({ reason: "passphrase_changed" });
    // Even with the old passphrase restored, the grant is gone.
    expect(await (await send(refreshRequest(signedIn))).json()).toMatchObject({ error: "invalid_grant" });
  });

  test("or removed, they end as well", async () => {
    const signedIn = await signIn();
    expect((await sendWith({ ACCESS_PASSPHRASE: "" }, call(signedIn.accessToken))).status).toBe(401);
  });

  test("service tokens continue", async () => {
    expect((await sendWith(CHANGED, call(SERVICE_TOKEN.readOnly))).status).toBe(200);
  });

  test("nothing stored reveals the passphrase", async () => {
    await signIn();
    const { keys } = await env.OAUTH_KV.list();
    const values = await Promise.all(keys.map(({ name }) => env.OAUTH_KV.get(name)));
    expect(values.join()).not.toContain("passphraseFingerprint");
  });
});

describe("for other secrets", () => {
  test("a replaced service token is refused, and the new one accepted", async () => {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode("the-new-token"));
    const settings = { SERVICE_TOKENS: `reader ${Buffer.from(digest).toString("hex")} n8n:read` };
    expect((await sendWith(settings, mcpRequest(bearer(SERVICE_TOKEN.readOnly)))).status).toBe(401);
    expect((await sendWith(settings, mcpRequest(bearer("the-new-token")))).status).toBe(200);
  });

  test("a new n8n key or operator token ends no sign-in", async () => {
    const signedIn = await signIn();
    const changed = { N8N_API_KEY: "another-key-of-n8n", OPERATOR_TOKEN_SHA256: "0".repeat(64) };
    expect((await sendWith(changed, refreshRequest(signedIn))).status).toBe(200);
    expect((await sendWith(changed, askOperator("audit"))).status).toBe(401);
    expect((await readAudit()).length).toBeGreaterThan(0);
  });
});
