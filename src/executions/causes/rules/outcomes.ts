/**
 * The consequences of an execution: the runs of its error workflow, its retries, the same request again, the
 * sub-workflows that it started without waiting, and which items of the failed node were done. Facts: n8n keeps no
 * output of a run that failed. Most nodes work on one item after the other; HTTP Request sends the requests of all
 * items before it looks at an answer, also in batches, and throws at once if it cannot make one (n8n-nodes-base,
 * HttpRequestV3); databases have a parameter for it; tables of Google, Microsoft and Supabase are written when all
 * items have been read. A retry begins with the failed node and its whole input.
 */

import { partOf } from "../../../json/members.ts";
import type { NodeError, WorkflowNode } from "../../../n8n/schemas.ts";
import { defined } from "../../../platform/defined.ts";
import { hasFailed } from "../../node-runs.ts";
import {
  type Called,
  type ExecutionView,
  errorRouteOf,
  parameterOf,
  type Relative,
  sentInAll,
} from "../execution-view.ts";
import type { Fact } from "../fact.ts";
import { acts, SHAPES } from "../node-effects.ts";
import { itemIndexOf, onFailed, type Rule } from "../rule.ts";
import type { Ending, ItemsDone } from "../wording/outcome-sentences.ts";
import { isUnwaited } from "./called.ts";
import { isErrorItem } from "./caught-errors.ts";

const ENDINGS: Readonly<Record<string, Ending>> = {
  success: "succeeded",
  error: "failed",
  crashed: "failed",
  canceled: "was canceled",
};

export const unnoticedFailures: Rule = (view) =>
  view.execution.status !== "success"
    ? []
    : unnoticed(view).map((called) => {
        const { nodeName: node, fact: root } = called;
        const { id: executionId, workflowData, workflowId } = called.view.execution;
        const workflow = workflowData?.name ?? workflowId;
        const kind = isUnwaited(view, called) ? "sub_workflow_unnoticed" : "sub_workflow_unnoticed.resumed";
        return { kind, node, executionId, workflow, root };
      });

const unnoticed = (view: ExecutionView): Called[] =>
  view.called.filter(
    (called) =>
      ENDINGS[called.view.execution.status] === "failed" &&
      (isUnwaited(view, called) || wentOnWithout(view, called)),
  );

/** n8n before 2 resumes a caller also if its sub-workflow failed after a wait, as if it had answered with its input. */
const wentOnWithout = (view: ExecutionView, { nodeName, view: { execution } }: Called): boolean =>
  errorRouteOf(view.nodes.get(nodeName)) === null &&
  !view.isSubNode(nodeName) &&
  view
    .runsOf(nodeName)
    .some((run) => !hasFailed(run) && run.metadata?.subExecution?.executionId === execution.id);

export const whatCameOfIt: Rule = (view) => {
  const reported = new Set(unnoticed(view).map((called) => called.view.execution.id));
  const others = view.relatives.flatMap((relative): Fact[] => {
    const { role, id: executionId, workflowName: workflow, status, isLater, fact: root } = relative;
    const ending = ENDINGS[status] ?? "has not ended";
    const fact = { node: null, executionId, workflow, ending };
    if (role === "caller" || reported.has(executionId)) return [];
    if (role === "error_handler") return [{ kind: "outcome.error_workflow", ...fact, ...defined({ root }) }];
    if (role === "retry" && ending === "succeeded" && hasDoneItToo(view, relative))
      return [{ kind: "outcome.twice", ...fact, isRetry: true, confidence: "observed" }];
    if (role === "retry") return [{ kind: "outcome.retry", ...fact }];
    if (role === "again" && ending === "succeeded" && hasDoneItToo(view, relative))
      return [{ kind: "outcome.twice", ...fact, isRetry: false, confidence: "observed" }];
    if (role === "again") return [{ kind: "outcome.again", ...fact, isLater }];
    return ending === "succeeded" ? [] : [{ kind: "outcome.started", ...fact }];
  });
  return [...others, ...doneBefore(view)];
};

