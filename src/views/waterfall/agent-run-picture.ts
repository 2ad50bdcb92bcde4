/** Converts an agent's run to a picture: one bar per model or tool call, below the agent that made it. */
import { listAt, type Members, membersAt, numberAt, textAt } from "./members.ts";
import {
  type Bar,
  depthsOf,
  explainCall,
  factsOf,
  moreOf,
  nodeDataCall,
  type Picture,
  stateOf,
} from "./picture.ts";

export const isAgentRun = (data: Members): boolean => Array.isArray(data.calls) && Array.isArray(data.agents);

/** The members of a call that name its node, one for each kind of call. */
const KINDS = ["model", "tool", "setup of", "other"] as const;
/** Members that the line shows already. */
const SHOWN_ELSEWHERE = new Set<string>([...KINDS, "n", "at", "ms", "subExecution"]);

export function agentRunPicture(data: Members, sentence: string): Picture {
  const agents = listAt(data, "agents");
  const depths = depthsOf(agents, "name", "calledBy");
  const left = numberAt(membersAt(data, "leftOut"), "calls");
  return {
    title: agents.map((agent) => textAt(agent, "name") ?? "").join(", ") || "Agent",
    sentence,
    state: stateOf(textAt(data, "status")),
    bars: listAt(data, "calls").map((call) => toBar(call, depths, data)),
    notes: left === undefined ? [] : [`${moreOf(left, "call")} left out of the answer.`],
  };
}

function toBar(call: Members, depths: ReadonlyMap<string, number>, data: Members): Bar {
  const kind = KINDS.find((each) => textAt(call, each) !== undefined);
  const node = kind === undefined ? undefined : textAt(call, kind);
  const trouble = textAt(call, "failed") ?? textAt(call, "errorName");
  const sub = membersAt(call, "subExecution");
  return {
    label: node ?? "",
    kind: kind ?? "call",
    status: trouble?.replaceAll("_", " ") ?? textAt(call, "finish") ?? "",
    state: trouble === undefined ? "ok" : "failed",
    depth: depths.get(textAt(call, "by") ?? "") ?? 0,
    startMs: numberAt(call, "at"),
    durationMs: numberAt(call, "ms"),
    facts: factsOf(call, SHOWN_ELSEWHERE, FACT_NAMES),
    url: textAt(sub, "url"),
    calls: [
      ...nodeDataCall(data, node),
      ...explainCall(data, textAt(sub, "executionId"), "Explain the sub-workflow"),
    ],
  };
}

const FACT_NAMES: Readonly<Record<string, string>> = {
  in: "tokens in",
  out: "tokens out",
  by: "agent",
  argumentShape: "arguments",
  resultShape: "result",
};
