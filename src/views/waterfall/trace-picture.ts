/** Converts a trace to a picture: one bar per execution, below the one that caused it. */
import { listAt, type Members, membersAt, numberAt, shownAt, textAt } from "./members.ts";
import { type Bar, instanceOf, moreOf, type Picture, stateOf } from "./picture.ts";

export const isTrace = (data: Members): boolean => Array.isArray(data.executions) && "outcome" in data;

export function tracePicture(data: Members, sentence: string): Picture {
  const executions = listAt(data, "executions");
  const depths = depthsOf(executions);
  const more = membersAt(data, "moreExecutions");
  const rows = Object.values(membersAt(more, "rows")).flat();
  const notShown = rows.length + (numberAt(more, "notShown") ?? 0);
  return {
    title: textAt(data, "requestId") ?? "Request",
    sentence,
    state: stateOf(textAt(data, "outcome")),
    bars: executions.map((execution) => toBar(execution, depths, data)),
    notes:
      notShown === 0 ? [] : [`${moreOf(notShown, "execution")} not drawn: the answer lists them as rows.`],
  };
}

/** Executions are in tree order: parents come before their children. */
function depthsOf(executions: readonly Members[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  for (const execution of executions) {
    const parent = textAt(execution, "parentId");
    const above = parent === undefined ? undefined : depths.get(parent);
    depths.set(textAt(execution, "id") ?? "", above === undefined ? 0 : above + 1);
  }
  return depths;
}

function toBar(execution: Members, depths: ReadonlyMap<string, number>, data: Members): Bar {
  const id = textAt(execution, "id") ?? "";
  const status = textAt(execution, "status") ?? "unknown";
  const failure = membersAt(data, "failure");
  const isFailure = textAt(failure, "executionId") === id;
  const instance = instanceOf(data);
  const facts: (readonly [string, string | undefined])[] = [
    ["execution", id],
    ["status", status],
    ["because", textAt(execution, "evidence")],
    ["request id at", shownAt(membersAt(execution, "match"), "path")],
    ["failed node", isFailure ? textAt(failure, "nodeName") : undefined],
    ["error", isFailure ? textAt(failure, "message") : undefined],
  ];
  return {
    label: textAt(execution, "workflowName") ?? textAt(execution, "workflowId") ?? id,
    kind: (textAt(execution, "role") ?? "").replaceAll("_", " "),
    status,
    state: stateOf(status),
    depth: depths.get(id) ?? 0,
    startMs: numberAt(execution, "startOffsetMs"),
    durationMs: numberAt(execution, "durationMs"),
    facts: facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
    url: urlOf(execution, textAt(data, "executionUrl")),
    calls: [
      { label: "Explain", tool: "explain_failure", args: { executionId: id, ...instance } },
      { label: "Summary", tool: "get_execution", args: { id, ...instance } },
    ],
  };
}

function urlOf(execution: Members, template: string | undefined): string | undefined {
  const ids = [textAt(execution, "workflowId"), textAt(execution, "id")];
  const [workflowId = "", executionId = ""] = ids.map((id) => encodeURIComponent(id ?? ""));
  return template?.replace("{workflowId}", () => workflowId).replace("{executionId}", () => executionId);
}
