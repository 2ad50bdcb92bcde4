/**
 * Maps failures of n8n (or the network) to the error taxonomy. The text of n8n's own answer is never
 * passed on: it is another system's text, and may contain anything.
 */
import * as z from "zod";
import { JsonReadError } from "../json/errors.ts";
import { counted } from "../platform/counted.ts";
import { ObserverError, OWN_KEY } from "../platform/errors.ts";
import { N8N_KEY_SCOPES } from "../platform/n8n-key-scopes.ts";
import { errorInFront, isRefusalOfN8n } from "./in-front.ts";
import { type Refusal, readRefusal } from "./refusal.ts";
import { UNKNOWN_FORM } from "./schemas.ts";

/** The purpose of a request, so that its error can name it. */
export interface Endpoint {
  /** n8n's API key scope that the endpoint needs, such as `execution:list`. */
  readonly scope: string;
  /** What a 404 means here. Without it, a 404 means that N8N_BASE_URL is wrong. */
  readonly notFound?: () => ObserverError;
}

const RETRY_AFTER_DEFAULT_SECONDS = 10;

/** A rate limit without `Retry-After`: the time in its details is a guess, for callers. */
export class UnspecificLimit extends ObserverError {}

/** The `Retry-After` of n8n or of a proxy, given as seconds or as a date, in seconds; undefined when there is none. */
export function retryAfterSeconds({ status, headers }: Response): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const given = headers.get("retry-after") ?? "";
  // Compared with the sender's own clock, if the answer has its `Date`.
  const now = Date.parse(headers.get("date") ?? "") || Date.now();
  const seconds = /[a-z]/i.test(given) ? (Date.parse(given) - now) / 1_000 : Number(given);
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : undefined;
}

/** What a person does about their own key. */
const GIVE_ANOTHER_KEY =
  "Then connect again in your app (on the page: sign out and in), and give the new key there.";

/** @param isOwnKey the key is the caller's own, so that only they can replace it */
function refusedKey(status: 401 | 403, scope: string, isOwnKey: boolean): ObserverError {
  const field = isOwnKey ? OWN_KEY : "N8N_API_KEY";
  const next = isOwnKey ? `. ${GIVE_ANOTHER_KEY}` : " and set N8N_API_KEY.";
  if (status === 401)
    return new ObserverError(
      "N8N_UNAUTHORIZED",
      isOwnKey ? "n8n does not accept your API key." : "n8n does not accept the API key.",
      {
        field,
        solution: `The key was deleted or has expired, or belongs to another instance. Create a new one in n8n under Settings > n8n API${next}`,
      },
    );
  return new ObserverError(
    "N8N_FORBIDDEN",
    isOwnKey ? `Your n8n API key lacks the scope ${scope}.` : `The API key lacks the scope ${scope}.`,
    {
      field,
      expected: scope,
      solution: `Create a key in n8n under Settings > n8n API with all of these scopes: ${N8N_KEY_SCOPES.join(", ")}${next}`,
    },
  );
}

/** The error for an answer that is not 2xx. @param body the beginning of a refusal's body; otherwise empty */
export function toStatusError(
  response: Response,
  endpoint: Endpoint,
  requestUrl: string,
  body: string,
  isOwnKey: boolean,
): ObserverError {
  const inFront = errorInFront(response, requestUrl, body);
  if (inFront !== undefined) return inFront;
  const { status } = response;
  if (status === 401 || status === 403) return refusedKey(status, endpoint.scope, isOwnKey);
  if (status === 404) {
    // A host or proxy also answers 404 while n8n restarts: that does not mean that something was deleted.
    const notFound = isRefusalOfN8n(response, body) ? endpoint.notFound : undefined;
    return notFound?.() ?? wrongBaseUrl();
  }
  if (status === 429) {
    const given = retryAfterSeconds(response);
    const retryAfter = given ?? RETRY_AFTER_DEFAULT_SECONDS;
    const Limit = given === undefined ? UnspecificLimit : ObserverError;
    return new Limit("N8N_RATE_LIMITED", "n8n, or a proxy in front of it, limits the number of requests.", {
      retryAfter,
      solution: `Wait ${counted(retryAfter, "second")}, then call again. If it happens often: since n8n 2.47, its admin can set how many requests an API key may make.`,
    });
  }
  // A proxy's refusal says nothing about what n8n supports.
  if (status === 400 && isRefusalOfN8n(response, body)) return refusedError(readRefusal(body));
  if (status >= 500) {
    const retryAfter = retryAfterSeconds(response);
    const wait = retryAfter === undefined ? "a moment" : counted(retryAfter, "second");
    return new ObserverError(
      "N8N_UNREACHABLE",
      `n8n, or a proxy in front of it, failed with HTTP ${status}.`,
      {
        httpStatus: status,
        ...(retryAfter === undefined ? {} : { retryAfter }),
        solution: `Call again in ${wait}. If it happens again, look at the logs of n8n and of its proxy.`,
      },
    );
  }
  return new ObserverError("N8N_BAD_RESPONSE", `n8n gave an unexpected answer: HTTP ${status}.`, {
    httpStatus: status,
    solution:
      "Check with check_connection that N8N_BASE_URL leads to n8n and not to something in front of it.",
  });
}

