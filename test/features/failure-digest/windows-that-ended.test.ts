/** A window that is over includes nothing that happened later, but all that failed in it, whenever it started. */
import { expect, test } from "vitest";
import {
  at,
  digestIn,
  executionsOf,
  failed,
  HOUR,
  iso,
  knownN8n,
  NOW,
  run,
  times,
  waits,
} from "./known-n8n.ts";

const PAST = { startedAfter: iso(NOW - 36 * HOUR), startedBefore: iso(NOW - 24 * HOUR) };

test.each(["a group", "a workflow"])("%s that failed again later is not reported as over", async (what) => {
  const runs = [
    run("old", 200),
    ...times(60, (index) => run("orders", 0.5 + index)),
    ...[34, 33, 32, 31, 20, 10, 2, 1].map((hours) => failed("orders", hours + 0.1)),
  ];
  const { learn, digest } = knownN8n(executionsOf(runs));
  await learn();
  const [first] = digestIn(await digest(PAST)).groups;
  expect(first).toMatchObject({ count: 4 });
  const { message } = await digest({
    ...PAST,
    ...(what === "a group" ? { group: first?.group } : { workflowId: "orders" }),
  });
  expect(message).toContain("None from 2026-11-17T07:54:00.000Z to the window's end");
  expect(message).not.toContain("None since");
});

test("an approval that waited for days is in the digest of the day it failed", async () => {
  const orders = times(100, (index) => at(200 - index, run("orders", 0.5 + index)));
  const ended = at(301, failed("approval", 72.1, { facts: { stoppedAt: iso(NOW - HOUR / 6) } }));
  const { n8n, clock, learn, digest } = knownN8n([]);
  const messages: (string | undefined)[] = [];
  for (const daysAgo of [2, 1, 0]) {
    clock.time = NOW - daysAgo * 24 * HOUR;
    const approval = daysAgo === 0 ? ended : at(301, waits("approval", 72.1));
    n8n.executions = executionsOf([...orders, approval]).filter(
      ({ startedAt }) => Date.parse(startedAt ?? "") <= clock.time,
    );
    await learn();
    const answer = await digest({ hours: 24 });
    messages.push(answer.message);
    const names = digestIn(answer).failedLater.map(({ workflowId }) => workflowId);
    expect(names).toEqual(daysAgo === 0 ? ["approval"] : []);
    expect(JSON.stringify(answer).includes('explain_failure({\\"executionId\\":\\"301\\"})')).toBe(
      daysAgo === 0,
    );
  }
  const failedThen = "1 execution that began before failed in this window";
  expect(messages.map((message) => message?.includes(failedThen))).toEqual([false, false, true]);
});

test("the last run of a workflow is the last one before the window's end", async () => {
  const orders = times(30, (index) => at(1 + index, run("orders", 800 - index / 4)));
  const { learn, digest } = knownN8n(
    executionsOf([
      ...orders,
      at(40, run("seldom", 750)),
      at(41, run("orders", 300)),
      at(42, run("seldom", 2)),
    ]),
  );
  await learn();
  const { message } = await digest({
    ...{ startedAfter: iso(NOW - 320 * HOUR), startedBefore: iso(NOW - 200 * HOUR) },
    workflowId: "seldom",
  });
  expect(message).toContain(`It ran last at ${iso(NOW - 750 * HOUR)}`);
});
