/**
 * Who signed in, who was refused, whose token was issued, refreshed or revoked: each as one line of the
 * audit. It slows nothing and throws nothing.
 */
import type { SignInEvent } from "../audit/entry.ts";
import { recordAudit } from "../audit/record.ts";

export type { SignInEvent } from "../audit/entry.ts";

/** Logs the event now, and keeps it once the answer is on its way. */
export function logSignIn(event: SignInEvent): void {
  recordAudit({ time: new Date().toISOString(), ...event });
}
