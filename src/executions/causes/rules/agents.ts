/**
 * Fact: the reason an agent fails is in its model, tool or parser, which are separate nodes; n8n's error names the agent
 * and says "Error in sub-node" or less. An agent that was cut short or whose tool failed may end as a success
 * (`agent-run/stop-rules.ts`, `agent-run/troubles.ts`).
 */
import type { AgentFinding } from "../../agent-run/agent-run.ts";
import type { ExecutionView } from "../execution-view.ts";
import type { Fact } from "../fact.ts";
import type { Rule } from "../rule.ts";
import { failedTools, handledErrors } from "./caught-errors.ts";
import { knownReasonOf } from "./in-own-words.ts";

/** For a failure: why the failed agent stopped, deepest reason first. */
export const stoppedAgent: Rule = (view) => {
  const own = view.agents.find((finding) => isOfFailure(finding, view));
  return own === undefined || view.failed === null
    ? []
    : [{ ...toFact(own, view), failedNode: view.failed.name }];
};

export const agentTroubles: Rule = (view) => {
  const isHandled = handledIn(view);
  const own = view.agents.filter((finding) => !isOfFailure(finding, view) && !isHandled(finding));
  const told = new Set(
    view.agents.flatMap(({ nodeName, agent, stop }) => (stop === undefined ? [nodeName] : [nodeName, agent])),
  );
  const others = failedTools(view).filter(({ node }) => node === null || !told.has(node));
  return [...own.map((finding) => toFact(finding)), ...others];
};

export const handledAgents: Rule = (view) =>
  view.agents.filter(handledIn(view)).map((finding) => toFact(finding));

/** Recognizes stopped agents whose error output is connected, which counts as handled. */
function handledIn(view: ExecutionView): (finding: AgentFinding) => boolean {
  const handled = new Set(handledErrors(view).map(({ node }) => node));
  return ({ stop, agent }) => stop !== undefined && handled.has(agent);
}

const isOfFailure = ({ agent, nodeName, stop }: AgentFinding, { failed }: ExecutionView): boolean =>
  failed !== null && stop !== undefined && [agent, nodeName, stop.parser].includes(failed.name);

/** These stops only say that the agent failed, or where. */
const GENERAL: ReadonlySet<string> = new Set(["failed", "setup_failed"]);

/** @param view given for a failure, whose error may add a reason */
function toFact(finding: AgentFinding, view?: ExecutionView): Fact {
  const { agent, role, nodeName: node, run, stop, trouble } = finding;
  if (stop === undefined) return { kind: "tool_failed.agent", node, trouble, confidence: trouble.confidence };
  const reason =
    view !== undefined && GENERAL.has(stop.reason)
      ? knownReasonOf(view.runs.get(node)?.[run]?.error ?? view.error, view.nodes.get(node))
      : null;
  return { kind: "agent_stopped", node, agent, role, stop, reason, confidence: stop.confidence };
}
