/** What a digest and a count do not call a failure, or not of this workflow: what people did, and what others failed. */
import { expect, test } from "vitest";
import * as z from "zod";
import { readRecording } from "../../recorded-n8n/recording.ts";
import { type Made, toN8n } from "../living-counts/made-executions.ts";
import {
  digestIn,
  executionsOf,
  failed,
  HOUR,
  knownN8n,
  madeOf,
  NOW,
  run,
  times,
  workflowOf,
  workflowsOf,
} from "./known-n8n.ts";

const OLD = madeOf(1, { workflowId: "old", startedAt: NOW - 200 * HOUR, stoppedAt: NOW - 200 * HOUR + 5 });
const AT = NOW - 5 * HOUR;
const CHILD = { workflowId: "child", name: "Workflow child", mode: "integrated" };

/** What n8n answered of an execution that somebody had stopped. */
async function recordedFacts(version: "1.100.1" | "1.123.81") {
  const { executions, snapshots } = await readRecording(version);
  const stopped = executions.find(({ status }) => status === "canceled");
  const workflowData = z.looseObject({}).parse(snapshots[stopped?.snapshot ?? -1]);
  return { data: stopped?.answer.data, workflowData };
}

const n8nOf = (all: readonly Made[]) =>
  knownN8n(
    all
      .toSorted((a, b) => b.id - a.id)
      .map((one) => toN8n(one, (id) => all.find((each) => each.id === id)?.workflowId)),
  );

test("a caller of a sub-workflow that ended by its time limit is no second failure", async () => {
  // As n8n 2.40.5 and 1.123.81 record it: the caller has status error, and its error names the canceled execution.
  const { digest } = n8nOf([
    OLD,
    madeOf(10, { status: "error", fault: 0, childId: 11, startedAt: AT, stoppedAt: AT + 3_100 }),
    madeOf(11, { ...CHILD, status: "canceled", parentId: 10, startedAt: AT + 50, stoppedAt: AT + 3_050 }),
  ]);
  const answer = await digest({ hours: 24 });
  expect(answer).toMatchObject({ data: { totals: { failures: 2, failuresOfCallers: 1 } } });
  expect(answer.message).toContain("1 kind of failure in 1 workflow (1 execution, and 1 caller");
});

test("what somebody stopped is no failure, and what it fails is one of the caller", async () => {
  const { digest } = n8nOf([
    OLD,
    madeOf(10, { status: "error", fault: 0, childId: 11, startedAt: AT, stoppedAt: AT + 3_100 }),
    madeOf(11, {
      ...{ ...CHILD, status: "canceled", isByHand: true, parentId: 10 },
      ...{ startedAt: AT + 50, stoppedAt: AT + 3_050 },
    }),
  ]);
  const { groups } = digestIn(await digest({ hours: 24 }));
  expect(groups).toMatchObject([{ workflowId: "caller", count: 1 }]);
});

test.each(["1.100.1", "1.123.81"] as const)(
  "n8n %s keeps no error of what somebody stopped: it is no failure either",
  async (version) => {
    const stopped = run("report", 3, { status: "canceled", facts: await recordedFacts(version) });
    const { digest, query } = knownN8n(executionsOf([run("old", 300), stopped]));
    expect(await digest({ hours: 24 })).toMatchObject({
      data: { groups: [], totals: { runs: 1, failures: 0 } },
    });
    expect(await query({ hours: 24 })).toMatchObject({ data: { totals: { count: 1, failures: 0 } } });
  },
);

test("on an n8n that keeps no error of either, the workflow's time limit tells that it ended by it", async () => {
  const { data, workflowData } = await recordedFacts("1.123.81");
  const limited = { data, workflowData: { ...workflowData, settings: { executionTimeout: 2 } } };
  const over = run("report", 3, { status: "canceled", durationMs: 2_010, facts: limited });
  const before = run("report", 2, { status: "canceled", durationMs: 900, facts: limited });
  const { digest } = knownN8n(executionsOf([run("old", 300), over, before]));
  expect(digestIn(await digest({ hours: 24 })).groups).toMatchObject([{ status: "canceled", count: 1 }]);
});

test("on such an n8n, what ended after whole minutes ended by the instance's limit", async () => {
  const { data, workflowData } = await recordedFacts("1.123.81");
  const stopped = (hoursAgo: number, durationMs: number, settings: object) =>
    run("report", hoursAgo, {
      ...{ status: "canceled", durationMs, facts: { data, workflowData: { ...workflowData, settings } } },
    });
  const { digest } = knownN8n(
    executionsOf([
      run("old", 300),
      stopped(4, 3_600_040, {}),
      stopped(3, 3_600_020, { executionTimeout: 7_200 }),
      stopped(2, 754_321, {}),
    ]),
  );
  expect(digestIn(await digest({ hours: 24 })).groups).toMatchObject([{ status: "canceled", count: 2 }]);
});

