/**
 * How often a model asked for a tool and none was called: the tool does not exist. n8n keeps neither the name nor a
 * run of it; what there is, is a model that ended with `tool_calls` and was asked again at once (agents 1, 2 and 3).
 * Pure.
 */
import { keyOf } from "./calls.ts";
import type { AgentEvidence } from "./evidence.ts";

export function unansweredAsks(evidence: AgentEvidence): number {
  return evidence.items > 1 ? countedAsks(evidence) : asksInOrder(evidence);
}

/** Of several items the calls are mixed: a model's ask is not followed by its own tool. */
function countedAsks({ models, tools, items, hasParser }: AgentEvidence): number {
  const asks = models.filter(({ facts }) => facts.finishReason === "tool_calls").length;
  return Math.max(0, asks - tools.length - (hasParser ? items : 0));
}

function asksInOrder(evidence: AgentEvidence): number {
  const calls = evidence.agent.calls.filter(({ kind }) => kind === "model" || kind === "tool");
  const asking = new Set(
    evidence.models.filter(({ facts }) => facts.finishReason === "tool_calls").map(keyOf),
  );
  return calls.filter((call, index) => {
    if (!asking.has(keyOf(call))) return false;
    const next = calls[index + 1];
    // The last one may have asked for what ended the run.
    return next === undefined ? endedByIterations(evidence) : next.kind === "model";
  }).length;
}

/** n8n's own sentence (agents 3). */
const MAX_ITERATIONS = /^Max iterations \(\d+\) reached\./;

export function endedByIterations({ error, caught, iterations, maxIterations }: AgentEvidence): boolean {
  if (error === undefined && caught === undefined) return false;
  return (
    (iterations !== undefined && iterations >= maxIterations) ||
    [error?.message, caught].some((text) => text !== undefined && MAX_ITERATIONS.test(text))
  );
}
