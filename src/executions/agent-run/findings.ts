/**
 * What agents have to do with what became of an execution, most telling first: the nested agent before the one that
 * called it, what stopped one before what went wrong on its way. For whoever explains failures. Names, counts and codes
 * alone, no payload. Pure.
 *
 * Reads an execution within `AGENT_RUN`, or more; with less there is less to find.
 */
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { quoted } from "../../platform/display-name.ts";
import { type AgentRun, agentRunsOf } from "./agent-run.ts";
import type { StopReason } from "./stop-rules.ts";
import type { Trouble } from "./troubles.ts";

export interface AgentFinding {
  readonly cause: `agent_${Exclude<StopReason, "done" | "running" | "unknown">}` | `agent_${Trouble["kind"]}`;
  /** Where it began: the model, the tool, the parser, or the agent itself. */
  readonly node: string;
  readonly run: number;
  /** The agent that it happened to. */
  readonly agent: string;
  readonly sentence: string;
  readonly confidence: "exact" | "observed";
  /** Whether it ended the agent's run, or only went wrong on the way. */
  readonly stopped: boolean;
  readonly httpCode?: string;
}

/** Empty where no agent ran, and where all was well. */
export function agentFindings(execution: ExecutionWithData): AgentFinding[] {
  return findingsOf(agentRunsOf(execution));
}

/** The same of runs that are known. */
export function findingsOf(runs: readonly AgentRun[]): AgentFinding[] {
  const deepestFirst = runs.toSorted((a, b) => b.agent.depth - a.agent.depth);
  return [...deepestFirst.flatMap(stopFinding), ...deepestFirst.flatMap(troubleFindings)];
}

function stopFinding({ agent, stop }: AgentRun): AgentFinding[] {
  const { reason, says, nodeName, run, confidence, httpCode } = stop;
  if (reason === "done" || reason === "running" || reason === "unknown" || !isJudged(agent.role)) return [];
  const finding = {
    cause: `agent_${reason}` as const,
    node: nodeName,
    run,
    agent: agent.nodeName,
    sentence: `${nounOf(agent.role)} ${quoted(agent.nodeName)} stopped because ${says}.`,
    confidence,
    stopped: true,
  };
  return [httpCode === undefined ? finding : { ...finding, httpCode }];
}

function troubleFindings({ agent, troubles }: AgentRun): AgentFinding[] {
  return troubles.map(({ kind, nodeName, run, sentence, confidence }) => ({
    cause: `agent_${kind}` as const,
    node: nodeName,
    run,
    agent: agent.nodeName,
    sentence,
    confidence,
    stopped: false,
  }));
}

/** Of what is neither agent nor chain, other rules know more. */
export const isJudged = (role: AgentRun["agent"]["role"]): boolean => role === "agent" || role === "chain";

export const nounOf = (role: AgentRun["agent"]["role"]): string =>
  role === "agent" ? "Agent" : role === "chain" ? "Chain" : role === "MCP server" ? "MCP server" : "Node";
