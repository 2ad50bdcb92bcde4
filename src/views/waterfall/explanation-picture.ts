/** Converts an explanation to a picture: the root cause first, then its evidence, without bars. */
import { listAt, type Members, membersAt, textAt } from "./members.ts";
import { type Bar, factsOf, nodeDataCall, type Picture, type State, stateOf } from "./picture.ts";

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

/** A successful execution that swallowed an error is neither failed nor fine. */
function rootState(data: Members, explanation: Members): State {
  const state = stateOf(textAt(data, "status"));
  return state === "ok" && textAt(explanation, "cause") !== "nothing_found" ? "warning" : state;
}

/** Members that the label or the buttons already show. */
const SHOWN_ELSEWHERE = new Set(["sentence", "url"]);

function toBar(data: Members, finding: Members, kind: string, depth: number): Bar {
  return {
    label: textAt(finding, "sentence") ?? "",
    kind,
    status: textAt(finding, "confidence") ?? "",
    state: "warning",
    depth,
    startMs: undefined,
    durationMs: undefined,
    facts: factsOf(finding, SHOWN_ELSEWHERE),
    url: textAt(finding, "url") ?? textAt(data, "url"),
    calls: nodeDataCall(data, textAt(finding, "node")),
  };
}
