/**
 * Fact: what an agent fails with is said by its model, a tool or its parser, which are nodes of their own; n8n's error
 * names the agent and says "Error in sub-node" or less. An agent that was cut short or whose tool failed may end as a success
 * (`agent-run/stop-rules.ts`, `agent-run/troubles.ts`).
 */
import type { AgentFinding } from "../../agent-run/agent-run.ts";
import type { ExecutionView } from "../execution-view.ts";
import type { Fact } from "../fact.ts";
import type { Rule } from "../rule.ts";
import { failedTools, handledErrors } from "./caught-errors.ts";
import { knownReasonOf } from "./in-own-words.ts";

/** For a failure: why the failed agent stopped, the deepest reason first. */
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

/** What comes of an agent's error output where something is connected there. */
function handledIn(view: ExecutionView): (finding: AgentFinding) => boolean {
  const handled = new Set(handledErrors(view).map(({ node }) => node));
  return ({ stop, agent }) => stop !== undefined && handled.has(agent);
}

const isOfFailure = ({ agent, nodeName, stop }: AgentFinding, { failed }: ExecutionView): boolean =>
  failed !== null && stop !== undefined && (agent === failed.name || nodeName === failed.name);

/** These stops say no more than that the agent failed, or where. */
const GENERAL: ReadonlySet<string> = new Set(["failed", "setup_failed"]);

/** @param view of the failure, whose error may say more of why */
function toFact(finding: AgentFinding, view?: ExecutionView): Fact {
  const { agent, role, nodeName: node, run, stop, trouble } = finding;
  if (stop === undefined) return { kind: "tool_failed.agent", node, trouble, confidence: trouble.confidence };
  const reason =
    view !== undefined && GENERAL.has(stop.reason)
      ? knownReasonOf(view.runs.get(node)?.[run]?.error ?? view.error, view.nodes.get(node))
      : null;
  return { kind: "agent_stopped", node, agent, role, stop, reason, confidence: stop.confidence };
}
