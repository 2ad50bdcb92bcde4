/** Writes each line to Workers Logs at once, and to the stored log after the answer. Neither can delay or fail a call. */
import { env, waitUntil } from "cloudflare:workers";
import { systemClock } from "../platform/clock.ts";
import { log } from "../platform/log.ts";
import { activityLog } from "./activity-log.ts";
import { type ActivityEntry, type ActivityLine, activityEntry, type ToolCallEntry } from "./entry.ts";

/** Lines are stored after this delay: a call that has ended by then takes one write, batched with those of other calls. */
const STORE_DELAY_MS = 250;

/** Call id → its newest line that is not stored yet. */
const waiting = new Map<string, ToolCallEntry>();

export function recordActivity(line: ActivityLine): void {
  // Only the stored log shows running calls.
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

/** `waitUntil` outlives a client that disconnects. Each call has its own timer, so that none depends on another request. */
function storeSoon(line: ToolCallEntry): void {
  const { callId } = line;
  const isNew = !waiting.has(callId);
  waiting.set(callId, line);
  if (isNew) waitUntil(systemClock.sleep(STORE_DELAY_MS).then(async () => await storeWaiting(callId)));
}

/** Stores the line of this call, unless another call's batch has stored it, and the lines of all calls that have ended. */
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

/** @param entries tool calls, or a single sign-in */
async function keep(entries: readonly ActivityEntry[]): Promise<void> {
  try {
    const log = activityLog(env);
    // Storing a call is idempotent: its id makes it one line.
    if (entries.every(({ event }) => event === "tool_call"))
      await log.repeatable(async (object) => await object.put(entries));
    else await log.once(async (object) => await object.put(entries));
  } catch (error) {
    const kind = error instanceof Error ? error.name : "unknown";
    const [entry, ...others] = entries;
    if (others.length === 0) log({ event: "audit_not_kept", error: kind, entry });
    // One rejected line must not lose the others.
    else await Promise.all(entries.map(async (each) => await keep([each])));
  }
}
