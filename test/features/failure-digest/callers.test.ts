/** A failure is attributed to the called workflow only where the same answer reports that one; else it is the caller's. */
import { expect, test } from "vitest";
import type { Made } from "../living-counts/made-executions.ts";
import { digestIn, HOUR, iso, knownN8n, madeOf, NOW, sentBy, times } from "./known-n8n.ts";

const OLD = madeOf(1, { workflowId: "old", startedAt: NOW - 200 * HOUR, stoppedAt: NOW - 200 * HOUR + 5 });

/** A caller that failed because the workflow it called did. */
const pair = (id: number, startedAt: number, childAt = startedAt + 100): Made[] => [
  madeOf(id, { status: "error", fault: 0, childId: id + 1, startedAt, stoppedAt: childAt + 300 }),
  madeOf(id + 1, {
    ...{ workflowId: "child", name: "Workflow child", mode: "integrated", status: "error", fault: 0 },
    ...{ parentId: id, startedAt: childAt, stoppedAt: childAt + 200 },
  }),
];

const n8nOf = (all: readonly Made[]) => knownN8n(sentBy(all));

test("a caller's failure is its own where only the caller is asked about", async () => {
  const pairs = times(10, (index) => pair(10 + 2 * index, NOW - (12 - index) * HOUR));
  const { digest } = n8nOf([OLD, ...pairs.flat()]);
  const whole = await digest({ hours: 24 });
  expect(whole).toMatchObject({ data: { totals: { runs: 20, failures: 20, failuresOfCallers: 10 } } });
  const alone = await digest({ hours: 24, workflowId: "caller" });
  expect(alone).toMatchObject({ data: { totals: { runs: 10, failures: 10, failuresOfCallers: 0 } } });
  expect(alone.message).not.toMatch(/nothing broke|none of which failed/);
});

test("a caller's failure is its own in a window that ends before its call", async () => {
  const end = NOW - 5 * HOUR;
  const { digest } = n8nOf([OLD, ...pair(10, end - 50, end + 50)]);
  await digest({ hours: 24 });
  const part = await digest({ startedAfter: iso(end - 10 * HOUR), startedBefore: iso(end) });
  expect(part).toMatchObject({ data: { totals: { runs: 1, failures: 1, failuresOfCallers: 0 } } });
  expect(part.message).not.toMatch(/nothing broke|none of which failed/);
});

test("a caller that failed at another node has a failure of its own", async () => {
  const all = [1, 2, 3].flatMap((hoursAgo) => {
    const [id, startedAt] = [40 - 10 * hoursAgo, NOW - hoursAgo * HOUR];
    return [
      // A TypeError at "Store".
      madeOf(id, { status: "error", fault: 3, startedAt, stoppedAt: startedAt + 900 }),
      madeOf(id + 1, {
        ...{ workflowId: "child", name: "Workflow child", mode: "integrated", status: "error", fault: 2 },
        ...{ parentId: id, startedAt: startedAt + 100, stoppedAt: startedAt + 200 },
      }),
    ];
  });
  const { groups } = digestIn(await n8nOf([OLD, ...all]).digest({ hours: 24 }));
  expect(groups.map(({ nodeName, count }) => [nodeName, count]).toSorted()).toEqual([
    ["Call tax", 3],
    ["Store", 3],
  ]);
});

test("a caller that resumed in the window is reported with its earlier failed call", async () => {
  // An n8n before 2.14 renews the start time of an execution that resumes.
  const { digest } = n8nOf([OLD, ...pair(10, NOW - HOUR, NOW - 3 * HOUR)]);
  await digest({ hours: 24 });
  const answer = await digest({ hours: 2 });
  expect(answer).toMatchObject({ data: { totals: { runs: 1, failures: 1, failuresOfCallers: 1 } } });
  expect(answer.message).toContain("1 execution failed because of what they called");
});

test("the group of a single workflow's digest can only be requested with that workflow", async () => {
  const { digest } = n8nOf([OLD, ...pair(10, NOW - 4 * HOUR)]);
  const alone = { hours: 24, workflowId: "caller" };
  const [first] = digestIn(await digest(alone)).groups;
  expect(await digest({ ...alone, group: first?.group })).toMatchObject({ status: "success" });
  expect(await digest({ hours: 24, group: first?.group })).toMatchObject({
    status: "error",
    data: {
      code: "VALIDATION_ERROR",
      details: { expected: "a group of an answer for the same window and workflow" },
    },
  });
});
