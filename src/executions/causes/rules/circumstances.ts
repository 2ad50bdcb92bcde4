/**
 * The circumstances of an execution: who called it, what its agents called, and details of a failure. Facts:
 * `context.itemIndex` is the item, the run's index is the turn of a loop; n8n does not keep tries, only
 * `retryOnFail`, `maxTries` and their total time; `retrySuccessId` means that a retry succeeded; an error workflow's
 * run has mode `error`. A Code node that runs for each item does not say which item failed: a field that its text
 * reads and few items lack is worth reporting, but is not the reason.
 */

import { partOf } from "../../../json/members.ts";
import { errorWorkflowIn } from "../../../n8n/workflow-callers.ts";
import type { StopReason } from "../../agent-run/stop-rules.ts";
import { versionOf } from "../../comparison/compare-executions.ts";
import { linksOf } from "../../links.ts";
import { totalWaited, waitsOf } from "../../waits.ts";
import type { FailedNode } from "../execution-view.ts";
import type { Fact } from "../fact.ts";
import { findAt, readBy } from "../field-origin.ts";
import { pathText, referencesOf } from "../field-references.ts";
import { acts } from "../node-effects.ts";
import { itemIndexOf, onFailed, type Rule } from "../rule.ts";

export const circumstances: Rule = (view) => {
  const { execution, failed, error, runs } = view;
  const { retrySuccessId } = execution;
  const facts: Fact[] = [];
  const isRetryTold = view.relatives.some(({ id }) => id === retrySuccessId);
  if (retrySuccessId !== null && !isRetryTold)
    facts.push({ kind: "mended", node: null, executionId: retrySuccessId });
  if (failed?.run !== undefined) {
    const node = failed.name;
    const count = view.inputOf(failed.run).length;
    const index = itemIndexOf(error);
    if (index !== null && index < count && count > 1)
      facts.push({ kind: "item", node, item: { index, count } });
    if ((runs.get(node)?.length ?? 0) > 1) facts.push({ kind: "loop", node, run: failed.runIndex });
    if (failed.node?.retryOnFail === true)
      facts.push({
        kind: "retries",
        node,
        tries: triesOf(failed),
        ms: failed.run.executionTime,
        isConflict: error?.httpCode === "409" && acts(failed.node),
      });
  }
  const handler = errorWorkflowIn(partOf(execution.workflowData?.settings, "errorWorkflow"));
  // n8n calls no error workflow for a test in the editor, or for an error workflow that failed itself.
  const isSpared =
    execution.mode === "manual" || (execution.mode === "error" && handler === execution.workflowId);
  const isKnown = view.relatives.some(({ role }) => role === "error_handler");
  if (!isKnown && !isSpared && handler !== undefined)
    facts.push({ kind: "error_workflow", node: null, workflowId: handler });
  const { parent } = linksOf(execution);
  if (execution.mode === "error" && parent !== null)
    facts.push({ kind: "error_workflow.run", node: failed?.name ?? null, executionId: parent.executionId });
  return facts;
};

/** As n8n reads it: 3 by default, and from 2 to 5. */
function triesOf({ node }: FailedNode): number {
  const tries = node?.maxTries;
  return Math.min(5, Math.max(2, typeof tries === "number" && tries !== 0 ? tries : 3));
}

export const oddItems = onFailed((failed) => {
  for (const reference of referencesOf(failed.node)) {
    if (reference.path.length === 0 || reference.node !== null) continue;
    const { items, length } = readBy(failed.view, failed.run, reference);
    const lacking = items.filter(({ json }) => findAt(json, reference.path).kind === "absent");
    const [first] = lacking;
    if (first === undefined || lacking.length > items.length / 2) continue;
    return {
      kind: "item.lacking",
      node: first.from,
      field: pathText(reference.path),
      reader: failed.name,
      item: { index: first.index, count: length },
      lacking: lacking.length,
      ofFirst: items.length < length ? items.length : null,
      confidence: "observed",
    };
  }
  return null;
});

export const callers: Rule = ({ execution, relatives, context }) => {
  const { agentRun, retryOf } = linksOf(execution);
  if (retryOf !== null) {
    const { retried } = context;
    const versions = [retried?.execution, execution].flatMap((one) => (one && versionOf(one)) ?? []);
    const fact = { node: retried?.failed?.name ?? null, executionId: retryOf } as const;
    const [isEdited, status] = [new Set(versions).size > 1, retried?.execution.status ?? null];
    return [{ kind: "retry_of", ...fact, isEdited, status, confidence: "observed" }];
  }
  if (agentRun !== undefined)
    return [{ kind: "called_by.agent", node: null, ...agentRun, confidence: "observed" }];
  const above = relatives
    .filter(({ role }) => role === "caller")
    .map(({ id, workflowName }) => ({ executionId: id, workflow: workflowName }));
  return above.length === 0
    ? []
    : [{ kind: "called_by", node: null, callers: above, confidence: "observed" }];
};

/** Mostly the time that somebody took to answer. */
export const waits: Rule = ({ execution }) => {
  const all = waitsOf(execution);
  const names = [...new Set(all.map(({ nodeName }) => nodeName))];
  const [node = null] = names;
  const fact = { kind: "waited", node, names, ms: totalWaited(all), times: all.length } as const;
  return all.length === 0 ? [] : [{ ...fact, confidence: "observed" }];
};

const MAX_CALLS = 12;
const BEFORE_TOOLS = new Set<StopReason>(["refused_arguments", "setup_failed"]);

/** What each agent called, in order: questions about agents are mostly about that. */
export const agentCalls: Rule = ({ agentRuns }) =>
  agentRuns
    .filter(({ evidence }) => evidence.toolNodes.length > 0)
    // A call that was refused, or an agent that never began, leaves no run of a tool.
    .filter(({ evidence, stop }) => evidence.tools.length > 0 || !BEFORE_TOOLS.has(stop.reason))
    .map(({ agent, evidence: { tools, toolNodes } }): Fact => {
      const calls = tools.map(({ nodeName }) => nodeName).slice(0, MAX_CALLS);
      const uncalled = toolNodes.filter((name) => !calls.includes(name));
      return { kind: "agent_calls", node: agent.nodeName, calls, uncalled, confidence: "observed" };
    });
