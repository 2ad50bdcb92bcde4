/** The exact callbacks of this server's own n8n instances are allowed, and nothing else of their hosts. */
import { describe, expect, test } from "vitest";
import { readRegistrationSettings } from "../../../src/settings/index.ts";
import { isAllowedRedirectUri } from "../../../src/sign-in/registration/redirect-uris.ts";

const KEY = "n8n-api-key-of-these-tests";
const ONE = { N8N_BASE_URL: "https://n8n.example.com", N8N_API_KEY: KEY };
const CALLBACK = "https://n8n.example.com/rest/oauth2-credential/callback";
const CLOUD = "https://oauth.n8n.cloud/oauth2/callback";

const isAllowed = (uri: string, settings: Record<string, string> = ONE): boolean =>
  isAllowedRedirectUri(uri, readRegistrationSettings(settings).redirects);

describe("the callback of the one n8n", () => {
  test.each([
    ["as n8n names it", CALLBACK, ONE],
    [
      "below a path",
      "https://example.com/n8n/rest/oauth2-credential/callback",
      { ...ONE, N8N_BASE_URL: "https://example.com/n8n/" },
    ],
    [
      "at a port",
      "https://n8n.example.com:8443/rest/oauth2-credential/callback",
      { ...ONE, N8N_BASE_URL: "https://n8n.example.com:8443" },
    ],
    [
      "at the editor's address",
      "https://flows.example.com/rest/oauth2-credential/callback",
      { ...ONE, N8N_EDITOR_URL: "https://flows.example.com" },
    ],
    ["at the API's address as well", CALLBACK, { ...ONE, N8N_EDITOR_URL: "https://flows.example.com" }],
    ["with a custom list", CALLBACK, { ...ONE, ALLOWED_REDIRECT_HOSTS: "agents.example.com, n8n" }],
    ["with the default list", CALLBACK, { ...ONE, ALLOWED_REDIRECT_HOSTS: "default, agents.example.com" }],
    [
      "on n8n Cloud, the instance's own",
      "https://acme.app.n8n.cloud/rest/oauth2-credential/callback",
      { ...ONE, N8N_BASE_URL: "https://acme.app.n8n.cloud" },
    ],
  ])("%s is allowed", (_, uri, settings) => {
    expect(isAllowed(uri, settings)).toBe(true);
  });

  test.each([
    ["its start page", "https://n8n.example.com/"],
    ["a webhook of it", "https://n8n.example.com/webhook/callback"],
    ["a form of it", "https://n8n.example.com/form/callback"],
    ["the callback of OAuth 1", "https://n8n.example.com/rest/oauth1-credential/callback"],
    ["a trailing slash", `${CALLBACK}/`],
    ["a longer path", `${CALLBACK}/more`],
    ["a query", `${CALLBACK}?next=https://evil.example`],
    ["an empty query", `${CALLBACK}?`],
    ["a fragment", `${CALLBACK}#x`],
    ["another case of the path", CALLBACK.replace("rest", "REST")],
    ["another case of the host", CALLBACK.replace("n8n.", "N8N.")],
    [
      "a path that leads elsewhere",
      "https://n8n.example.com/rest/oauth2-credential/callback/../../../webhook/x",
    ],
    ["a path that leads back", "https://n8n.example.com/webhook/../rest/oauth2-credential/callback"],
    ["an encoded letter", "https://n8n.example.com/rest/oauth2%2Dcredential/callback"],
    ["two slashes", "https://n8n.example.com//rest/oauth2-credential/callback"],
    ["http", "http://n8n.example.com/rest/oauth2-credential/callback"],
    ["another port", "https://n8n.example.com:8443/rest/oauth2-credential/callback"],
    ["the default port spelled out", "https://n8n.example.com:443/rest/oauth2-credential/callback"],
    ["user info", "https://evil@n8n.example.com/rest/oauth2-credential/callback"],
    ["the host as user info", "https://n8n.example.com@evil.example/rest/oauth2-credential/callback"],
    ["the host before a backslash", "https://evil.example\\@n8n.example.com/rest/oauth2-credential/callback"],
    ["a host that goes on", "https://n8n.example.com.evil.example/rest/oauth2-credential/callback"],
    ["a host with the same ending", "https://evil-n8n.example.com/rest/oauth2-credential/callback"],
    ["a dot at the end of the host", "https://n8n.example.com./rest/oauth2-credential/callback"],
    ["a subdomain", "https://x.n8n.example.com/rest/oauth2-credential/callback"],
    ["the parent domain", "https://example.com/rest/oauth2-credential/callback"],
    ["an n8n of somebody else", "https://n8n.evil.example/rest/oauth2-credential/callback"],
    ["a letter that looks alike", "https://n8\u0578.example.com/rest/oauth2-credential/callback"],
    ["n8n Cloud, if this n8n is not on it", CLOUD],
    ["another instance on n8n Cloud", "https://acme.app.n8n.cloud/rest/oauth2-credential/callback"],
  ])("%s is refused", (_, uri) => {
    expect(isAllowed(uri)).toBe(false);
  });

  test("is refused if the list names neither it nor the default", () => {
    expect(isAllowed(CALLBACK, { ...ONE, ALLOWED_REDIRECT_HOSTS: "agents.example.com" })).toBe(false);
    expect(isAllowed(CALLBACK, { ...ONE, ALLOWED_REDIRECT_HOSTS: "loopback" })).toBe(false);
  });

  // It serves all customers: one of them could send a link to a user of ours and get the code at their own n8n.
  test("the shared callback of n8n Cloud is refused unless listed, even for an instance there", () => {
    const settings = { ...ONE, N8N_BASE_URL: "https://acme.app.n8n.cloud" };
    expect(isAllowed(CLOUD, settings)).toBe(false);
    expect(isAllowed(CLOUD, { ...settings, ALLOWED_REDIRECT_HOSTS: "default, n8n" })).toBe(false);
    expect(isAllowed(CLOUD, { ...settings, ALLOWED_REDIRECT_HOSTS: `default, ${CLOUD}` })).toBe(true);
  });

  test("another instance's callback on n8n Cloud is refused", () => {
    const settings = { ...ONE, N8N_BASE_URL: "https://acme.app.n8n.cloud" };
    expect(isAllowed("https://other.app.n8n.cloud/rest/oauth2-credential/callback", settings)).toBe(false);
    expect(isAllowed("https://oauth.n8n.cloud/oauth2/callback/", settings)).toBe(false);
    expect(isAllowed("https://oauth.n8n.cloud/", settings)).toBe(false);
  });
});

