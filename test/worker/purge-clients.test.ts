/** The hourly purge: which clients are deleted, which are kept, and that a run is limited. */
import { createScheduledController, reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import worker from "../../src/index.ts";
import { createRoleCache } from "../../src/sign-in/oauth-roles.ts";
import {
  CLIENT_SECONDS,
  IDLE_CLIENT_SECONDS,
  UNUSED_CLIENT_SECONDS,
} from "../../src/sign-in/registration/client-retention.ts";
import { MAXIMUM_DELETIONS, purgeClients } from "../../src/sign-in/registration/purge-clients.ts";
import { MAXIMUM_STORED, WINDOW_MS } from "../../src/sign-in/registration/registration-limits.ts";
import { PUBLIC_URL } from "./secrets.ts";
import { callStatus, obtainTokens, register, registeredClientId } from "./sign-in/client.ts";

afterEach(async () => {
  vi.restoreAllMocks();
  await reset();
});

const { authorizationServer } = createRoleCache(async () => new Response())(PUBLIC_URL);
const afterSeconds = (seconds: number) => purgeClients(env, authorizationServer, Date.now() + seconds * 1000);
const isStored = async (clientId: string) => (await env.OAUTH_KV.get(`client:${clientId}`)) !== null;

async function revokeGrants(): Promise<void> {
  const oauth = authorizationServer.getOAuthApi(env);
  const { items } = await oauth.listUserGrants("owner");
  for (const { id, userId } of items) await oauth.revokeGrant(id, userId);
}

test("digests and salt of addresses are deleted once their hour is over", async () => {
  const gate = env.REGISTRATION_GATE.getByName("registrations");
  const stored = async () =>
    await runInDurableObject(gate, (_gate, { storage }) => JSON.stringify([...storage.kv.list()]));
  await register({}, { "CF-Connecting-IP": "203.0.113.7" });
  await afterSeconds(0);
  expect(await stored()).toContain("salt");
  const later = Date.now() + WINDOW_MS;
  vi.spyOn(Date, "now").mockReturnValue(later);
  await afterSeconds(0);
  expect(await stored()).not.toContain("salt");
});

describe("a registered client", () => {
  test("that nobody signed in with is deleted after a day", async () => {
    const clientId = await registeredClientId();
    expect(await afterSeconds(UNUSED_CLIENT_SECONDS - 60)).toEqual({ kept: 1, deleted: 0 });
    expect(await isStored(clientId)).toBe(true);
    expect(await afterSeconds(UNUSED_CLIENT_SECONDS + 60)).toEqual({ kept: 0, deleted: 1 });
    expect(await isStored(clientId)).toBe(false);
  });

  test("that someone signed in with is kept, and so is the sign-in", async () => {
    const clientId = await registeredClientId();
    const { access_token: token } = await obtainTokens(clientId);
    expect(await afterSeconds(10 * UNUSED_CLIENT_SECONDS)).toEqual({ kept: 1, deleted: 0 });
    expect(await isStored(clientId)).toBe(true);
    expect(await callStatus(token)).toBe(200);
  });

  test("without a grant is deleted after a month, and not before", async () => {
    const clientId = await registeredClientId();
    await obtainTokens(clientId);
    await afterSeconds(0);
    await revokeGrants();
    await afterSeconds(IDLE_CLIENT_SECONDS - 60);
    expect(await isStored(clientId)).toBe(true);
    await afterSeconds(IDLE_CLIENT_SECONDS + 60);
    expect(await isStored(clientId)).toBe(false);
  });

  test("is kept for a month after its last grant, not its first", async () => {
    const clientId = await registeredClientId();
    await obtainTokens(clientId);
    await afterSeconds(0);
    await afterSeconds(IDLE_CLIENT_SECONDS);
    await revokeGrants();
    await afterSeconds(2 * IDLE_CLIENT_SECONDS - 60);
    expect(await isStored(clientId)).toBe(true);
    await afterSeconds(2 * IDLE_CLIENT_SECONDS + 60);
    expect(await isStored(clientId)).toBe(false);
  });

  test("without a grant is deleted while another with a grant is kept", async () => {
    const used = await registeredClientId();
    const unused = await registeredClientId();
    await obtainTokens(used);
    await afterSeconds(UNUSED_CLIENT_SECONDS + 60);
    expect(await isStored(used)).toBe(true);
    expect(await isStored(unused)).toBe(false);
  });

  test("is recognized by the content of a grant whose metadata does not name it", async () => {
    const clientId = await registeredClientId();
    await obtainTokens(clientId);
    const { keys } = await env.OAUTH_KV.list({ prefix: "grant:" });
    for (const { name } of keys) await env.OAUTH_KV.put(name, (await env.OAUTH_KV.get(name)) ?? "");
    await afterSeconds(UNUSED_CLIENT_SECONDS + 60);
    expect(await isStored(clientId)).toBe(true);
  });

  test("created by an operator never expires", async () => {
    const { clientId } = await authorizationServer
      .getOAuthApi(env)
      .createClient({ redirectUris: ["https://client.example/callback"], tokenEndpointAuthMethod: "none" });
    await afterSeconds(100 * UNUSED_CLIENT_SECONDS);
    expect(await isStored(clientId)).toBe(true);
  });

  test("expires by itself where no purge runs", async () => {
    await register();
    const { keys } = await env.OAUTH_KV.list({ prefix: "client:" });
    const expected = Date.now() / 1000 + CLIENT_SECONDS;
    expect(keys[0]?.expiration).toBeGreaterThan(expected - 60);
    expect(keys[0]?.expiration).toBeLessThanOrEqual(expected + 1);
  });
});

describe("the purge", () => {
  /** Of a client that has been unused for too long. */
  const expirationOfUnused = () =>
    Math.floor(Date.now() / 1000) + CLIENT_SECONDS - UNUSED_CLIENT_SECONDS - 60;

  test("makes room for new clients", async () => {
    await register();
    await env.REGISTRATION_GATE.getByName("registrations").settle(MAXIMUM_STORED, 0);
    expect((await register()).status).toBe(429);
    await afterSeconds(UNUSED_CLIENT_SECONDS + 60);
    expect((await register()).status).toBe(201);
  });

  test("deletes a limited number in one run, and continues in the next", async () => {
    const names = Array.from({ length: MAXIMUM_DELETIONS + 5 }, (_, number) => `client:flood${number}`);
    await Promise.all(
      names.map((name) => env.OAUTH_KV.put(name, "{}", { expiration: expirationOfUnused() })),
    );
    expect(await afterSeconds(0)).toEqual({ kept: 5, deleted: MAXIMUM_DELETIONS });
    expect(await afterSeconds(0)).toEqual({ kept: 0, deleted: 5 });
  }, 30_000);

  test("deletes what the library leaves behind: a token without its grant", async () => {
    await env.OAUTH_KV.put("token:owner:gone:x", JSON.stringify({ userId: "owner", grantId: "gone" }));
    await afterSeconds(0);
    expect(await env.OAUTH_KV.get("token:owner:gone:x")).toBeNull();
  });

  test("runs by cron at any address of the server", async () => {
    for (const settings of [{}, { PUBLIC_URL: "" }]) {
      await env.OAUTH_KV.put("client:old", "{}", { expiration: expirationOfUnused() });
      await worker.scheduled(createScheduledController(), { ...env, ...settings });
      expect(await isStored("old")).toBe(false);
    }
  });
});
