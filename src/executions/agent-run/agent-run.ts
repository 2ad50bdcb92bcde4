/** What every agent of an execution did: its calls and their sums, why it stopped, and what else went wrong. Pure. */
import type { TokenCount } from "../../n8n/execution-outcome.ts";
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { type AgentCalls, agentsOf } from "./agents.ts";
import { type CallerRole, isJudged } from "./call-kinds.ts";
import { keyOf, type RunPlace } from "./calls.ts";
import { type AgentEvidence, evidenceOf, type ModelCall } from "./evidence.ts";
import { type Stop, stopOf } from "./stop-rules.ts";
import { type Trouble, troublesOf } from "./troubles.ts";

export interface AgentSums {
  readonly llmCalls: number;
  readonly toolCalls: number;
  /** As the models' providers counted them. */
  readonly tokens: TokenCount;
  readonly estimatedTokens: TokenCount;
}

export interface AgentRun {
  readonly agent: AgentCalls;
  readonly evidence: AgentEvidence;
  /** Excludes nested agents. */
  readonly sums: AgentSums;
  readonly stop: Stop;
  readonly troubles: readonly Trouble[];
}

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

/** Where a problem began: the model, the tool, the parser, or the agent itself. */
interface AgentPlace extends RunPlace {
  readonly agent: string;
  readonly role: CallerRole;
  /** The agents that called this one, nearest first. */
  readonly outer: readonly string[];
}

/** A problem that ended the agent's run, or that the agent survived. */
export type AgentFinding =
  | (AgentPlace & { readonly stop: Stop; readonly trouble?: never })
  | (AgentPlace & { readonly trouble: Trouble; readonly stop?: never });

/**
 * What went wrong in agents, most informative first: nested agents before their callers, and the reason why an agent
 * stopped before other problems. Empty if nothing went wrong. Only names, counts and codes, no payload.
 */
export function findingsOf(runs: readonly AgentRun[]): AgentFinding[] {
  const deepestFirst = runs.toSorted((a, b) => b.agent.depth - a.agent.depth);
  const at = ({ agent }: AgentRun, { nodeName, run }: RunPlace): AgentPlace => ({
    nodeName,
    run,
    agent: agent.nodeName,
    role: agent.role,
    outer: outerOf(agent),
  });
  const byPlace = new Map(runs.map(({ agent }) => [keyOf(agent), agent]));
  const outerOf = ({ parent }: AgentCalls): string[] => {
    const caller = parent === null ? undefined : byPlace.get(keyOf(parent));
    return caller === undefined ? [] : [caller.nodeName, ...outerOf(caller)];
  };
  return [
    ...deepestFirst.filter(hasStopped).map((run) => ({ ...at(run, run.stop), stop: run.stop })),
    ...deepestFirst.flatMap((run) => run.troubles.map((trouble) => ({ ...at(run, trouble), trouble }))),
  ];
}

const NO_FAILURE: ReadonlySet<string> = new Set(["done", "running", "unknown"]);

const hasStopped = ({ agent, stop }: AgentRun): boolean =>
  isJudged(agent.role) && !NO_FAILURE.has(stop.reason);
