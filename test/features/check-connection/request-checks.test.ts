/** Which of the newest executions are read for a request id, and how workflows are named. */
import { expect, test } from "vitest";
import { checkSaved, sampleRequestIds } from "../../../src/features/check-connection/request-checks.ts";
import { VisibleN8n } from "../../../src/n8n/visible-n8n.ts";
import { createRedactor } from "../../../src/redaction/redact.ts";
import { createFakeN8n, fakeExecution, webhookData } from "../../support/fake-n8n.ts";
import { createLocalIds } from "../../support/local-ids.ts";

const paths = createLocalIds();
const withoutId = { data: null };

test("newer runs of an error workflow do not hide a request", async () => {
  const errorRuns = [2, 3, 4, 5].map((id) => fakeExecution(id, "", { mode: "error", ...withoutId }));
  const n8n = createFakeN8n([fakeExecution(1, "r-1"), ...errorRuns]);
  const { seen } = await sampleRequestIds(VisibleN8n.whole(n8n.client), paths);
  expect(seen.map(({ value, executionId }) => [value, executionId])).toEqual([["r-1", "1"]]);
});

test("a workflow that runs all the time without an id does not hide another one", async () => {
  const ticks = [2, 3, 4, 5].map((id) =>
    fakeExecution(id, "", { mode: "trigger", workflowId: "ticks", ...withoutId }),
  );
  const n8n = createFakeN8n([fakeExecution(1, "r-1"), ...ticks]);
  const { read, seen } = await sampleRequestIds(VisibleN8n.whole(n8n.client), paths);
  expect(read).toBe(3);
  expect(seen.map(({ value }) => value)).toEqual(["r-1"]);
});

test("a value that redaction hides is not a request id", async () => {
  const ofSignIn = fakeExecution(2, "", { data: webhookData({ auth: { sessionId: "s-1" } }) });
  const n8n = createFakeN8n([fakeExecution(1, "r-1"), ofSignIn]);
  const { seen } = await sampleRequestIds(VisibleN8n.whole(n8n.client), paths);
  expect(seen.map(({ value }) => value)).toEqual(["r-1"]);
});

test("a long name of a workflow is not cut through a secret", async () => {
  for (let length = 20; length < 90; length += 1) {
    const workflowName = `${"Orders of the day ".repeat(6).slice(0, length)} ghp_q5Rk2LmX8vTn4WzB7cYd1HsJ6fGp9QaE3uKo`;
    const named = [{ workflowId: "w1", workflowName, unsaved: "all" } as const];
    const check = await checkSaved(async () => ({ named, sawAll: true }));
    expect(JSON.stringify(createRedactor([])(check).value)).not.toContain("ghp_q5R");
  }
});
