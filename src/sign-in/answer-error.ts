/** Answers what was thrown, for every route: a redirect to the client where that is safe, else a failure. */
import { AuthorizationError } from "@cloudflare/workers-oauth-provider";
import { answerFailure, type Failure } from "../pages/answer-failure.ts";
import { RequestRefused, toFailure } from "./failure.ts";

export const NOT_FOUND: Failure = {
  status: 404,
  code: "not_found",
  title: "There is nothing here",
  message: "No page and no endpoint has this address.",
  solution: "The MCP endpoint is /mcp. The start page, at /, shows how to connect.",
};

/**
 * An authorization error goes back to the client (RFC 6749 §4.1.2.1) only when the library has
 * checked its redirect URI: then, and only then, there is a `redirectTo`.
 */
export function answerError(error: unknown, request: Request): Promise<Response> {
  if (error instanceof AuthorizationError && error.redirectTo !== undefined) {
    return Promise.resolve(Response.redirect(error.redirectTo, 302));
  }
  return answerFailure(request, toFailure(error));
}

/** For addresses that are only ever read. */
export const refuseMethod = (): Response =>
  Response.json(
    { error: "method_not_allowed", error_description: "This address is only read: use GET." },
    { status: 405, headers: { Allow: "GET, HEAD", "Cache-Control": "no-store" } },
  );

/** @throws RequestRefused always: the body is larger than the form can be. */
export function refuseTooLarge(): never {
  throw new RequestRefused({
    status: 413,
    code: "invalid_request",
    title: "This form is too large",
    message: "The form is larger than this server accepts.",
    solution: "Go back to your app and connect again.",
  });
}
