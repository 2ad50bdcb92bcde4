/**
 * `/mcp` as it is asked from outside: the resource server's answer, apart from one case. Someone who
 * opens the connector URL in a browser gets a page that says what it is for, not an empty 401.
 */
import { answerFailure, wantsPage } from "../pages/answer-failure.ts";
import type { Failure } from "./failure.ts";
import type { OAuthRoles } from "./oauth-roles.ts";

const NOT_A_PAGE: Failure = {
  status: 401,
  code: "invalid_token",
  title: "This address is for MCP clients",
  message: "It is the connector URL: there is nothing to see in a browser.",
  solution: "Paste this address into your MCP client, as the start page shows.",
};

export async function serveProtected(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  roles: OAuthRoles,
): Promise<Response> {
  const response = await roles.resourceServer.fetch(request, env, ctx);
  if (response.status !== 401 || !wantsPage(request)) return response;
  return answerFailure(request, NOT_A_PAGE, new Headers(response.headers));
}
