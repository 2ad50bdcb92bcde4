/** Reads the executions that one called, and earlier ones of the same workflows, which show what is normal. */
import {
  type Called,
  type ExecutionView,
  type ExplainedBelow,
  viewOf,
} from "../../executions/causes/execution-view.ts";
import { factsOf } from "../../executions/causes/explain.ts";
import { causeOf, type Fact } from "../../executions/causes/fact.ts";
import { type ChosenSuccess, chooseSuccess } from "../../executions/comparison/choose-success.ts";
import { linksOf } from "../../executions/links.ts";
import { cursorBelow } from "../../n8n/execution-cursor.ts";
import { explanationOfList } from "../../n8n/explanation-plans.ts";
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import type { VisibleN8n } from "../../n8n/visible-n8n.ts";
import { isNewer } from "../../platform/id-order.ts";

export const successViews = (chosen: ChosenSuccess | null): ExecutionView[] =>
  chosen === null ? [] : [chosen.success, ...chosen.ordinary].map((one) => viewOf(one));

/** How many called workflows are read, and how many executions of each: called ones, and earlier ones to compare with. */
const MAX_CALLED_WORKFLOWS = 3;
const EXECUTIONS_OF_CALLED = 4;

/** The executions that it called, newest first, and those before them: one request for each called workflow. */
export async function readCalled(client: VisibleN8n, execution: ExecutionWithData) {
  const calls = linksOf(execution).subExecutions.filter(({ executionId }) => /^\d{1,19}$/.test(executionId));
  const newest = new Map(calls.map(({ workflowId, executionId }) => [workflowId, executionId]));
  const reading = [...newest].slice(0, MAX_CALLED_WORKFLOWS).map(async ([workflowId, id]) => {
    const cursor = cursorBelow(String(BigInt(id) + 1n), EXECUTIONS_OF_CALLED);
    const query = { workflowId: workflowId ?? undefined, limit: EXECUTIONS_OF_CALLED, cursor };
    return await client.readExecutions(query, explanationOfList(EXECUTIONS_OF_CALLED));
  });
  return (await Promise.all(reading)).flat();
}

export function calledBy(caller: ExecutionView, read: readonly ExecutionWithData[]): Called[] {
  return linksOf(caller.execution).subExecutions.flatMap(({ executionId, nodeName }) => {
    const execution = read.find(({ id }) => id === executionId);
    if (execution === undefined) return [];
    const view = viewOfCalled(execution, caller, read);
    return [{ nodeName, view, fact: factsOf(view).root }];
  });
}

/** With the caller, where the fields of its input came from. Other calls by the same caller do not count as normal. */
function viewOfCalled(
  execution: ExecutionWithData,
  caller: ExecutionView,
  read: readonly ExecutionWithData[],
): ExecutionView {
  const own = new Set(linksOf(caller.execution).subExecutions.map(({ executionId }) => executionId));
  const before = read.filter(({ id }) => !own.has(id) && isNewer(execution.id, id));
  return viewOf(execution, { caller, successes: successViews(chooseSuccess(execution, before)) });
}

/** A sub-workflow starts while its caller runs, so its id follows soon: one request covers this many levels. */
const MAX_DEPTH = 10;

/** The failed executions that began soon after one. */
export async function readFailedBelow(client: VisibleN8n, id: string): Promise<readonly ExecutionWithData[]> {
  const cursor = cursorBelow(String(BigInt(id) + BigInt(MAX_DEPTH)), MAX_DEPTH);
  const query = { status: "error", limit: MAX_DEPTH, cursor } as const;
  return await client.readExecutions(query, explanationOfList(MAX_DEPTH));
}

/**
 * The failed sub-workflow executions, deepest last; empty if n8n has deleted them.
 * @param read these executions, and earlier ones to compare with
 */
export function chainBelow({ executionId }: Fact, view: ExecutionView, read: readonly ExecutionWithData[]) {
  const failed = read.filter(({ status }) => status === "error");
  const byId = new Map(failed.map((execution) => [execution.id, execution]));
  const chain: ExplainedBelow[] = [];
  let caller = view;
  const isCalled = (one: ExecutionWithData): boolean =>
    linksOf(one).parent?.executionId === view.execution.id;
  let next: string | undefined = executionId ?? failed.findLast(isCalled)?.id;
  while (next !== undefined && chain.length < MAX_DEPTH) {
    const execution = byId.get(next);
    if (execution === undefined) break;
    byId.delete(next);
    caller = viewOfCalled(execution, caller, read);
    const { root: fact } = factsOf(caller);
    chain.push({ executionId: next, workflowName: execution.workflowData?.name ?? null, fact });
    next = causeOf(fact) === "sub_workflow_failed" ? fact.executionId : undefined;
  }
  return chain;
}
