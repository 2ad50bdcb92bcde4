/** When a scheduled run counts as missed: in the schedule's own time zone, soon for rare ones, never too early. */
import { describe, expect, test } from "vitest";
import { missedRuns } from "../../../src/history/digest/schedule.ts";

const at = (time: string): number => Date.parse(time);
const iso = (time: number | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString();

interface Asked {
  readonly pattern: string;
  readonly zone?: string | null;
  readonly last?: string;
  readonly since?: string;
  readonly now: string;
}

function missed({ pattern, zone = "Europe/Berlin", last, since = "2026-01-01T00:00:00Z", now }: Asked) {
  const rules = [{ pattern }];
  const lastAt = last === undefined ? null : at(last);
  const found = missedRuns(rules, zone, { lastAt, since: at(since), asOf: at(now) });
  return found === null ? null : [iso(found.dueAt), found.missed];
}

/** Mondays at nine in Berlin, which is eight in winter. */
const WEEKLY = { pattern: "0 9 * * 1", last: "2026-11-16T08:00:31Z" };

describe("a weekly schedule", () => {
  test("is missed from ten minutes after its first missed run", () => {
    expect(missed({ ...WEEKLY, now: "2026-11-23T07:59:00Z" })).toBeNull();
    expect(missed({ ...WEEKLY, now: "2026-11-23T08:10:00Z" })).toBeNull();
    expect(missed({ ...WEEKLY, now: "2026-11-23T08:11:00Z" })).toEqual(["2026-11-23T08:00:31.000Z", 1]);
    expect(missed({ ...WEEKLY, now: "2026-12-01T00:00:00Z" })?.[1]).toBe(2);
  });

  test("in an unknown time zone is expected at the hour of its last run", () => {
    expect(missed({ ...WEEKLY, zone: null, now: "2026-11-23T09:00:00Z" })).toBeNull();
    expect(missed({ ...WEEKLY, zone: null, now: "2026-11-23T09:16:00Z" })).toEqual([
      "2026-11-23T08:00:31.000Z",
      1,
    ]);
    expect(missed({ ...WEEKLY, zone: "DEFAULT", now: "2026-11-23T09:16:00Z" })?.[1]).toBe(1);
    expect(missed({ ...WEEKLY, zone: "Nowhere/Else", now: "2026-11-23T09:16:00Z" })?.[1]).toBe(1);
  });
});

test("a monthly schedule is missed at its first missed run; the closed hours of an office are not", () => {
  const monthly = { pattern: "30 6 1 */1 *", last: "2026-10-01T04:30:20Z" };
  expect(missed({ ...monthly, now: "2026-11-01T05:39:00Z" })).toBeNull();
  expect(missed({ ...monthly, now: "2026-11-01T05:41:00Z" })).toEqual(["2026-11-01T05:30:20.000Z", 1]);
  const office = { pattern: "*/15 9-16 * * 1-5", last: "2026-11-20T15:45:05Z" };
  expect(missed({ ...office, now: "2026-11-22T12:00:00Z" })).toBeNull();
  expect(missed({ ...office, zone: null, now: "2026-11-22T12:00:00Z" })).toBeNull();
  expect(missed({ ...office, now: "2026-11-23T08:11:00Z" })?.[0]).toBe("2026-11-23T08:00:05.000Z");
});

test("a frequent schedule is missed after three missed runs", () => {
  const often = { pattern: "*/5 * * * *", last: "2026-11-20T10:00:05Z" };
  expect(missed({ ...often, now: "2026-11-20T10:25:00Z" })).toBeNull();
  expect(missed({ ...often, now: "2026-11-20T10:25:06Z" })).toEqual(["2026-11-20T10:05:05.000Z", 3]);
});

describe("when clocks change", () => {
  const daily = { pattern: "30 9 * * *" };
  test.each([
    ["spring", "2026-03-28T08:30:09Z", "2026-03-29T07:39:00Z", "2026-03-29T07:41:00Z"],
    ["autumn", "2026-10-24T07:30:09Z", "2026-10-25T08:39:00Z", "2026-10-25T08:41:00Z"],
  ])("in %s, the next run is expected an hour earlier or later in UTC", (_season, last, before, after) => {
    expect(missed({ ...daily, last, now: before })).toBeNull();
    expect(missed({ ...daily, last, now: after })?.[1]).toBe(1);
    // An unknown time zone gets that hour of grace.
    expect(missed({ ...daily, zone: null, last, now: before })).toBeNull();
  });

  test("a run at an hour that does not exist is expected after it", () => {
    const night = { pattern: "30 2 * * *", last: "2026-03-28T01:30:09Z" };
    expect(missed({ ...night, now: "2026-03-29T01:05:00Z" })).toBeNull();
    expect(missed({ ...night, now: "2026-03-29T01:45:00Z" })?.[1]).toBe(1);
  });
});

test("a schedule that never ran is missed counting from its saving, a day later in an unknown zone", () => {
  const never = { pattern: "0 9 * * 1", since: "2026-11-18T12:00:00Z" };
  expect(missed({ ...never, now: "2026-11-23T08:05:00Z" })).toBeNull();
  expect(missed({ ...never, now: "2026-11-23T08:11:00Z" })).toEqual(["2026-11-23T08:00:00.000Z", 1]);
  expect(missed({ ...never, zone: null, now: "2026-11-23T20:00:00Z" })).toBeNull();
  expect(missed({ ...never, zone: null, now: "2026-11-24T00:16:00Z" })?.[1]).toBe(1);
});

test.each(["", "nonsense", "={{ $json.when }}", "0 0 30 2 *", "61 25 * * *"])(
  "%j is no schedule",
  (pattern) => {
    expect(missed({ pattern, last: "2026-01-01T00:00:00Z", now: "2026-11-23T08:11:00Z" })).toBeNull();
  },
);

test("a workflow with several rules is missed as soon as one rule is", () => {
  const rules = [{ pattern: "0 9 * * 1" }, { everyMs: 3_600_000 }];
  const ask = (now: string) =>
    missedRuns(rules, "UTC", { lastAt: at("2026-11-17T10:00:00Z"), since: 0, asOf: at(now) });
  expect(ask("2026-11-17T13:05:00Z")).toBeNull();
  expect(iso(ask("2026-11-17T13:15:00Z")?.dueAt)).toBe("2026-11-17T11:00:00.000Z");
});
