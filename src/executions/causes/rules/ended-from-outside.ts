/**
 * Fact: by hand n8n keeps `ManualExecutionCancelledError`; a time-out leaves status `canceled`, an error of its own
 * class or none, and a duration of about `settings.executionTimeout` seconds. A crash is told by its status. The node that was
 * running has no run, or one without end: it stands first in `executionData.nodeExecutionStack`, or follows
 * `lastNodeExecuted`.
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
  if (status === "crashed") return [crashed(view)];
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

function crashed(view: ExecutionView): Finding {
  const node = view.failed?.name ?? runningNode(view);
  return {
    cause: "crashed",
    node,
    sentence: `n8n itself ended${during(node)}: it crashed or was restarted, perhaps for lack of memory; its own log of that time says why.`,
    confidence: "exact",
  };
}

function canceled(view: ExecutionView): Finding {
  const node = runningNode(view);
  const name = view.error?.name;
  const limit = partOf(view.execution.workflowData?.settings, "executionTimeout");
  const duration = durationMs(view.execution);
  const isOverLimit =
    typeof limit === "number" &&
    limit > 0 &&
    duration !== null &&
    Math.abs(duration - limit * 1_000) <= TOLERANCE_MS &&
    duration >= limit * 1_000 - 500;
  const finding = (cause: CauseId, sentence: string): Finding => ({
    cause,
    node,
    sentence,
    confidence: "exact",
  });
  const after = duration === null ? "" : ` after ${duration} ms`;
  if (
    name === "TimeoutExecutionCancelledError" ||
    (name !== "ManualExecutionCancelledError" && isOverLimit)
  ) {
    const allowed =
      typeof limit === "number" && limit > 0 ? ` (the workflow may take ${counted(limit, "second")})` : "";
    return finding(
      "timed_out",
      `n8n stopped it${after}${during(node)}: it took longer than it may${allowed}.`,
    );
  }
  if (name === "ManualExecutionCancelledError")
    return finding("canceled_by_hand", `Somebody stopped it by hand${after}${during(node)}.`);
  if (name === "SystemShutdownExecutionCancelledError")
    return finding("canceled", `n8n was shut down${after}${during(node)}.`);
  return {
    ...finding("canceled", `It was canceled${after}${during(node)}; n8n does not say by whom.`),
    confidence: "observed",
  };
}