test("an n8n that gives a stop and a limit one class tells them by the limit, too", async () => {
  const error = { name: "ExecutionCancelledError", message: "The execution was cancelled" };
  const facts = {
    data: { resultData: { runData: {}, error } },
    workflowData: { name: "Report", active: true, nodes: [], settings: { executionTimeout: 2 } },
  };
  const over = run("report", 3, { status: "canceled", durationMs: 2_010, facts });
  const before = run("report", 2, { status: "canceled", durationMs: 900, facts });
  const { digest } = knownN8n(executionsOf([run("old", 300), over, before]));
  expect(digestIn(await digest({ hours: 24 })).groups).toMatchObject([{ status: "canceled", count: 1 }]);
});

test("a sub-workflow that was called from the editor ran from the editor, also at the second level", async () => {
  const tried = [
    madeOf(10, {
      mode: "manual",
      status: "error",
      fault: 0,
      childId: 11,
      startedAt: AT,
      stoppedAt: AT + 900,
    }),
    madeOf(11, { ...CHILD, status: "error", fault: 0, parentId: 10, childId: 12, startedAt: AT + 1 }),
    madeOf(12, { ...CHILD, workflowId: "inner", status: "error", fault: 0, parentId: 11, startedAt: AT + 2 }),
  ];
  const { digest, query } = n8nOf([OLD, ...tried]);
  const answer = await digest({ hours: 24 });
  expect(answer).toMatchObject({ data: { groups: [], totals: { runs: 0, failures: 0 } } });
  expect(answer.message).toContain("3 runs from the editor are not counted.");
  expect(await query({ hours: 24 })).toMatchObject({ data: { totals: { count: 0, editorRuns: 3 } } });
});

test("a workflow that failed in the editor alone is not told as one that nobody ran", async () => {
  const inEditor = [3, 2].map((hours) => failed("orders", hours, { mode: "manual" }));
  const { digest } = knownN8n(
    executionsOf([run("old", 300), ...inEditor, run("other", 1, { mode: "manual" })]),
  );
  const { message } = await digest({ hours: 24, workflowId: "orders" });
  expect(message).toContain("2 runs from the editor are not counted.");
});

test("what a retry of its retry mended is mended", async () => {
  const retry = (id: number, retryOf: number, hours: number, more: Partial<Made>) =>
    madeOf(id, {
      mode: "retry",
      retryOf,
      startedAt: AT + hours * HOUR,
      stoppedAt: AT + hours * HOUR + 9,
      ...more,
    });
  const { digest } = n8nOf([
    OLD,
    madeOf(10, { status: "error", fault: 0, startedAt: AT, stoppedAt: AT + 500 }),
    retry(12, 10, 1, { status: "error", fault: 0 }),
    retry(14, 12, 2, {}),
  ]);
  expect(digestIn(await digest({ hours: 24 })).groups).toMatchObject([{ count: 2, mended: 2 }]);
});

test.each(["DEFAULT", "={{ $vars.ERROR_WORKFLOW_ID }}"])(
  "no error workflow is missing where the setting is %s",
  async (errorWorkflow) => {
    const { n8n, digest } = knownN8n(executionsOf([run("old", 300), failed("orders", 3)]));
    const answers = workflowsOf([workflowOf("orders", { settings: { errorWorkflow } }), workflowOf("old")]);
    n8n.intercept = (url) =>
      /\/workflows\/(?!orders)/.test(url.pathname)
        ? new Response('{"message":"Not Found"}', {
            status: 404,
            headers: { "content-type": "application/json" },
          })
        : answers(url);
    expect(digestIn(await digest({ hours: 24 })).unhandled).toEqual([]);
  },
);

test.each([
  ["is not said not to have run: n8n may save no successes", "error", []],
  ["did not run where one of its runs was saved that succeeded", "success", [{ reason: "did_not_run" }]],
])("an error workflow of which only some runs are known %s", async (_title, status, expected) => {
  const failures = times(6, (index) => {
    const startedAt = NOW - (10 - index) * HOUR;
    return madeOf(10 + 2 * index, { status: "error", fault: 0, startedAt, stoppedAt: startedAt + 100 });
  });
  const startedAt = NOW - 10 * HOUR + 200;
  const handled = madeOf(11, {
    ...{ workflowId: "handler", name: "Handler", mode: "error", status, parentId: 10 },
    ...{ fault: status === "error" ? 3 : null, startedAt, stoppedAt: startedAt + 100 },
  });
  const { n8n, digest } = n8nOf([OLD, ...failures, handled]);
  n8n.intercept = workflowsOf([
    workflowOf("caller", { settings: { errorWorkflow: "handler" } }),
    workflowOf("handler"),
    workflowOf("old"),
  ]);
  expect(digestIn(await digest({ hours: 24 })).unhandled).toMatchObject(expected);
});
