/**
 * Writes each line of the activity log: to Workers Logs at once, and to the stored log after the
 * answer. Neither can delay or fail a call; a line that could not be stored is reported.
 */
import { env, waitUntil } from "cloudflare:workers";
import { activityLog } from "./activity-log.ts";
import { type ActivityEntry, type ActivityLine, activityEntry } from "./entry.ts";

/** A call that has ended by then is one line, and one call of the stored log. */
const BEGINNING_AFTER_MS = 250;

/** Calls whose beginning is not stored yet, by id: what to do when they end. */
const beginning = new Map<string, () => void>();

export function recordActivity(line: ActivityLine): void {
  // Running calls appear only in the stored log.
  if (line.event === "tool_call" && line.outcome === "unfinished") waitUntil(recordBeginning(line));
  else recordEnd(line);
}

function recordEnd(line: ActivityLine): void {
  if (line.event === "tool_call") beginning.get(line.callId)?.();
  const entry = toEntry(line);
  if (entry === undefined) return;
  console.log(JSON.stringify(entry));
  waitUntil(keep(entry));
}

/** Stores that a call has begun, unless it ends in time. What is waited for outlives a client that goes away. */
async function recordBeginning(line: Extract<ActivityLine, { event: "tool_call" }>): Promise<void> {
  const { callId } = line;
  const hasEnded = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), BEGINNING_AFTER_MS);
    beginning.set(callId, () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
  beginning.delete(callId);
  const entry = hasEnded ? undefined : toEntry(line);
  if (entry !== undefined) await keep(entry);
}

function toEntry(line: ActivityLine): ActivityEntry | undefined {
  const { success, data: entry } = activityEntry.safeParse(line);
  if (success) return entry;
  // A malformed entry might contain forbidden text, so only the fact is logged.
  console.error(JSON.stringify({ event: "audit_refused", of: line.event, outcome: line.outcome }));
  return undefined;
}

async function keep(entry: ActivityEntry): Promise<void> {
  try {
    const log = activityLog(env);
    // A call has an id, so it is one line however often it is reported.
    if (entry.event === "tool_call") await log.repeatable(async (object) => await object.put(entry));
    else await log.once(async (object) => await object.put(entry));
  } catch (error) {
    const kind = error instanceof Error ? error.name : "unknown";
    console.error(JSON.stringify({ event: "audit_not_kept", error: kind, entry }));
  }
}
