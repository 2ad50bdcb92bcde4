import { describe, expect, test } from "vitest";
import {
  admitRegistration,
  currentWindow,
  MAXIMUM_PER_ADDRESS,
  MAXIMUM_PER_WINDOW,
  MAXIMUM_STORED,
  type RegistrationWindow,
  WINDOW_MS,
} from "../../../src/sign-in/registration/registration-limits.ts";

const NOON = Date.UTC(2026, 0, 1, 12);
const empty = currentWindow(undefined, NOON);

/** Registers as often as it is let. */
function admittedOf(times: number, address: (number: number) => string): number {
  let window: RegistrationWindow = empty;
  let admitted = 0;
  for (let number = 0; number < times; number++) {
    const admission = admitRegistration(window, address(number), 0, NOON);
    if (!admission.admitted) continue;
    window = admission.window;
    admitted++;
  }
  return admitted;
}

describe("the bounds of registration", () => {
  test("give an address its share, and no more", () => {
    expect(admittedOf(200, () => "one")).toBe(MAXIMUM_PER_ADDRESS);
    expect(admittedOf(200, (number) => (number % 2 === 0 ? "one" : "two"))).toBe(2 * MAXIMUM_PER_ADDRESS);
  });

  test("give all addresses together no more than theirs", () => {
    expect(admittedOf(1000, String)).toBe(MAXIMUM_PER_WINDOW);
  });

  test("end where the store is full", () => {
    expect(admitRegistration(empty, "one", MAXIMUM_STORED - 1, NOON).admitted).toBe(true);
    expect(admitRegistration(empty, "one", MAXIMUM_STORED, NOON).admitted).toBe(false);
  });

  test("say when to come back", () => {
    const full = { ...empty, admitted: MAXIMUM_PER_WINDOW };
    expect(admitRegistration(full, "one", 0, NOON + 60_000)).toEqual({
      admitted: false,
      retryAfter: 59 * 60,
    });
    expect(admitRegistration(full, "one", 0, NOON + WINDOW_MS - 1)).toMatchObject({ retryAfter: 1 });
  });

  test("begin anew after an hour, to the millisecond, and not sooner", () => {
    const full = { ...empty, admitted: MAXIMUM_PER_WINDOW };
    expect(currentWindow(full, NOON + WINDOW_MS - 1)).toBe(full);
    expect(currentWindow(full, NOON + WINDOW_MS)).toEqual({
      startedAt: NOON + WINDOW_MS,
      admitted: 0,
      byAddress: {},
    });
  });

  test("do not last for ever when the clock goes backwards", () => {
    const full = { ...empty, admitted: MAXIMUM_PER_WINDOW };
    expect(currentWindow(full, NOON - 1).admitted).toBe(0);
  });

  test("remember no address that was refused", () => {
    const full = { ...empty, admitted: MAXIMUM_PER_WINDOW };
    expect(admitRegistration(full, "one", 0, NOON)).not.toHaveProperty("window");
  });
});
