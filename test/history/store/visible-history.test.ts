/** What a restricted caller sees of the index: what could not be read, and what is new. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ExecutionStore } from "../../../src/history/store/execution-store.ts";
import { View } from "../../../src/n8n/view.ts";
import { memorableExecution, tracedExecution } from "../../builders/known-executions.ts";
import { createLocalHistory, createLocalSql, NOTHING_SEEN } from "../../support/local-history.ts";
import { WINDOW } from "../../support/test-traces.ts";

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

test("a restricted caller gets no hidden execution's id, and no count that includes hidden ones", () => {
  expect(visibleTo(View.from({ seen: ["own"], data: [] })).named(SKIPPED)).toEqual([
    { executionId: "1", reason: "was deleted" },
    { executionId: null, reason: "was deleted" },
    { executionId: null, reason: "some executions whose workflow is not known could not be read" },
    { executionId: null, reason: "n8n failed to return an execution" },
  ]);
});

test("a caller who sees everything gets all of it", () => {
  expect(visibleTo(View.everything).named(SKIPPED)).toEqual(SKIPPED);
});

const of = (id: number, workflowId: string) => memorableExecution(tracedExecution(id, { workflowId }));

test("counts of a view follow each added, replaced, moved or forgotten row", () => {
  const store = new ExecutionStore(createLocalSql());
  const view = View.from({ seen: ["own", "late", "never"], data: null });
  const counted = (downTo = "0") => store.visibleTo(view).counts.coverage(WINDOW, downTo).executions;
  store.rows.remember([of(1, "own"), of(2, "hidden"), of(3, "own")], 0);
  expect(counted()).toBe(2);
  store.rows.remember([of(4, "own"), of(5, "hidden")], 0);
  expect(counted()).toBe(3);
  store.rows.remember([of(4, "own"), of(5, "late")], 1);
  expect(counted()).toBe(4);
  expect(counted("4")).toBe(2);
  store.rows.remember([of(4, "hidden")], 2);
  expect(counted()).toBe(3);
  store.rows.forgetBelow("3");
  expect(counted()).toBe(2);
  expect(store.visibleTo(view).counts.all).toBe(2);
});

test("a caller sees a workflow's first execution even if it is newer than their view", () => {
  const store = new ExecutionStore(createLocalSql());
  store.rows.remember([of(1, "own")], 0);
  const visible = store.visibleTo(View.from({ seen: ["own", "late"], data: null }));
  expect(visible.executions.withIds(["1", "2"])).toHaveLength(1);
  store.rows.remember([of(2, "late"), of(3, "hidden")], 0);
  expect(visible.executions.withIds(["1", "2", "3"]).map(({ id }) => id)).toEqual(["1", "2"]);
});

const change = fc.oneof(
  fc.record({ add: fc.integer({ min: 1, max: 40 }), to: fc.constantFrom("own", "late", "hidden") }),
  fc.record({ below: fc.integer({ min: 1, max: 40 }) }),
);

test("a view's count and bounds equal those of its rows after any changes", () => {
  const view = View.from({ seen: ["own", "late", "never"], data: null });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 25 }), (changes) => {
      const store = new ExecutionStore(createLocalSql());
      const rows = new Map<number, string>();
      for (const [index, one] of changes.entries()) {
        if ("below" in one) {
          store.rows.forgetBelow(String(one.below));
          for (const id of rows.keys()) if (id < one.below) rows.delete(id);
        } else {
          store.rows.remember([of(one.add, one.to)], index);
          rows.set(one.add, one.to);
        }
        const shown = [...rows].filter(([, to]) => to !== "hidden").map(([id]) => id);
        for (const downTo of [0, 20]) {
          const ids = shown.filter((id) => id >= downTo).sort((a, b) => a - b);
          expect(store.visibleTo(view).counts.coverage(WINDOW, String(downTo))).toMatchObject({
            executions: ids.length,
            lowest: ids.length === 0 ? null : String(ids[0]),
            highest: ids.length === 0 ? null : String(ids.at(-1)),
          });
        }
      }
    }),
    { numRuns: 60 },
  );
});

test("the oldest execution of a workflow is looked up again only when it was forgotten", () => {
  const sql = createLocalSql();
  const store = new ExecutionStore(sql);
  store.rows.remember([of(1, "own"), ...[2, 3, 4, 5].map((id) => of(id, "hidden")), of(6, "own")], 0);
  const view = View.from({ seen: ["own"], data: null });
  const bounds = () => store.counts.boundsOf(["own"]);
  expect(bounds()).toEqual({ lowest: "1", highest: "6" });
  store.rows.forgetBelow("2");
  store.visibleTo(view).counts.coverage(WINDOW, "3");
  expect(bounds()).toEqual({ lowest: "1", highest: "6" });
  store.visibleTo(view).counts.coverage(WINDOW, "0");
  expect(bounds()).toEqual({ lowest: "6", highest: "6" });
});

test("what a closer look saw is not shown to a caller who sees nothing", async () => {
  const { instance } = createLocalHistory();
  const look = async (view: View, reason: string | null) =>
    await instance.lookCloser("7", view, 0, async () => ({ ...NOTHING_SEEN, reason }));
  expect(await look(View.everything, "something is wrong")).toMatchObject({ reason: "something is wrong" });
  const nothing = View.from({ seen: [], data: [] });
  expect(instance.knownLooks(["7"], nothing, 0)).toEqual(new Map());
  expect(await look(nothing, null)).toMatchObject({ reason: null });
  const known = (view: View, now: number) => [...instance.knownLooks(["6", "7"], view, now)];
  expect(known(View.everything, 60_000)).toEqual([
    ["7", expect.objectContaining({ reason: "something is wrong" })],
  ]);
  expect(known(nothing, 60_000)).toEqual([["7", expect.objectContaining({ reason: null })]]);
  expect(known(View.everything, 60_001)).toEqual([]);
});
