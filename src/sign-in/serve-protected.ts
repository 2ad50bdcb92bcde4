/**
 * `/mcp` as it is asked from outside: the resource server's answer, but no empty 401. Someone who opens the
 * connector URL in a browser gets a page that says what it is for, a client a body that says what to do.
 */

import type { Failure } from "../pages/answer-failure.ts";
import { answerFailure, wantsPage } from "../pages/answer-failure.ts";
import type { OAuthRoles } from "./oauth-roles.ts";

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
  message: "There is no valid access token with this request.",
  solution:
    "Sign in from your MCP client: it follows WWW-Authenticate. Without a browser, send Authorization: Bearer with a service token (setting SERVICE_TOKENS).",
};

export async function serveProtected(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  roles: OAuthRoles,
): Promise<Response> {
  const response = await roles.resourceServer.fetch(request, env, ctx);
  if (response.status !== 401) return response;
  const headers = new Headers(response.headers);
  headers.delete("Content-Length");
  return await answerFailure(request, wantsPage(request) ? NOT_A_PAGE : NOT_SIGNED_IN, headers);
}
