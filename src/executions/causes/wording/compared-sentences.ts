/** Whole sentences for what differs from the last successes. */
import { counted } from "../../../platform/counted.ts";
import { quoted } from "../../../platform/display-name.ts";
import type { ItemCount } from "../../comparison/compare-executions.ts";

const outputsInWords = (outputs: readonly number[]): string =>
  outputs.length === 0 ? "nothing" : `by ${outputs.map((output) => `output ${output + 1}`).join(" and ")}`;

const fileInWords = (kind: string): string =>
  kind === "empty" ? "an empty file (0 bytes)" : `a file of the kind ${kind}`;

/** `at least 200` is more than one. */
const itemsInWords = (count: ItemCount): string =>
  typeof count === "number" ? counted(count, "item") : [count, "items"].join(" ");

/** What differs from the execution `before`. */
export interface Differing {
  readonly node: string;
  readonly before: string;
}

export const COMPARED_SENTENCES = {
  "differs.value": (fact: { node: string; field?: string; successes: number; isEmpty: boolean }) =>
    `${fact.field === undefined ? "A value" : quoted(fact.field)} that ${quoted(fact.node)} sent is ${fact.isEmpty ? "empty" : "another one"}: it was the same in the last ${counted(fact.successes, "success", "successes")}.`,
  "differs.outputs": (fact: Differing & { outputs: readonly number[]; had: readonly number[] }) =>
    `${quoted(fact.node)} sent ${outputsInWords(fact.outputs)}; in the last success (execution ${fact.before}) it sent ${outputsInWords(fact.had)}.`,
  "differs.ran": ({ node, before }: Differing) =>
    `${quoted(node)} did not run; it ran in the last success (execution ${before}).`,
  "differs.file": (fact: Differing & { now: string; had: string }) =>
    `${quoted(fact.node)} sent ${fileInWords(fact.now)}; in the last success (execution ${fact.before}) it sent ${fileInWords(fact.had)}.`,
  "differs.items": (fact: Differing & { items: ItemCount; had: ItemCount }) =>
    `${quoted(fact.node)} sent ${itemsInWords(fact.items)}; in the last success (execution ${fact.before}) it sent ${fact.had}.`,
  "differs.slower": (fact: Differing & { ms: number; had: number }) =>
    `${quoted(fact.node)} took ${fact.ms} ms; in the last success (execution ${fact.before}) it took ${fact.had} ms.`,
};
