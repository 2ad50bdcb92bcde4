/** After the clock was set back, whoever asks once gets a slot. */
import { expect, test } from "vitest";
import { SlotSchedule } from "../../../src/n8n/limiter/slot-schedule.ts";

const LIMITS = { maxConcurrent: 4, requestsPerMinute: 2_400 };
const NOW = Date.UTC(2026, 0, 1, 12);
const HOUR_MS = 3_600_000;

/** Asks once, and lets as much time pass as the request has. */
function isServed(schedule: SlotSchedule, userId: string, now: number): boolean {
  const asked = schedule.request(userId, now, 25_000);
  if ("retryAfter" in asked) return false;
  for (let time = now; time <= now + 25_000; time += 100)
    for (const decision of schedule.decide(time))
      if (decision.requestId === asked.requestId) {
        if ("slot" in decision) schedule.end(decision.slot.id, time);
        return "slot" in decision;
      }
  return false;
}

test("when the limiter was made anew with the state that was kept", () => {
  const before = new SlotSchedule(LIMITS);
  expect(isServed(before, "anna", NOW + HOUR_MS)).toBe(true);
  // The clock is set back by an hour, and the object is made anew.
  const after = new SlotSchedule(LIMITS, before.state);
  expect(isServed(after, "anna", NOW)).toBe(true);
});

test("still so half an hour later", () => {
  const before = new SlotSchedule(LIMITS);
  isServed(before, "anna", NOW + HOUR_MS);
  const after = new SlotSchedule(LIMITS, before.state);
  expect(isServed(after, "anna", NOW + HOUR_MS / 2)).toBe(true);
});

test("back by a minute and a half is enough", () => {
  const before = new SlotSchedule(LIMITS);
  isServed(before, "anna", NOW + 90_000);
  const after = new SlotSchedule(LIMITS, before.state);
  expect(isServed(after, "anna", NOW)).toBe(true);
});

test("without a restart, once a burst was used: one person who asks every five seconds", () => {
  const schedule = new SlotSchedule(LIMITS);
  isServed(schedule, "anna", NOW + HOUR_MS);
  const refused: number[] = [];
  for (let count = 0; count < 720; count += 1)
    if (!isServed(schedule, "anna", NOW + count * 5_000)) refused.push(count);
  expect(refused).toEqual([]);
});

test("a pause of five seconds that n8n asked for by the wrong clock", () => {
  const schedule = new SlotSchedule(LIMITS);
  isServed(schedule, "anna", NOW + HOUR_MS);
  schedule.pause(5_000, NOW + HOUR_MS);
  expect(isServed(schedule, "anna", NOW + 60_000)).toBe(true);
});
