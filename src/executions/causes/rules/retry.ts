/**
 * Fact: a retry begins with the node that failed and gives it all its items again, even those that were done before
 * the failing one (`retryOf` names the execution).
 */

import { type ExecutionView, parameterOf } from "../execution-view.ts";
import { operationOf } from "../node-effects.ts";
import { itemIndexOf, type Rule } from "../rule.ts";
import type { ItemsDone } from "../wording/outcome-sentences.ts";
import { processingOf } from "./outcomes.ts";

const DID_NONE: ReadonlySet<string> = new Set<ItemsDone>(["as one", "at the end"]);
/** Operations that may be repeated. */
const READS = /^(?:get|getAll|getMany|select|search|list|read|find|lookup|download|head)$/i;

export const retryRepeats: Rule = (view) => {
  const { retried } = view.context;
  const failed = retried?.failed;
  const way = failed == null ? null : processingOf(failed.node, retried?.error);
  if (retried === undefined || failed?.run === undefined || way === null || DID_NONE.has(way)) return [];
  const count = retried.inputOf(failed.run).length;
  const done = itemIndexOf(retried.error) ?? 0;
  if (done === 0 || done >= count || isReading(view, failed.name)) return [];
  const again = view.runsOf(failed.name)[0];
  if (again === undefined || view.inputOf(again).length !== count) return [];
  const fact = { node: failed.name, executionId: retried.execution.id, done, count } as const;
  return [{ kind: "retry_repeats", ...fact, isAtOnce: way === "at once", confidence: "likely" }];
};

function isReading({ nodes }: ExecutionView, name: string): boolean {
  const node = nodes.get(name);
  const method = parameterOf(node, "method") ?? parameterOf(node, "requestMethod") ?? operationOf(node);
  const isHttp = node?.type === "n8n-nodes-base.httpRequest";
  return typeof method === "string" ? READS.test(method) : isHttp;
}
