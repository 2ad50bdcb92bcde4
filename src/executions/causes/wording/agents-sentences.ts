/** Whole sentences about what agents, classifiers and extractors did in a success. */
import { counted } from "../../../platform/counted.ts";
import { quoted } from "../../../platform/display-name.ts";
import type { FinishReason } from "../../agent-run/model-call.ts";
import type { Trouble } from "../../agent-run/troubles.ts";
import { troubleSentence } from "../../agent-run/wording.ts";

export interface RefusedArgument {
  readonly name: string;
  readonly wanted: string;
  readonly given: string;
}

/** Troubles whose result was passed on to the outer agents. */
const AT_A_TOOL: ReadonlySet<Trouble["kind"]> = new Set(["failed", "answered_error"]);

/** What went wrong below an agent, and which agents went on with it. */
export function troubleInAgent(fact: {
  trouble: Trouble;
  status: string | null;
  refused: readonly RefusedArgument[];
  /** The agent that called it, then the agents that called that one. */
  agents: readonly string[];
}): string {
  const { trouble, status, refused, agents } = fact;
  const why = refused.map(({ name, wanted, given }) => `${quoted(name)} has to be ${wanted}, was ${given}`);
  const [agent, ...outer] = agents;
  const parts = [
    troubleSentence(trouble, status).replace(/\.$/, ""),
    ...(why.length === 0 ? [] : [`: ${why.join(", ")}`]),
    ...(trouble.kind === "answered_error" && agent !== undefined ? [`, and ${quoted(agent)} went on`] : []),
    ...(AT_A_TOOL.has(trouble.kind) ? outer : []).map(
      (name) => `; ${quoted(name)} was given what came of it, and went on`,
    ),
  ];
  return `${parts.join("")}.`;
}

const listed = (names: readonly string[]): string => names.slice(0, 3).map(quoted).join(", ");

const successes = (count: number): string =>
  count === 1 ? "the last success" : `each of the last ${counted(count, "success", "successes")}`;

export const AGENTS_SENTENCES = {
  tool_not_called: (fact: {
    agent: string;
    tools: readonly string[];
    instead: readonly string[];
    before: number;
    /** It was given earlier messages. */
    remembers: boolean;
  }) =>
    `${quoted(fact.agent)} called ${fact.instead.length === 0 ? "none of its tools" : `${listed(fact.instead)}, and not ${listed(fact.tools)}`}; in ${successes(fact.before)} it called ${listed(fact.tools)}. ${fact.remembers ? "What it answered may come from earlier messages of its memory" : "What it answered does not come from there"}.`,
  answer_empty: ({ agent, finish }: { agent: string; finish: FinishReason | null }) =>
    `${quoted(agent)} answered with an empty text${finish === null ? "" : ` (its model's finish reason is ${finish})`}.`,
  search_empty: (fact: { node: string; caller: string; searches: number }) =>
    `${quoted(fact.node)} found nothing for ${quoted(fact.caller)} (0 documents in ${counted(fact.searches, "search", "searches")}), so what was answered does not come from it.`,
  tool_empty: (fact: { node: string; caller: string; before: number }) =>
    `${quoted(fact.node)} answered ${quoted(fact.caller)} with nothing; in ${successes(fact.before)} it had something to answer.`,
  memory_shared: (fact: { node: string; agent: string; messages: number; isOfOthers: boolean }) =>
    `${quoted(fact.node)} keeps one conversation for everybody, because its session key is a fixed text: ${quoted(fact.agent)} was given ${counted(fact.messages, "message")} of earlier executions${fact.isOfOthers ? ", of another caller" : ""}.`,
  no_category: (fact: { node: string; dropped: number; given: number; skipped: readonly string[] }) =>
    `${quoted(fact.node)} found no category that fits for ${fact.given === 1 ? "its item" : `${fact.dropped} of ${counted(fact.given, "item")}`} and discarded ${fact.dropped === 1 ? "it" : "them"}${fact.skipped.length === 0 ? "" : `, so ${fact.skipped.length === 1 ? "" : "neither "}${fact.skipped.slice(0, 3).map(quoted).join(" nor ")} ${fact.skipped.length === 1 ? "did not run" : "ran"}`}.`,
  not_extracted: (fact: { node: string; field: string; reader: string | null; items: number; of: number }) =>
    `The model of ${quoted(fact.node)} gave no value for ${quoted(fact.field)}${fact.of > 1 ? ` in ${fact.items} of ${counted(fact.of, "item")}` : ""}: it is empty${fact.reader === null ? "" : `, and ${quoted(fact.reader)} reads it`}.`,
};
