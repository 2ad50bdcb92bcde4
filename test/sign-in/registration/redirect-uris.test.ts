import { describe, expect, test } from "vitest";
import { readRegistrationSettings } from "../../../src/settings/index.ts";
import { isAllowedRedirectUri, toListableUri } from "../../../src/sign-in/registration/redirect-uris.ts";

const rulesOf = (setting?: string) => readRegistrationSettings({ ALLOWED_REDIRECT_HOSTS: setting }).redirects;
const isAllowed = (uri: string, setting?: string) => isAllowedRedirectUri(uri, rulesOf(setting));

describe("by default", () => {
  test.each([
    "https://claude.ai/api/mcp/auth_callback",
    "https://claude.com/api/mcp/auth_callback",
    "https://chatgpt.com/connector_platform_oauth_redirect",
    "https://chatgpt.com/connector/oauth/SvtDqU1r6I17",
    "https://vscode.dev/redirect",
    "https://insiders.vscode.dev/redirect",
    "https://www.cursor.com/agents/mcp/oauth/callback",
    "https://oauth.pstmn.io/v1/callback",
    "https://oauth.pstmn.io/v1/browser-callback",
    "http://127.0.0.1:41234/callback/3q2-7wAB_c1d",
    "http://127.0.0.1:41234/oauth_callback",
    "http://127.0.0.1:33418/",
    "http://127.0.0.1/",
    "http://localhost:6274/oauth/callback",
    "http://localhost/callback?more=1",
    "http://[::1]:9000/callback",
    "http://127.8.9.10:65535/deep/path",
  ])("%s is allowed", (uri) => {
    expect(isAllowed(uri)).toBe(true);
  });

  test.each([
    ["a trailing slash", "https://claude.ai/api/mcp/auth_callback/"],
    ["a query", "https://claude.ai/api/mcp/auth_callback?next=https://evil.example"],
    ["an empty query", "https://claude.ai/api/mcp/auth_callback?"],
    ["a fragment", "https://claude.ai/api/mcp/auth_callback#x"],
    ["an empty fragment", "https://claude.ai/api/mcp/auth_callback#"],
    ["another case of the path", "https://claude.ai/api/mcp/AUTH_callback"],
    ["another case of the host", "https://Claude.ai/api/mcp/auth_callback"],
    ["user info", "https://evil@claude.ai/api/mcp/auth_callback"],
    ["the host as user info", "https://claude.ai@evil.example/api/mcp/auth_callback"],
    ["the host before a backslash", "https://evil.example\\@claude.ai/api/mcp/auth_callback"],
    ["a subdomain of another host", "https://claude.ai.evil.example/api/mcp/auth_callback"],
    ["a host with the same ending", "https://evilclaude.ai/api/mcp/auth_callback"],
    ["a subdomain", "https://www.claude.ai/api/mcp/auth_callback"],
    ["a letter that looks alike", "https://clаude.ai/api/mcp/auth_callback"],
    ["a dot at the end of the host", "https://claude.ai./api/mcp/auth_callback"],
    ["a port", "https://claude.ai:8443/api/mcp/auth_callback"],
    ["the default port", "https://claude.ai:443/api/mcp/auth_callback"],
    ["http", "http://claude.ai/api/mcp/auth_callback"],
    ["a path that leads elsewhere", "https://claude.ai/api/mcp/auth_callback/../../evil"],
    ["a path that leads back", "https://claude.ai/x/../api/mcp/auth_callback"],
    ["an encoded letter", "https://claude.ai/api/mcp/auth%5Fcallback"],
    ["encoded dots", "https://claude.ai/%2e%2e/api/mcp/auth_callback"],
    ["two slashes", "https://claude.ai//api/mcp/auth_callback"],
    ["space before", " https://claude.ai/api/mcp/auth_callback"],
    ["a line break inside", "https://claude.ai/api/mcp/auth_\ncallback"],
    ["one segment too few", "https://chatgpt.com/connector/oauth/"],
    ["one segment too many", "https://chatgpt.com/connector/oauth/a/b"],
    ["dots for the segment", "https://chatgpt.com/connector/oauth/.."],
    ["encoded dots for the segment", "https://chatgpt.com/connector/oauth/%2e%2e"],
    ["an encoded slash in the segment", "https://chatgpt.com/connector/oauth/a%2Fb"],
    ["a query after the segment", "https://chatgpt.com/connector/oauth/a?b"],
    ["the star itself", "https://chatgpt.com/connector/oauth/*"],
    [
      "Copilot Studio's, which tenants of Microsoft share",
      "https://global.consent.azure-apim.net/redirect/cr4a1-5fn8n-2dobserver-5f9c1d2e3f4a5b6c7d",
    ],
    ["Copilot Studio's without a connector", "https://global.consent.azure-apim.net/redirect"],
    ["another path of its host", "https://global.consent.azure-apim.net/login/x"],
    ["a region of it, which it never registers", "https://asia-001.consent.azure-apim.net/redirect/x"],
    ["another service of Azure's", "https://evil.azure-apim.net/redirect/x"],
    ["another page of Postman's", "https://oauth.pstmn.io/v1/other"],
    ["a stage of Postman's", "https://oauth.pstmn-stage.io/v1/callback"],
    [
      "Cloudflare's playground, whose codes go to whoever made the link",
      "https://playground.ai.cloudflare.com/agents/playground/x/callback",
    ],
    ["a host that begins like loopback", "http://localhost.evil.example/callback"],
    ["an address that begins like loopback", "http://127.0.0.1.evil.example/callback"],
    ["loopback as user info", "http://localhost@evil.example/callback"],
    ["user info at loopback", "http://evil@localhost/callback"],
    ["a password alone at loopback", "http://:secret@localhost/callback"],
    ["a fragment at loopback", "http://localhost/callback#"],
    ["https at loopback", "https://localhost/callback"],
    ["another scheme at loopback", "cursor://localhost/callback"],
    ["all addresses", "http://0.0.0.0/callback"],
    ["a neighbour", "http://192.168.0.10/callback"],
    ["a private-use scheme", "cursor://anysphere.cursor-mcp/oauth/callback"],
    ["a scheme that runs code", "javascript:alert(1)"],
    ["no address", "claude.ai"],
    ["nothing", ""],
  ])("%s is refused", (_, uri) => {
    expect(isAllowed(uri)).toBe(false);
  });
});

