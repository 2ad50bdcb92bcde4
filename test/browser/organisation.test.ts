/**
 * The whole sign-in in a real browser, with a real OpenID provider: an app registers, a person consents and
 * signs in at their organisation's provider, the app gets its tokens and calls a tool, until the
 * person is removed from the list.
 */

import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { connectModern } from "../support/agent-client.ts";
import { mcpPost } from "../support/mcp-post.ts";
import { PASSPHRASE } from "../support/test-worker.ts";
import { launchBrowser, openWatched, tabTo, type WatchedPage } from "./support/browser.ts";
import { type App, connectApp, type Tokens, tokens } from "./support/client.ts";
import { type Organisation, startOrganisation } from "./support/organisation.ts";

const ada = { sub: "sub-of-ada", email: "ada@acme.example", email_verified: true };
const grace = { sub: "sub-of-grace", email: "grace@acme.example", email_verified: true };
const eve = { sub: "sub-of-eve", email: "ada@acme.example.evil.example", email_verified: true };

const EVERYONE = { ALLOWED_EMAILS: "ada@acme.example, grace@acme.example", DATA_EMAILS: "ada@acme.example" };
const WITHOUT_ADA = { ALLOWED_EMAILS: "grace@acme.example", DATA_EMAILS: "ada@acme.example" };

let browser: Browser;
let organisation: Organisation;
let app: App;
let opened: WatchedPage;
let page: Page;

beforeAll(async () => {
  browser = await launchBrowser();
  organisation = await startOrganisation({ ada, grace, eve }, EVERYONE);
  app = await connectApp(organisation.origin, "Claude");
});
afterAll(async () => {
  await app.close();
  await organisation.stop();
  await browser.close();
});
beforeEach(async () => {
  opened = await openWatched(browser);
  page = opened.page;
});
afterEach(async () => {
  await opened.context.close();
});

const providerHost = (): string => new URL(organisation.provider.issuer).host;

async function continueWithProvider(): Promise<void> {
  await page.getByRole("button", { name: `Continue with ${providerHost()}` }).click();
  await page.waitForURL(`${organisation.provider.issuer}/login/**`);
}

/** Consents to the requested scope, and goes to the provider's login page. */
async function goToProvider(scope = "n8n:read"): Promise<void> {
  await page.goto(app.authorizeUrl(scope));
  await page.getByLabel(scope.includes("n8n:data") ? "n8n:data" : "n8n:read").check();
  await continueWithProvider();
}

async function signInAtProvider(account: string): Promise<void> {
  await page.getByLabel("Account").fill(account);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Signs in with the browser's cookies, and returns the provider's redirect without following it. */
async function signInWithoutComingBack(account: string): Promise<string> {
  const { request } = opened.context;
  const form = { login: account, decision: "login" };
  const finished = await request.post(page.url(), { form, maxRedirects: 0 });
  const resumed = await request.get(finished.headers().location ?? "", { maxRedirects: 0 });
  return resumed.headers().location ?? "";
}

/** The parameters of the last callback, once the browser is back at the app. */
async function answerToApp(): Promise<Record<string, string>> {
  await page.waitForURL(`${app.redirectUri}?**`);
  return Object.fromEntries(app.answers.at(-1) ?? []);
}

async function tokensFor(account: string, scope?: string): Promise<Tokens> {
  await goToProvider(scope);
  await signInAtProvider(account);
  const { code = "" } = await answerToApp();
  return tokens.parse(await (await app.exchange(code)).json());
}

async function callTool(accessToken: string): Promise<unknown> {
  const client = await connectModern(`${organisation.origin}/mcp`, accessToken, "auto");
  const { envelope } = await client.call("trace_request", { requestId: "req-deep-failure" });
  await client.close();
  return envelope.data;
}

/** The response to a request with this token. */
async function requestWith(accessToken: string): Promise<Response> {
  const response = await fetch(`${organisation.origin}/mcp`, mcpPost(accessToken, { method: "tools/list" }));
  await response.body?.cancel();
  return response;
}

describe("a member of the organisation, from the first click to the last", () => {
  let issued: Tokens;
  let refreshed: Tokens;

  test("consents, signs in, and the app gets a tool's answer", async () => {
    issued = await tokensFor("ada", "n8n:read n8n:data");
    expect(issued.scope).toBe("n8n:read n8n:data");
    expect(opened.errors).toEqual([]);
    expect(await callTool(issued.access_token)).toMatchObject({ found: true, outcome: "error" });
  });

  test("keeps access by refresh", async () => {
    refreshed = tokens.parse(await (await app.refresh(issued.refresh_token)).json());
    expect(refreshed.access_token).not.toBe(issued.access_token);
    expect(await callTool(refreshed.access_token)).toMatchObject({ found: true });
  });

  test("loses access when removed from the list: calls are refused, and refresh is invalid_grant", async () => {
    const colleague = await tokensFor("grace");
    await organisation.redeploy(WITHOUT_ADA);
    expect((await requestWith(colleague.access_token)).status).toBe(200);
    expect((await requestWith(refreshed.access_token)).status).toBe(401);
    const refused = await app.refresh(refreshed.refresh_token);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: "invalid_grant" });
  });

  test("has to sign in again when put back on the list, as the old grant is gone", async () => {
    await organisation.redeploy(EVERYONE);
    expect((await app.refresh(refreshed.refresh_token)).status).toBe(400);
    expect((await requestWith(refreshed.access_token)).status).toBe(401);
    expect(await callTool((await tokensFor("ada")).access_token)).toMatchObject({ found: true });
  });
});

