/** Users are checked with the provider again at a refresh; what follows when it does not answer. */
import { env } from "cloudflare:workers";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { createRoleCache } from "../../../src/sign-in/oauth-roles.ts";
import { CONFIRMATION_HOLDS_MS } from "../../../src/sign-in/oidc/ask-again.ts";
import { resetAfterEach } from "../reset.ts";
import { PUBLIC_URL } from "../secrets.ts";
import type { Tokens } from "../sign-in/client.ts";
import { Deployment, passTime, refresh, settingsFor, tokensOf } from "./deployment.ts";

const MINUTE = 60_000;
const SETTINGS = {
  ...settingsFor("thinProvider"),
  OIDC_SCOPES: "openid email groups",
  ALLOWED_EMAIL_DOMAINS: "",
  ALLOWED_GROUPS: "staff",
  DATA_GROUPS: "engineering",
};

const fetchReally = globalThis.fetch;

resetAfterEach();

type Answer = (...asked: Parameters<typeof fetch>) => Promise<Response | undefined>;

/** Replaces the provider's answers by path, and records the requested paths. */
function provide(answers: Record<string, Answer>): string[] {
  const asked: string[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    asked.push(pathname);
    return (await answers[pathname]?.(input, init)) ?? fetchReally(input, init);
  });
  return asked;
}

const sentToken = async (request: Request) => new URLSearchParams(await request.text()).get("refresh_token");

const userInfo = (groups: string[], sub = "ada-1815") => ({
  "/me": async () => Response.json({ sub, email: "ada@example.com", email_verified: true, groups }),
});
const down = async (): Promise<Response> => {
  throw new TypeError("nobody is there");
};

async function signedIn() {
  const deployment = new Deployment(SETTINGS);
  const tokens = await tokensOf(deployment, "ada", { scope: "n8n:data" });
  expect(tokens.scope).toBe("n8n:read n8n:data");
  const refreshed = async (refreshToken = tokens.refresh_token) =>
    await refresh(deployment, { clientId: tokens.clientId, refresh_token: refreshToken });
  return { deployment, tokens, refreshed };
}

describe("at a refresh the provider is asked again", () => {
  test("and a lost group ends what it granted", async () => {
    const { deployment, refreshed } = await signedIn();
    passTime(31 * MINUTE);
    provide(userInfo(["staff"]));
    const tokens = await (await refreshed()).json<Tokens>();
    expect(tokens.scope).toBe("n8n:read");
    expect(await deployment.whoIs(tokens.access_token)).toMatchObject({ scope: ["n8n:read"] });
  });

  test("and a regained group grants it again", async () => {
    const { refreshed } = await signedIn();
    passTime(31 * MINUTE);
    provide(userInfo(["staff"]));
    const { refresh_token: next } = await (await refreshed()).json<Tokens>();
    vi.restoreAllMocks();
    passTime(62 * MINUTE);
    provide(userInfo(["staff", "engineering"]));
    expect(await (await refreshed(next)).json()).toMatchObject({ scope: "n8n:read n8n:data" });
  });

  test.each([
    ["the last group that admits the user was lost", userInfo([])],
    ["it refuses", { "/token": async () => Response.json({ error: "invalid_grant" }, { status: 400 }) }],
  ])("and the sign-in ends when %s", async (_, answers) => {
    const { deployment, tokens, refreshed } = await signedIn();
    passTime(31 * MINUTE);
    provide(answers);
    expect(await (await refreshed()).json()).toMatchObject({ error: "invalid_grant" });
    vi.restoreAllMocks();
    expect(await deployment.whoIs(tokens.access_token)).toBe(401);
  });

  test("and an answer about another person counts as no answer", async () => {
    const { refreshed } = await signedIn();
    passTime(31 * MINUTE);
    provide(userInfo(["staff"], "grace-1906"));
    expect(await (await refreshed()).json()).toMatchObject({ scope: "n8n:read n8n:data" });
  });

  test("and also after the clock was set back", async () => {
    const { refreshed } = await signedIn();
    passTime(20 * 60 * MINUTE);
    const { refresh_token: next } = await (await refreshed()).json<Tokens>();
    vi.restoreAllMocks();
    passTime(10 * 60 * MINUTE);
    provide({ "/token": async () => Response.json({ error: "invalid_grant" }, { status: 400 }) });
    expect(await (await refreshed(next)).json()).toMatchObject({ error: "invalid_grant" });
  });

  test("but not more often than every half hour", async () => {
    const { refreshed } = await signedIn();
    passTime(29 * MINUTE);
    const asked = provide({});
    expect((await refreshed()).status).toBe(200);
    expect(asked).toEqual([]);
  });
});

