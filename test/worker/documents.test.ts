/** Clients identified by a metadata document, and how bad documents are handled. */
import { env, exports } from "cloudflare:workers";
import {
  auth,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
} from "@modelcontextprotocol/client";
import { describe, expect, test, vi } from "vitest";
import { DOCUMENT_TIMEOUT_MS } from "../../src/sign-in/registration/fetch-document.ts";
import { askWith } from "./ask-with.ts";
import { resetAfterEach } from "./reset.ts";
import { DOCUMENT_HOST, PASSPHRASE, PUBLIC_URL } from "./secrets.ts";
import { Browser, destinationOf, handleOf } from "./sign-in/browser.ts";
import { authorizeUrl, callStatus, obtainTokens, REDIRECT_URI, refresh } from "./sign-in/client.ts";

resetAfterEach();

/** An app on the MCP SDK, which decides how the app identifies itself. */
class DocumentedApp implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT_URI;
  readonly clientMetadata = { client_name: "App", redirect_uris: [REDIRECT_URI] };
  readonly clientMetadataUrl: string;
  sentTo = "";
  #information: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #verifier = "";

  constructor(clientMetadataUrl: string) {
    this.clientMetadataUrl = clientMetadataUrl;
  }
  clientInformation = () => this.#information;
  saveClientInformation = (information: OAuthClientInformationMixed) => {
    this.#information = information;
  };
  tokens = () => this.#tokens;
  saveTokens = (tokens: OAuthTokens) => {
    this.#tokens = tokens;
  };
  redirectToAuthorization = (url: URL) => {
    this.sentTo = url.href;
  };
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  codeVerifier = () => this.#verifier;
}

const toWorker = (url: string | URL, init?: RequestInit) => exports.default.fetch(new Request(url, init));

const document = (name: string) => `https://${DOCUMENT_HOST}/${name}.json`;
const HTML = { Accept: "text/html" };

describe("a client with a metadata document", () => {
  test("signs in, refreshes and calls without being registered", async () => {
    const clientId = document("good");
    const page = await (await new Browser().open(authorizeUrl(clientId))).text();
    expect(page).toContain("Documented app");
    const { refresh_token: refreshToken } = await obtainTokens(clientId);
    const refreshed = await refresh(clientId, refreshToken);
    const { access_token: token } = await refreshed.json<{ access_token: string }>();
    expect(await callStatus(token)).toBe(200);
  });

  test("leaves others signed in, and the same person on another computer", async () => {
    const clientId = document("good");
    const first = await obtainTokens(clientId);
    await obtainTokens(clientId);
    expect(await callStatus(first.access_token)).toBe(200);
    expect((await refresh(clientId, first.refresh_token)).status).toBe(200);
  });

  test("may use any port of its loopback callback", async () => {
    const url = authorizeUrl(document("good"), { redirect_uri: "http://localhost:51234/callback" });
    expect((await new Browser().open(url)).status).toBe(200);
  });

  test("may not use a callback outside its document or outside the allowed list", async () => {
    for (const uri of ["https://client.example/other", "https://evil.example/callback"]) {
      const response = await new Browser().open(authorizeUrl(document("good"), { redirect_uri: uri }));
      expect(response.status).toBe(400);
      expect(response.headers.has("Location")).toBe(false);
    }
  });

  test("has its document fetched once in a while, not at each step", async () => {
    const open = async () => (await new Browser().open(authorizeUrl(document("counted")))).text();
    expect(await open()).toContain("Asked 1");
    expect(await open()).toContain("Asked 1");
  });

  test("is announced as supported only while it is on", async () => {
    const url = `${PUBLIC_URL}/.well-known/oauth-authorization-server`;
    const on = await exports.default.fetch(url, { headers: { Origin: "https://inspector.example" } });
    expect(on.headers.get("Access-Control-Allow-Origin")).toBe("https://inspector.example");
    expect(await on.json()).toMatchObject({
      client_id_metadata_document_supported: true,
      issuer: PUBLIC_URL,
      token_endpoint_auth_methods_supported: expect.arrayContaining(["none"]),
    });
    const off = await askWith({ CLIENT_ID_DOCUMENTS: "off" }, url);
    expect(await off.json()).toMatchObject({ client_id_metadata_document_supported: false });
  });

  test("is announced on loopback only if registration is off, since it needs internet access", async () => {
    const url = "http://localhost:8787/.well-known/oauth-authorization-server";
    const announced = async (settings: Record<string, string>) =>
      (await askWith({ PUBLIC_URL: "http://localhost:8787", ...settings }, url)).json();
    expect(await announced({})).toMatchObject({ client_id_metadata_document_supported: false });
    const closed = await announced({ CLIENT_REGISTRATION: "off" });
    expect(closed).toMatchObject({ client_id_metadata_document_supported: true });
    expect(closed).not.toHaveProperty("registration_endpoint");
  });

  test("is what an app on the MCP SDK becomes by itself, without registering", async () => {
    const app = new DocumentedApp(document("good"));
    expect(await auth(app, { serverUrl: `${PUBLIC_URL}/mcp`, fetchFn: toWorker })).toBe("REDIRECT");
    const browser = new Browser();
    const handle = handleOf(await (await browser.open(app.sentTo)).text());
    const answer = await browser.post({ handle, decision: "approve", passphrase: PASSPHRASE });
    const callback = destinationOf(answer).searchParams;
    const options = { authorizationCode: callback.get("code") ?? "", iss: callback.get("iss") ?? "" };
    expect(await auth(app, { serverUrl: `${PUBLIC_URL}/mcp`, fetchFn: toWorker, ...options })).toBe(
      "AUTHORIZED",
    );
    const token = app.tokens()?.access_token;
    expect(await callStatus(token ?? "")).toBe(200);
    expect((await env.OAUTH_KV.list({ prefix: "client:" })).keys).toEqual([]);
  });
});

