/**
 * Who signed in, who was refused, whose token was issued, refreshed or revoked: each as one line of the
 * audit. It slows nothing and throws nothing.
 */
import type { SignInEvent } from "../activity-log/entry.ts";
import { recordAudit } from "../activity-log/record.ts";

export type { SignInEvent } from "../activity-log/entry.ts";

/** Logs the event now, and keeps it once the answer is on its way. */
export function logSignIn(event: SignInEvent): void {
  recordAudit({ time: new Date().toISOString(), ...event });
}
