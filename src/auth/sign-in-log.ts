/**
 * Who signed in, who was refused, whose token was issued, refreshed or revoked: each as one line of the
 * audit. It slows nothing and throws nothing.
 */
import { type SignInEvent, signInEvent } from "../audit/entry.ts";
import { recordAudit } from "../audit/record.ts";

export type { SignInEvent } from "../audit/entry.ts";

/** Logs the event now, and keeps it once the answer is on its way. */
export function logSignIn(event: SignInEvent): void {
  const { success, data } = signInEvent.safeParse(event);
  // What is not of this form might hold what no line may; that it happened is told all the same.
  if (!success) console.error(JSON.stringify({ event: "audit_refused", outcome: event.outcome }));
  else recordAudit({ time: new Date().toISOString(), ...data });
}
