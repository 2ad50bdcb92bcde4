/** Serves `/mcp`, but never an empty 401: a browser gets a page that explains it, a client a body that says what to do. */
import { answerFailure, type Failure, wantsPage } from "../pages/answer-failure.ts";
import type { OAuthRequest } from "./oauth-roles.ts";

const NOT_A_PAGE: Failure = {
  status: 401,
  code: "invalid_token",
  title: "This address is for MCP clients",
  message: "It is the connector URL: there is nothing to see in a browser.",
  solution: "Paste this address into your MCP client, as the start page shows.",
};

const NOT_SIGNED_IN: Failure = {
  status: 401,
  code: "invalid_token",
  title: "Sign in first",
  message: "There is no access token with this request.",
  solution:
    "Sign in from your MCP client: it follows WWW-Authenticate. Without a browser, send Authorization: Bearer with a service token (setting SERVICE_TOKENS).",
};

/** Clients that are configured with a header show this unchanged, and offer no sign-in. */
const WRONG_TOKEN: Failure = {
  status: 401,
  code: "invalid_token",
  title: "Sign in again",
  message: "This access token is not valid here, or not any more.",
  solution:
    "Sign in again from your MCP client. If you gave it a service token, compare it with the one that whoever runs this server made for you: its SHA-256 must be listed in the setting SERVICE_TOKENS.",
};

function toFailure(request: Request): Failure {
  if (wantsPage(request)) return NOT_A_PAGE;
  return request.headers.has("Authorization") ? WRONG_TOKEN : NOT_SIGNED_IN;
}

export async function serveProtected({ request, env, ctx, roles }: OAuthRequest): Promise<Response> {
  const response = await roles.resourceServer.fetch(request, env, ctx);
  if (response.status !== 401) return response;
  const headers = new Headers(response.headers);
  headers.delete("Content-Length");
  return await answerFailure(request, toFailure(request), headers);
}
