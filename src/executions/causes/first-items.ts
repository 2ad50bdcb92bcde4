/** Shortens the first run of each node to as many items as are read of the execution it is compared with. Pure. */
import { itemsOf, Omitted, type ReadValue } from "../../json/omitted.ts";
import type { ExecutionWithData, NodeRun } from "../../n8n/schemas.ts";

/** Matches `explanation-plans.ts`. */
const FIRST_ITEMS = 3;

export function withFirstItems(execution: ExecutionWithData): ExecutionWithData {
  const { data } = execution;
  const runData = data?.resultData?.runData;
  if (data == null || runData === undefined) return execution;
  const shortened = Object.entries(runData).map(([name, runs]) => [
    name,
    runs instanceof Omitted
      ? runs
      : runs.map((run, index) => (index > 0 || run instanceof Omitted ? run : withFirst(run))),
  ]);
  return {
    ...execution,
    data: { ...data, resultData: { ...data.resultData, runData: Object.fromEntries(shortened) } },
  };
}

function withFirst(run: NodeRun): NodeRun {
  if (run.data === undefined) return run;
  const data = Object.entries(run.data).map(([type, outputs]) => [
    type,
    outputs instanceof Omitted
      ? outputs
      : outputs.map((items) => (items === null || items instanceof Omitted ? items : firstOf(items))),
  ]);
  return { ...run, data: Object.fromEntries(data) };
}

function firstOf(array: readonly ReadValue[]): ReadValue[] {
  const { items, length } = itemsOf(array);
  if (items.length <= FIRST_ITEMS) return [...array];
  return [...items.slice(0, FIRST_ITEMS), new Omitted("items", length, length - FIRST_ITEMS, 0)];
}
