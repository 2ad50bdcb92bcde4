import { describe, expect, test } from "vitest";
import {
  admitTry,
  LOCKED_FOR_MS,
  lockedSeconds,
  MAXIMUM_TRIES,
  TRIES_FORGOTTEN_AFTER_MS,
  type TryRecord,
} from "../../src/sign-in/lock-out.ts";

const NOON = Date.UTC(2026, 0, 1, 12);
const full: TryRecord = { tries: MAXIMUM_TRIES, lastTryAt: NOON };

/** How many tries a caller gets who never pauses. */
function admittedWithin(milliseconds: number, pause: number): number {
  let record: TryRecord | undefined;
  let admitted = 0;
  for (let now = NOON; now < NOON + milliseconds; now += pause) {
    const admission = admitTry(record, now);
    if (!admission.admitted) continue;
    record = admission.record;
    admitted++;
  }
  return admitted;
}

describe("the lock-out", () => {
  test("admits ten tries and counts each", () => {
    const record = { tries: 1, lastTryAt: NOON };
    expect(admitTry(undefined, NOON)).toEqual({ admitted: true, record, triesLeft: 9 });
    expect(admitTry({ tries: 9, lastTryAt: NOON }, NOON)).toMatchObject({ admitted: true, triesLeft: 0 });
    expect(admitTry(full, NOON)).toEqual({ admitted: false, retryAfter: LOCKED_FOR_MS / 1000 });
  });

  test("ends to the millisecond, and restores all tries", () => {
    expect(admitTry(full, NOON + LOCKED_FOR_MS - 1)).toEqual({ admitted: false, retryAfter: 1 });
    expect(admitTry(full, NOON + LOCKED_FOR_MS)).toMatchObject({ admitted: true, triesLeft: 9 });
  });

  test("forgets old tries, but not earlier", () => {
    const record = { tries: 9, lastTryAt: NOON };
    expect(admitTry(record, NOON + TRIES_FORGOTTEN_AFTER_MS - 1)).toMatchObject({ triesLeft: 0 });
    expect(admitTry(record, NOON + TRIES_FORGOTTEN_AFTER_MS)).toMatchObject({ triesLeft: 9 });
  });

  test("tells how long it lasts", () => {
    expect(lockedSeconds(undefined, NOON)).toBe(0);
    expect(lockedSeconds({ tries: 9, lastTryAt: NOON }, NOON)).toBe(0);
    expect(lockedSeconds(full, NOON + 60_000)).toBe(14 * 60);
  });

  test("leaves about a thousand guesses a day to a caller who never stops", () => {
    expect(admittedWithin(24 * 60 * 60_000, 1000)).toBeLessThan(1000);
  });

  test("is not lifted by a clock that goes backwards", () => {
    expect(admitTry(full, NOON - 1)).toMatchObject({ admitted: false });
  });
});
