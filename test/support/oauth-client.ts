/**
 * An OAuth client as the v1 SDK drives it, and a person who fills in the consent page: registration,
 * consent, passphrase, code, token, over real HTTP.
 */
import { auth, type OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from "@modelcontextprotocol/sdk/shared/auth.js";

const REDIRECT_URL = "http://127.0.0.1:33418/callback";

export class TestOAuthClient implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT_URL;
  readonly clientMetadata: OAuthClientMetadata = {
    client_name: "n8n-observer test client",
    redirect_uris: [REDIRECT_URL],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  authorizationUrl: URL | undefined;
  #information: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #codeVerifier = "";

  state(): string {
    return "state-of-the-test";
  }
  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.#information;
  }
  saveClientInformation(information: OAuthClientInformationMixed): void {
    this.#information = information;
  }
  tokens(): OAuthTokens | undefined {
    return this.#tokens;
  }
  saveTokens(tokens: OAuthTokens): void {
    this.#tokens = tokens;
  }
  forgetRefreshToken(): void {
    if (this.#tokens === undefined) return;
    const { refresh_token: _, ...rest } = this.#tokens;
    this.#tokens = rest;
  }
  redirectToAuthorization(authorizationUrl: URL): void {
    this.authorizationUrl = authorizationUrl;
  }
  saveCodeVerifier(codeVerifier: string): void {
    this.#codeVerifier = codeVerifier;
  }
  codeVerifier(): string {
    return this.#codeVerifier;
  }
}

/** Opens the consent page, allows (payloads too, if requested), and returns the redirect. */
export async function allow(
  authorizationUrl: URL,
  passphrase: string,
  allowData: boolean,
  fields: Readonly<Record<string, string>> = {},
): Promise<URL> {
  const page = await fetch(authorizationUrl);
  const html = await page.text();
  const handle = /name="handle" value="([^"]+)"/.exec(html)?.[1];
  if (handle === undefined) throw new Error(`No consent form: HTTP ${page.status}`);
  const cookie = page.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const form = new URLSearchParams({
    handle,
    passphrase,
    decision: "approve",
    scope: allowData ? "n8n:data" : "n8n:read",
    ...fields,
  });
  const answer = await fetch(authorizationUrl.origin + authorizationUrl.pathname, {
    method: "POST",
    redirect: "manual",
    headers: { cookie, origin: authorizationUrl.origin, "sec-fetch-mode": "cors" },
    body: form,
  });
  const location = answer.headers.get("location");
  if (location === null) throw new Error(`No redirect after consent: HTTP ${answer.status}`);
  return new URL(location);
}

/** Consents, and returns the code. */
async function consent(...given: Parameters<typeof allow>): Promise<string> {
  const destination = await allow(...given);
  if (destination.searchParams.get("state") !== "state-of-the-test")
    throw new Error("The state was not given back.");
  const code = destination.searchParams.get("code");
  if (code === null) throw new Error(`No code: ${destination.searchParams.get("error")}`);
  return code;
}

/** Signs in completely. The client has its tokens afterwards. @param fields further fields of the consent form */
export async function signIn(
  url: string,
  passphrase: string,
  allowData: boolean,
  fields: Readonly<Record<string, string>> = {},
): Promise<TestOAuthClient> {
  const client = new TestOAuthClient();
  if ((await auth(client, { serverUrl: url })) !== "REDIRECT")
    throw new Error("The server asked for no sign-in.");
  await finishSignIn(client, url, passphrase, allowData, fields);
  return client;
}

/** Consents to the client's last authorization request, and exchanges the code. */
export async function finishSignIn(
  client: TestOAuthClient,
  url: string,
  passphrase: string,
  allowData: boolean,
  fields: Readonly<Record<string, string>> = {},
): Promise<void> {
  if (client.authorizationUrl === undefined) throw new Error("The client was not sent to the consent page.");
  const authorizationCode = await consent(client.authorizationUrl, passphrase, allowData, fields);
  if ((await auth(client, { serverUrl: url, authorizationCode })) !== "AUTHORIZED")
    throw new Error("The code was not exchanged.");
}
