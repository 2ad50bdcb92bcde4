/**
 * A night of ten hours: n8n lives, fails, goes down and is restored from a backup, the index keeps itself up to date,
 * and its object ends now and then in the middle of it. At any time what is said to be known is known; in the morning
 * the index is what a naive reading of n8n tells, and of what n8n has deleted it is what that was.
 */
import { expect, test } from "vitest";
import { hasEnded } from "../../src/history/store/traced-execution.ts";
import { inBothLanes, sizeOf } from "../support/lane.ts";
import { KINDS } from "./night/faults.ts";
import { claimsOf, correlationsOf, expectedRow, type Row, rowsOf } from "./night/naive-reading.ts";
import { Night } from "./night/night.ts";

const HOURS = { heavy: 10, otherwise: 0.7 };
/** So many an hour: fewer than there are, so that the oldest make room, or more. */
const FEW = 150;
const MANY = 100_000;

const PLANS = [
  { seed: 100, most: FEW, dates: "filtered", hasOpaqueCursors: false },
  { seed: 60, most: MANY, dates: "ignored", hasOpaqueCursors: true },
  { seed: 61, most: MANY, dates: "refused", hasOpaqueCursors: false },
] as const;

test.each(PLANS)("night $seed", inBothLanes, async ({ seed, most, dates, hasOpaqueCursors }) => {
  const hours = sizeOf(HOURS.heavy, HOURS.otherwise);
  const night = new Night({
    seed,
    hours,
    maxExecutions: hours * most,
    dates,
    hasOpaqueCursors,
  });
  await night.live();
  await night.settle();
  expectEventful(night);
  expectAllKnown(night);
  await night.listAll();
  expectGoneMarked(night);
});

/** Else it says nothing. */
function expectEventful({ tally, faults, store }: Night): void {
  const { steps, failedSteps, restarts, asked, found, checks } = tally;
  expect(faults.seen.size).toBeGreaterThanOrEqual(sizeOf(KINDS.length + 1, 5));
  for (const happened of [failedSteps, restarts - 1, asked - found, found, store.listed.epoch])
    expect(happened).toBeGreaterThan(0);
  expect(steps).toBeGreaterThan(40);
  expect(checks).toBeGreaterThan(40);
}

function expectAllKnown({ n8n, sql }: Night): void {
  const [newest] = claimsOf(sql);
  if (newest === undefined) throw new Error("Nothing is known.");
  const rows = rowsOf(sql);
  const expected = n8n.executions
    .filter(({ id }) => newest.isBottom === 1 || Number(id) >= newest.low)
    .map(expectedRow);
  expect(expected.length).toBeGreaterThan(10);
  expect(expected.map(({ id }) => rows.get(id))).toEqual(expected);
  const found = correlationsOf(sql);
  for (const { id, digests } of expected) expect(found.get(id)).toEqual(digests);
}

/** All of what had ended, and none of the others. */
function expectGoneMarked({ n8n, sql }: Night): void {
  // What had not begun when n8n was restored counts as deleted, since its id is given away again.
  const gone = [...rowsOf(sql).values()].filter(({ id, status }) => !n8n.has(id) && status !== "new");
  expect(gone.length).toBeGreaterThan(0);
  for (const row of gone) {
    expect(hasEnded(row)).toBe(true);
    const was = (n8n.gone.get(row.id) ?? []).map((one): Row => ({ ...expectedRow(one), isDeleted: 1 }));
    expect(was).toContainEqual(row);
  }
}
