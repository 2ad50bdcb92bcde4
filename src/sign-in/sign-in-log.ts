/**
 * Who signed in, who was refused, whose token was issued, refreshed or revoked: each as one line of the
 * activity log. It slows nothing and throws nothing.
 */
import type { SignInEvent } from "../activity-log/entry.ts";
import { recordActivity } from "../activity-log/record.ts";

export type { SignInEvent } from "../activity-log/entry.ts";

/** Logs the event now, and keeps it once the answer is on its way. */
export function logSignIn(event: SignInEvent): void {
  recordActivity({ time: new Date().toISOString(), ...event });
}
