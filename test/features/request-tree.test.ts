import { describe, expect, test } from "vitest";
import type { Match } from "../../src/features/request-node.ts";
import { buildTree, deepestFailure, type RequestTree } from "../../src/features/request-tree.ts";
import { familyOf, LinkIndex } from "../../src/history/store/family.ts";
import type { TracedExecution } from "../../src/history/store/traced-execution.ts";
import { startOf, tracedExecution } from "../builders/known-executions.ts";

const EXACT: Match = { kind: "exact", nodeName: "Webhook", path: "requestId" };
const MENTION: Match = { kind: "mentioned", nodeName: "Note", path: "text" };

/** The execution of a workflow of its own, which takes a minute. */
const execution = (id: string, facts: Partial<TracedExecution> = {}): TracedExecution =>
  tracedExecution(Number(id), { workflowId: `w${id}`, stoppedAt: startOf(Number(id) + 60), ...facts });

const sub = (id: string, parentId: string, facts: Partial<TracedExecution> = {}): TracedExecution =>
  execution(id, { mode: "integrated", parentId, ...facts });

type Matches = Readonly<Record<string, Match>>;

const idsOf = (matches: Matches, kind: Match["kind"]): string[] =>
  Object.entries(matches).flatMap(([id, match]) => (match.kind === kind ? [id] : []));

/** The tree of a request over all known executions. */
function treeOf(executions: readonly TracedExecution[], matches: Matches): RequestTree {
  const family = new Set(familyOf(idsOf(matches, "exact"), new LinkIndex(executions)).ids);
  const mentioning = new Set(idsOf(matches, "mentioned"));
  return buildTree({
    family: executions.filter(({ id }) => family.has(id)),
    mentioning: executions.filter(({ id }) => mentioning.has(id)),
    matches: new Map(Object.entries(matches)),
  });
}

const shape = (executions: readonly TracedExecution[], matches: Matches): string[] =>
  treeOf(executions, matches).nodes.map((node) => `${node.id} ${node.role} ${node.parentId ?? "-"}`);

describe("a request includes", () => {
  test("all executions that it caused, each after its cause", () => {
    const executions = [
      execution("1", { status: "error" }),
      sub("2", "1"),
      sub("3", "2", { status: "error" }),
      execution("4", { mode: "error", parentId: "3" }),
      execution("5", { mode: "error", parentId: "1" }),
      execution("6", { mode: "retry", retryOf: "1" }),
      sub("7", "6"),
      execution("9"),
    ];
    expect(shape(executions, { "1": EXACT })).toEqual([
      "1 entry -",
      "2 sub_workflow 1",
      "3 sub_workflow 2",
      "4 error_handler 3",
      "5 error_handler 1",
      "6 retry 1",
      "7 sub_workflow 6",
    ]);
  });

  test("only its own part of a batch", () => {
    const batch = execution("1", { mode: "trigger" });
    const handler = execution("5", { mode: "error", parentId: "1" });
    const executions = [batch, sub("2", "1"), sub("3", "1"), sub("4", "3"), handler];
    expect(shape(executions, { "3": EXACT })).toEqual([
      "1 entry -",
      "3 sub_workflow 1",
      "4 sub_workflow 3",
      "5 error_handler 1",
    ]);
  });

  test("nothing below the error handlers and retries of its batch", () => {
    const executions = [
      execution("1", { mode: "trigger", status: "error" }),
      sub("2", "1"),
      execution("3", { mode: "error", parentId: "1" }),
      sub("4", "3"),
      execution("5", { mode: "retry", retryOf: "1" }),
      sub("6", "5"),
    ];
    expect(shape(executions, { "2": EXACT })).toEqual([
      "1 entry -",
      "2 sub_workflow 1",
      "3 error_handler 1",
      "5 retry 1",
    ]);
  });

  test("a child that only its parent names, whichever came first", () => {
    const server = execution("9", { subExecutions: [{ executionId: "8", nodeName: "tool.x" }] });
    const called = execution("8", { mode: "integrated" });
    expect(shape([server, called], { "9": EXACT, "8": EXACT })).toEqual(["9 entry -", "8 sub_workflow 9"]);
    expect(shape([called, server], { "8": EXACT })).toEqual(["9 entry -", "8 sub_workflow 9"]);
  });

  test("a child whose parent is gone, which is still not an entry", () => {
    expect(shape([sub("2", "1")], { "2": EXACT })).toEqual(["2 sub_workflow 1"]);
  });

  test("mentions at the end, as related, without their own children", () => {
    const executions = [execution("1"), execution("2"), sub("3", "2")];
    expect(shape(executions, { "1": EXACT, "2": MENTION })).toEqual(["1 entry -", "2 related -"]);
  });

  test("each execution of a circle of links once", () => {
    const failed = { status: "error" } as const;
    const circle = [sub("1", "3", failed), sub("2", "1", failed), sub("3", "2", failed)];
    const tree = treeOf(circle, { "1": EXACT });
    expect(tree.nodes.map((node) => node.id)).toEqual(["1", "2", "3"]);
    expect(deepestFailure({ ...tree, outcome: "error", deciding: tree.nodes[0] ?? null })?.id).toBe("3");
    const retries = [execution("1", { retryOf: "2" }), execution("2", { retryOf: "1" })];
    expect(treeOf(retries, { "1": EXACT }).nodes).toHaveLength(2);
  });
});

