/** Time limits that depend on each other: a change of one must not break another. */
import { expect, test } from "vitest";
import {
  CLIENT_PATIENCE_MS,
  LEAST_REQUEST_MS,
  LONGEST_REQUEST_MS,
  REQUEST_MS,
  SLOT_LEASE_MS,
  SLOT_WAIT_MS,
  TIME_BUDGET_MS,
} from "../../src/platform/time-limits.ts";

const SECOND_MS = 1_000;

test.each(Object.entries(REQUEST_MS))("a slot outlasts its request: %s", (_kind, longest) => {
  expect(longest).toBeLessThanOrEqual(LONGEST_REQUEST_MS);
  expect(SLOT_LEASE_MS).toBeGreaterThanOrEqual(longest + SECOND_MS);
});

test.each(Object.entries(REQUEST_MS))(
  "a caller who waits longest for a slot has time left for the answer: %s",
  (_kind, longest) => {
    expect(SLOT_WAIT_MS + LEAST_REQUEST_MS).toBeLessThanOrEqual(longest);
  },
);

test("a time budget allows a request, and ends before clients give up", () => {
  const { least, usual, most } = TIME_BUDGET_MS;
  expect(least).toBeGreaterThanOrEqual(LEAST_REQUEST_MS);
  expect(usual).toBeGreaterThan(least);
  expect(most).toBeGreaterThan(usual);
  expect(most).toBeLessThanOrEqual(CLIENT_PATIENCE_MS - SECOND_MS);
});
