/** What is stored of an execution is bounded, and a lost part is recorded as its problem. */
import { describe, expect, test } from "vitest";
import type { CollectedIds, ValuePlace } from "../../../src/history/payload/id-collector.ts";
import type { Reading } from "../../../src/history/reading/reading.ts";
import { toMemorable } from "../../../src/history/reading/to-memorable.ts";
import { MAX_KEPT_PATH } from "../../../src/history/request-ids/request-id-paths.ts";
import { MAX_SUB_EXECUTIONS } from "../../../src/history/store/memorable-execution.ts";
import { tracedExecution } from "../../builders/known-executions.ts";
import { NO_FACTS } from "../../support/facts-of-executions.ts";

const NOTHING: CollectedIds = { correlations: new Map(), customValues: new Map(), isPartial: false };
const FILTER = Uint8Array.of(1, 0);
const HUGE = "n".repeat(1_000_000);

function reading(changes: Partial<Reading["execution"]> = {}, ids: Partial<CollectedIds> = {}): Reading {
  return {
    execution: tracedExecution(1, changes),
    ids: { ...NOTHING, ...ids },
    searched: null,
    isWithheld: false,
    isTooLarge: false,
    savesProgress: null,
    facts: NO_FACTS,
    termFilter: FILTER,
  };
}

const callsOf = (count: number) =>
  Array.from({ length: count }, (_one, index) => ({ executionId: String(index + 2), nodeName: "Call" }));

describe("what is stored of an execution", () => {
  test("is everything in the usual case", () => {
    const one = reading({ subExecutions: callsOf(MAX_SUB_EXECUTIONS) });
    expect(toMemorable(one, String)).toEqual({
      execution: one.execution,
      correlations: [],
      otherIds: null,
      problem: null,
      facts: NO_FACTS,
      termFilter: FILTER,
    });
  });

  test("is limited to 10,000 called executions, with a problem if there were more", () => {
    const { execution, problem } = toMemorable(
      reading({ subExecutions: callsOf(MAX_SUB_EXECUTIONS + 1) }),
      String,
    );
    expect(execution.subExecutions).toEqual(callsOf(MAX_SUB_EXECUTIONS));
    expect(problem).toMatch(/called more than 10000 executions/);
  });

  test("has short names and paths, whatever the payload contains", () => {
    const run = { nodeName: HUGE, index: 0, order: 0 };
    const place: ValuePlace = { run, item: null, path: ["body", HUGE, "requestId"] };
    const facts = { workflowName: HUGE, subExecutions: [{ executionId: "2", nodeName: HUGE }] };
    const kept = toMemorable(
      reading(facts, {
        correlations: new Map([["r-1", { ...place, isOpen: true }]]),
        customValues: new Map([["c-1", place]]),
      }),
      String,
    );
    expect(kept.correlations).toMatchObject([
      { digest: "r-1", needsData: false, path: "body.….requestId" },
      { digest: "c-1", needsData: true, path: "body.….requestId" },
    ]);
    expect(JSON.stringify(kept).length).toBeLessThan(4 * MAX_KEPT_PATH);
    expect(kept.problem).toBeNull();
  });
});