describe("a custom list", () => {
  test("replaces the default unless it names it", () => {
    const uri = "https://claude.ai/api/mcp/auth_callback";
    expect(isAllowed(uri, "agents.example.com")).toBe(false);
    expect(isAllowed("http://localhost/callback", "agents.example.com")).toBe(false);
    expect(isAllowed(uri, "agents.example.com, default")).toBe(true);
    expect(isAllowed("http://localhost/callback", "loopback")).toBe(true);
  });

  test("allows every path of a listed host, over https and at its own port", () => {
    const setting = "agents.example.com, tools.example.com:8443";
    expect(isAllowed("https://agents.example.com/any/path?and=query", setting)).toBe(true);
    expect(isAllowed("https://tools.example.com:8443/callback", setting)).toBe(true);
    for (const uri of [
      "http://agents.example.com/callback",
      "https://agents.example.com:8443/callback",
      "https://tools.example.com/callback",
      "https://x.agents.example.com/callback",
      "https://agents.example.com.evil.example/callback",
      "https://agents.example.com@evil.example/callback",
      "https://:secret@agents.example.com/callback",
      "https://evil.example/agents.example.com",
      "https://agents.example.com\\@evil.example/callback",
    ]) {
      expect(isAllowed(uri, setting)).toBe(false);
    }
  });

  test("allows a whole callback as it is", () => {
    const setting = "https://n8n.example.com/rest/oauth2-credential/callback";
    expect(isAllowed(setting, setting)).toBe(true);
    expect(isAllowed("https://n8n.example.com/", setting)).toBe(false);
  });
});

describe("a refused callback is quoted", () => {
  test.each([
    ["whole", "https://agents.example.com/callback", "https://agents.example.com/callback"],
    [
      "without its query, which may hold a secret",
      "https://agents.example.com/cb?token=secret",
      "https://agents.example.com/cb",
    ],
    [
      "with quotation marks encoded",
      'https://agents.example.com/"><b>',
      "https://agents.example.com/%22%3E%3Cb%3E",
    ],
    ["with its port", "http://10.0.0.7:3000/callback", "http://10.0.0.7:3000/callback"],
    ["up to 200 characters", `https://a.example/${"x".repeat(182)}`, `https://a.example/${"x".repeat(182)}`],
  ])("%s", (_, uri, shown) => {
    expect(toListableUri(uri)).toBe(shown);
  });

  test.each([
    ["user info", "https://claude.ai@evil.example/"],
    ["a password", "https://user:secret@agents.example.com/"],
    ["a password alone", "https://:secret@agents.example.com/"],
    ["look-alike letters", "https://\u0441laude.ai/callback"],
    ["a line break", "https://agents.example.com/\ncallback"],
    ["a backslash", "https://claude.ai\\@evil.example/"],
    ["a scheme of its own", "windsurf://callback"],
    ["a scheme that ends like the web's", "xhttps://agents.example.com/callback"],
    ["a scheme that begins like the web's", "https-x://agents.example.com/callback"],
    ["more than anyone reads", `https://agents.example.com/${"x".repeat(200)}`],
    ["no address", "claude.ai"],
  ])("not if it has %s", (_, uri) => {
    expect(toListableUri(uri)).toBeUndefined();
  });
});