describe("the evidence for an execution", () => {
  const evidence = (executions: readonly TracedExecution[], matches: Matches): string[] =>
    treeOf(executions, matches).nodes.map((node) => `${node.id} ${node.evidence}`);

  test("is n8n's own link, by its name", () => {
    const executions = [
      execution("1", { status: "error", subExecutions: [{ executionId: "3", nodeName: "Call" }] }),
      sub("2", "1"),
      execution("3", { mode: "integrated" }),
      execution("4", { mode: "error", parentId: "1" }),
      execution("5", { mode: "retry", retryOf: "1" }),
    ];
    expect(evidence(executions, { "1": EXACT })).toEqual([
      "1 holds the request id",
      "2 parentExecution",
      "3 subExecution",
      "4 parentExecution",
      "5 retryOf",
    ]);
  });

  test("is the child's link if parent and child name each other", () => {
    const parent = execution("1", { subExecutions: [{ executionId: "2", nodeName: "Call" }] });
    expect(evidence([parent, sub("2", "1")], { "1": EXACT })).toEqual([
      "1 holds the request id",
      "2 parentExecution",
    ]);
  });

  test("of a batch is that it started the request", () => {
    expect(evidence([execution("1"), sub("2", "1")], { "2": EXACT })).toEqual([
      "1 started what holds the request id",
      "2 parentExecution",
    ]);
  });

  test("is weak for an orphan and for a mention", () => {
    const orphan = execution("2", { mode: "integrated" });
    const mention = sub("3", "1");
    expect(evidence([orphan, mention], { "2": EXACT, "3": MENTION })).toEqual([
      "2 its parent is not known",
      "3 mentions the request id",
    ]);
    expect(shape([orphan, mention], { "2": EXACT, "3": MENTION })).toEqual([
      "2 sub_workflow -",
      "3 related -",
    ]);
  });

  test("is its link if it also mentions the request id", () => {
    const executions = [execution("1"), sub("2", "1")];
    expect(evidence(executions, { "1": EXACT, "2": MENTION })).toEqual([
      "1 holds the request id",
      "2 parentExecution",
    ]);
    const [, second] = treeOf(executions, { "1": EXACT, "2": MENTION }).nodes;
    expect(second?.match).toEqual(MENTION);
  });
});

describe("a family", () => {
  const familyIds = (executions: readonly TracedExecution[], matchIds: readonly string[]): string[] =>
    familyOf(matchIds, new LinkIndex(executions)).ids.toSorted((a, b) => Number(a) - Number(b));

  test("names linked executions that were not read", () => {
    const parent = sub("2", "1", { subExecutions: [{ executionId: "3", nodeName: "Call" }] });
    const family = familyOf(["2"], new LinkIndex([parent]));
    expect([family.ids.toSorted(), family.missing.toSorted()]).toEqual([
      ["1", "2", "3"],
      ["1", "3"],
    ]);
  });

  test("knows a retry by either of the two executions", () => {
    const failed = execution("1", { status: "error", retrySuccessId: "2" });
    expect(familyIds([failed], ["1"])).toEqual(["1", "2"]);
    expect(familyIds([execution("3", { mode: "retry", retryOf: "1" })], ["3"])).toEqual(["1", "3"]);
    expect(familyIds([failed, execution("3", { mode: "retry", retryOf: "1" })], ["1"])).toEqual([
      "1",
      "2",
      "3",
    ]);
  });

  test("does not include a retry as a sub-workflow of its original's caller", () => {
    const retry = execution("3", { mode: "retry", retryOf: "2", parentId: "1" });
    expect(shape([execution("1"), sub("2", "1", { status: "error" }), retry], { "1": EXACT })).toEqual([
      "1 entry -",
      "2 sub_workflow 1",
      "3 retry 2",
    ]);
  });

  test("is one for all matches", () => {
    expect(familyIds([execution("1"), sub("2", "1"), execution("8"), sub("9", "8")], ["2", "8"])).toEqual([
      "1",
      "2",
      "8",
      "9",
    ]);
    expect(familyIds([execution("1")], [])).toEqual([]);
  });

  test("is cut at its limit, and says so", () => {
    const children = (count: number): TracedExecution[] =>
      Array.from({ length: count }, (_child, index) => sub(String(index + 2), "1"));
    const whole = familyOf(["1"], new LinkIndex([execution("1"), ...children(299)]));
    expect([whole.ids.length, whole.isCut]).toEqual([300, false]);
    const cut = familyOf(["1"], new LinkIndex([execution("1"), ...children(5_000)]));
    expect([cut.ids.length, cut.isCut]).toEqual([300, true]);
  });
});

