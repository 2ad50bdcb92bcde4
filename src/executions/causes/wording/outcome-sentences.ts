/** Whole sentences for what came of an execution. */
import { counted } from "../../../platform/counted.ts";
import { quoted } from "../../../platform/display-name.ts";

/** How another execution ended, or that it has not. */
export type Ending = "succeeded" | "failed" | "was canceled" | "has not ended";

interface Other {
  readonly executionId: string;
  readonly workflow: string;
  readonly ending: Ending;
}

const other = ({ executionId, workflow }: Omit<Other, "ending">): string =>
  `${quoted(workflow)} (execution ${executionId})`;

const MAX_NODES = 4;

/** Which items of a failed run were done: n8n keeps no output of it. */
export type ItemsDone = "in order" | "at once" | "as made" | "as one" | "at the end";

const DONE: Readonly<Record<ItemsDone, (index: number, count: number) => string>> = {
  "in order": (index, count) =>
    `works on one item after the other: it had done ${doneBefore(index)}, and not item ${index + 1}${index + 1 < count ? " or those after it" : ""}`,
  "at once": (index, count) =>
    `sends the requests of all items before it looks at the first answer: ${doneBefore(index)} had been answered well${index + 1 < count ? "; whether those after it were done, only the service knows" : ""}`,
  "as made": (index, count) =>
    `sends the requests of all items before it looks at the first answer, and could not make that of item ${index + 1}: ${index === 0 ? "none" : `those of ${doneBefore(index)}`} had been sent${index > 0 && index + 1 < count ? ", and none after it" : ""}`,
  "as one": () => "does all items in one transaction: none of them was done",
  "at the end": () => "writes all items together at the end: none of them was written",
};

const doneBefore = (index: number): string =>
  index === 0 ? "none before it" : index === 1 ? "item 1" : `items 1 to ${index}`;

export const OUTCOME_SENTENCES = {
  sub_workflow_unnoticed: (fact: { node: string | null } & Omit<Other, "ending">) =>
    `${fact.node === null ? "It" : quoted(fact.node)} started ${other(fact)} without waiting for it, and that failed; nothing in this execution shows it.`,
  "sub_workflow_unnoticed.resumed": (fact: { node: string | null } & Omit<Other, "ending">) =>
    `${fact.node === null ? "It" : quoted(fact.node)} waited for ${other(fact)}, which failed, and went on with what it had given; nothing in this execution shows it.`,
  "outcome.error_workflow": (fact: Other) =>
    `Its error workflow ${other(fact)} ran and ${fact.ending === "failed" ? "failed itself, so perhaps nobody was told" : fact.ending}.`,
  "outcome.retry": (fact: Other) =>
    `It was retried, and the retry (execution ${fact.executionId}) ${fact.ending}.`,
  "outcome.again": (fact: Other & { isLater: boolean }) =>
    `The same request ${fact.isLater ? "came again afterwards" : "had come before"} (execution ${fact.executionId}) and ${fact.ending}.`,
  "outcome.twice": (fact: Other & { isRetry: boolean }) =>
    `${fact.isRetry ? "It was retried before it had ended" : "The same request came more than once"}: it was also execution ${fact.executionId} of ${quoted(fact.workflow)}, which succeeded too, so what it does may have been done twice.`,
  "outcome.done": ({ nodes }: { nodes: readonly string[] }) =>
    `Before it failed, ${nodes.slice(0, MAX_NODES).map(quoted).join(", ")}${nodes.length > MAX_NODES ? ` and ${nodes.length - MAX_NODES} more` : ""} had succeeded, and may have changed something outside of n8n: sending the request again runs them again, and a retry in n8n from the failed node does not.`,
  "outcome.started": (fact: Other) => `It started ${other(fact)}, which ${fact.ending}.`,
  "outcome.items": (fact: { node: string; index: number; count: number; done: ItemsDone }) =>
    `${quoted(fact.node)} ${DONE[fact.done](fact.index, fact.count)}. A retry in n8n begins with this node and gives it all ${counted(fact.count, "item")} again.`,
};
