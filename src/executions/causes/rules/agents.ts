/**
 * Fact: what an agent fails with is said by its model, a tool or its parser, which are nodes of their own; n8n's error
 * names the agent and says "Error in sub-node" or less. An agent that was cut short or whose tool failed may end as a success
 * (`agent-run/stop-rules.ts`, `agent-run/troubles.ts`).
 */
import type { AgentFinding } from "../../agent-run/findings.ts";
import type { ExecutionView } from "../execution-view.ts";
import type { Finding } from "../finding.ts";
import type { Rule } from "../rule.ts";
import { handledErrors } from "./caught-errors.ts";
import { failedTools } from "./failed-tools.ts";
import { reasonInWords } from "./in-own-words.ts";

/** Of a failure: what stopped the agent that failed, the deepest first. */
export const stoppedAgent: Rule = (view) => {
  const failed = view.failed?.name;
  if (failed === undefined) return [];
  const stops = view.agents.filter(({ stopped }) => stopped);
  const own = stops.find(({ agent, node }) => agent === failed || node === failed);
  return own === undefined ? [] : [toFinding(inItsWords(own, view), failed)];
};

/** These say no more than that it failed, or where. */
const GENERAL: ReadonlySet<string> = new Set<AgentFinding["cause"]>(["agent_failed", "agent_setup_failed"]);

/** With what n8n says itself of why, where it does. */
function inItsWords(finding: AgentFinding, view: ExecutionView): AgentFinding {
  if (!GENERAL.has(finding.cause)) return finding;
  const { node, run, agent, sentence } = finding;
  const because = reasonInWords(view.runs.get(node)?.[run]?.error ?? view.error, view.nodes.get(node));
  if (because === null) return finding;
  const said =
    node === agent
      ? sentence.replace(/ stopped because .*$/s, ` stopped because ${because}.`)
      : `${sentence.slice(0, -1)}: ${because}.`;
  return { ...finding, sentence: said };
}

/** What went wrong in agents that the execution got over. */
export const agentTroubles: Rule = (view) => {
  const own = view.agents.filter((finding) => !isOfFailure(finding, view));
  const stopped = view.agents.filter((finding) => finding.stopped).map(({ agent }) => agent);
  const told = new Set([...view.agents.map(({ node }) => node), ...stopped]);
  const others = failedTools(view).filter(({ node }) => node === null || !told.has(node));
  const isHandled = handledIn(view);
  return [
    ...own.filter((finding) => !isHandled(finding)).map((finding) => toFinding(finding, undefined)),
    ...others,
  ];
};

/** Why those agents stopped whose error a branch of the workflow took care of. */
export const handledAgents: Rule = (view) =>
  view.agents.filter(handledIn(view)).map((finding) => toFinding(finding, undefined));

/** What comes of an agent's error output where something is connected there. */
function handledIn(view: ExecutionView): (finding: AgentFinding) => boolean {
  const handled = new Set(handledErrors(view).map(({ node }) => node));
  return ({ stopped, agent }) => stopped && handled.has(agent);
}

const isOfFailure = ({ agent, node, stopped }: AgentFinding, { failed }: ExecutionView): boolean =>
  failed !== null && stopped && (agent === failed.name || node === failed.name);

function toFinding(
  { node, sentence, confidence, stopped }: AgentFinding,
  failedNode: string | undefined,
): Finding {
  const cause = stopped ? "agent_stopped" : "tool_failed";
  return { cause, node, sentence, confidence, ...(failedNode === undefined ? {} : { failedNode }) };
}
