/** The picture of an explanation: the root first, then what speaks for it. It has no times: a line each, no bar. */
import { listAt, type Members, membersAt, shownAt, textAt } from "./members.ts";
import { type Bar, instanceOf, type Picture, type State, stateOf } from "./picture.ts";

export const isExplanation = (data: Members): boolean => typeof data.explanation === "object";

export function explanationPicture(data: Members, sentence: string): Picture {
  const explanation = membersAt(data, "explanation");
  const state = rootState(data, explanation);
  const compared = textAt(membersAt(data, "comparedWith"), "executionId");
  return {
    title: `Execution ${textAt(data, "executionId") ?? ""}`.trim(),
    sentence,
    state,
    bars: [
      { ...toBar(data, explanation, "root cause", 0), state },
      ...listAt(data, "evidence").map((evidence) => toBar(data, evidence, "evidence", 1)),
    ],
    notes: compared === undefined ? [] : [`Compared with execution ${compared}, which succeeded.`],
  };
}

/** A green execution that swallowed something is neither failed nor fine. */
function rootState(data: Members, explanation: Members): State {
  const state = stateOf(textAt(data, "status"));
  return state === "ok" && textAt(explanation, "cause") !== "nothing_wrong" ? "noted" : state;
}

/** Members that the label shows already, or the buttons use. */
const TOLD = new Set(["sentence", "url"]);

function toBar(data: Members, finding: Members, kind: string, depth: number): Bar {
  const node = textAt(finding, "node");
  const id = textAt(data, "executionId");
  return {
    label: textAt(finding, "sentence") ?? "",
    kind,
    status: textAt(finding, "confidence") ?? "",
    state: "noted",
    depth,
    startMs: undefined,
    durationMs: undefined,
    facts: Object.keys(finding)
      .filter((key) => !TOLD.has(key))
      .flatMap((key) => {
        const value = shownAt(finding, key);
        return value === undefined ? [] : [[key, value] as const];
      }),
    url: textAt(finding, "url") ?? textAt(data, "url"),
    calls:
      node === undefined || id === undefined
        ? []
        : [
            {
              label: "Data of this node",
              tool: "get_execution_by_node",
              args: { id, nodeName: node, ...instanceOf(data) },
            },
          ],
  };
}
