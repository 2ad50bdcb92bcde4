/**
 * What goes wrong between this server and the provider, as a refusal. Who signs in is told that it failed
 * and what to do; the log gets the slug of the check that failed. What was presented goes nowhere.
 */
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

interface Fault {
  readonly reason: string;
  /** Which check failed, where the library has a name for it. */
  readonly check?: string | undefined;
}

/** `undefined` for what is no fault of the provider's, but a bug of ours. */
export function toFault(error: unknown): Fault | undefined {
  if (error instanceof ProviderFault) return { reason: error.reason };
  if (error instanceof ResponseBodyError) return { reason: "provider_refused_code" };
  if (error instanceof WWWAuthenticateChallengeError) return { reason: "provider_refused_client" };
  if (error instanceof z.ZodError) return { reason: "provider_answer_malformed" };
  if (
    error instanceof OperationProcessingError ||
    error instanceof UnsupportedOperationError ||
    error instanceof AuthorizationResponseError
  ) {
    return { reason: "provider_answer_refused", check: error.code?.toLowerCase() };
  }
  return undefined;
}

/** @throws RequestRefused for a fault of the provider's, and what was thrown otherwise. */
export async function refusingFaults<T>(clientId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const fault = toFault(error);
    if (fault === undefined) throw error;
    logSignIn({ outcome: "refused", via: "oidc", clientId, ...fault });
    throw new RequestRefused({
      status: 502,
      code: "server_error",
      title: "Your organisation's sign-in did not work",
      message: "The identity provider could not be reached, or what it answered did not hold.",
      solution:
        "Go back to your app and connect again. If it stays, tell whoever runs this server: the log says what was wrong.",
    });
  }
}
