/** The page for people over HTTP: its sessions, what it shows to whom, and what it refuses. */

import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test } from "vitest";
import { toolCall } from "../../support/mcp-post.ts";
import { askWith } from "../ask-with.ts";
import { askMcp } from "../mcp-call.ts";
import { askOperator, findEntry, send } from "../operator/client.ts";
import { PUBLIC_URL, SERVICE_TOKEN } from "../secrets.ts";
import { Browser, sendToWorker } from "../sign-in/browser.ts";
import { callStatus, obtainAccessToken } from "../sign-in/client.ts";
import { approve, formTokenOf, locationOf, read, signedIn, signIn, switchData } from "./visitor.ts";

afterEach(() => reset());

const SESSION = "__Host-n8n-observer-session";
const SIGNED_OUT = new RegExp(`^${PUBLIC_URL}/authorize\\?`);

const cookieOf = (response: Response, name = SESSION): string =>
  response.headers.getSetCookie().find((cookie) => cookie.startsWith(`${name}=`)) ?? "";
const tokenIn = (cookie: string): string => /=([^;]*)/.exec(cookie)?.[1] ?? "";

/** The page for a browser with this session cookie. */
const openWith = async (token: string, publicUrl = PUBLIC_URL): Promise<Response> =>
  await askWith({ PUBLIC_URL: publicUrl }, `${publicUrl}/app`, {
    headers: { Cookie: `${SESSION}=${token}`, Accept: "text/html" },
    redirect: "manual",
  });

describe("signing in", () => {
  test("leads back to the address that was opened, with its query", async () => {
    const path = "/app/executions/34/node?name=Fetch+Rate&offset=0";
    expect(locationOf(await signIn(new Browser(), path))).toBe(PUBLIC_URL + path);
  });

  test("asks only for the passphrase, and says who gets access", async () => {
    const browser = new Browser();
    const form = await (await browser.open(locationOf(await browser.open(`${PUBLIC_URL}/app`)))).text();
    expect(form).toContain("Sign in to see what happened in n8n");
    expect(form).not.toContain("Decline");
    expect(form).not.toContain('type="radio"');
  });

  test("keeps the session in a cookie of this host for 8 hours, out of reach of scripts", async () => {
    const cookie = cookieOf(await signIn(new Browser()));
    expect(cookie).toMatch(/; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=28800$/);
    expect(tokenIn(cookie)).toMatch(/^owner:[\w-]{16}:[\w-]{32}$/);
  });

  test("gives a new session each time, and ends one that was planted in the browser", async () => {
    const planted = tokenIn(cookieOf(await signIn(new Browser())));
    const withPlanted = (request: Request): Request => {
      const cookie = `${request.headers.get("Cookie")}; ${SESSION}=${planted}`;
      if (request.url.includes("/app/callback")) request.headers.set("Cookie", cookie);
      return request;
    };
    const victim = new Browser(async (request) => await sendToWorker(withPlanted(request)));
    const session = tokenIn(cookieOf(await signIn(victim)));
    expect(session).not.toBe(planted);
    expect(await read(victim, "/app")).toContain("What went on in n8n");
    expect(locationOf(await openWith(planted))).toMatch(SIGNED_OUT);
  });

  test("is refused in a browser that did not begin it, and with another state", async () => {
    const callback = await approve(new Browser());
    expect((await new Browser().open(callback)).status).toBe(400);
    const other = new Browser();
    await other.open(`${PUBLIC_URL}/app`);
    const answer = await other.open(callback);
    expect(answer.status).toBe(400);
    expect(cookieOf(answer)).toBe("");
  });

  test("in two tabs at once leads each to its own address", async () => {
    const browser = new Browser();
    const [first, second] = ["/app/requests/req-retry", "/app/executions/34"];
    const callbacks = [await approve(browser, first), await approve(browser, second)];
    const answers = [];
    for (const callback of callbacks) answers.push(locationOf(await browser.open(callback)));
    expect(answers).toEqual([PUBLIC_URL + first, PUBLIC_URL + second]);
    expect((await browser.open(callbacks[0] ?? "")).status).toBe(400);
  });

  test.each([
    "//evil.example/app",
    "/app/../mcp",
    "https://evil.example/app",
    "/\\evil.example",
    "/appetite",
  ])("never leads to %s", async (path) => {
    const browser = await signedIn();
    const token = formTokenOf(await read(browser, "/app"));
    const answer = await browser.post({ token, data: "on" }, { Referer: path }, "/app/data");
    expect(locationOf(answer)).toBe(`${PUBLIC_URL}/app`);
  });

  test("is not usable by another app, since its callback is the only one", async () => {
    const url = new URL(locationOf(await new Browser().open(`${PUBLIC_URL}/app`)));
    url.searchParams.set("redirect_uri", "http://127.0.0.1:9999/callback");
    expect((await new Browser().open(url.href)).status).toBe(400);
  });
});

