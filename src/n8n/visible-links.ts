/** Removes an execution's links to workflows that its reader may not see, and to their executions. Pure. */
import { Omitted } from "../json/omitted.ts";
import { ANOTHER_WORKFLOW } from "../platform/another-workflow.ts";
import type { ExecutionWithData, NodeRun } from "./schemas.ts";
import type { View } from "./view.ts";

const HIDDEN = { executionId: ANOTHER_WORKFLOW, workflowId: undefined };

interface PossibleLink {
  readonly executionId?: string | undefined;
  readonly workflowId?: string | undefined;
}

/** A link that does not name its workflow may lead anywhere. */
export function withoutHiddenLinks(execution: ExecutionWithData, view: View): ExecutionWithData {
  if (view.ids === null) return execution;
  return withoutHiddenRuns({ ...execution, workflowData: withoutHiddenHandler(execution, view) }, view);
}

/** A hidden error workflow is shown as if none were set. */
function withoutHiddenHandler({ workflowData }: ExecutionWithData, view: View) {
  const handler = workflowData?.settings?.errorWorkflow;
  if (handler === undefined || view.has(handler)) return workflowData;
  return { ...workflowData, settings: { ...workflowData?.settings, errorWorkflow: undefined } };
}

function withoutHiddenRuns(execution: ExecutionWithData, view: View): ExecutionWithData {
  if (execution.data === null || execution.data === undefined) return execution;
  const hideTarget = <Link extends PossibleLink>(link: Link): Link =>
    link.executionId === undefined || view.has(link.workflowId) ? link : { ...link, ...HIDDEN };
  const run = <One extends NodeRun | Omitted>(one: One) =>
    one instanceof Omitted ? one : withLinks(one, hideTarget);
  const { parentExecution, executionData, resultData } = execution.data;
  const stack = executionData?.nodeExecutionStack?.map((pending) =>
    "node" in pending && pending.metadata?.waitingChildExecutionIds !== undefined
      ? { ...pending, metadata: { ...pending.metadata, waitingChildExecutionIds: [ANOTHER_WORKFLOW] } }
      : pending,
  );
  const runData = Object.entries(resultData?.runData ?? {}).map(([node, runs]) => [
    node,
    runs instanceof Omitted ? runs : runs.map(run),
  ]);
  return {
    ...execution,
    data: {
      ...execution.data,
      ...(parentExecution && { parentExecution: hideTarget(parentExecution) }),
      ...(executionData && { executionData: { ...executionData, nodeExecutionStack: stack } }),
      ...(resultData && {
        resultData: {
          ...resultData,
          ...(resultData.error && { error: hideTarget(resultData.error) }),
          ...(resultData.runData && { runData: Object.fromEntries(runData) }),
        },
      }),
    },
  };
}

function withLinks(run: NodeRun, hideTarget: <Link extends PossibleLink>(link: Link) => Link): NodeRun {
  const { error, metadata } = run;
  const { subExecution, parentExecution } = metadata ?? {};
  return {
    ...run,
    ...(error && { error: hideTarget(error) }),
    ...(metadata && {
      metadata: {
        ...metadata,
        ...(subExecution && { subExecution: hideTarget(subExecution) }),
        ...(parentExecution && { parentExecution: hideTarget(parentExecution) }),
      },
    }),
  };
}
