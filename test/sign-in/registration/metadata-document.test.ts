import { describe, expect, test } from "vitest";
import { readRegistrationSettings } from "../../../src/settings/index.ts";
import {
  isReadableDocumentUrl,
  toDocumentClient,
} from "../../../src/sign-in/registration/metadata-document.ts";

const HOSTS = ["apps.example"];
const URL_OF_IT = "https://apps.example/oauth/client.json";
const settings = readRegistrationSettings({ CLIENT_ID_DOCUMENTS: "apps.example" });

describe("a document's URL", () => {
  test("is read on a listed host", () => {
    expect(isReadableDocumentUrl(URL_OF_IT, HOSTS)).toBe(true);
  });

  test.each([
    ["of another host", "https://evil.example/client.json"],
    ["of a subdomain", "https://x.apps.example/client.json"],
    ["of a host with the same ending", "https://evilapps.example/client.json"],
    ["of a host with the same beginning", "https://apps.example.evil.example/client.json"],
    ["with the host as user info", "https://apps.example@evil.example/client.json"],
    ["with user info", "https://user@apps.example/client.json"],
    ["with a backslash", "https://evil.example\\@apps.example/client.json"],
    ["over http", "http://apps.example/client.json"],
    ["at another port", "https://apps.example:8443/client.json"],
    ["with the default port spelled out", "https://apps.example:443/client.json"],
    ["without a path", "https://apps.example/"],
    ["without even a slash", "https://apps.example"],
    ["with a query", `${URL_OF_IT}?to=https://evil.example`],
    ["with a fragment", `${URL_OF_IT}#x`],
    ["with dots", "https://apps.example/open/../client.json"],
    ["with encoded dots", "https://apps.example/%2e%2e/client.json"],
    ["in capitals", "https://APPS.example/client.json"],
    ["with capitals in its scheme", "HTTPS://apps.example/client.json"],
    ["with a space", "https://apps.example/client.json "],
    ["that is far too long", `https://apps.example/${"x".repeat(600)}`],
  ])("%s is not read", (_, url) => {
    expect(isReadableDocumentUrl(url, HOSTS)).toBe(false);
  });

  test("is not read while no host is listed", () => {
    expect(isReadableDocumentUrl(URL_OF_IT, [])).toBe(false);
  });

  test("is read if it alone is listed, unlike others of its host", () => {
    expect(isReadableDocumentUrl(URL_OF_IT, [URL_OF_IT])).toBe(true);
    expect(isReadableDocumentUrl(`${URL_OF_IT}/x`, [URL_OF_IT])).toBe(false);
  });
});

describe("a document", () => {
  const good = {
    client_id: URL_OF_IT,
    client_name: "An app",
    redirect_uris: ["http://127.0.0.1/callback", "https://vscode.dev/redirect"],
  };
  const clientOf = (changes: Record<string, unknown>) =>
    toDocumentClient(URL_OF_IT, { ...good, ...changes }, settings);

  test("describes a public client that uses the code grant", () => {
    expect(clientOf({})).toEqual({
      clientId: URL_OF_IT,
      clientName: "An app",
      redirectUris: good.redirect_uris,
      grantTypes: ["authorization_code", "refresh_token"],
      responseTypes: ["code"],
      tokenEndpointAuthMethod: "none",
    });
  });

  test("may list other grants, methods and callbacks, which are ignored", () => {
    const client = clientOf({
      grant_types: ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"],
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
      redirect_uris: [...good.redirect_uris, "https://evil.example/callback", "vscode://callback"],
    });
    expect(client?.redirectUris).toEqual(good.redirect_uris);
    expect(client?.grantTypes).toEqual(["authorization_code", "refresh_token"]);
  });

  test.each([
    ["about another address", { client_id: "https://apps.example/other.json" }],
    ["about nothing", { client_id: undefined }],
    ["without a name", { client_name: " " }],
    ["with a long name", { client_name: "x".repeat(201) }],
    ["without a callback", { redirect_uris: [] }],
    ["with no callback on the list", { redirect_uris: ["https://evil.example/callback"] }],
    ["with a hundred callbacks", { redirect_uris: Array.from({ length: 100 }, () => "http://localhost/") }],
    ["with a secret", { client_secret: "public knowledge" }],
    ["with the end of a secret", { client_secret_expires_at: 0 }],
    ["of a client that needs a key", { token_endpoint_auth_method: "private_key_jwt" }],
    ["of a client that needs a secret", { token_endpoint_auth_method: "client_secret_basic" }],
    ["of a client without the code grant", { grant_types: ["client_credentials"] }],
    ["of a client that wants tokens at once", { response_types: ["token"] }],
  ])("%s is rejected", (_, changes) => {
    expect(clientOf(changes)).toBeUndefined();
  });

  test.each([null, [], "text", 42])("that is %o is rejected", (value) => {
    expect(toDocumentClient(URL_OF_IT, value, settings)).toBeUndefined();
  });
});