describe("the page", () => {
  test("shows a request as a sentence, a bar for each execution, and links to n8n", async () => {
    const html = await read(await signedIn(), "/app/requests/req-deep-failure");
    expect(html).toContain("failed at node &quot;Fetch Rate&quot;");
    expect(html.match(/<svg class="track"/g)).toHaveLength(6);
    expect(html).toContain('href="/app/executions/34"');
    expect(html).toContain('href="https://n8n.example/workflow/');
  });

  test("shows data only while it is switched on", async () => {
    const browser = await signedIn();
    const ERROR_TEXT = "Rate service refused";
    const pages = ["/app/executions/34", "/app/requests/req-deep-failure", "/app/failures?hours=8000"];
    for (const path of pages) expect(await read(browser, path)).not.toContain(ERROR_TEXT);
    const node = "/app/executions/34/node?name=Fetch+Rate";
    const hidden = await browser.open(PUBLIC_URL + node);
    expect(hidden.status).toBe(403);
    expect(await hidden.text()).toContain("Show data");

    expect(locationOf(await switchData(browser, "on"))).toBe(`${PUBLIC_URL}/app/executions/34`);
    expect(await read(browser, node)).toContain("&quot;sku&quot;: &quot;unknown&quot;");
    expect(await read(browser, "/app/executions/34")).toContain(ERROR_TEXT);

    await switchData(browser, "off");
    expect((await browser.open(PUBLIC_URL + node)).status).toBe(403);
    expect(await read(browser, "/app/executions/34")).not.toContain(ERROR_TEXT);
  });

  test("hides data again in a new session", async () => {
    const browser = await signedIn();
    await switchData(browser, "on");
    const out = await browser.post({ token: formTokenOf(await read(browser, "/app")) }, {}, "/app/sign-out");
    expect(out.status).toBe(303);
    await signIn(browser);
    expect(await read(browser, "/app")).toContain("Data is hidden");
  });

  test("leads from pasted text to its own address", async () => {
    const browser = await signedIn();
    const find = async (q: string): Promise<string> =>
      locationOf(await browser.open(`${PUBLIC_URL}/app/find?${new URLSearchParams({ q })}`));
    expect(await find("  req-1 ")).toBe("/app/requests/req-1");
    expect(await find("a/../b?c#d%")).toBe("/app/requests/a%2F..%2Fb%3Fc%23d%25");
    expect(await find("..")).toBe("/app/requests?id=..");
    expect(await find("")).toBe("/app");
  });

  test.each([
    ["/app/executions/999999", 404, "There is no such execution"],
    ["/app/executions/abc", 400, "This cannot be looked up"],
    ["/app/executions/34/nothing", 404, "There is no such page"],
    ["/app/nothing", 404, "There is no such page"],
    ["/app/requests/%E0%A4%A", 404, "There is no such page"],
    [`/app/requests/${"x".repeat(600)}`, 400, "This cannot be looked up"],
  ])("says at %s what is wrong and what to do", async (path, status, title) => {
    const answer = await (await signedIn()).open(PUBLIC_URL + path);
    // A slow answer is streamed before its status is known.
    expect([status, 200]).toContain(answer.status);
    const html = await answer.text();
    expect(html).toContain(`<h1>${title}</h1>`);
    expect(html).toMatch(/What to do|Paste what you have/);
  });

  test("says that text which is no id needs data", async () => {
    const answer = await (await signedIn()).open(`${PUBLIC_URL}/app/requests/Jane%20Doe`);
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("does not look like an id");
  });

  test.each(["1e10", "-1e300"])("refuses %s hours and shows the newest failures", async (hours) => {
    const html = await read(await signedIn(), `/app?hours=${hours}`);
    expect(html).toContain("This cannot be looked up");
    expect(html).toContain("Newest failures");
  });

  test.each([
    ["/app/requests/nothing-has-this", "off"],
    ["/app/requests/nothing-has-this", "on"],
    ["/app/requests/nothing-has-this?deep=yes", "on"],
    ["/app/search?text=othing-has-thi", "on"],
    ["/app/search?text=nothing-has-this&by=words", "on"],
    ["/app/search?text=x", "on"],
    ["/app/failures?hours=soon", "off"],
    ["/app/executions/abc", "off"],
  ] as const)("at %s names no tool and no argument, with data %s", async (path, data) => {
    const browser = await signedIn();
    await switchData(browser, data);
    const [, answer = ""] = (await read(browser, path)).split('id="answer"');
    const [words = ""] = answer.split("<footer");
    expect(words.replaceAll(/<[^>]*>/g, " ")).not.toMatch(
      /deep: true|n8n:data|traceId|searchId|_guidance|\b(get|trace|search|explain|summarize|list|compare)_[a-z]+/,
    );
  });

  test("shows markup in an address as text", async () => {
    const id = "<script>alert(1)</script>";
    const html = await read(await signedIn(), `/app/requests/${encodeURIComponent(id)}`);
    expect(html).not.toContain(id);
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  });

  test("is not stored, framed, or given resources of other origins", async () => {
    const { headers } = await (await signedIn()).open(`${PUBLIC_URL}/app`);
    expect(headers.get("Cache-Control")).toBe("no-store");
    const policy = headers.get("Content-Security-Policy") ?? "";
    for (const rule of [
      "default-src 'none'",
      "frame-ancestors 'none'",
      "connect-src 'self'",
      "form-action 'self'",
    ])
      expect(policy).toContain(rule);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  });
});