describe("the callbacks of several n8n instances", () => {
  const settings = {
    N8N_INSTANCES: JSON.stringify({
      prod: { baseUrl: "https://prod.example.com", apiKey: `${KEY}-1` },
      staging: {
        baseUrl: "https://staging.example.com/n8n",
        apiKey: `${KEY}-2`,
        editorUrl: "https://edit.example.com",
      },
    }),
  };

  test.each([
    "https://prod.example.com/rest/oauth2-credential/callback",
    "https://staging.example.com/n8n/rest/oauth2-credential/callback",
    "https://edit.example.com/rest/oauth2-credential/callback",
  ])("%s is allowed", (uri) => {
    expect(isAllowed(uri, settings)).toBe(true);
  });

  test.each([
    ["of a host that is no instance", "https://dev.example.com/rest/oauth2-credential/callback"],
    [
      "of one instance's host with the other's path",
      "https://prod.example.com/n8n/rest/oauth2-credential/callback",
    ],
    ["of an instance without its path", "https://staging.example.com/rest/oauth2-credential/callback"],
  ])("%s is refused", (_, uri) => {
    expect(isAllowed(uri, settings)).toBe(false);
  });
});

test("malformed n8n settings allow nothing, and disallow nothing else", () => {
  for (const settings of [{ N8N_BASE_URL: "http://n8n.example.com" }, { N8N_INSTANCES: "{" }, {}]) {
    expect(isAllowed(CALLBACK, settings)).toBe(false);
    expect(isAllowed("https://claude.ai/api/mcp/auth_callback", settings)).toBe(true);
  }
});