/** Both deliveries succeeded in one workflow, which changes something outside of n8n. */
const hasDoneItToo = (view: ExecutionView, { workflowName }: Relative): boolean =>
  view.execution.status === "success" &&
  workflowName === view.execution.workflowData?.name &&
  actingNodes(view).length > 0;

function actingNodes(view: ExecutionView): string[] {
  const { runs, nodes, failed, execution } = view;
  return [...runs.keys()].filter(
    (name) =>
      name !== failed?.name &&
      // In the editor a node does not run if its output is pinned.
      !(execution.mode === "manual" && partOf(execution.workflowData, "pinData", name) !== undefined) &&
      acts(nodes.get(name)) &&
      runs.get(name)?.every((run) => !hasFailed(run)) === true &&
      !hasSentErrorsOnly(view, name),
  );
}

function hasSentErrorsOnly(view: ExecutionView, name: string): boolean {
  const items = [0, 1].flatMap((output) => sentInAll(view, name, output).items);
  return items.length > 0 && items.every((item) => isErrorItem(view, item));
}

function doneBefore(view: ExecutionView): Fact[] {
  const nodes = view.execution.status === "error" ? actingNodes(view) : [];
  return nodes.length === 0 ? [] : [{ kind: "outcome.done", node: null, nodes }];
}

/** Which items were done before the one that failed, so that it can be told whether a retry is safe. */
export const itemsDone = onFailed(({ view, name, node, run, error }) => {
  const index = itemIndexOf(error);
  const count = run === undefined ? 0 : view.inputOf(run).length;
  const done = processingOf(node, error);
  if (index === null || count < 2 || index >= count || done === null) return null;
  return { kind: "outcome.items", node: name, index, count, done };
});

const HTTP = "n8n-nodes-base.httpRequest";
const DATABASE = /^n8n-nodes-base\.(?:postgres|mySql|microsoftSql)$/;
/** Nodes whose items say nothing about what was changed outside n8n. */
const SAYS_NOTHING = /\.(?:splitInBatches|executeWorkflow|stopAndError)$/;

/** Operations that write all items together, by node; what was written when the service refuses them differs. */
const WRITES_AT_END: readonly (readonly [type: string, operation: RegExp])[] = [
  ["n8n-nodes-base.googleSheets", /^(?:append|appendOrUpdate|update)$/],
  ["n8n-nodes-base.microsoftExcel", /^(?:append|update|upsert)$/],
  ["n8n-nodes-base.supabase", /^(?:create)?$/],
];
/** These raise errors of their own both before and after they write. */
const IN_GROUPS = /^n8n-nodes-base\.(?:mongoDb|googleBigQuery)$/;

export function processingOf(node: WorkflowNode | undefined, error: NodeError | undefined): ItemsDone | null {
  const type = node?.type ?? "";
  const isOwn = /^(?:NodeOperation|Expression)Error$/.test(error?.name ?? "");
  if (type === HTTP && isOwn) return /\bresponse\b/i.test(error?.message ?? "") ? "at once" : "as made";
  if (type === HTTP) return error?.name === "NodeApiError" ? "at once" : null;
  const operation = String(parameterOf(node, "operation") ?? "");
  if (WRITES_AT_END.some(([of, form]) => of === type && form.test(operation)))
    return isOwn ? "at the end" : null;
  if (IN_GROUPS.test(type)) return null;
  if (DATABASE.test(type)) {
    const batching = parameterOf(node, "options", "queryBatching");
    if (batching === "transaction") return "as one";
    return batching === "independently" ? "in order" : null;
  }
  const isSilent = SHAPES.test(type) || SAYS_NOTHING.test(type);
  return type.startsWith("n8n-nodes-base.") && !isSilent ? "in order" : null;
}
