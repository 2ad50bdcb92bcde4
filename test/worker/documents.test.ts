/** Clients that are described by a document of their own, and what is done about bad ones. */
import { reset } from "cloudflare:test";
import { exports } from "cloudflare:workers";
import { afterEach, describe, expect, test } from "vitest";
import { DOCUMENT_TIMEOUT_MS } from "../../src/sign-in/registration/fetch-document.ts";
import { askWith } from "./ask-with.ts";
import { DOCUMENT_HOST, PUBLIC_URL } from "./secrets.ts";
import { Browser } from "./sign-in/browser.ts";
import { authorizeUrl, callMcp, exchangeCode, obtainCode, refresh } from "./sign-in/client.ts";

afterEach(() => reset());

const document = (name: string) => `https://${DOCUMENT_HOST}/${name}.json`;
const HTML = { Accept: "text/html" };

describe("a client with a document", () => {
  test("signs in, refreshes and calls, without being registered", async () => {
    const clientId = document("good");
    const page = await (await new Browser().open(authorizeUrl(clientId))).text();
    expect(page).toContain("Documented app");
    const response = await exchangeCode(clientId, await obtainCode(new Browser(), clientId));
    expect(response.status).toBe(200);
    const { refresh_token: refreshToken } = await response.json<{ refresh_token: string }>();
    const refreshed = await refresh(clientId, refreshToken);
    const { access_token: token } = await refreshed.json<{ access_token: string }>();
    expect((await callMcp({ Authorization: `Bearer ${token}` })).status).toBe(200);
  });

  test("may use any port of its loopback callback", async () => {
    const url = authorizeUrl(document("good"), { redirect_uri: "http://localhost:51234/callback" });
    expect((await new Browser().open(url)).status).toBe(200);
  });

  test("may use no callback that is not in its document, or not on the list", async () => {
    for (const uri of ["https://client.example/other", "https://evil.example/callback"]) {
      const response = await new Browser().open(authorizeUrl(document("good"), { redirect_uri: uri }));
      expect(response.status).toBe(400);
      expect(response.headers.has("Location")).toBe(false);
    }
  });

  test("is asked for once in a while, not at each step", async () => {
    const open = async () => (await new Browser().open(authorizeUrl(document("counted")))).text();
    expect(await open()).toContain("Asked 1");
    expect(await open()).toContain("Asked 1");
  });

  test("is announced while it is on, and only then", async () => {
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
});

describe("a document is not believed", () => {
  test.each([
    ["that is elsewhere", "redirects"],
    ["that is elsewhere on its own host", "redirects-at-home"],
    ["of 6 kB", "6kb"],
    ["of 6 kB that come in pieces", "6kb-in-pieces"],
    ["with another client id inside", "other-id"],
    ["whose only callback is not on the list", "evil-callback"],
    ["that is plain text", "text"],
    ["that is cut off", "broken"],
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
  ])("at %s, where none is asked for", async (clientId) => {
    const response = await new Browser().open(authorizeUrl(clientId));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("CLIENT_ID_DOCUMENTS");
  });

  test("at all while it is off", async () => {
    const response = await askWith({ CLIENT_ID_DOCUMENTS: "" }, authorizeUrl(document("good")), {
      headers: HTML,
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("Invalid client_id");
  });
});

describe("a document that does not come", () => {
  // At the same time, since each waits for as long as anybody does.
  test.concurrent.each([
    ["because its host hangs", "hangs"],
    ["because its host stalls half way", "stalls"],
  ])(
    "%s is given up in time",
    async (_, name) => {
      const startedAt = Date.now();
      const response = await new Browser().open(authorizeUrl(document(name)));
      expect(response.status).toBe(503);
      expect(response.headers.get("Retry-After")).toBe("60");
      expect(Date.now() - startedAt).toBeLessThan(DOCUMENT_TIMEOUT_MS + 2_000);
    },
    DOCUMENT_TIMEOUT_MS + 5_000,
  );

  test("because its host is down is said to be worth another try, so that no app forgets its sign-in", async () => {
    const body = new URLSearchParams({ grant_type: "refresh_token", client_id: document("down") });
    const response = await exports.default.fetch(`${PUBLIC_URL}/token`, { method: "POST", body });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: "temporarily_unavailable" });
  });

  test(
    "is not waited for by more than a few at a time",
    async () => {
      const asking = Array.from({ length: 12 }, (_unused, number) =>
        new Browser().open(authorizeUrl(document(`hangs`), { state: `state-${number}` })),
      );
      const first = await Promise.race(asking);
      expect(first.status).toBe(503);
      const startedAt = Date.now();
      expect((await new Browser().open(authorizeUrl(document("hangs")))).status).toBe(503);
      expect(Date.now() - startedAt).toBeLessThan(1_000);
      await Promise.all(asking);
    },
    DOCUMENT_TIMEOUT_MS + 5_000,
  );
});
