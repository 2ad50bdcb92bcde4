/** Says how many executions wait to start in n8n, and whether workers take any. Holds no payload. Pure. */
import type { QueueFacts } from "../history/report/index-report.ts";
import { counted } from "../platform/counted.ts";
import { MINUTE_MS } from "../platform/durations.ts";

/** In milliseconds. An idle worker takes an execution within a second. */
const STALLED_MS = MINUTE_MS;

export function queueSentence(queue: QueueFacts): string {
  const { length, oldestSince, lastBegunAt } = queue;
  const many = `${countPrefix(queue)}${counted(length, "execution")}`;
  const oldest = oldestSince === null ? "" : `, the oldest since ${oldestSince}`;
  const since = lastBegunAt === null ? "" : ` since ${lastBegunAt}`;
  const stalled = isStalled(queue) ? `; no worker has taken anything${since}` : "";
  return `Waiting ${queueName(queue)}: ${many}${oldest}${stalled}.`;
}

/** Unread ids may turn out to have no execution. */
export const countPrefix = ({ isAtLeast, unread }: Pick<QueueFacts, "isAtLeast" | "unread">): string =>
  isAtLeast ? "at least " : unread > 0 ? "up to " : "";

/** Unknown until n8n's queue was read. */
export const queueName = ({ seenAt }: Pick<QueueFacts, "seenAt">): string =>
  seenAt === null ? "for a worker or for n8n's concurrency limit" : "in n8n's queue";

/** True if, when n8n's queue was looked at, nothing had started for a minute although one waited that long. */
export function isStalled({ lastBegunAt, oldestSince, seenAt }: QueueFacts): boolean {
  if (seenAt === null || oldestSince === null) return false;
  const isOld = (time: string): boolean => Date.parse(seenAt) - Date.parse(time) > STALLED_MS;
  return isOld(oldestSince) && (lastBegunAt === null || isOld(lastBegunAt));
}