describe("while the provider does not answer", () => {
  test("its last answer holds for a while, then no token is issued, and later the sign-in continues", async () => {
    const { refreshed } = await signedIn();
    passTime(CONFIRMATION_HOLDS_MS - MINUTE);
    provide({ "/token": down });
    const { refresh_token: next, scope } = await (await refreshed()).json<Tokens>();
    expect(scope).toBe("n8n:read n8n:data");
    vi.restoreAllMocks();
    passTime(CONFIRMATION_HOLDS_MS + MINUTE);
    provide({ "/token": down });
    const response = await refreshed(next);
    expect(response.status).toBe(503);
    expect(response.headers.get("Retry-After")).toBe("60");
    expect(await response.json()).toMatchObject({ error: "temporarily_unavailable" });
    vi.restoreAllMocks();
    passTime(CONFIRMATION_HOLDS_MS + 2 * MINUTE);
    expect((await refreshed(next)).status).toBe(200);
  });
});

/** A provider that accepts each refresh token once and answers a second use late. */
function rotate(): string[] {
  let uses = 0;
  return provide({
    "/token": async () => {
      uses += 1;
      if (uses === 1) return undefined;
      await setTimeout(300);
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    },
  });
}

describe("a provider that accepts each refresh token once", () => {
  test("is asked by one of two simultaneous refreshes, and the other is told to retry", async () => {
    const { refreshed } = await signedIn();
    passTime(31 * MINUTE);
    const asked = rotate();
    const answers = await Promise.all([refreshed(), refreshed()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 503]);
    expect(answers.find(({ status }) => status === 503)?.headers.get("Retry-After")).toBe("5");
    expect(asked.filter((path) => path === "/token")).toHaveLength(1);
    const next = await answers.find(({ status }) => status === 200)?.json<Tokens>();
    vi.restoreAllMocks();
    passTime(62 * MINUTE);
    expect((await refreshed(next?.refresh_token)).status).toBe(200);
  });

  test("is asked with the new token, even if the rest of its answer was unusable", async () => {
    const { refreshed } = await signedIn();
    const sent: (string | null)[] = [];
    const replace: Answer = async (input, init) => {
      sent.push(await sentToken(new Request(input, init)));
      const body = await (await fetchReally(input, init)).json<object>();
      return Response.json({ ...body, refresh_token: "replacement" });
    };
    passTime(31 * MINUTE);
    provide({ "/token": replace, "/me": down });
    const { refresh_token: next } = await (await refreshed()).json<Tokens>();
    vi.restoreAllMocks();
    passTime(62 * MINUTE);
    provide({ "/token": replace });
    await refreshed(next);
    expect(sent).toEqual([expect.any(String), "replacement"]);
  });

  test("may be asked again soon if it gave no new token", async () => {
    const { refreshed } = await signedIn();
    passTime(31 * MINUTE);
    provide({ "/token": down });
    const { refresh_token: next } = await (await refreshed()).json<Tokens>();
    vi.restoreAllMocks();
    provide({});
    passTime(31 * MINUTE + 1_000);
    expect((await refreshed(next)).status).toBe(200);
  });
});

test("the provider's refresh token is in no access token", async () => {
  const { tokens, refreshed } = await signedIn();
  passTime(31 * MINUTE);
  const next = await (await refreshed()).json<Tokens>();
  const { authorizationServer } = createRoleCache(async () => new Response())(PUBLIC_URL);
  for (const { access_token: token } of [tokens, next]) {
    const { props } = (await authorizationServer.getOAuthApi(env).unwrapToken(token))?.grant ?? {};
    expect(props).toMatchObject({ via: "oidc" });
    expect(props).not.toHaveProperty("upstream");
  }
});
