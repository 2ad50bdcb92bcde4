import { describe, expect, test } from "vitest";
import type { ClientAddress } from "../../../src/sign-in/registration/client-address.ts";
import { UNUSED_CLIENT_SECONDS } from "../../../src/sign-in/registration/client-retention.ts";
import {
  admitRegistration,
  currentWindow,
  MAXIMUM_PER_ADDRESS,
  MAXIMUM_PER_NETWORK,
  MAXIMUM_PER_WINDOW,
  MAXIMUM_STORED,
  type RegistrationWindow,
  WINDOW_MS,
} from "../../../src/sign-in/registration/registration-limits.ts";

const NOON = Date.UTC(2026, 0, 1, 12);
const empty = currentWindow(undefined, NOON);

/** An address that is alone in its network. */
const alone = (address: string) => ({ address, network: `network of ${address}` });

/** Registers as often as possible. */
function admittedOf(times: number, from: (number: number) => ClientAddress): number {
  let window: RegistrationWindow = empty;
  let admitted = 0;
  for (let number = 0; number < times; number++) {
    const admission = admitRegistration(window, from(number), 0, NOON);
    if (!admission.admitted) continue;
    window = admission.window;
    admitted++;
  }
  return admitted;
}

describe("the limits of registration", () => {
  test("give an address its share, and no more", () => {
    expect(admittedOf(200, () => alone("one"))).toBe(MAXIMUM_PER_ADDRESS);
    expect(admittedOf(200, (number) => alone(number % 2 === 0 ? "one" : "two"))).toBe(
      2 * MAXIMUM_PER_ADDRESS,
    );
  });

  test("give a network at most a quarter, however many addresses it has", () => {
    const admitted = admittedOf(1000, (number) => ({ address: String(number), network: "one" }));
    expect(admitted).toBe(MAXIMUM_PER_NETWORK);
    expect(4 * MAXIMUM_PER_NETWORK).toBeLessThanOrEqual(MAXIMUM_PER_WINDOW);
  });

  test("leave room in the store for a day of floods", () => {
    const windowsInADay = (UNUSED_CLIENT_SECONDS * 1000) / WINDOW_MS;
    // A day begins and ends within a window, and the purge runs once an hour.
    expect((windowsInADay + 2) * MAXIMUM_PER_WINDOW).toBeLessThan(MAXIMUM_STORED);
  });

  test("apply to all addresses together", () => {
    expect(admittedOf(1000, (number) => alone(String(number)))).toBe(MAXIMUM_PER_WINDOW);
  });

  test("stop registration when the store is full", () => {
    expect(admitRegistration(empty, alone("one"), MAXIMUM_STORED - 1, NOON).admitted).toBe(true);
    expect(admitRegistration(empty, alone("one"), MAXIMUM_STORED, NOON).admitted).toBe(false);
  });

  test("tell when to retry", () => {
    const full = { ...empty, admitted: MAXIMUM_PER_WINDOW };
    const refused = { admitted: false, retryAfter: 59 * 60 };
    expect(admitRegistration(full, alone("one"), 0, NOON + 60_000)).toEqual(refused);
    expect(admitRegistration(full, alone("one"), 0, NOON + WINDOW_MS - 1)).toMatchObject({ retryAfter: 1 });
  });

  test("start anew after an hour, to the millisecond", () => {
    const full = { ...empty, admitted: MAXIMUM_PER_WINDOW };
    expect(currentWindow(full, NOON + WINDOW_MS - 1)).toBe(full);
    const next = { startedAt: NOON + WINDOW_MS, admitted: 0, byAddress: {} };
    expect(currentWindow(full, NOON + WINDOW_MS)).toEqual(next);
  });

  test("end when the clock goes backwards", () => {
    const full = { ...empty, admitted: MAXIMUM_PER_WINDOW };
    expect(currentWindow(full, NOON - 1).admitted).toBe(0);
  });

  test("store no address that was refused", () => {
    const full = { ...empty, admitted: MAXIMUM_PER_WINDOW };
    expect(admitRegistration(full, alone("one"), 0, NOON)).not.toHaveProperty("window");
  });
});
