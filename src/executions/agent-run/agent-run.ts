/** How every agent of an execution got on: its calls, its sums, why it stopped, what went wrong on the way. Pure. */
import type { TokenCount } from "../../n8n/execution-outcome.ts";
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { type AgentCalls, agentsOf } from "./agents.ts";
import { type AgentEvidence, evidenceOf, type ModelCall } from "./evidence.ts";
import { type Stop, stopOf } from "./stop-rules.ts";
import { type Trouble, troublesOf } from "./troubles.ts";

export interface AgentSums {
  readonly llmCalls: number;
  readonly toolCalls: number;
  /** As the models' providers counted them. */
  readonly tokens: TokenCount;
  /** As n8n estimated them, where the provider did not. */
  readonly estimatedTokens: TokenCount;
}

export interface AgentRun {
  readonly agent: AgentCalls;
  readonly evidence: AgentEvidence;
  /** Without what its nested agents did. */
  readonly sums: AgentSums;
  readonly stop: Stop;
  readonly troubles: readonly Trouble[];
}

/** Roots in the order in which they began, each followed by the agents that it called. */
export function agentRunsOf(execution: ExecutionWithData): AgentRun[] {
  return agentsOf(execution).map((agent) => {
    const evidence = evidenceOf(agent, execution);
    const { models, tools } = evidence;
    const sums = { ...sumTokens(models), llmCalls: models.length, toolCalls: tools.length };
    const stop = stopOf(evidence);
    return { agent, evidence, sums, stop, troubles: troublesOf(evidence, stop) };
  });
}

const NOTHING: TokenCount = { prompt: 0, completion: 0 };

const add = (one: TokenCount, other: TokenCount | null): TokenCount =>
  other === null ? one : { prompt: one.prompt + other.prompt, completion: one.completion + other.completion };

function sumTokens(models: readonly ModelCall[]): Pick<AgentSums, "tokens" | "estimatedTokens"> {
  return {
    tokens: models.reduce((sum, { facts }) => add(sum, facts.tokens), NOTHING),
    estimatedTokens: models.reduce((sum, { facts }) => add(sum, facts.estimatedTokens), NOTHING),
  };
}

/** Of all agents, nested ones included. */
export function sumsOf(runs: readonly AgentRun[]): AgentSums {
  return runs.reduce<AgentSums>(
    (sum, { sums }) => ({
      llmCalls: sum.llmCalls + sums.llmCalls,
      toolCalls: sum.toolCalls + sums.toolCalls,
      tokens: add(sum.tokens, sums.tokens),
      estimatedTokens: add(sum.estimatedTokens, sums.estimatedTokens),
    }),
    { llmCalls: 0, toolCalls: 0, tokens: NOTHING, estimatedTokens: NOTHING },
  );
}
