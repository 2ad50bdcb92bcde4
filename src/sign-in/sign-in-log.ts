/**
 * The log of sign-in. The operator's log gets faults as stable slugs, and the address of a refused callback: never a
 * token, a code, a client's own text, or a URL with its query, which may contain any of them. Nothing here throws.
 */
import type { SignInEvent } from "../activity-log/entry.ts";
import { recordActivity } from "../activity-log/record.ts";
import { keepLast } from "../platform/bounded-collections.ts";
import { describeBug } from "../platform/errors.ts";
import { log } from "../platform/log.ts";

/** Records sign-ins, refusals, and issued or revoked tokens: logged now, stored after the answer. */
export function logSignIn(event: Omit<SignInEvent, "event">): void {
  recordActivity({ event: "sign_in", time: new Date().toISOString(), ...event });
}

interface OAuthErrorEvent {
  readonly code: string;
  readonly status: number;
  readonly internal: { readonly category: string; readonly reason: string };
}

/** Logs which check of the OAuth endpoints failed, not what was presented. */
export function logOAuthError({ code, status, internal }: OAuthErrorEvent): void {
  const { category, reason } = internal;
  console.warn(JSON.stringify({ event: "oauth_error", status, code, category, reason }));
}

/** Logs that the grant's ledger could not record the end of a request to the provider. */
export function logLedgerFailed(error: unknown): void {
  console.warn(JSON.stringify({ event: "grant_ledger_failed", ...describeBug(error) }));
}

/** Logs that the provider did not confirm a person whose sign-in continues for now. */
export function logProviderSilent(reason: string): void {
  console.warn(JSON.stringify({ event: "provider_silent", reason }));
}

export type RegistrationRefusalReason =
  | "too_many_registrations"
  | "registration_off"
  | "metadata_not_allowed"
  | "document_host_not_listed"
  | "document_unusable"
  | "document_unavailable";

export function logRegistrationRefused(reason: RegistrationRefusalReason): void {
  console.warn(JSON.stringify({ event: "registration_refused", reason }));
}

const MAXIMUM_REMEMBERED_CALLBACKS = 100;
const loggedCallbacks = new Set<string>();

/** Logs a callback from `toListableUri`, none of the latest hundred twice, since anyone can cause this line. */
export function logCallbackRefused(callback: string | undefined): void {
  const key = callback ?? "";
  if (loggedCallbacks.has(key)) return;
  loggedCallbacks.add(key);
  keepLast(loggedCallbacks, MAXIMUM_REMEMBERED_CALLBACKS);
  const reason = "callback_not_allowed";
  const setting = "ALLOWED_REDIRECT_HOSTS";
  console.warn(JSON.stringify({ event: "registration_refused", reason, setting, callback }));
}

const alreadyLogged = new Set<string>();

/** Logs a wrong setting once per isolate, since anyone can cause this line. */
export function logSettingProblem(setting: string, problem: string): void {
  if (alreadyLogged.has(setting)) return;
  alreadyLogged.add(setting);
  log({ event: "setting_problem", setting, problem });
}

/** Logs a bug under the shown incident id, without its message, which could quote the request. */
export function logIncident(incident: string, error: unknown): void {
  log({ event: "incident", incident, ...describeBug(error) });
}
