/** The hourly purge: who is deleted, who stays, and that it ends. */
import { createScheduledController, reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test } from "vitest";
import worker from "../../src/index.ts";
import { createRoleCache } from "../../src/sign-in/oauth-roles.ts";
import {
  CLIENT_SECONDS,
  IDLE_CLIENT_SECONDS,
  UNUSED_CLIENT_SECONDS,
} from "../../src/sign-in/registration/client-retention.ts";
import { MAXIMUM_DELETIONS, purgeClients } from "../../src/sign-in/registration/purge-clients.ts";
import { MAXIMUM_STORED } from "../../src/sign-in/registration/registration-limits.ts";
import { PUBLIC_URL } from "./secrets.ts";
import { Browser } from "./sign-in/browser.ts";
import { callMcp, exchangeCode, obtainCode, register, registeredClientId } from "./sign-in/client.ts";

afterEach(() => reset());

const { authorizationServer } = createRoleCache(async () => new Response())(PUBLIC_URL);
const afterSeconds = (seconds: number) => purgeClients(env, authorizationServer, Date.now() + seconds * 1000);
const isStored = async (clientId: string) => (await env.OAUTH_KV.get(`client:${clientId}`)) !== null;

async function signIn(clientId: string): Promise<string> {
  const response = await exchangeCode(clientId, await obtainCode(new Browser(), clientId));
  const { access_token: token } = await response.json<{ access_token: string }>();
  return token;
}

async function revokeGrants(): Promise<void> {
  const oauth = authorizationServer.getOAuthApi(env);
  const { items } = await oauth.listUserGrants("owner");
  for (const { id, userId } of items) await oauth.revokeGrant(id, userId);
}

describe("a registered client", () => {
  test("that nobody signed in with goes after a day", async () => {
    const clientId = await registeredClientId();
    expect(await afterSeconds(UNUSED_CLIENT_SECONDS - 60)).toEqual({ kept: 1, deleted: 0 });
    expect(await isStored(clientId)).toBe(true);
    expect(await afterSeconds(UNUSED_CLIENT_SECONDS + 60)).toEqual({ kept: 0, deleted: 1 });
    expect(await isStored(clientId)).toBe(false);
  });

  test("that someone signed in with stays, and so does the sign-in", async () => {
    const clientId = await registeredClientId();
    const token = await signIn(clientId);
    expect(await afterSeconds(10 * UNUSED_CLIENT_SECONDS)).toEqual({ kept: 1, deleted: 0 });
    expect(await isStored(clientId)).toBe(true);
    expect((await callMcp({ Authorization: `Bearer ${token}` })).status).toBe(200);
  });

  test("without a grant for a month goes, and not sooner", async () => {
    const clientId = await registeredClientId();
    await signIn(clientId);
    await afterSeconds(0);
    await revokeGrants();
    await afterSeconds(IDLE_CLIENT_SECONDS - 60);
    expect(await isStored(clientId)).toBe(true);
    await afterSeconds(IDLE_CLIENT_SECONDS + 60);
    expect(await isStored(clientId)).toBe(false);
  });

  test("is kept for a month after its last grant, not after its first", async () => {
    const clientId = await registeredClientId();
    await signIn(clientId);
    await afterSeconds(0);
    await afterSeconds(IDLE_CLIENT_SECONDS);
    await revokeGrants();
    await afterSeconds(2 * IDLE_CLIENT_SECONDS - 60);
    expect(await isStored(clientId)).toBe(true);
    await afterSeconds(2 * IDLE_CLIENT_SECONDS + 60);
    expect(await isStored(clientId)).toBe(false);
  });

  test("is told from another with a grant", async () => {
    const used = await registeredClientId();
    const unused = await registeredClientId();
    await signIn(used);
    await afterSeconds(UNUSED_CLIENT_SECONDS + 60);
    expect(await isStored(used)).toBe(true);
    expect(await isStored(unused)).toBe(false);
  });

  test("whose grant does not say beside its key whose it is, is found by what is in it", async () => {
    const clientId = await registeredClientId();
    await signIn(clientId);
    const { keys } = await env.OAUTH_KV.list({ prefix: "grant:" });
    for (const { name } of keys) await env.OAUTH_KV.put(name, (await env.OAUTH_KV.get(name)) ?? "");
    await afterSeconds(UNUSED_CLIENT_SECONDS + 60);
    expect(await isStored(clientId)).toBe(true);
  });

  test("that an operator made has no end and stays", async () => {
    const { clientId } = await authorizationServer
      .getOAuthApi(env)
      .createClient({ redirectUris: ["https://client.example/callback"], tokenEndpointAuthMethod: "none" });
    await afterSeconds(100 * UNUSED_CLIENT_SECONDS);
    expect(await isStored(clientId)).toBe(true);
  });

  test("ends by itself where no purge runs", async () => {
    await register();
    const { keys } = await env.OAUTH_KV.list({ prefix: "client:" });
    const expected = Date.now() / 1000 + CLIENT_SECONDS;
    expect(keys[0]?.expiration).toBeGreaterThan(expected - 60);
    expect(keys[0]?.expiration).toBeLessThanOrEqual(expected + 1);
  });
});

describe("the purge", () => {
  test("makes room for new clients", async () => {
    await register();
    await env.REGISTRATION_GATE.getByName("registrations").settle(MAXIMUM_STORED, 0);
    expect((await register()).status).toBe(429);
    await afterSeconds(UNUSED_CLIENT_SECONDS + 60);
    expect((await register()).status).toBe(201);
  });

  test("deletes no more in one run than it can, and goes on in the next", async () => {
    const expiration = Math.floor(Date.now() / 1000) + CLIENT_SECONDS - UNUSED_CLIENT_SECONDS - 60;
    const names = Array.from({ length: MAXIMUM_DELETIONS + 5 }, (_, number) => `client:flood${number}`);
    await Promise.all(names.map((name) => env.OAUTH_KV.put(name, "{}", { expiration })));
    expect(await afterSeconds(0)).toEqual({ kept: 5, deleted: MAXIMUM_DELETIONS });
    expect(await afterSeconds(0)).toEqual({ kept: 0, deleted: 5 });
  }, 30_000);

  test("sweeps what the library left behind: a token without its grant", async () => {
    await env.OAUTH_KV.put("token:owner:gone:x", JSON.stringify({ userId: "owner", grantId: "gone" }));
    await afterSeconds(0);
    expect(await env.OAUTH_KV.get("token:owner:gone:x")).toBeNull();
  });

  test("runs by cron, wherever the server is", async () => {
    const expiration = Math.floor(Date.now() / 1000) + CLIENT_SECONDS - UNUSED_CLIENT_SECONDS - 60;
    for (const settings of [{}, { PUBLIC_URL: "" }]) {
      await env.OAUTH_KV.put("client:old", "{}", { expiration });
      await worker.scheduled(createScheduledController(), { ...env, ...settings });
      expect(await isStored("old")).toBe(false);
    }
  });
});
