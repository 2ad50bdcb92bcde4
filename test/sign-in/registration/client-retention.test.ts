import { describe, expect, test } from "vitest";
import {
  CLIENT_SECONDS,
  GRANT_SECONDS,
  IDLE_CLIENT_SECONDS,
  isAbandoned,
  UNUSED_CLIENT_SECONDS,
} from "../../../src/sign-in/registration/client-retention.ts";

const NOW = Date.UTC(2026, 0, 1) / 1000;
const registered = (secondsAgo: number) => NOW - secondsAgo + CLIENT_SECONDS;

describe("a registered client", () => {
  test("that never got a grant goes after a day, and not sooner", () => {
    const never = { hasGrant: false, grantSeenAt: undefined };
    expect(isAbandoned({ ...never, expiration: registered(UNUSED_CLIENT_SECONDS - 1) }, NOW)).toBe(false);
    expect(isAbandoned({ ...never, expiration: registered(UNUSED_CLIENT_SECONDS) }, NOW)).toBe(true);
  });

  test("with a grant stays, however old it is", () => {
    const use = { expiration: NOW + 60, hasGrant: true, grantSeenAt: NOW - 2 * IDLE_CLIENT_SECONDS };
    expect(isAbandoned(use, NOW)).toBe(false);
  });

  test("that had one is kept for a while", () => {
    const use = { expiration: registered(CLIENT_SECONDS - 1), hasGrant: false };
    expect(isAbandoned({ ...use, grantSeenAt: NOW - IDLE_CLIENT_SECONDS + 1 }, NOW)).toBe(false);
    expect(isAbandoned({ ...use, grantSeenAt: NOW - IDLE_CLIENT_SECONDS }, NOW)).toBe(true);
  });

  test("without an end was not registered by a stranger, and stays", () => {
    expect(isAbandoned({ expiration: undefined, hasGrant: false, grantSeenAt: undefined }, NOW)).toBe(false);
  });

  test("outlives each of its grants: what is left of it at a renewal is a grant's whole life", () => {
    expect(CLIENT_SECONDS / 2).toBeGreaterThanOrEqual(GRANT_SECONDS);
  });
});
