/** The picture of an agent's run: a call of a model or a tool a bar, below the agent that made it. */
import { isMembers, listAt, type Members, numberAt, shownAt, textAt } from "./members.ts";
import { type Bar, instanceOf, moreOf, type OwnCall, type Picture, stateOf } from "./picture.ts";

export const isAgentRun = (data: Members): boolean => Array.isArray(data.calls) && Array.isArray(data.agents);

/** Members of a call that name its node: each says what kind of call it is. */
const KINDS = ["model", "tool", "setup of", "other"] as const;
/** Members that the line shows already. */
const TOLD = new Set<string>([...KINDS, "n", "at", "ms", "subExecution"]);

export function agentRunPicture(data: Members, sentence: string): Picture {
  const agents = listAt(data, "agents");
  const depths = depthsOf(agents);
  const calls = listAt(data, "calls");
  const left = isMembers(data.leftOut) ? numberAt(data.leftOut, "calls") : undefined;
  return {
    title: agents.map((agent) => textAt(agent, "name") ?? "").join(", ") || "Agent",
    sentence,
    state: stateOf(textAt(data, "status")),
    bars: calls.map((call) => toBar(call, depths, data)),
    notes: left === undefined ? [] : [`${moreOf(left, "call")} left out of the answer.`],
  };
}

/** An agent that another called stands below it. */
function depthsOf(agents: readonly Members[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  for (const agent of agents) {
    const above = depths.get(textAt(agent, "calledBy") ?? "");
    depths.set(textAt(agent, "name") ?? "", above === undefined ? 0 : above + 1);
  }
  return depths;
}

function toBar(call: Members, depths: ReadonlyMap<string, number>, data: Members): Bar {
  const kind = KINDS.find((each) => textAt(call, each) !== undefined);
  const node = kind === undefined ? undefined : textAt(call, kind);
  const trouble = textAt(call, "failed") ?? textAt(call, "errorName");
  return {
    label: node ?? "",
    kind: kind ?? "call",
    status: trouble?.replaceAll("_", " ") ?? textAt(call, "finish") ?? "",
    state: trouble === undefined ? "ok" : "failed",
    depth: depths.get(textAt(call, "by") ?? "") ?? 0,
    startMs: numberAt(call, "at"),
    durationMs: numberAt(call, "ms"),
    facts: Object.keys(call)
      .filter((key) => !TOLD.has(key))
      .flatMap((key) => {
        const value = shownAt(call, key);
        return value === undefined ? [] : [[FACT_NAMES[key] ?? key, value] as const];
      }),
    url: isMembers(call.subExecution) ? textAt(call.subExecution, "url") : undefined,
    calls: callsFor(call, node, data),
  };
}

const FACT_NAMES: Readonly<Record<string, string>> = {
  in: "tokens in",
  out: "tokens out",
  by: "agent",
  argumentShape: "arguments",
  resultShape: "result",
};

function callsFor(call: Members, node: string | undefined, data: Members): readonly OwnCall[] {
  const id = textAt(data, "executionId");
  const sub = isMembers(call.subExecution) ? textAt(call.subExecution, "executionId") : undefined;
  const instance = instanceOf(data);
  return [
    ...(id === undefined || node === undefined
      ? []
      : [
          {
            label: "Data of this node",
            tool: "get_execution_by_node",
            args: { id, nodeName: node, ...instance },
          },
        ]),
    ...(sub === undefined
      ? []
      : [
          {
            label: "Explain the sub-workflow",
            tool: "explain_failure",
            args: { executionId: sub, ...instance },
          },
        ]),
  ];
}
