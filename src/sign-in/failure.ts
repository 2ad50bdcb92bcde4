/** Maps every failure outside of tools to what happened and what to do. A bug shows only an incident id. */
import { AuthorizationError } from "@cloudflare/workers-oauth-provider";
import { answerFailure, type Failure } from "../pages/answer-failure.ts";
import { ObserverError } from "../platform/errors.ts";
import type { SettingProblem } from "../settings/index.ts";
import { logIncident, logSettingProblem } from "./sign-in-log.ts";

export class RequestRefused extends Error {
  override readonly name = "RequestRefused";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

export function toFailure(error: unknown): Failure {
  if (error instanceof RequestRefused) return error.failure;
  if (error instanceof AuthorizationError) return toAuthorizationFailure(error);
  if (error instanceof ObserverError && error.code === "CONFIGURATION_ERROR") {
    return toSettingFailure({
      setting: error.details.field ?? "",
      problem: error.message,
      solution: error.details.solution,
    });
  }
  if (error instanceof ObserverError && error.code === "INTERRUPTED") return INTERRUPTED;
  return toIncident(error);
}

/** A Durable Object was reset during an operation that must not be repeated. */
const INTERRUPTED: Failure = {
  status: 503,
  code: "temporarily_unavailable",
  title: "This server has just been updated",
  message: "The server was updated in the middle of this request.",
  solution: "Try again. If that does not help, go back to your app and connect again.",
  retryAfter: 1,
};

/** Names the setting, which is not a secret, but never its value. */
export function toSettingFailure({ setting, problem, solution }: SettingProblem): Failure {
  logSettingProblem(setting, problem);
  return {
    status: 503,
    code: "server_error",
    title: "This server is not set up yet",
    message: problem,
    solution,
  };
}

/** The page shows it, because nothing may be sent to an unvalidated redirect URI (RFC 6749 §4.1.2.1). */
function toAuthorizationFailure(error: AuthorizationError): Failure {
  return {
    status: 400,
    code: error.code,
    title: "This sign-in cannot continue",
    message: `${error.description.replace(/\.$/, "")}.`,
    solution:
      "Go back to your app and connect again. If that does not help, remove the connector there and add it again.",
  };
}

function toIncident(error: unknown): Failure {
  const incident = crypto.randomUUID().slice(0, 8);
  logIncident(incident, error);
  return {
    status: 500,
    code: "server_error",
    title: "Something went wrong on our side",
    message: `The request failed unexpectedly (incident ${incident}).`,
    solution:
      "Try again in a minute. If it happens again, give the incident id to whoever runs this server: the log has it.",
  };
}

export const NOT_FOUND: Failure = {
  status: 404,
  code: "not_found",
  title: "There is nothing here",
  message: "No page and no endpoint has this address.",
  solution: "The MCP endpoint is /mcp. The start page, at /, shows how to connect.",
};

/** Errors go to the client (RFC 6749 §4.1.2.1) only with a `redirectTo`: then the library has checked its redirect URI. */
export function answerError(error: unknown, request: Request): Promise<Response> {
  if (error instanceof AuthorizationError && error.redirectTo !== undefined) {
    return Promise.resolve(Response.redirect(error.redirectTo, 302));
  }
  return answerFailure(request, toFailure(error));
}

export const refuseMethod = (): Response =>
  Response.json(
    { error: "method_not_allowed", error_description: "This address is only read: use GET." },
    { status: 405, headers: { Allow: "GET, HEAD", "Cache-Control": "no-store" } },
  );

export function refuseTooLarge(): never {
  throw new RequestRefused({
    status: 413,
    code: "invalid_request",
    title: "This form is too large",
    message: "The form is larger than this server accepts.",
    solution: "Go back to your app and connect again.",
  });
}
