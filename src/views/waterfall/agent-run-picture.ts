/** The picture of an agent's run: a call of a model or a tool a bar, below who called. */
import { listAt, type Members, numberAt, shownAt, textAt } from "./members.ts";
import { type Bar, type Picture, stateOf } from "./picture.ts";

export const isAgentRun = (data: Members): boolean => Array.isArray(data.calls) && "agent" in data;

export function agentRunPicture(data: Members, sentence: string): Picture {
  const executionId = textAt(data, "executionId");
  return {
    title: textAt(data, "agent") ?? "Agent",
    sentence,
    state: stateOf(textAt(data, "status")),
    bars: listAt(data, "calls").map((call) => toBar(call, executionId)),
    notes: [],
  };
}

function toBar(call: Members, executionId: string | undefined): Bar {
  return {
    label: textAt(call, "name") ?? "",
    kind: "",
    status: "",
    state: stateOf(textAt(call, "status")),
    depth: 0,
    startMs: numberAt(call, "startOffsetMs"),
    durationMs: numberAt(call, "durationMs"),
    facts: [["x", shownAt(call, "x") ?? ""]],
    url: executionId,
    calls: [],
  };
}
