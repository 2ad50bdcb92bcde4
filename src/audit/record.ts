/** Where each line of the audit goes: into the operator's log. */
import type { AuditEntry } from "./entry.ts";

export function recordAudit(entry: AuditEntry): void {
  console.log(JSON.stringify(entry));
}
