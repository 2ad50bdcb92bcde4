/**
 * Writes each line of the activity log: to Workers Logs at once, and to the stored log after the
 * answer. Neither can delay or fail a call; a line that could not be stored is reported.
 */
import { env, waitUntil } from "cloudflare:workers";
import { systemClock } from "../platform/clock.ts";
import { log } from "../platform/log.ts";
import { activityLog } from "./activity-log.ts";
import { type ActivityEntry, type ActivityLine, activityEntry, type ToolCallEntry } from "./entry.ts";

/** A call that has ended by then is one line, and the lines of all calls that have are one call of the stored log. */
const STORED_AFTER_MS = 250;

/** The newest line of each call of which one waits to be stored, by the call's id. */
const waiting = new Map<string, ToolCallEntry>();

export function recordActivity(line: ActivityLine): void {
  // Running calls appear only in the stored log.
  if (line.event === "tool_call" && line.outcome === "unfinished") storeSoon(line);
  else recordEnd(line);
}

function recordEnd(line: ActivityLine): void {
  const entry = toEntry(line);
  if (entry === undefined) return;
  console.log(JSON.stringify(entry));
  if (entry.event === "tool_call") storeSoon(entry);
  else waitUntil(keep([entry]));
}

/** What is waited for outlives a client that goes away. Each call has a timer of its own: none relies on another's. */
function storeSoon(line: ToolCallEntry): void {
  const { callId } = line;
  const isNew = !waiting.has(callId);
  waiting.set(callId, line);
  if (isNew) waitUntil(systemClock.sleep(STORED_AFTER_MS).then(async () => await storeWaiting(callId)));
}

/** Stores the lines of all calls that have ended, and that of one whose time has come, unless another call stored it. */
async function storeWaiting(callId: string): Promise<void> {
  if (!waiting.has(callId)) return;
  const due = [...waiting.values()].filter((each) => each.callId === callId || each.outcome !== "unfinished");
  for (const each of due) waiting.delete(each.callId);
  const entries = due.flatMap((each) => (each.outcome === "unfinished" ? (toEntry(each) ?? []) : each));
  if (entries.length > 0) await keep(entries);
}

function toEntry(line: ActivityLine): ActivityEntry | undefined {
  const { success, data: entry } = activityEntry.safeParse(line);
  if (success) return entry;
  // A malformed entry might contain forbidden text, so only the fact is logged.
  log({ event: "audit_refused", of: line.event, outcome: line.outcome });
  return undefined;
}

/** @param entries of calls, or one of a sign-in */
async function keep(entries: readonly ActivityEntry[]): Promise<void> {
  try {
    const log = activityLog(env);
    // A call has an id, so it is one line however often it is reported.
    if (entries.every(({ event }) => event === "tool_call"))
      await log.repeatable(async (object) => await object.put(entries));
    else await log.once(async (object) => await object.put(entries));
  } catch (error) {
    const kind = error instanceof Error ? error.name : "unknown";
    const [entry, ...others] = entries;
    if (others.length === 0) log({ event: "audit_not_kept", error: kind, entry });
    // A line that the log refuses must not take others with it.
    else await Promise.all(entries.map(async (each) => await keep([each])));
  }
}
