/** Says how many executions wait to start in n8n, and whether workers take any. Holds no payload. Pure. */
import type { QueueFacts } from "../history/report/index-report.ts";
import { counted } from "../platform/counted.ts";
import { MINUTE_MS } from "../platform/durations.ts";

/** In milliseconds. An idle worker takes an execution within a second. */
const STALLED_MS = MINUTE_MS;

/** @param now epoch ms */
export function queueSentence(queue: QueueFacts, now: number): string {
  const { length, oldestSince, lastBegunAt } = queue;
  const many = `${countPrefix(queue)}${counted(length, "execution")}`;
  const oldest = oldestSince === null ? "" : `, the oldest since ${oldestSince}`;
  const since = lastBegunAt === null ? "" : ` since ${lastBegunAt}`;
  const stalled = isStalled(queue, now) ? `; no worker has taken anything${since}` : "";
  return `Waiting ${queueName(queue)}: ${many}${oldest}${stalled}.`;
}

/** Unread ids may turn out to have no execution. */
export const countPrefix = ({ isAtLeast, unread }: Pick<QueueFacts, "isAtLeast" | "unread">): string =>
  isAtLeast ? "at least " : unread > 0 ? "up to " : "";

/** Unknown until n8n's queue was read. */
export const queueName = ({ seenAt }: Pick<QueueFacts, "seenAt">): string =>
  seenAt === null ? "for a worker or for n8n's concurrency limit" : "in n8n's queue";

/** True if nothing has started for a minute although one waits that long. n8n shows a dead worker's executions as running. */
export function isStalled({ lastBegunAt, oldestSince, seenAt }: QueueFacts, now: number): boolean {
  const isOld = (time: string | null): boolean => time === null || now - Date.parse(time) > STALLED_MS;
  return seenAt !== null && oldestSince !== null && isOld(oldestSince) && isOld(lastBegunAt);
}
