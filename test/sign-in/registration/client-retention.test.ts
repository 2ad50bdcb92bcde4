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
  test("without any grant is removed after a day, and not earlier", () => {
    const never = { hasGrant: false, grantSeenAt: undefined };
    expect(isAbandoned({ ...never, expiration: registered(UNUSED_CLIENT_SECONDS - 1) }, NOW)).toBe(false);
    expect(isAbandoned({ ...never, expiration: registered(UNUSED_CLIENT_SECONDS) }, NOW)).toBe(true);
  });

  test("with a grant stays, however old it is", () => {
    const use = { expiration: NOW + 60, hasGrant: true, grantSeenAt: NOW - 2 * IDLE_CLIENT_SECONDS };
    expect(isAbandoned(use, NOW)).toBe(false);
  });

  test("that had a grant is kept for a while", () => {
    const use = { expiration: registered(CLIENT_SECONDS - 1), hasGrant: false };
    expect(isAbandoned({ ...use, grantSeenAt: NOW - IDLE_CLIENT_SECONDS + 1 }, NOW)).toBe(false);
    expect(isAbandoned({ ...use, grantSeenAt: NOW - IDLE_CLIENT_SECONDS }, NOW)).toBe(true);
  });

  test("without an expiration was not registered by a stranger, and stays", () => {
    expect(isAbandoned({ expiration: undefined, hasGrant: false, grantSeenAt: undefined }, NOW)).toBe(false);
  });

  test("outlives its grants: half its lifetime is as long as a grant's", () => {
    expect(CLIENT_SECONDS / 2).toBeGreaterThanOrEqual(GRANT_SECONDS);
  });
});
