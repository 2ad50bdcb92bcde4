/** Converts a trace to a picture: one bar per execution, below the one that caused it. */
import { listAt, type Members, membersAt, numberAt, shownAt, textAt, textsAt } from "./members.ts";
import { type Bar, depthsOf, explainCall, instanceOf, moreOf, type Picture, stateOf } from "./picture.ts";

export const isTrace = (data: Members): boolean => Array.isArray(data.executions) && "outcome" in data;

export function tracePicture(data: Members, sentence: string): Picture {
  const more = membersAt(data, "moreExecutions");
  const executions = inTreeOrder([...listAt(data, "executions"), ...rowsOf(more)]);
  const depths = depthsOf(executions, "id", "parentId");
  const notShown = numberAt(more, "notShown") ?? 0;
  return {
    title: textAt(data, "requestId") ?? "Request",
    sentence,
    state: stateOf(textAt(data, "outcome")),
    bars: executions.map((execution) => toBar(execution, depths, data)),
    notes: notShown === 0 ? [] : [`${moreOf(notShown, "execution")} not in the answer.`],
  };
}

/** Converts the rows of an answer (`compact-tree.ts`) to the form of its other executions. */
function rowsOf(more: Members): Members[] {
  const [workflows, workflowIds] = [textsAt(more, "workflows"), textsAt(more, "workflowIds")];
  const kinds = textsAt(more, "kinds");
  const rows = membersAt(more, "rows");
  return Object.keys(rows).flatMap((parentId) =>
    textsAt(rows, parentId).map((row) => {
      const [id, kind, start, duration] = row.split(" ");
      const [workflow, status, role] = (kinds[Number(kind)] ?? "").split(" ");
      return {
        id,
        parentId,
        status,
        role,
        workflowName: workflows[Number(workflow)],
        workflowId: workflowIds[Number(workflow)],
        startOffsetMs: toNumber(start),
        durationMs: toNumber(duration),
      };
    }),
  );
}

/** `-` is unknown. */
const toNumber = (text: string | undefined): number | undefined =>
  text === undefined || !/^-?\d+$/.test(text) ? undefined : Number(text);

/** Each row below the one that caused it, if that is among the rows, in the order of their starts. */
function inTreeOrder(executions: readonly Members[]): Members[] {
  const ids = new Set(executions.map((execution) => textAt(execution, "id")));
  const byParent = Map.groupBy(executions, (execution) => {
    const parentId = textAt(execution, "parentId");
    return ids.has(parentId) ? parentId : undefined;
  });
  const ordered = new Set<Members>();
  // Rows that only name each other as parents come last.
  const left = [...executions.toReversed(), ...byStart(byParent.get(undefined))];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (ordered.has(next)) continue;
    ordered.add(next);
    const id = textAt(next, "id");
    if (id !== undefined) left.push(...byStart(byParent.get(id)));
  }
  return [...ordered];
}

/** Latest first, because the stack is popped from its end. */
const byStart = (executions: readonly Members[] = []): Members[] =>
  executions
    .toReversed()
    .toSorted(
      (one, other) => (numberAt(other, "startOffsetMs") ?? 0) - (numberAt(one, "startOffsetMs") ?? 0),
    );

function toBar(execution: Members, depths: ReadonlyMap<string, number>, data: Members): Bar {
  const id = textAt(execution, "id") ?? "";
  const status = textAt(execution, "status") ?? "unknown";
  const failure = membersAt(data, "failure");
  const isFailure = textAt(failure, "executionId") === id;
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
    kind: (textAt(execution, "role") ?? "").replace("sub_", "sub-").replaceAll("_", " "),
    status,
    state: stateOf(status),
    depth: depths.get(id) ?? 0,
    startMs: numberAt(execution, "startOffsetMs"),
    durationMs: numberAt(execution, "durationMs"),
    facts: facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
    url: urlOf(execution, textAt(data, "executionUrl")),
    calls: [
      ...explainCall(data, id, "Explain"),
      { label: "Summary", tool: "get_execution", args: { id, ...instanceOf(data) } },
    ],
  };
}

function urlOf(execution: Members, template: string | undefined): string | undefined {
  const ids = [textAt(execution, "workflowId"), textAt(execution, "id")];
  const [workflowId = "", executionId = ""] = ids.map((id) => encodeURIComponent(id ?? ""));
  return template?.replace("{workflowId}", () => workflowId).replace("{executionId}", () => executionId);
}
