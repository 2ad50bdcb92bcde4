/** Where a browser is sent: only to a callback that is both the client's and on the list. */
import { reset } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { afterEach, describe, expect, test } from "vitest";
import { createRoleCache } from "../../src/sign-in/oauth-roles.ts";
import { askWith } from "./ask-with.ts";
import { PUBLIC_URL } from "./secrets.ts";
import { Browser } from "./sign-in/browser.ts";
import {
  authorizeUrl,
  exchangeCode,
  obtainCode,
  openConsent,
  REDIRECT_URI,
  registeredClientId,
} from "./sign-in/client.ts";

afterEach(() => reset());

const EVIL = "https://evil.example/callback";
const HTML = { Accept: "text/html" };

/** Expects a page that refuses, and no redirect. */
async function expectNoRedirect(response: Response): Promise<string> {
  expect(response.status).toBe(400);
  expect(response.headers.has("Location")).toBe(false);
  expect(response.headers.has("Refresh")).toBe(false);
  const page = await response.text();
  expect(page).toContain("What to do");
  expect(page).not.toMatch(/(?:href|action|src|content)="[^"]*evil/i);
  return page;
}

/** A client from when the list still had its host, which the operator has removed since. */
async function formerClient(): Promise<string> {
  const { authorizationServer } = createRoleCache(async () => new Response())(PUBLIC_URL);
  const client = await authorizationServer
    .getOAuthApi(env)
    .createClient({ redirectUris: [EVIL, REDIRECT_URI], tokenEndpointAuthMethod: "none" });
  return client.clientId;
}

describe("a callback that is not exactly the registered one", () => {
  test.each([
    ["with an additional slash", "https://client.example/callback/"],
    ["with a query", "https://client.example/callback?more=1"],
    ["with an empty query", "https://client.example/callback?"],
    ["with a fragment", "https://client.example/callback#x"],
    ["in another case", "https://client.example/Callback"],
    ["with its host in another case", "https://CLIENT.example/callback"],
    ["with user info", "https://user:secret@client.example/callback"],
    ["with another path on the host", "https://client.example/other"],
    ["with a path that leads back", "https://client.example/x/../callback"],
    ["with a path that leaves it", "https://client.example/callback/../other"],
    ["with encoded dots", "https://client.example/%2e%2e/callback"],
    ["with an encoded letter", "https://client.example/c%61llback"],
    ["with two slashes", "https://client.example//callback"],
    ["at the usual port, written out", "https://client.example:443/callback"],
    ["at another port", "https://client.example:8443/callback"],
    ["with a dot at the end of the host", "https://client.example./callback"],
    ["with a listed host before a backslash", "https://client.example\\@evil.example/callback"],
    ["with a listed host as user info", "https://client.example@evil.example/callback"],
    ["of a host that continues", "https://client.example.evil.example/callback"],
    ["of a host with the same ending", "https://evil-client.example/callback"],
    ["of a host with a lookalike letter", "https://cl\u0456ent.example/callback"],
    ["of that host in punycode", "https://xn--clent-e6e.example/callback"],
    ["over plain http", "http://client.example/callback"],
    ["that is on the list, but another client's", "https://claude.ai/api/mcp/auth_callback"],
    ["without a scheme", "//client.example/callback"],
    ["that is relative", "/callback"],
    ["with a line break", "https://client.example/callback\r\nLocation: https://evil.example"],
  ])("%s is refused", async (_, uri) => {
    const clientId = await registeredClientId();
    await expectNoRedirect(await new Browser().open(authorizeUrl(clientId, { redirect_uri: uri })));
  });

  test("is refused also beside the right one", async () => {
    const clientId = await registeredClientId();
    for (const first of [true, false]) {
      const url = new URL(authorizeUrl(clientId, { redirect_uri: first ? EVIL : REDIRECT_URI }));
      url.searchParams.append("redirect_uri", first ? REDIRECT_URI : EVIL);
      await expectNoRedirect(await new Browser().open(url.href));
    }
  });
});

