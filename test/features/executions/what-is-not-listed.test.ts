/** A list of executions says what n8n does not list. */
import { expect, test } from "vitest";
import { executionsOf, HOUR, iso, knownN8n, NOW, run } from "../failure-digest/known-n8n.ts";

const { ask } = knownN8n(executionsOf([run("old", 300), run("orders", 3, { status: "running" })]));
const list = async (args: object) =>
  await ask("get_workflow_executions", { ...args, timeBudgetMs: undefined });

test("a workflow that runs is not told as one that did not run", async () => {
  const asked = { workflowId: "orders", startedAfter: iso(NOW - 4 * HOUR) };
  expect((await list(asked)).message).toBe(
    "0 executions. Running ones may be listed only with status running.",
  );
  expect((await list({ ...asked, status: "running" })).message).toBe("1 execution.");
});

test("what waits in n8n's queue may be in no list, whatever is asked for", async () => {
  expect((await list({ status: "new" })).message).toContain("summarize_failures shows it");
});

test.each(["2026-02-30", "2026-06-31T12:00:00Z", "2026-13-01"])(
  "%s is refused: it would be another day",
  async (startedAfter) => {
    expect(await list({ startedAfter })).toMatchObject({
      status: "error",
      data: { code: "VALIDATION_ERROR", details: { field: "startedAfter" } },
    });
  },
);

test("February 29 is a day of a leap year", async () => {
  expect(await list({ startedAfter: "2028-02-29" })).toMatchObject({ status: "success" });
});
