import { describe, expect, test } from "vitest";
import type { Match } from "../../src/trace/match.ts";
import { beginTrace, type TracedExecution, type TraceState } from "../../src/trace/trace-state.ts";
import { buildTree, deepestFailure } from "../../src/trace/tree.ts";

const EXACT: Match = { kind: "exact", nodeName: "Webhook", path: "requestId" };
const MENTION: Match = { kind: "mentioned", nodeName: "Note", path: "text" };

function execution(id: string, facts: Partial<TracedExecution> = {}): TracedExecution {
  return {
    id,
    workflowId: `w${id}`,
    workflowName: `workflow ${id}`,
    mode: "webhook",
    status: "success",
    startedAt: `2026-01-01T00:00:${id.padStart(2, "0")}.000Z`,
    stoppedAt: `2026-01-01T00:01:${id.padStart(2, "0")}.000Z`,
    parentId: null,
    retryOf: null,
    retrySuccessId: null,
    subExecutions: [],
    ...facts,
  };
}

const sub = (id: string, parentId: string, facts: Partial<TracedExecution> = {}): TracedExecution =>
  execution(id, { mode: "integrated", parentId, ...facts });

function stateOf(executions: TracedExecution[], matches: Record<string, Match>): TraceState {
  const state = beginTrace("r-1", { workflowId: null, startedAfter: null, startedBefore: null });
  for (const one of executions) state.executions[one.id] = one;
  Object.assign(state.matches, matches);
  return state;
}

const shape = (state: TraceState): string[] =>
  buildTree(state).nodes.map((node) => `${node.id} ${node.role} ${node.parentId ?? "-"}`);

describe("who belongs to a request", () => {
  test("everything it caused, each after what caused it", () => {
    const state = stateOf(
      [
        execution("1", { status: "error" }),
        sub("2", "1"),
        sub("3", "2", { status: "error" }),
        execution("4", { mode: "error", parentId: "3" }),
        execution("5", { mode: "error", parentId: "1" }),
        execution("6", { mode: "retry", retryOf: "1" }),
        sub("7", "6"),
        execution("9"),
      ],
      { "1": EXACT },
    );
    expect(shape(state)).toEqual([
      "1 entry -",
      "2 sub_workflow 1",
      "3 sub_workflow 2",
      "4 error_handler 3",
      "5 error_handler 1",
      "6 retry 1",
      "7 sub_workflow 6",
    ]);
  });

  test("of a batch, only the part that is the request's", () => {
    const batch = execution("1", { mode: "trigger" });
    const state = stateOf(
      [batch, sub("2", "1"), sub("3", "1"), sub("4", "3"), execution("5", { mode: "error", parentId: "1" })],
      {
        "3": EXACT,
      },
    );
    expect(shape(state)).toEqual(["1 entry -", "3 sub_workflow 1", "4 sub_workflow 3", "5 error_handler 1"]);
  });

  test("a child that does not know its parent, when the parent knows it, whichever came first", () => {
    const server = execution("9", { subExecutions: [{ executionId: "8", nodeName: "tool.x" }] });
    const state = stateOf([server, execution("8", { mode: "integrated" })], { "9": EXACT, "8": EXACT });
    expect(shape(state)).toEqual(["9 entry -", "8 sub_workflow 9"]);
  });

  test("a child whose parent is gone is still no entry", () => {
    expect(shape(stateOf([sub("2", "1")], { "2": EXACT }))).toEqual(["2 sub_workflow 1"]);
  });

  test("mentions stand at the end, as related, and pull nothing in", () => {
    const state = stateOf([execution("1"), execution("2"), sub("3", "2")], { "1": EXACT, "2": MENTION });
    expect(shape(state)).toEqual(["1 entry -", "2 related -"]);
  });

  test("links that go in circles end, and lose nobody", () => {
    const failed = { status: "error" } as const;
    const circle = [sub("1", "3", failed), sub("2", "1", failed), sub("3", "2", failed)];
    const tree = buildTree(stateOf(circle, { "1": EXACT }));
    expect(tree.nodes.map((node) => node.id)).toEqual(["1", "2", "3"]);
    expect(deepestFailure({ ...tree, outcome: "error", deciding: tree.nodes[0] ?? null })?.id).toBe("3");
    const retries = [execution("1", { retryOf: "2" }), execution("2", { retryOf: "1" })];
    expect(buildTree(stateOf(retries, { "1": EXACT })).nodes).toHaveLength(2);
  });
});

describe("how it ended", () => {
  const outcome = (executions: TracedExecution[], matches: Record<string, Match>): string =>
    buildTree(stateOf(executions, matches)).outcome;

  test.each([
    ["success", "success"],
    ["error", "error"],
    ["crashed", "error"],
    ["waiting", "waiting"],
    ["running", "running"],
    ["new", "running"],
    ["canceled", "canceled"],
  ] as const)("%s → %s", (status, expected) => {
    expect(outcome([execution("1", { status })], { "1": EXACT })).toBe(expected);
  });

  test("the last retry decides, also of retries that were retried", () => {
    const failed = { status: "error", mode: "retry" } as const;
    const all = [
      execution("1", { status: "error" }),
      execution("2", { ...failed, retryOf: "1" }),
      execution("3", { ...failed, retryOf: "1", retrySuccessId: "4" }),
      execution("4", { mode: "retry", retryOf: "3" }),
    ];
    expect(buildTree(stateOf(all, { "1": EXACT })).deciding?.id).toBe("4");
    expect(outcome(all.slice(0, 3), { "1": EXACT })).toBe("error");
  });

  test("sent twice, the last one decides", () => {
    const first = execution("1", { status: "error" });
    expect(outcome([first, execution("2")], { "1": EXACT, "2": EXACT })).toBe("success");
    expect(outcome([execution("1"), execution("2", { status: "error" })], { "1": EXACT, "2": EXACT })).toBe(
      "error",
    );
  });

  test("a batch above it does not decide", () => {
    const batch = execution("1", { mode: "trigger", status: "error" });
    expect(outcome([batch, sub("2", "1"), sub("3", "1", { status: "error" })], { "2": EXACT })).toBe(
      "success",
    );
  });

  test("nothing, or mentions alone, is not found", () => {
    expect(outcome([], {})).toBe("not_found");
    expect(outcome([execution("1")], { "1": MENTION })).toBe("not_found");
  });

  test("a failure is named where it began, in the deepest sub-workflow", () => {
    const state = stateOf(
      [
        execution("1", { status: "error" }),
        sub("2", "1", { status: "error" }),
        sub("3", "2", { status: "error" }),
        sub("4", "2"),
        execution("5", { mode: "error", parentId: "3", status: "error" }),
      ],
      { "1": EXACT, "3": EXACT },
    );
    expect(deepestFailure(buildTree(state))?.id).toBe("3");
  });

  test("a sub-workflow that failed and was handled is no failure of the request", () => {
    const tree = buildTree(stateOf([execution("1"), sub("2", "1", { status: "error" })], { "1": EXACT }));
    expect(tree.outcome).toBe("success");
    expect(deepestFailure(tree)).toBeNull();
  });
});
