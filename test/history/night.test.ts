/**
 * A night of ten hours: n8n works, fails, goes down and is restored from a backup, while the index syncs and its object
 * is restarted in the middle. At any time every claim of the index is true; in the morning its rows equal a naive
 * reading of n8n, and the rows of deleted executions equal what those were.
 */
import { expect, test } from "vitest";
import { hasEnded } from "../../src/history/store/traced-execution.ts";
import { inBothLanes, sizeOf } from "../support/lane.ts";
import { KINDS } from "./night/faults.ts";
import { claimsOf, correlationsOf, expectedRow, type Row, rowsOf } from "./night/naive-reading.ts";
import { Night } from "./night/night.ts";

const HOURS = { heavy: 10, otherwise: 0.7 };
/** Executions kept per hour: fewer than n8n has, so that the oldest are dropped, or more than it has. */
const FEW = 150;
const MANY = 100_000;

const PLANS = [
  { seed: 100, most: FEW, dates: "filtered", hasOpaqueCursors: false },
  { seed: 60, most: MANY, dates: "ignored", hasOpaqueCursors: true },
  { seed: 61, most: MANY, dates: "refused", hasOpaqueCursors: false },
] as const;

test.each(PLANS)(
  "night $seed: the index equals a naive reading of n8n",
  inBothLanes,
  async ({ seed, most, dates, hasOpaqueCursors }) => {
    const hours = sizeOf(HOURS.heavy, HOURS.otherwise);
    const night = new Night({ seed, hours, maxExecutions: hours * most, dates, hasOpaqueCursors });
    await night.live();
    await night.settle();
    expectEventful(night);
    expectAllKnown(night);
    await night.listAll();
    expectGoneMarked(night);
  },
);

/** The night must have been eventful, or the test proves nothing. */
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

/** Executions that had ended are marked as deleted; others are forgotten. */
function expectGoneMarked({ n8n, sql }: Night): void {
  // An id that was still queued when n8n was restored counts as deleted, since it is given away again.
  const gone = [...rowsOf(sql).values()].filter(({ id, status }) => !n8n.has(id) && status !== "new");
  expect(gone.length).toBeGreaterThan(0);
  for (const row of gone) {
    expect(hasEnded(row)).toBe(true);
    const was = (n8n.gone.get(row.id) ?? []).map((one): Row => ({ ...expectedRow(one), isDeleted: 1 }));
    expect(was).toContainEqual(row);
  }
}
