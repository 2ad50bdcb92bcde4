/** Digests over an n8n 2.41 to 3.0: a worker's death counts as a failure, and what ended hangs nowhere. */
import { expect, test } from "vitest";
import * as z from "zod";
import type { Run } from "../../src/history/digest/run.ts";
import { hangingRuns } from "../../src/history/digest/unusual-runs.ts";
import { DAY, toExecutions } from "../features/failure-digest/troubles.ts";
import { createCaller } from "../support/call-recorded.ts";
import { createFakeN8n } from "../support/fake-n8n.ts";
import { STALLED_ERROR, WAIT_FOR_SUB_EXECUTION } from "../support/newer-n8n.ts";

const SETTINGS = { N8N_BASE_URL: "http://localhost:1", N8N_API_KEY: "a-key-for-these-tests" };
/** A Wednesday. */
const NOW = Date.UTC(2026, 10, 18, 15);
const HOUR = 3_600_000;

test("a worker that died is a failure, with the status error or crashed, with an error or without data (n8n 2.42, #38853)", async () => {
  const died = (minutes: number, status: string, resultData: object) => ({
    ...{
      workflowId: "orders",
      mode: "webhook",
      startedAt: NOW - minutes * 60_000,
      durationMs: 90_000,
      status,
    },
    facts: { data: { version: 1, resultData } },
  });
  const runs = [
    died(10, "crashed", { runData: {} }),
    died(20, "crashed", { runData: {}, error: STALLED_ERROR }),
    died(30, "error", { runData: {}, error: STALLED_ERROR }),
  ];
  const n8n = createFakeN8n(toExecutions(runs));
  const caller = createCaller({ settings: SETTINGS, fetch: n8n.fetch, now: () => NOW });
  const answer = await caller.call("summarize_failures", { timeBudgetMs: 55_000 });
  const groups = z
    .looseObject({ groups: z.array(z.looseObject({ count: z.number() })) })
    .parse(answer.data).groups;
  expect(
    groups.reduce((sum, { count }) => sum + count, 0),
    JSON.stringify(answer),
  ).toBe(3);
});

const run = (id: number, facts: Partial<Run>): Run => ({
  ...{ id: String(id), mode: "webhook", status: "success" },
  ...{ startedAt: NOW - 2 * DAY + id * HOUR, stoppedAt: NOW - 2 * DAY + id * HOUR + 1_000, waitTill: null },
  ...{ nodes: 2, items: 2, caught: 0, version: null, failure: null },
  ...facts,
});
const usual = Array.from({ length: 30 }, (_run, index) => run(index + 1, {}));

test("of a status that is not known, only what has not ended hangs (n8n-workflow `execution-status`)", () => {
  const ended = run(40, { status: "unknown" });
  const open = run(41, { status: "unknown", stoppedAt: null });
  expect(hangingRuns([...usual, ended, open], NOW).map(({ id }) => id)).toEqual(["41"]);
});

test("a parent that waits for its sub-workflow hangs like one that waits for ever (n8n 2.41.1, `WAIT_FOR_SUB_EXECUTION`)", () => {
  const waits = run(1, {
    status: "waiting",
    startedAt: NOW - 10 * DAY,
    waitTill: Date.parse(WAIT_FOR_SUB_EXECUTION),
  });
  expect(hangingRuns([...usual, waits], NOW)).toMatchObject([{ id: "1", kind: "waiting" }]);
});
