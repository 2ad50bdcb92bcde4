/** How a digest counts failures: each once, where it began. */
import { beforeEach, describe, expect, test } from "vitest";
import type { ExecutionFacts } from "../../../src/executions/execution-facts.ts";
import { FailureRows } from "../../../src/history/digest/failure-rows.ts";
import { IdBounds } from "../../../src/history/digest/id-bounds.ts";
import { RunRows } from "../../../src/history/digest/run-rows.ts";
import { ExecutionStore } from "../../../src/history/store/execution-store.ts";
import type { TracedExecution } from "../../../src/history/store/traced-execution.ts";
import { View } from "../../../src/n8n/view.ts";
import { DAY_MS, HOUR_MS } from "../../../src/platform/durations.ts";
import { memorableExecution, tracedExecution } from "../../builders/known-executions.ts";
import { NO_FACTS } from "../../support/facts-of-executions.ts";
import { createLocalSql } from "../../support/local-history.ts";

const NOW = Date.UTC(2026, 10, 18, 15);
const WINDOW = { from: NOW - DAY_MS, to: NOW };
const BEFORE = { from: NOW - 2 * DAY_MS, to: NOW - DAY_MS };
const ASKED = { workflowId: null, window: WINDOW };

let store: ExecutionStore;
let failures: FailureRows;
let runs: RunRows;
beforeEach(() => {
  store = new ExecutionStore(createLocalSql());
  const { sql } = store.visibleTo(View.everything);
  const ids = new IdBounds(sql, false);
  failures = new FailureRows(sql, ids);
  runs = new RunRows(sql, ids);
});

interface Made extends Partial<Omit<TracedExecution, "failingNode" | "failedAtCall" | "errorFingerprint">> {
  readonly hoursAgo?: number;
  readonly failingNode?: string | null;
  readonly failedAtCall?: 0 | 1 | null;
  readonly errorClass?: string | null;
  readonly httpStatus?: number | null;
  readonly errorFingerprint?: string | null;
  readonly incomplete?: ExecutionFacts["incomplete"];
}

function remember(id: number, made: Made = {}): void {
  const { hoursAgo = 1, failingNode = "Call", errorClass = "NodeApiError", ...others } = made;
  const {
    httpStatus = 500,
    errorFingerprint = "same",
    incomplete = null,
    failedAtCall = null,
    ...facts
  } = others;
  const startedAt = new Date(NOW - hoursAgo * HOUR_MS + id).toISOString();
  const ended = { startedAt, stoppedAt: startedAt, workflowName: "Orders" };
  const execution = tracedExecution(id, { ...ended, status: "error", ...facts });
  const failure = { failingNode, failedAtCall, errorClass, httpStatus, errorFingerprint, incomplete };
  store.rows.remember([memorableExecution(execution, { facts: { ...NO_FACTS, ...failure } })], NOW);
}

const counts = () =>
  failures.groups(ASKED, BEFORE, true).map(({ count, before, repeats }) => ({ count, before, repeats }));

describe("a failure counts", () => {
  test("once with the failure of its caller", () => {
    remember(1, { workflowId: "child", mode: "integrated", parentId: "2" });
    remember(2, { subExecutions: [{ executionId: "1", nodeName: "Call" }] });
    expect(counts()).toEqual([{ count: 1, before: 0, repeats: 1 }]);
    expect(failures.groups(ASKED, BEFORE, true)).toMatchObject([{ workflowId: "child", workflows: 1 }]);
    expect(failures.counts(ASKED)).toEqual({ failedWorkflows: 1, repeats: 1, withoutData: 0 });
  });

  test("apart from its caller's if that failed at another node", () => {
    remember(1, { workflowId: "child", mode: "integrated", parentId: "2" });
    remember(2, { subExecutions: [{ executionId: "1", nodeName: "Call" }], failingNode: "Store" });
    expect(counts()).toEqual([{ count: 2, before: 0, repeats: 0 }]);
  });

  test("once with its caller's if that failed at a node whose calls n8n does not name", () => {
    remember(1, { workflowId: "child", mode: "integrated", parentId: "2" });
    remember(2, { failedAtCall: 1 });
    remember(3, { workflowId: "child", mode: "integrated", parentId: "4", errorFingerprint: "other" });
    remember(4, { failedAtCall: 0, errorFingerprint: "other" });
    expect(counts()).toEqual([
      { count: 2, before: 0, repeats: 0 },
      { count: 1, before: 0, repeats: 1 },
    ]);
  });

  test("apart from its caller's if it was caught long before that failed", () => {
    remember(1, { workflowId: "child", mode: "integrated", parentId: "2" });
    const later = new Date(NOW - HOUR_MS + 60_000).toISOString();
    remember(2, { failedAtCall: 1, errorFingerprint: "other", stoppedAt: later });
    expect(failures.counts(ASKED).repeats).toBe(0);
  });

  test("as one without data only if neither its node nor its cause is known", () => {
    const unknown = { failingNode: null, errorClass: null };
    remember(1, { ...unknown, incomplete: "not_saved" });
    // The index knows the failure of an execution that was read in part, or whose payload is withheld.
    remember(2, { incomplete: "partial" });
    remember(3, { failingNode: null, incomplete: "withheld" });
    remember(4, unknown);
    expect(failures.counts(ASKED).withoutData).toBe(1);
  });

  test("apart from the failure of its error workflow", () => {
    remember(1);
    remember(2, { workflowId: "handler", mode: "error", parentId: "1" });
    expect(counts()).toEqual([{ count: 2, before: 0, repeats: 0 }]);
  });

  test("in one group with all failures of the same cause, in any node or workflow", () => {
    remember(1);
    remember(2, { failingNode: "Other" });
    remember(3, { httpStatus: 404 });
    remember(4, { errorClass: "TypeError" });
    remember(5, { errorFingerprint: "another" });
    remember(6, { workflowId: "w2" });
    remember(7);
    const found = failures.groups(ASKED, BEFORE, true).map(({ count }) => count);
    expect(found.toSorted()).toEqual([1, 1, 1, 4]);
    expect(failures.groups(ASKED, BEFORE, true)[0]).toMatchObject({ count: 4, workflows: 2 });
  });

  test("by its node where the error text must not be compared", () => {
    for (const id of [1, 2, 3]) remember(id, { workflowId: id === 1 ? "w1" : "w2" });
    expect(failures.groups(ASKED, BEFORE, false).map(({ count }) => count)).toEqual([2, 1]);
  });

  test("in its window, with the count of the window before", () => {
    remember(1, { hoursAgo: 50 });
    remember(2, { hoursAgo: 30 });
    remember(3, { hoursAgo: 26 });
    remember(4, { hoursAgo: 2 });
    expect(counts()).toEqual([{ count: 1, before: 2, repeats: 0 }]);
  });

  test("if a time limit canceled it, but not if a person did or it ran in the editor", () => {
    remember(1, { status: "canceled", errorClass: null });
    remember(2, { status: "canceled", errorClass: "ManualExecutionCancelledError" });
    remember(3, { mode: "manual" });
    remember(4, { status: "success" });
    expect(failures.groups(ASKED, BEFORE, true)).toMatchObject([{ count: 1, status: "canceled" }]);
  });
});

