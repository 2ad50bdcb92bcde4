/** How runs are numbered when n8n has used a number twice. */
import { expect, test } from "vitest";
import { Omitted } from "../../src/json/omitted.ts";
import { numberRuns } from "../../src/n8n/run-order.ts";

const run = (startTime: number, executionIndex?: number) => ({ startTime, executionIndex });

/** The numbers of all runs, node by node. */
function numbered(runData: Record<string, ReturnType<typeof run>[]>): (number | undefined)[] {
  numberRuns(runData);
  return Object.values(runData)
    .flat()
    .map(({ executionIndex }) => executionIndex);
}

test("runs after a wait are numbered after those before it", () => {
  const runData = { Webhook: [run(10, 0)], Ask: [run(10, 1)], Book: [run(901, 1)], Wait: [run(900, 0)] };
  expect(numbered(runData)).toEqual([0, 1, 3, 2]);
});

test("numbers that are used once stay, even against a clock that was set back", () => {
  expect(numbered({ Webhook: [run(10, 0)], Loop: [run(9, 1), run(8, 4)] })).toEqual([0, 1, 4]);
});

test("a run that an agent has prepared, which has no start, keeps its number and changes no other", () => {
  expect(numbered({ Webhook: [run(10, 0)], stock: [run(0, 0), run(12, 3)] })).toEqual([0, 0, 3]);
});

test("runs of older n8n stay without a number", () => {
  expect(numbered({ Webhook: [run(10)], Set: [run(11)] })).toEqual([undefined, undefined]);
});

test("runs that were not read are no runs", () => {
  const runs = { Loop: [new Omitted("items", 12, 11, 900), run(5, 0)], Webhook: [run(4, 0)] };
  numberRuns(runs);
  expect([runs.Loop[1], runs.Webhook[0]]).toEqual([run(5, 1), run(4, 0)]);
});
