/** What began before a window and failed in it: once for each failure, by name, and only while it needs somebody. */
import { expect, test } from "vitest";
import { toN8n } from "../living-counts/made-executions.ts";
import { at, digestIn, executionsOf, failed, HOUR, knownN8n, madeOf, NOW, run } from "./known-n8n.ts";

const OLD = at(1, run("old", 300));
const APPROVAL = at(10, failed("approval", 40, { durationMs: 39 * HOUR }));
const ORDERS = at(20, run("orders", 3));
const FAILED_THEN = "1 execution that began before failed in this window";

test("it has the name of its workflow, which is in no other list", async () => {
  const answer = await knownN8n(executionsOf([OLD, APPROVAL, ORDERS])).digest({ hours: 24 });
  expect(answer.message).toContain(`${FAILED_THEN} ("Workflow approval")`);
  expect(digestIn(answer).failedLater).toMatchObject([{ workflowName: "Workflow approval" }]);
});

test("a caller that waited for what it called, and failed with it, is no failure of its own", async () => {
  const [startedAt, stoppedAt] = [NOW - 40 * HOUR, NOW - HOUR];
  const all = [
    madeOf(12, { workflowId: "other" }),
    madeOf(11, {
      ...{ workflowId: "child", name: "Workflow child", mode: "integrated", status: "error", fault: 0 },
      ...{ parentId: 10, startedAt: startedAt + 10, stoppedAt: stoppedAt - 10 },
    }),
    madeOf(10, { status: "error", fault: 0, childId: 11, startedAt, stoppedAt }),
    madeOf(1, { workflowId: "old", startedAt: NOW - 200 * HOUR, stoppedAt: NOW - 200 * HOUR + 5 }),
  ];
  const { learn, digest } = knownN8n(
    all.map((one) => toN8n(one, (id) => all.find((each) => each.id === id)?.workflowId)),
  );
  await learn();
  expect(digestIn(await digest({ hours: 24 })).failedLater).toMatchObject([{ workflowId: "child" }]);
});

test("one that a retry has mended is not told", async () => {
  const retry = at(15, run("approval", 0.5, { mode: "retry", facts: { retryOf: "10" } }));
  const { learn, digest } = knownN8n(executionsOf([OLD, APPROVAL, retry, ORDERS]));
  await learn();
  const answer = await digest({ hours: 24 });
  expect(digestIn(answer).failedLater).toEqual([]);
  expect(answer.message).not.toContain("failed in this window");
});

test("one that n8n has deleted is told, and is not to be explained next", async () => {
  const { n8n, learn, digest } = knownN8n(executionsOf([OLD, APPROVAL, ORDERS]));
  await learn();
  n8n.executions = n8n.executions.filter(({ id }) => id !== "10");
  const answer = await digest({ hours: 24 });
  expect(digestIn(answer).failedLater).toMatchObject([{ workflowId: "approval", deletedByN8n: true }]);
  expect(JSON.stringify(answer)).not.toContain("explain_failure");
});
