/** What a caller who sees one workflow is told of executions that could not be read. */
import { expect, test } from "vitest";
import { ExecutionStore } from "../../../src/history/store/execution-store.ts";
import { View } from "../../../src/n8n/view.ts";
import { memorableExecution, tracedExecution } from "../../builders/known-executions.ts";
import { createLocalSql } from "../../support/local-history.ts";

const SKIPPED = [
  { executionId: "1", reason: "was deleted" },
  { executionId: "2", reason: "was deleted" },
  { executionId: "3", reason: "was deleted" },
  { executionId: null, reason: "12 executions that run were not read" },
  { executionId: null, reason: "n8n failed to return an execution" },
];

function visibleTo(view: View) {
  const store = new ExecutionStore(createLocalSql());
  store.rows.remember(
    [
      memorableExecution(tracedExecution(1, { workflowId: "own" })),
      memorableExecution(tracedExecution(2, { workflowId: "hidden" })),
    ],
    0,
  );
  return store.visibleTo(view);
}

test("names no hidden execution, no id that may be of one, and counts none", () => {
  expect(visibleTo(View.from({ seen: ["own"], data: [] })).named(SKIPPED)).toEqual([
    { executionId: "1", reason: "was deleted" },
    { executionId: null, reason: "was deleted" },
    { executionId: null, reason: "not everything that may be of any workflow could be read" },
    { executionId: null, reason: "n8n failed to return an execution" },
  ]);
});

test("tells everything to who sees everything", () => {
  expect(visibleTo(View.everything).named(SKIPPED)).toEqual(SKIPPED);
});