describe("the page of a refusal", () => {
  const pageFor = async (uri: string) =>
    expectNoRedirect(
      await new Browser().open(authorizeUrl(await registeredClientId(), { redirect_uri: uri })),
    );

  test("names the address, without its query, and the setting, as text", async () => {
    const page = await pageFor("https://evil.example/sign-in?token=canary");
    expect(page).toContain("access to be sent to https://evil.example/sign-in, which is not on the list");
    expect(page).toContain("ALLOWED_REDIRECT_HOSTS");
    expect(page).not.toContain("canary");
  });

  test.each(["https://claude.ai@evil.example/", "https://evil.example/\n", "evil://callback"])(
    "does not name %j, which could mislead",
    async (uri) => {
      const page = await pageFor(uri);
      expect(page).toContain("an address that this server does not know");
      expect(page).not.toContain("evil");
    },
  );

  test("escapes what HTML would interpret", async () => {
    const page = await pageFor("https://evil.example/<b>&quot;");
    expect(page).toContain("https://evil.example/%3Cb%3E&amp;quot;");
  });
});

describe("a callback on loopback", () => {
  const registered = "http://127.0.0.1:33418/callback";
  const open = async (uri: string) => {
    const clientId = await registeredClientId({ redirect_uris: [registered] });
    return new Browser().open(authorizeUrl(clientId, { redirect_uri: uri }));
  };

  test.each([registered, "http://127.0.0.1:50000/callback", "http://127.0.0.1/callback"])(
    "%s may be used, with any port",
    async (uri) => {
      expect((await open(uri)).status).toBe(200);
    },
  );

  test.each([
    ["another path", "http://127.0.0.1:33418/other"],
    ["an additional slash", "http://127.0.0.1:33418/callback/"],
    ["a query", "http://127.0.0.1:33418/callback?x=1"],
    ["a fragment", "http://127.0.0.1:33418/callback#x"],
    ["user info", "http://user@127.0.0.1:33418/callback"],
    ["another name of loopback", "http://localhost:33418/callback"],
    ["another loopback address", "http://127.0.0.2:33418/callback"],
    ["https", "https://127.0.0.1:33418/callback"],
    ["a host with the same beginning", "http://127.0.0.1.evil.example:33418/callback"],
    ["it as user info of another host", "http://127.0.0.1:33418@evil.example/callback"],
  ])("with %s is refused", async (_, uri) => {
    await expectNoRedirect(await open(uri));
  });
});

describe("a private-use callback", () => {
  test("is registered with the other callbacks of its client, but no sign-in can use it", async () => {
    const uri = "cursor://anysphere.cursor-mcp/oauth/callback";
    const clientId = await registeredClientId({ redirect_uris: [uri, REDIRECT_URI] });
    await expectNoRedirect(await new Browser().open(authorizeUrl(clientId, { redirect_uri: uri })));
    expect((await new Browser().open(authorizeUrl(clientId))).status).toBe(200);
  });
});