describe("a member of the organisation", () => {
  test("gets no more than the lists allow, whatever was ticked", async () => {
    expect((await tokensFor("grace", "n8n:read n8n:data")).scope).toBe("n8n:read");
  });

  test("may cancel at the provider, and the app gets an error", async () => {
    await goToProvider();
    await page.getByRole("button", { name: "Cancel" }).click();
    expect(await answerToApp()).toEqual({
      error: "access_denied",
      state: "state-of-the-app",
      iss: organisation.origin,
    });
  });

  test("gets back to the app even if the provider's forms may only lead to this server", async () => {
    const policy = `form-action 'self' ${organisation.origin}`;
    await goToProvider();
    await opened.context.route(page.url(), async (route) => {
      if (route.request().method() !== "GET") return await route.continue();
      const response = await route.fetch();
      await route.fulfill({
        response,
        headers: { ...response.headers(), "content-security-policy": policy },
      });
    });
    const reloaded = await page.reload();
    expect(reloaded?.headers()["content-security-policy"]).toBe(policy);
    await signInAtProvider("ada");
    expect((await answerToApp()).code).toBeTruthy();
    expect(opened.errors).toEqual([]);
  });
});

describe("the page for people", () => {
  const goToApp = (path: string) => page.goto(organisation.origin + path);

  /** Makes the browser's cookie that of an ended session, as after an hour. */
  async function expireSession(): Promise<void> {
    const cookies = await opened.context.cookies();
    const session = cookies.find(({ name }) => name.includes("-session"));
    if (session === undefined) throw new Error("there is no session");
    await opened.context.addCookies([{ ...session, value: `${session.value.slice(0, -3)}xxx` }]);
  }

  test("renews a session at the provider without a click, and returns to the same page", async () => {
    await goToApp("/app/requests/req-deep-failure");
    await continueWithProvider();
    await signInAtProvider("grace");
    await page.waitForURL("**/app/requests/req-deep-failure");
    await expireSession();
    await goToApp("/app/executions/34");
    await page.waitForURL("**/app/executions/34");
    await page.getByText("Nodes that ran").waitFor();
    expect(opened.errors).toEqual([]);
  });

  test("does not sign in automatically after sign-out", async () => {
    await goToApp("/app");
    await continueWithProvider();
    await signInAtProvider("grace");
    await page.waitForURL("**/app");
    await page.locator(".session summary").click();
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.waitForURL(`${organisation.origin}/`);
    await goToApp("/app");
    await page.getByRole("button", { name: `Continue with ${providerHost()}` }).waitFor();
  });
});

describe("the pages", () => {
  test("name the provider before leading there", async () => {
    await page.goto(organisation.origin);
    expect(await page.getByText(`Then you sign in at ${providerHost()}`).count()).toBe(1);
  });

  test("ask for consent before any request to the provider", async () => {
    await page.goto(app.authorizeUrl());
    expect(new URL(page.url()).origin).toBe(organisation.origin);
    expect(opened.requests.filter((request) => request.includes(providerHost()))).toEqual([]);
  });

  test("sign in with the passphrase on Enter in its field, not with the provider", async () => {
    await page.goto(app.authorizeUrl());
    await page.getByLabel("n8n:read").check();
    await page.getByLabel("Passphrase").fill(PASSPHRASE);
    await page.keyboard.press("Enter");
    expect((await answerToApp()).code).toBeTruthy();
    expect(opened.requests.filter((request) => request.includes(providerHost()))).toEqual([]);
  });

  test("ask for a missing choice before leading to the provider", async () => {
    await page.goto(app.authorizeUrl());
    await page.getByRole("button", { name: `Continue with ${providerHost()}` }).click();
    expect(await page.getByRole("alert").textContent()).toBe("Choose one of the two first.");
    await page.getByLabel("n8n:read").check();
    await continueWithProvider();
  });

  test("lead the tab key to the provider, the passphrase and Decline, in this order", async () => {
    await page.goto(app.authorizeUrl());
    const provider = `Continue with ${providerHost()}`;
    expect(await tabTo(page, "Decline")).toEqual([
      "scope-read",
      provider,
      "passphrase",
      "Allow with the passphrase",
      "Decline",
    ]);
  });
});

describe("an unauthorized person", () => {
  test("is told what to do after sign-in, and the app gets nothing", async () => {
    const before = app.answers.length;
    await goToProvider();
    await signInAtProvider("eve");
    await page.waitForURL(`${organisation.origin}/callback?**`);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(
      "Your account may not use this server",
    );
    expect(await page.getByRole("region", { name: "What to do" }).textContent()).toContain(
      "Ask whoever runs this server",
    );
    expect(app.answers.length).toBe(before);
  });

  test("cannot complete another person's sign-in in their own browser, nor replay it", async () => {
    await goToProvider();
    const callback = await signInWithoutComingBack("ada");
    const before = app.answers.length;

    const other = await openWatched(browser);
    const answer = await other.page.goto(callback);
    expect(answer?.status()).toBe(400);
    expect(await other.page.getByRole("region", { name: "What to do" }).isVisible()).toBe(true);
    await other.context.close();
    expect(app.answers.length).toBe(before);

    const cookies = await opened.context.cookies();
    await page.goto(callback);
    expect((await answerToApp()).code).toBeTruthy();
    // Even with the cookies that the browser was told to delete.
    await opened.context.addCookies(cookies);
    const replayed = await page.goto(callback);
    expect(replayed?.status()).toBe(400);
    expect(await page.getByText("already used").isVisible()).toBe(true);
    expect(app.answers.length).toBe(before + 1);
  });
});
