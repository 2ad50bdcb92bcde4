/** What is said of n8n's queue is as old as the look at it. */
import { expect, test } from "vitest";
import { isStalled, queueSentence } from "../../src/features/queue-sentence.ts";

const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();

const queueSeenAt = (seconds: number) => ({
  ...{ length: 2, isAtLeast: false, unread: 0 },
  ...{ oldestSince: at(0), lastBegunAt: at(10), seenAt: at(seconds) },
});

test("workers that took something a moment before the look are not said to stand still, however old the look is", () => {
  expect(isStalled(queueSeenAt(20))).toBe(false);
  expect(queueSentence(queueSeenAt(20))).not.toContain("no worker");
});

test("workers that had taken nothing for a minute are", () => {
  expect(isStalled(queueSeenAt(71))).toBe(true);
  expect(queueSentence(queueSeenAt(71))).toContain(`no worker has taken anything since ${at(10)}`);
});