describe("this server is no open redirector", () => {
  const errors = {
    "for another response type": { response_type: "token" },
    "for a foreign resource": { resource: "https://other.example/mcp" },
    "without PKCE": { code_challenge: undefined, code_challenge_method: undefined },
  };

  test.each(Object.entries(errors))(
    "a request %s goes back to a callback on the list",
    async (_, changes) => {
      const response = await new Browser().open(authorizeUrl(await registeredClientId(), changes));
      expect(response.status).toBe(302);
      expect(response.headers.get("Location")).toMatch(/^https:\/\/client\.example\/callback\?error=/);
    },
  );

  test.each(Object.entries(errors))(
    "a request %s goes nowhere if the callback is not on the list, registered or not",
    async (_, changes) => {
      const url = authorizeUrl(await formerClient(), { redirect_uri: EVIL, ...changes });
      await expectNoRedirect(await new Browser().open(url));
    },
  );

  test("a client whose host was removed from the list gets no consent page", async () => {
    const clientId = await formerClient();
    const page = await expectNoRedirect(
      await new Browser().open(authorizeUrl(clientId, { redirect_uri: EVIL })),
    );
    expect(page).not.toContain("<form");
    expect((await new Browser().open(authorizeUrl(clientId))).status).toBe(200);
    const settings = { ALLOWED_REDIRECT_HOSTS: "evil.example" };
    const url = authorizeUrl(clientId, { redirect_uri: EVIL });
    expect((await askWith(settings, url, { headers: HTML })).status).toBe(200);
  });

  test("a code is bound to its callback", async () => {
    const clientId = await registeredClientId({
      redirect_uris: [REDIRECT_URI, "https://client.example/other"],
    });
    const code = await obtainCode(new Browser(), clientId);
    const response = await exchangeCode(clientId, code, { redirect_uri: "https://client.example/other" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "invalid_grant" });
  });

  test("the consent form cannot be redirected by its fields", async () => {
    const browser = new Browser();
    const handle = await openConsent(browser, await registeredClientId());
    const answer = await browser.post({ handle, decision: "deny", redirect_uri: EVIL });
    expect(answer.headers.get("Refresh")).toMatch(/^0;url=https:\/\/client\.example\/callback\?/);
  });
});

describe("a page cannot be framed:", () => {
  test.each([
    ["the consent page", async () => new Browser().open(authorizeUrl(await registeredClientId()))],
    ["a refusal", () => new Browser().open(authorizeUrl("no-such-client"))],
    ["the start page", () => exports.default.fetch(`${PUBLIC_URL}/`, { headers: HTML })],
    ["a missing page", () => exports.default.fetch(`${PUBLIC_URL}/nowhere`, { headers: HTML })],
    ["the connector URL", () => exports.default.fetch(`${PUBLIC_URL}/mcp`, { headers: HTML })],
    ["a refused form", () => new Browser().post({ handle: "x", decision: "approve", passphrase: "y" })],
    ["another origin's form", () => new Browser().post({ handle: "x" }, { Origin: "https://evil.example" })],
  ])("%s", async (_, open) => {
    const response = await open();
    expect(response.headers.get("Content-Type")).toContain("text/html");
    expect(response.headers.get("X-Frame-Options")).toBe("DENY");
    expect(response.headers.get("Content-Security-Policy")).toContain("frame-ancestors 'none'");
  });
});

describe("a client's name on the consent page", () => {
  test.each([
    ["a tag", "<img src=x onerror=alert(1)>", "&lt;img src=x"],
    ["the end of the heading", "</bdi></h1><h1>Allow", "&lt;/bdi&gt;&lt;/h1&gt;&lt;h1&gt;Allow"],
    ["an attribute's end", '" autofocus onfocus="alert(1)', "&quot; autofocus onfocus=&quot;alert(1)"],
    ["an entity", "&lt;script&gt;", "&amp;lt;script&amp;gt;"],
    ["a reversed direction", "Claude \u202Eelpmaxe.live\u202C", "Claude elpmaxe.live"],
    ["an isolate that never ends", "Claude\u2067 (checked by Anthropic)", "Claude (checked by Anthropic)"],
    ["invisible letters", "Cl\u200Ba\u2060u\u00ADde", "Claude"],
    ["line breaks", "Claude\n\n\nThis app was checked.", "Claude This app was checked."],
  ])("with %s stays a name", async (_, name, shown) => {
    const clientId = await registeredClientId({ client_name: name });
    const page = await (await new Browser().open(authorizeUrl(clientId))).text();
    expect(page).toContain(`<bdi>${shown}`);
    expect(page.match(/<h1>/g)).toHaveLength(1);
    expect(page).not.toMatch(/<(img|script)|[\u202A-\u202E\u2066-\u2069\u200B\u2060]/);
  });
});
