/** A difference that occurs by chance in one of twenty comparisons is no trend: few executions are no trend. */
import { expect, test } from "vitest";
import { executionsOf, failed, knownN8n, run, times } from "../failure-digest/known-n8n.ts";

test.each([
  ["one failure after four successes", [failed("orders", 5)], times(4, (index) => run("orders", 30 + index))],
  [
    "none of twelve after four of twelve",
    times(12, (index) => run("orders", 1 + index)),
    times(12, (index) => (index < 4 ? failed : run)("orders", 30 + index)),
  ],
  [
    "two of nine after none of nine",
    times(9, (index) => (index < 2 ? failed : run)("orders", 3 + index)),
    times(9, (index) => run("orders", 30 + index)),
  ],
])("%s is no clear change", async (_what, now, before) => {
  const { learn, query } = knownN8n(executionsOf([run("old", 100), ...before, ...now]));
  await learn();
  expect((await query({ hours: 24 })).message).toMatch(
    /in the window before \d of \d+ \(\S+ %\): no clear change/,
  );
});

const run9 = (hoursAgo: number) => times(9, (index) => run("orders", hoursAgo + index));
const failed9 = (hoursAgo: number) => times(9, (index) => failed("orders", hoursAgo + index));

test.each([
  ["nine of nine after none of nine", failed9(3), run9(30), "0 of 9 (0 %): worse"],
  ["none of nine after nine of nine", run9(3), failed9(30), "9 of 9 (100 %): better"],
  [
    "nine of sixty after none of sixty",
    times(60, (index) => (index < 9 ? failed : run)("orders", 1 + index / 4)),
    times(60, (index) => run("orders", 25 + index / 4)),
    "0 of 60 (0 %): worse",
  ],
  [
    "a hundred of a hundred after none of eight",
    times(100, (index) => failed("orders", 1 + index / 10)),
    times(8, (index) => run("orders", 26 + index)),
    "0 of 8 (0 %): worse",
  ],
  [
    "none of forty after twenty of forty",
    times(40, (index) => run("orders", 0.5 + index / 2)),
    times(40, (index) => (index % 2 === 0 ? failed : run)("orders", 24.5 + index / 2)),
    "20 of 40 (50 %): better",
  ],
])("%s is a clear change", async (_what, now, before, expected) => {
  const { learn, query } = knownN8n(executionsOf([run("old", 100), ...before, ...now]));
  await learn();
  expect((await query({ hours: 24 })).message).toContain(`in the window before ${expected}`);
});
