/** Refusals for errors of the provider. The log gets the slug of the failed check, never the values received. */
import {
  AuthorizationResponseError,
  OperationProcessingError,
  ResponseBodyError,
  UnsupportedOperationError,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";
import * as z from "zod";
import { RequestRefused } from "../failure.ts";
import { logSignIn } from "../sign-in-log.ts";
import { ProviderFault } from "./provider-fetch.ts";

/** Errors that the provider sends with the browser, if this server is registered wrongly there or the provider fails (RFC 6749 §4.1.2.1). */
const ANSWERED_ERRORS =
  /^(invalid_request|unauthorized_client|unsupported_response_type|invalid_scope|server_error|temporarily_unavailable)$/;

/** A slug for the log; `undefined` for a bug in our code. */
export function toReason(error: unknown): string | undefined {
  if (error instanceof ProviderFault) return error.reason;
  if (error instanceof ResponseBodyError) return "provider_refused_code";
  if (error instanceof WWWAuthenticateChallengeError) return "provider_refused_client";
  if (error instanceof AuthorizationResponseError && ANSWERED_ERRORS.test(error.error))
    return `provider_${error.error}`;
  if (error instanceof z.ZodError) return "provider_answer_malformed";
  if (
    error instanceof OperationProcessingError ||
    error instanceof UnsupportedOperationError ||
    error instanceof AuthorizationResponseError
  ) {
    // The library's own name for the check, such as `oauth_jwt_claim_comparison_failed`.
    return error.code?.toLowerCase() ?? "provider_answer_refused";
  }
  return undefined;
}

/** @throws RequestRefused for a provider fault; rethrows anything else */
export async function refuseProviderFaults<T>(clientId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const reason = toReason(error);
    if (reason === undefined) throw error;
    logSignIn({ outcome: "refused", via: "oidc", clientId, reason });
    throw new RequestRefused({
      status: 502,
      code: "server_error",
      title: "Your organisation's sign-in did not work",
      message:
        "The identity provider could not be reached, refused this sign-in, or gave an answer that failed a check.",
      solution:
        "Go back to your app and connect again. If it happens again, tell whoever runs this server: the log says what was wrong.",
    });
  }
}
