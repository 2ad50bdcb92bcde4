/** The executions that followed from an execution, in the tree of its request. */
import { expect, test } from "vitest";
import { relativesIn } from "../../../src/features/explain-failure/relatives.ts";
import type { Match } from "../../../src/features/request-node.ts";
import { buildTree } from "../../../src/features/request-tree.ts";
import type { TracedExecution } from "../../../src/history/store/traced-execution.ts";
import { tracedExecution } from "../../builders/known-executions.ts";

const EXACT: Match = { kind: "exact", nodeName: "Webhook", path: "body.requestId" };

function relatives(family: readonly TracedExecution[], id: string, holding: readonly string[] = ["10"]) {
  const matches = new Map(holding.map((one) => [one, EXACT]));
  return relativesIn(buildTree({ family, mentioning: [], matches }), id).map(
    ({ role, id: own, status, isLater }) => `${role} ${own} ${status} ${isLater ? "later" : "earlier"}`,
  );
}

const failed = tracedExecution(10, { status: "error" });

test("the relatives are its handlers, retries and sub-workflows, and other deliveries of the request", () => {
  const family = [
    failed,
    tracedExecution(11, { parentId: "10", mode: "integrated" }),
    tracedExecution(12, { parentId: "10", mode: "error", status: "error" }),
    tracedExecution(13, { retryOf: "10" }),
    tracedExecution(14, { parentId: "11", mode: "integrated" }),
    tracedExecution(20),
  ];
  expect(relatives(family, "10", ["10", "20"])).toEqual([
    "error_handler 12 error later",
    "sub_workflow 11 success later",
    "retry 13 success later",
    "again 20 success later",
  ]);
});

test("the delivery that called the execution is its caller, not another delivery", () => {
  const family = [tracedExecution(9), tracedExecution(10, { parentId: "9", mode: "integrated" })];
  expect(relatives(family, "10", ["9"])).toEqual(["caller 9 success earlier"]);
});

test("a retried execution, or one with an error workflow, is not a caller of these runs", () => {
  const family = [
    tracedExecution(9),
    tracedExecution(10, { parentId: "9", mode: "integrated", status: "error" }),
    tracedExecution(11, { parentId: "10", mode: "error" }),
    tracedExecution(12, { retryOf: "10" }),
    tracedExecution(13, { parentId: "12", mode: "integrated" }),
  ];
  expect(relatives(family, "11", ["9"])).toEqual([]);
  expect(relatives(family, "12", ["9"])).toEqual(["sub_workflow 13 success later"]);
  expect(relatives(family, "13", ["9"])).toEqual(["caller 12 success earlier"]);
});

test("the retry of a retry came of the execution, too", () => {
  const family = [
    failed,
    tracedExecution(11, { retryOf: "10", status: "error" }),
    tracedExecution(12, { retryOf: "11" }),
    tracedExecution(13, { parentId: "12", mode: "integrated" }),
  ];
  expect(relatives(family, "10")).toEqual(["retry 11 error later", "retry 12 success later"]);
  expect(relatives(family, "11")).toEqual(["retry 12 success later"]);
});

test("failures come first, and only a few of many relatives are kept", () => {
  const children = Array.from({ length: 40 }, (_one, index) =>
    tracedExecution(11 + index, {
      parentId: "10",
      mode: "integrated",
      status: index === 39 ? "error" : "success",
    }),
  );
  const found = relatives([failed, ...children], "10");
  expect(found).toHaveLength(6);
  expect(found[0]).toBe("sub_workflow 50 error later");
});
