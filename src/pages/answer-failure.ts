/** Answers a failure as a page for people or as JSON for programs. */
import { failurePage } from "./failure.tsx";
import { pageResponse } from "./respond.ts";

/** The content of both the page and the JSON form. */
export interface Failure {
  readonly status: number;
  /** OAuth error code (RFC 6749 §4.1.2.1, §5.2), for the JSON form. */
  readonly code: string;
  /** A few words, for the heading of the page. */
  readonly title: string;
  readonly message: string;
  readonly solution: string;
  /** Seconds after which the same request may go through. */
  readonly retryAfter?: number;
}

/** `headers` go with either form, for example the challenge of a 401. */
export async function answerFailure(
  request: Request,
  failure: Failure,
  headers = new Headers(),
): Promise<Response> {
  if (failure.retryAfter !== undefined) headers.set("Retry-After", String(failure.retryAfter));
  if (wantsPage(request)) return pageResponse(failurePage(failure), failure.status, headers);
  headers.set("Cache-Control", "no-store");
  const { code, message, solution } = failure;
  const body = { error: code, error_description: `${message} ${solution}` };
  return Response.json(body, { status: failure.status, headers });
}

/** Browsers ask for HTML by name; MCP and OAuth clients do not. */
export const wantsPage = (request: Request): boolean =>
  request.headers.get("Accept")?.includes("text/html") ?? false;