describe("a document is rejected", () => {
  test.each([
    ["that redirects elsewhere", "redirects"],
    ["that redirects within its host", "redirects-at-home"],
    ["of 6 kB", "6kb"],
    ["of 6 kB that come in pieces", "6kb-in-pieces"],
    ["with another client id inside", "other-id"],
    ["whose only callback is not on the list", "evil-callback"],
    ["that is plain text", "text"],
    ["that is cut off", "broken"],
    ["that is not UTF-8", "latin1"],
    ["that does not exist", "missing"],
  ])("%s", async (_, name) => {
    const redirects = ["https://client.example/callback", "https://evil.example/callback"];
    for (const uri of redirects) {
      const response = await new Browser().open(authorizeUrl(document(name), { redirect_uri: uri }));
      expect(response.status).toBe(400);
      expect(response.headers.has("Location")).toBe(false);
      expect(await response.text()).not.toContain("<form");
    }
    const body = new URLSearchParams({ grant_type: "refresh_token", client_id: document(name) });
    const token = await exports.default.fetch(`${PUBLIC_URL}/token`, { method: "POST", body });
    expect(token.status).toBe(400);
    expect(await token.json()).toMatchObject({ error: "invalid_client" });
  });

  test.each([
    "https://evil.example/client.json",
    `https://${DOCUMENT_HOST}.evil.example/good.json`,
    `https://${DOCUMENT_HOST}@evil.example/good.json`,
    `https://${DOCUMENT_HOST}:8443/good.json`,
    `https://${DOCUMENT_HOST}/good.json?`,
    `HTTPS://${DOCUMENT_HOST}/good.json`,
    "https://127.0.0.1/good.json",
  ])("at %s, without being fetched", async (clientId) => {
    const response = await new Browser().open(authorizeUrl(clientId));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("CLIENT_ID_DOCUMENTS");
  });

  test("entirely while the feature is off", async () => {
    const response = await askWith({ CLIENT_ID_DOCUMENTS: "off" }, authorizeUrl(document("good")), {
      headers: HTML,
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("Invalid client_id");
  });
});

describe("an unavailable document", () => {
  // Run concurrently, since each waits for the full timeout.
  test.concurrent.each([
    ["whose host hangs", "hangs"],
    ["whose host stalls half way", "stalls"],
  ])(
    "%s fails in time",
    async (_, name) => {
      const startedAt = Date.now();
      const response = await new Browser().open(authorizeUrl(document(name)));
      expect(response.status).toBe(503);
      expect(response.headers.get("Retry-After")).toBe("60");
      expect(Date.now() - startedAt).toBeLessThan(DOCUMENT_TIMEOUT_MS + 2_000);
    },
    DOCUMENT_TIMEOUT_MS + 5_000,
  );

  test("of a host that is down gives a temporary error, so that no app forgets its sign-in", async () => {
    const body = new URLSearchParams({ grant_type: "refresh_token", client_id: document("down") });
    const response = await exports.default.fetch(`${PUBLIC_URL}/token`, { method: "POST", body });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: "temporarily_unavailable" });
  });

  test("is not missed while a stored copy is less than a day old", async () => {
    const open = async (hours: number) => {
      const later = Date.now() + hours * 3_600_000;
      vi.spyOn(Date, "now").mockReturnValue(later);
      const { status } = await new Browser().open(authorizeUrl(document("once")));
      vi.restoreAllMocks();
      return status;
    };
    expect(await open(0)).toBe(200);
    expect(await open(23)).toBe(200);
    expect(await open(25)).toBe(503);
  });

  test.each([
    ["mcp-oauth-client-metadata", "https://claude.ai/api/mcp/auth_callback", 200],
    ["claude-code-client-metadata", "http://localhost:51234/callback", 200],
    ["claude-code-client-metadata", "https://claude.ai/api/mcp/auth_callback", 400],
    ["another-client-metadata", "https://claude.ai/api/mcp/auth_callback", 503],
  ])("of a host that blocks robots: %s with %s gets status %i", async (name, redirectUri, status) => {
    const url = authorizeUrl(`https://claude.ai/oauth/${name}`, { redirect_uri: redirectUri });
    const response = await askWith({ CLIENT_ID_DOCUMENTS: "default" }, url, { headers: HTML });
    expect(response.status).toBe(status);
  });

  test(
    "is waited for by only a few requests at a time",
    async () => {
      const asking = Array.from({ length: 12 }, (_unused, number) =>
        new Browser().open(authorizeUrl(document(`hangs`), { state: `state-${number}` })),
      );
      const first = await Promise.race(asking);
      expect(first.status).toBe(503);
      const startedAt = Date.now();
      expect((await new Browser().open(authorizeUrl(document("hangs")))).status).toBe(503);
      expect(Date.now() - startedAt).toBeLessThan(DOCUMENT_TIMEOUT_MS);
      await Promise.all(asking);
    },
    DOCUMENT_TIMEOUT_MS + 5_000,
  );
});
