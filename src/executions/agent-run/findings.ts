/**
 * What agents have to do with what became of an execution, most telling first: the nested agent before the one that
 * called it, what stopped one before what went wrong on its way. For whoever explains failures. Names, counts and codes
 * alone, no payload. Pure.
 *
 * Reads an execution within `AGENT_RUN`, or more; with less there is less to find.
 */
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { type AgentRun, agentRunsOf } from "./agent-run.ts";
import type { CallerRole } from "./call-kinds.ts";
import type { RunPlace } from "./calls.ts";
import type { Stop } from "./stop-rules.ts";
import type { Trouble } from "./troubles.ts";

/** Where it began: the model, the tool, the parser, or the agent itself. */
interface AgentPlace extends RunPlace {
  /** The agent that it happened to. */
  readonly agent: string;
  readonly role: CallerRole;
}

/** What ended the agent's run, or only went wrong on the way. */
export type AgentFinding =
  | (AgentPlace & { readonly stop: Stop; readonly trouble?: never })
  | (AgentPlace & { readonly trouble: Trouble; readonly stop?: never });

/** Empty where no agent ran, and where all was well. */
export function agentFindings(execution: ExecutionWithData): AgentFinding[] {
  return findingsOf(agentRunsOf(execution));
}

/** The same of runs that are known. */
export function findingsOf(runs: readonly AgentRun[]): AgentFinding[] {
  const deepestFirst = runs.toSorted((a, b) => b.agent.depth - a.agent.depth);
  const at = ({ agent }: AgentRun, { nodeName, run }: RunPlace): AgentPlace => ({
    nodeName,
    run,
    agent: agent.nodeName,
    role: agent.role,
  });
  return [
    ...deepestFirst.filter(hasStopped).map((run) => ({ ...at(run, run.stop), stop: run.stop })),
    ...deepestFirst.flatMap((run) => run.troubles.map((trouble) => ({ ...at(run, trouble), trouble }))),
  ];
}

const NO_FAILURE: ReadonlySet<string> = new Set(["done", "running", "unknown"]);

const hasStopped = ({ agent, stop }: AgentRun): boolean =>
  isJudged(agent.role) && !NO_FAILURE.has(stop.reason);

/** Of what is neither agent nor chain, other rules know more. */
export const isJudged = (role: CallerRole): boolean => role === "agent" || role === "chain";