test("a failure counts as mended by n8n's mark or by the row of a successful retry", () => {
  remember(1, { retrySuccessId: "9" });
  remember(2);
  remember(3, { mode: "retry", retryOf: "2", status: "success" });
  remember(4);
  remember(5, { mode: "retry", retryOf: "4" });
  const [group] = failures.groups(ASKED, BEFORE, true);
  expect(group).toMatchObject({ count: 4, mended: 2 });
  const executions = group === undefined ? [] : failures.executionsOf(group, ASKED, true, 30);
  expect(executions.map(({ id, isMended }) => [id, isMended])).toEqual([
    ["5", false],
    ["4", false],
    ["2", true],
    ["1", true],
  ]);
});

test("the example is the newest execution that n8n still has", () => {
  for (const id of [1, 2, 3]) remember(id);
  store.rows.markDeleted(["3"]);
  expect(failures.groups(ASKED, BEFORE, true)).toMatchObject([{ exampleId: "2", isExampleGone: false }]);
  store.rows.markDeleted(["1", "2"]);
  expect(failures.groups(ASKED, BEFORE, true)).toMatchObject([{ exampleId: "3", isExampleGone: true }]);
});

test("failures without a run of an error workflow are counted per workflow", () => {
  remember(1, { hoursAgo: 40 });
  remember(2, { hoursAgo: 40, workflowId: "handler", mode: "error", parentId: "1", status: "success" });
  remember(3);
  remember(4, { mode: "manual" });
  expect(failures.unhandled(ASKED, BEFORE.from)).toEqual([
    { workflowId: "w1", failures: 1, handled: 0, savesSuccesses: true, exampleId: "3" },
  ]);
});

test("without access to error texts, failures that differ only in text are one group", () => {
  for (const [id, errorFingerprint] of [
    [1, "jane"],
    [2, "john"],
    [3, "jane"],
  ] as const)
    remember(id, { errorFingerprint });
  remember(4, { errorFingerprint: "jane", httpStatus: 404 });
  const ofAll = (isByText: boolean) =>
    failures
      .groups(ASKED, BEFORE, isByText)
      .map((group) => failures.executionsOf(group, ASKED, isByText, 30).map(({ id }) => id));
  expect(ofAll(true)).toEqual([["3", "1"], ["4"], ["2"]]);
  expect(ofAll(false)).toEqual([["3", "2", "1"], ["4"]]);
});

test("the failed runs are those of the groups plus the repeats, timeouts included", async () => {
  remember(1, { workflowId: "child", mode: "integrated", parentId: "2" });
  remember(2, { subExecutions: [{ executionId: "1", nodeName: "Call" }] });
  remember(3, { status: "canceled", errorClass: "TimeoutExecutionCancelledError" });
  remember(4, { status: "canceled", errorClass: "ManualExecutionCancelledError" });
  const { workflows } = await runs.newest(ASKED, BEFORE.from, true, async () => {});
  const failed = workflows.flatMap(({ runs }) => runs).filter(({ status }) => status === "error");
  expect(failed.map(({ id }) => id).toSorted()).toEqual(["1", "2", "3"]);
  const inGroups = counts().reduce((sum, { count }) => sum + count, 0);
  expect(inGroups + failures.counts(ASKED).repeats).toBe(failed.length);
});

test.each([
  ["partial", { items: 7, caught: 1 }],
  ["withheld", { items: null, caught: null }],
] as const)("of a run that is %s, %o is known", async (incomplete, known) => {
  const startedAt = new Date(NOW - HOUR_MS).toISOString();
  const facts = { ...NO_FACTS, items: 7, handledErrors: 1, incomplete };
  store.rows.remember([memorableExecution(tracedExecution(1, { startedAt }), { facts })], NOW);
  const { workflows } = await runs.newest(ASKED, WINDOW.from, true, async () => {});
  expect(workflows.flatMap(({ runs }) => runs)).toMatchObject([known]);
});

test("the last run is the one that started last, even if its id is not the highest", () => {
  remember(1, { hoursAgo: 2 });
  remember(2, { hoursAgo: 5 });
  const last = runs
    .lastOf(["w1"], { from: BEFORE.from, to: NOW })
    .flatMap(({ runs }) => runs.map(({ id }) => id));
  expect(last).toEqual(["1"]);
});