describe("a session ends", () => {
  const isSignedOut = async (browser: Browser): Promise<boolean> =>
    SIGNED_OUT.test(locationOf(await browser.open(`${PUBLIC_URL}/app`)));

  test("at sign-out, even for a copy of its cookie", async () => {
    const browser = await signedIn();
    const kept = browser.copy();
    const token = formTokenOf(await read(browser, "/app"));
    const answer = await browser.post({ token }, {}, "/app/sign-out");
    expect(answer.status).toBe(303);
    expect(cookieOf(answer)).toContain("Max-Age=0");
    expect(await isSignedOut(kept)).toBe(true);
  });

  test("in every browser at once, while apps stay signed in, whose grants are not even read", async () => {
    const [here, there] = [await signedIn(), await signedIn()];
    const app = await obtainAccessToken();
    await env.OAUTH_KV.put(`grant:owner:${"0".repeat(16)}`, "nobody reads this");
    const token = formTokenOf(await read(here, "/app"));
    await here.post({ token, everywhere: "yes" }, {}, "/app/sign-out");
    expect(await isSignedOut(there)).toBe(true);
    expect(await callStatus(app)).toBe(200);
  });

  test("when the operator revokes it, who sees it in the list of grants", async () => {
    const browser = await signedIn();
    const list = await (await send(askOperator("grants/list"))).json<{
      grants: { clientId: string; grantId: string }[];
    }>();
    const grant = list.grants.find(({ clientId }) => clientId === "n8n-observer-page");
    expect(grant).toMatchObject({ userId: "owner", scopes: ["n8n:read", "n8n:data"] });
    await send(askOperator("grants/revoke", { id: grant?.grantId }));
    expect(await isSignedOut(browser)).toBe(true);
  });

  test("while a page is open: its script gets 401 and no sign-in page", async () => {
    const browser = await signedIn();
    await browser.post({ token: formTokenOf(await read(browser, "/app")) }, {}, "/app/sign-out");
    const answer = await browser.open(`${PUBLIC_URL}/app`, { "Sec-Fetch-Mode": "cors" });
    expect(answer.status).toBe(401);
  });
});

