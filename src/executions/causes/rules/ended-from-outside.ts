/**
 * Fact: by hand n8n keeps `ManualExecutionCancelledError`; a time-out leaves status `canceled`, an error of its own
 * class or none, and a duration of about `settings.executionTimeout` seconds; n8n 1.100 gives it the status `crashed`. A real
 * crash is told by its error (`WorkflowCrashedError`), or no run is kept at all. The node that was running has no run, or one
 * without end: it stands first in `executionData.nodeExecutionStack`, or follows `lastNodeExecuted`.
 */
import { counted } from "../../../platform/counted.ts";
import { quoted } from "../../../platform/display-name.ts";
import { durationMs } from "../../node-runs.ts";
import { type ExecutionView, partOf } from "../execution-view.ts";
import type { CauseId, Finding } from "../finding.ts";
import type { Rule } from "../rule.ts";

/** n8n looks at its limits now and then. */
const TOLERANCE_MS = 5_000;

export const endedFromOutside: Rule = (view) => {
  const { status } = view.execution;
  if (status === "crashed") return [isOverLimit(view) && !saysCrashed(view) ? timedOut(view) : crashed(view)];
  return status === "canceled" ? [canceled(view)] : [];
};

/** The node that ran when the execution ended; null where that is not known. */
export function runningNode({ execution, runs, nodes, targetsOf }: ExecutionView): string | null {
  const pending = execution.data?.executionData?.nodeExecutionStack ?? [];
  const [next] = pending.flatMap((one) => ("node" in one ? [one.node.name] : []));
  if (next !== undefined) return next;
  const last = execution.data?.resultData?.lastNodeExecuted ?? [...runs.keys()].at(-1);
  if (last === undefined) return null;
  const lastRun = runs.get(last)?.at(-1);
  if (lastRun === undefined || !["success", undefined].includes(lastRun.executionStatus)) return last;
  const after = targetsOf(last)
    .flat()
    .filter(({ node }) => nodes.has(node) && !runs.has(node));
  return after.length === 1 ? (after[0]?.node ?? null) : last;
}

const during = (node: string | null): string => (node === null ? "" : ` while ${quoted(node)} ran`);

const CRASHES: ReadonlySet<string | undefined> = new Set(["WorkflowCrashedError", "NodeCrashedError"]);

/** n8n writes such an error, and where each node stopped, when it finds the execution after its restart. */
const saysCrashed = ({ error, runs }: ExecutionView): boolean =>
  CRASHES.has(error?.name) || [...runs.values()].flat().some((run) => CRASHES.has(run.error?.name));

function crashed(view: ExecutionView): Finding {
  const node = view.failed?.name ?? runningNode(view);
  if (view.runs.size > 0 && !saysCrashed(view))
    return {
      cause: "crashed",
      node,
      sentence: `n8n counts it as crashed${during(node)}, and keeps no error of it: n8n itself ended, or stopped it for a time limit.`,
      confidence: "observed",
    };
  return {
    cause: "crashed",
    node,
    sentence: `n8n itself ended${during(node)}: it crashed or was restarted, perhaps for lack of memory; its own log of that time says why.`,
    confidence: "exact",
  };
}

const limitOf = ({ execution }: ExecutionView): unknown =>
  partOf(execution.workflowData?.settings, "executionTimeout");

/** It ran about as long as the workflow may, in seconds. */
function isOverLimit(view: ExecutionView): boolean {
  const limit = limitOf(view);
  const duration = durationMs(view.execution);
  return (
    typeof limit === "number" &&
    limit > 0 &&
    duration !== null &&
    Math.abs(duration - limit * 1_000) <= TOLERANCE_MS &&
    duration >= limit * 1_000 - 500
  );
}

function timedOut(view: ExecutionView): Finding {
  const limit = limitOf(view);
  const allowed =
    typeof limit === "number" && limit > 0 ? ` (the workflow may take ${counted(limit, "second")})` : "";
  return ended(view, "timed_out", "n8n stopped it", `: it took longer than it may${allowed}.`);
}

/** Sentences of `how`, after how long, while which node ran, and `why`. */
function ended(view: ExecutionView, cause: CauseId, how: string, why: string): Finding {
  const node = runningNode(view);
  const duration = durationMs(view.execution);
  const after = duration === null ? "" : ` after ${duration} ms`;
  return { cause, node, sentence: `${how}${after}${during(node)}${why}`, confidence: "exact" };
}

function canceled(view: ExecutionView): Finding {
  const name = view.error?.name;
  if (name === "ManualExecutionCancelledError")
    return ended(view, "canceled_by_hand", "Somebody stopped it by hand", ".");
  if (name === "TimeoutExecutionCancelledError" || isOverLimit(view)) return timedOut(view);
  if (name === "SystemShutdownExecutionCancelledError")
    return ended(view, "canceled", "n8n was shut down", ".");
  return {
    ...ended(view, "canceled", "It was canceled", "; n8n does not say by whom."),
    confidence: "observed",
  };
}
