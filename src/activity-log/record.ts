/**
 * Where each line of the audit goes: into the operator's log at once, and into the kept audit after the
 * answer. Neither slows a call, and neither can fail it; a line that could not be kept is said to be.
 */
import { env, waitUntil } from "cloudflare:workers";
import { auditLog } from "./audit-log.ts";
import { type AuditEntry, type AuditLine, auditEntry } from "./entry.ts";

/** Told with its time, for whatever is at hand. */
export function recordAudit(line: AuditLine): void {
  const { success, data: entry } = auditEntry.safeParse(line);
  if (!success) {
    // What is not of its form might hold what no line may; that it happened is told all the same.
    console.error(JSON.stringify({ event: "audit_refused", of: line.event, outcome: line.outcome }));
    return;
  }
  // A call that has not ended has a line of its own only in what is kept.
  if (entry.outcome !== "unfinished") console.log(JSON.stringify(entry));
  waitUntil(keep(entry));
}

async function keep(entry: AuditEntry): Promise<void> {
  try {
    const log = auditLog(env);
    // A call has an id, by which it is one line however often it is told.
    if (entry.event === "tool_call") await log.repeatable(async (object) => await object.put(entry));
    else await log.once(async (object) => await object.put(entry));
  } catch (error) {
    const kind = error instanceof Error ? error.name : "unknown";
    console.error(JSON.stringify({ event: "audit_not_kept", error: kind, entry }));
  }
}
