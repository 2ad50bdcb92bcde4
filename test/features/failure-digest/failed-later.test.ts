/** Executions that started before the window and failed in it are reported by name while they need attention. */
import { expect, test } from "vitest";
import { at, digestIn, executionsOf, failed, HOUR, knownN8n, madeOf, NOW, run, sentBy } from "./known-n8n.ts";

const OLD = at(1, run("old", 300));
const APPROVAL = at(10, failed("approval", 40, { durationMs: 39 * HOUR }));
const ORDERS = at(20, run("orders", 3));
const FAILED_THEN = "1 execution that began before failed in this window";

test("such a failure has the name of its workflow, which is in no other list", async () => {
  const answer = await knownN8n(executionsOf([OLD, APPROVAL, ORDERS])).digest({ hours: 24 });
  expect(answer.message).toContain(`${FAILED_THEN} ("Workflow approval")`);
  expect(digestIn(answer).failedLater).toMatchObject([{ workflowName: "Workflow approval" }]);
});

test("a caller that waited for its call, and failed with it, is not listed itself", async () => {
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
  const { learn, digest } = knownN8n(sentBy(all));
  await learn();
  expect(digestIn(await digest({ hours: 24 })).failedLater).toMatchObject([{ workflowId: "child" }]);
});

test("a failure repaired by a retry is not listed", async () => {
  const retry = at(15, run("approval", 0.5, { mode: "retry", facts: { retryOf: "10" } }));
  const { learn, digest } = knownN8n(executionsOf([OLD, APPROVAL, retry, ORDERS]));
  await learn();
  const answer = await digest({ hours: 24 });
  expect(digestIn(answer).failedLater).toEqual([]);
  expect(answer.message).not.toContain("failed in this window");
});

test("a failure that n8n has deleted is listed without an explanation as the next step", async () => {
  const { n8n, learn, digest } = knownN8n(executionsOf([OLD, APPROVAL, ORDERS]));
  await learn();
  n8n.executions = n8n.executions.filter(({ id }) => id !== "10");
  const answer = await digest({ hours: 24 });
  expect(digestIn(answer).failedLater).toMatchObject([{ workflowId: "approval", deletedByN8n: true }]);
  expect(JSON.stringify(answer)).not.toContain("explain_failure");
});