describe("a change", () => {
  test.each(["/app/sign-out", "/app/data"])(
    "by %s is refused without the session's own token",
    async (path) => {
      const browser = await signedIn();
      const other = formTokenOf(await read(await signedIn(), "/app"));
      for (const token of ["", "x", other])
        expect((await browser.post({ token, data: "on" }, {}, path)).status).toBe(403);
      expect(await read(browser, "/app")).toContain("Data is hidden");
    },
  );

  test.each(["/app/sign-out", "/app/data"])(
    "by %s is refused from a page of another origin",
    async (path) => {
      const browser = await signedIn();
      const token = formTokenOf(await read(browser, "/app"));
      const answer = await browser.post({ token, data: "on" }, { Origin: "https://evil.example" }, path);
      expect(answer.status).toBe(403);
      expect(await read(browser, "/app")).toContain("Data is hidden");
    },
  );

  test("is refused with an explanation once the session has ended", async () => {
    const answer = await new Browser().post({ token: "any", data: "on" }, {}, "/app/data");
    expect(answer.status).toBe(401);
    expect(await answer.text()).toContain("nothing was switched");
  });

  test("is never made by a GET", async () => {
    const browser = await signedIn();
    const token = formTokenOf(await read(browser, "/app"));
    await browser.open(`${PUBLIC_URL}/app/sign-out?token=${token}`);
    await browser.open(`${PUBLIC_URL}/app/data?token=${token}&data=on`);
    expect(await read(browser, "/app")).toContain("Data is hidden");
  });
});

describe("the boundary of the tools", () => {
  test("a page view is a call in the activity log, with the page as its client", async () => {
    await read(await signedIn(), "/app/executions/34");
    const entry = await findEntry({ tool: "explain_failure", outcome: "success" });
    expect(entry).toMatchObject({
      userId: "owner",
      clientId: "n8n-observer-page",
      ids: { executionId: "34" },
    });
  });

  test("a session cookie is no token for /mcp, and no other token is a session", async () => {
    const session = tokenIn(cookieOf(await signIn(new Browser())));
    expect(await callStatus(session)).toBe(401);
    const app = await obtainAccessToken({ scope: "n8n:data" });
    for (const token of [app, SERVICE_TOKEN.readAndData, "owner:x:y", ""])
      expect(locationOf(await openWith(token))).toMatch(SIGNED_OUT);
  });

  test("a cookie of one deployment is worthless at another", async () => {
    const session = tokenIn(cookieOf(await signIn(new Browser())));
    const answer = await openWith(session, "https://other.example");
    expect(locationOf(answer)).toMatch(/^https:\/\/other\.example\/authorize\?/);
  });

  test("on another host there is no page, as in DNS rebinding", async () => {
    const answer = await askWith({}, "https://rebound.example/app", { headers: { Accept: "text/html" } });
    expect(answer.status).toBe(421);
  });
});

describe("the setting PAGES", () => {
  const call = toolCall("get_execution", { id: "34" });

  test("on: tools return the address of the page", async () => {
    expect(await (await askMcp(call)).text()).toContain(`"pageUrl":"${PUBLIC_URL}/app/executions/34"`);
  });

  test("off: there is no page, and no tool returns its address", async () => {
    const settings = { PAGES: "off" };
    for (const path of ["/app", "/app/requests/x", "/app/callback", "/app/sign-out"])
      expect((await askWith(settings, PUBLIC_URL + path)).status).toBe(404);
    expect(await (await askMcp(call, { settings })).text()).not.toContain("pageUrl");
  });

  test("malformed: there is no page, and tools work", async () => {
    expect((await askWith({ PAGES: "maybe" }, `${PUBLIC_URL}/app`)).status).toBe(404);
    expect(await (await askMcp(call, { settings: { PAGES: "maybe" } })).text()).toContain(
      '"status":"success"',
    );
  });
});