function refusedError(refused: Refusal): ObserverError {
  const { parameter, allowed } = refused;
  if (parameter === "status" && allowed.length > 0) {
    return new ObserverError("N8N_BAD_RESPONSE", "This n8n does not filter executions by that status.", {
      httpStatus: 400,
      refused,
      field: "status",
      expected: `one of ${allowed.join(", ")}`,
      solution: "Call again with one of these, or without status.",
    });
  }
  return new ObserverError("N8N_BAD_RESPONSE", "n8n refused the request as malformed.", {
    httpStatus: 400,
    refused,
    solution:
      "If a cursor was given, leave it out and begin again: it may belong to another list. Otherwise this version of n8n may be too old: call check_connection.",
  });
}

function wrongBaseUrl(): ObserverError {
  return new ObserverError(
    "N8N_BAD_RESPONSE",
    "n8n does not know this address, or something in front of it answered.",
    {
      field: "N8N_BASE_URL",
      solution:
        "If n8n restarts, call again in a moment. Otherwise set N8N_BASE_URL to the final address of n8n, without /api/v1, and check that its public API is switched on. If n8n serves it at another path, set N8N_API_PATH.",
    },
  );
}

/** The error for an answer that is not JSON: n8n sends a text while it migrates its database. */
export function toTextError(body: string): ObserverError {
  if (!body.startsWith("n8n is starting up")) return toBadResponse("it is not JSON");
  const details = { retryAfter: 5, solution: "Call again in 5 seconds." };
  return new ObserverError("N8N_UNREACHABLE", "n8n is starting up.", details);
}

/** The error for an answer that cannot come from a known n8n. */
export function toBadResponse(what: string): ObserverError {
  return new ObserverError("N8N_BAD_RESPONSE", `n8n's answer cannot be used: ${what}.`, {
    solution:
      "Check with check_connection that N8N_BASE_URL leads to n8n and not to a login page or proxy in front of it. If it does, this server may not know this version of n8n.",
  });
}

/** The error for whatever was thrown while sending or reading. An `ObserverError` passes through. */
export function toTransportError(error: unknown, timeoutMs: number): unknown {
  if (error instanceof ObserverError) return error;
  if (error instanceof JsonReadError || error instanceof SyntaxError)
    return toBadResponse("it is broken JSON");
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    if (issue?.message === UNKNOWN_FORM) return toBadResponse(UNKNOWN_FORM);
    const path = issue?.path.join(".") ?? "";
    return toBadResponse(`its shape is not the documented one${path === "" ? "" : ` (at ${path})`}`);
  }
  if (error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError")) {
    return new ObserverError("N8N_TIMEOUT", `n8n did not answer within ${timeoutMs} ms.`, {
      timeoutMs,
      solution:
        "Call again, with a narrower window (workflowId, startedAfter) or a smaller limit. If it happens again, n8n is overloaded.",
    });
  }
  if (error instanceof Error) {
    return new ObserverError("N8N_UNREACHABLE", "n8n cannot be reached, or the connection broke off.", {
      field: "N8N_BASE_URL",
      solution: "Check that n8n runs, and that N8N_BASE_URL is an address of n8n that this server can reach.",
    });
  }
  return error;
}

/** True when n8n's answer, or the slot for the request, did not come in time. */
export const isOutOfTime = (error: unknown): boolean =>
  error instanceof ObserverError && (error.code === "N8N_TIMEOUT" || error.code === "RATE_LIMITED");

export function executionNotFound(id: string): ObserverError {
  return new ObserverError("EXECUTION_NOT_FOUND", `There is no execution ${id}.`, {
    field: "id",
    solution:
      "It was deleted or pruned by n8n, or never existed; or the role behind the API key lacks execution:read in its project (n8n 2.41 and later). get_workflow_executions lists the ones that exist.",
  });
}

export function workflowNotFound(id: string): ObserverError {
  return new ObserverError("WORKFLOW_NOT_FOUND", `There is no workflow ${id}.`, {
    field: "workflowId",
    solution:
      "list_workflows lists the ones that exist; set active to false for those that are not published.",
  });
}

export function versionNotFound(id: string): ObserverError {
  return new ObserverError("WORKFLOW_NOT_FOUND", `Workflow ${id} has no such version.`, {
    field: "versionId",
    solution: `n8n keeps versions for a limited time. diff_workflow({"workflowId":"${id}"}) lists the newest.`,
  });
}

export function historyUnknown(id: string): ObserverError {
  return new ObserverError(
    "WORKFLOW_NOT_FOUND",
    `There is no workflow ${id}, or this n8n gives no history.`,
    {
      field: "workflowId",
      solution:
        "list_workflows lists the workflows. Where n8n is too old to list versions, compare with an export: diff_workflow with against.",
    },
  );
}
