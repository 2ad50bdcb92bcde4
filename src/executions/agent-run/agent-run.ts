/** What every agent of an execution did: its calls and their sums, why it stopped, and what else went wrong. Pure. */
import type { TokenCount } from "../../n8n/execution-outcome.ts";
import { isInherited } from "../../n8n/run-order.ts";
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { sumOf } from "../../platform/sum-of.ts";
import { countUnreadRuns } from "../node-runs.ts";
import { type AgentCalls, agentsOf } from "./agents.ts";
import { type CallerRole, isJudged } from "./call-kinds.ts";
import { keyOf, type RunPlace } from "./calls.ts";
import { type AgentEvidence, evidenceOf } from "./evidence.ts";
import type { ModelFacts } from "./model-call.ts";
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
  const hasUnreadRuns = countUnreadRuns(execution) > 0;
  // A partial run in the editor begins with the agent's run, but not with its calls.
  const isKnown = ({ nodeRun, calls }: AgentCalls): boolean =>
    calls.length > 0 || !isInherited(execution, nodeRun?.startTime);
  return agentsOf(execution)
    .filter(isKnown)
    .map((agent) => {
      const evidence = evidenceOf(agent, execution, hasUnreadRuns);
      const { models, tools } = evidence;
      const sums = {
        ...sumTokens(models.map(({ facts }) => facts)),
        llmCalls: models.length,
        toolCalls: tools.length,
      };
      const stop = stopOf(evidence);
      return { agent, evidence, sums, stop, troubles: troublesOf(evidence, stop) };
    });
}

const sumCounts = (counts: readonly (TokenCount | null)[]): TokenCount => ({
  prompt: sumOf(counts, (count) => count?.prompt ?? 0),
  completion: sumOf(counts, (count) => count?.completion ?? 0),
});

const sumTokens = (used: readonly Pick<ModelFacts, "tokens" | "estimatedTokens">[]) => ({
  tokens: sumCounts(used.map(({ tokens }) => tokens)),
  estimatedTokens: sumCounts(used.map(({ estimatedTokens }) => estimatedTokens)),
});

export const sumsOf = (runs: readonly AgentRun[]): AgentSums => ({
  llmCalls: sumOf(runs, ({ sums }) => sums.llmCalls),
  toolCalls: sumOf(runs, ({ sums }) => sums.toolCalls),
  ...sumTokens(runs.map(({ sums }) => sums)),
});

/** Where a problem began: the model, the tool, the parser, or the agent itself. */
interface AgentPlace extends RunPlace {
  readonly agent: string;
  readonly role: CallerRole;
  /** The agents that called this one, nearest first. */
  readonly outer: readonly string[];
}

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
