/** "A difference that occurs by chance in one of twenty comparisons does not count": few executions are no trend. */
import { expect, test } from "vitest";
import { executionsOf, failed, knownN8n, run, times } from "../failure-digest/known-n8n.ts";

test.each([
  ["one failure after four successes", [failed("orders", 5)], times(4, (index) => run("orders", 30 + index))],
  [
    "none of twelve after four of twelve",
    times(12, (index) => run("orders", 1 + index)),
    times(12, (index) => (index < 4 ? failed : run)("orders", 30 + index)),
  ],
])("%s is no clear change", async (_what, now, before) => {
  const { learn, query } = knownN8n(executionsOf([run("old", 100), ...before, ...now]));
  await learn();
  expect((await query({ hours: 24 })).message).toMatch(
    /in the window before \d of \d+ \(\S+ %\): no clear change/,
  );
});

test("none of forty after twenty of forty is one", async () => {
  const before = times(40, (index) => (index % 2 === 0 ? failed : run)("orders", 24.5 + index / 2));
  const now = times(40, (index) => run("orders", 0.5 + index / 2));
  const { learn, query } = knownN8n(executionsOf([run("old", 100), ...before, ...now]));
  await learn();
  expect((await query({ hours: 24 })).message).toContain("in the window before 20 of 40 (50 %): better");
});