describe("the outcome", () => {
  const outcome = (executions: readonly TracedExecution[], matches: Matches): string =>
    treeOf(executions, matches).outcome;

  test.each([
    ["success", "success"],
    ["error", "error"],
    ["crashed", "error"],
    ["waiting", "waiting"],
    ["running", "running"],
    ["new", "queued"],
    ["canceled", "canceled"],
  ] as const)("of the status %s is %s", (status, expected) => {
    expect(outcome([execution("1", { status })], { "1": EXACT })).toBe(expected);
  });

  test("is that of the last retry, even a retry of a retry", () => {
    const failed = { status: "error", mode: "retry" } as const;
    const all = [
      execution("1", { status: "error" }),
      execution("2", { ...failed, retryOf: "1" }),
      execution("3", { ...failed, retryOf: "1", retrySuccessId: "4" }),
      execution("4", { mode: "retry", retryOf: "3" }),
    ];
    expect(treeOf(all, { "1": EXACT }).deciding?.id).toBe("4");
    expect(outcome(all.slice(0, 2), { "1": EXACT })).toBe("error");
  });

  test("is that of a retry that n8n reports as successful but does not keep", () => {
    const all = [execution("1", { status: "error", retrySuccessId: "4" })];
    expect(outcome(all, { "1": EXACT })).toBe("success");
  });

  test.each([
    [["success", "success"], "success", "2"],
    [["error", "success"], "error", "1"],
    [["success", "error"], "error", "2"],
    [["success", "error", "success"], "error", "2"],
    [["error", "crashed", "running"], "error", "2"],
    [["canceled", "success"], "canceled", "1"],
    [["waiting", "success"], "waiting", "1"],
  ] as const)("of deliveries (%j) is no success if one did not succeed", (statuses, expected, id) => {
    const sent = statuses.map((status, index) => execution(String(index + 1), { status, workflowId: "w" }));
    const tree = treeOf(sent, Object.fromEntries(sent.map((each) => [each.id, EXACT])));
    expect([tree.outcome, tree.deciding?.id]).toEqual([expected, id]);
    expect(tree.deliveries).toHaveLength(statuses.length);
  });

  test("is told first for the workflow that failed first, and there for its newest failure", () => {
    const failed = (id: string, workflowId: string, facts: Partial<TracedExecution> = {}) =>
      execution(id, { status: "error", workflowId, ...facts });
    const own = [execution("2", { workflowId: "own" }), failed("3", "own"), failed("5", "own")];
    const posts = [execution("1", { workflowId: "form" }), failed("6", "form"), failed("7", "other")];
    const tree = treeOf(
      [...own, ...posts],
      Object.fromEntries(["1", "2", "3", "5", "6", "7"].map((id) => [id, EXACT])),
    );
    expect(tree.deliveries.map(({ node }) => node.id)).toEqual(["5", "3", "7", "6", "2", "1"]);
  });

  test("stays with the workflow that failed first, even if that execution was retried", () => {
    const failed = { status: "error" } as const;
    const all = [
      execution("1", failed),
      execution("5", { ...failed, mode: "retry", retryOf: "1", workflowId: "w1" }),
      execution("3", { ...failed, workflowId: "form" }),
      execution("6", { ...failed, workflowId: "form" }),
    ];
    expect(treeOf(all, { "1": EXACT, "3": EXACT, "6": EXACT }).deciding?.id).toBe("5");
  });

  test("of a delivery that a retry in n8n repaired is success", () => {
    const failed = execution("1", { status: "error", retrySuccessId: "2" });
    const all = [failed, execution("2", { mode: "retry", retryOf: "1" }), execution("3")];
    const tree = treeOf(all, { "1": EXACT, "3": EXACT });
    expect(tree.deliveries.map(({ node, outcome: each }) => [node.id, each])).toEqual([
      ["3", "success"],
      ["2", "success"],
    ]);
  });

  test("is not decided by a batch above the request", () => {
    const batch = execution("1", { mode: "trigger", status: "error" });
    expect(outcome([batch, sub("2", "1"), sub("3", "1", { status: "error" })], { "2": EXACT })).toBe(
      "success",
    );
  });

  test("of no execution, or of mentions alone, is not found", () => {
    expect(outcome([], {})).toBe("not_found");
    expect(outcome([execution("1")], { "1": MENTION })).toBe("not_found");
  });

  test("of a failure names the deepest sub-workflow that failed", () => {
    const tree = treeOf(
      [
        execution("1", { status: "error" }),
        sub("2", "1", { status: "error" }),
        sub("3", "2", { status: "error" }),
        sub("4", "2"),
        execution("5", { mode: "error", parentId: "3", status: "error" }),
      ],
      { "1": EXACT, "3": EXACT },
    );
    expect(deepestFailure(tree)?.id).toBe("3");
  });

  test("is not an error if the caller handled its sub-workflow's failure", () => {
    const tree = treeOf([execution("1"), sub("2", "1", { status: "error" })], { "1": EXACT });
    expect(tree.outcome).toBe("success");
    expect(deepestFailure(tree)).toBeNull();
  });
});
