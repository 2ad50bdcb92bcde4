/** Whole sentences for what led to a failure and what followed. */
import { counted } from "../../../platform/counted.ts";
import { quoted } from "../../../platform/display-name.ts";
import type { Edge } from "../rewired.ts";
import type { ItemPlace } from "./clauses.ts";
import { BROKEN_AS, type Break } from "./reported-sentences.ts";

/** How the name of an existing field differs from that of the missing one. */
const LIKENESS = {
  mark: "by an invisible character, such as a byte order mark (BOM)",
  case: "in upper and lower case",
  blanks: "in blanks",
  separators: "in upper and lower case, blanks, hyphens or underscores",
  dots: "in that its dot is part of the name, and no step into an object",
} as const;
export type Likeness = keyof typeof LIKENESS;

/** Why an item lacks the field that is read: the mark between its columns, or because its node is set to send nothing. */
export type EmptyReason = "semicolon" | "tab" | "comma" | "bar" | "chosen";

const emptyBecause = (why: EmptyReason, from: string): string =>
  why === "chosen"
    ? `${quoted(from)} is set to give one empty item (Output), and no data of its inputs`
    : `all columns were read as one (a ${why} stands between them, which is not the separator that was expected)`;

/** What is there instead of a missing field. */
export interface Instead {
  readonly like: Likeness | null;
  /** The name of the field that is almost the same: payload. */
  readonly name: string | null;
  /** An earlier node that sent the field, which the node without it did not pass on. */
  readonly dropped: string | null;
  /** An earlier success in which the field was there; null if none is known. */
  readonly since: string | null;
  /** A field that is new since then, if its name consists of words of the workflow. */
  readonly sends: string | null;
  readonly isOtherNew: boolean;
  /** One of the two names is part of the other: it was renamed. */
  readonly isRenamed: boolean;
}

/** The way from a field's origin to the node that reads it. */
export interface Chain {
  readonly field: string;
  /** The last node that renamed it. */
  readonly by: string | null;
  readonly instead: Instead | null;
  /** The caller's execution, if it came from there. */
  readonly callerId: string | null;
}

export const madeBy = ({ by, field }: Partial<Chain>): string =>
  by == null || field === undefined ? "" : `, which ${quoted(by)} makes of ${quoted(field)}`;

export const ofCaller = ({ callerId }: Partial<Chain>): string =>
  callerId == null ? "" : ` in the workflow that called it (execution ${callerId})`;

export function insteadInWords({ instead }: Partial<Chain>): string {
  if (instead == null) return "";
  const { like, dropped, since, sends, isOtherNew } = instead;
  const alike = like === null ? "" : `; it has one whose name differs only ${LIKENESS[like]}`;
  const lost = dropped === null ? "" : `; ${quoted(dropped)}, before it, sent one, and it was not passed on`;
  const renamed =
    sends === null
      ? isOtherNew
        ? ", and now there is another one"
        : ""
      : `, and now there is ${quoted(sends)} instead`;
  const changed =
    since === null
      ? ""
      : `; in the last success (execution ${since}) it was there${like === null ? renamed : ""}`;
  return alike + lost + changed;
}

interface Refused {
  readonly failedNode: string;
  readonly status: string | null;
}

const refused = ({ failedNode, status }: Refused): string =>
  `${quoted(failedNode)} was refused${status === null ? "" : ` (${status})`}`;

/** A value that a refused node sent. */
interface Sent extends Refused, Chain {
  readonly node: string;
  /** As the refused node itself reads it. */
  readonly reads: string;
}

const lackInWords = { absent: "did not send", null: "sent as null", empty: "sent as an empty text" } as const;
export type Lack = keyof typeof lackInWords;

interface SentEmpty extends Sent {
  readonly lack: Lack;
  readonly isSure: boolean;
}

const readsEmpty = (fact: SentEmpty): string =>
  `${fact.by === null ? "it" : quoted(fact.by)} reads ${quoted(fact.field)}, which ${quoted(fact.node)}${ofCaller(fact)} ${lackInWords[fact.lack]}`;

/** `field`: the name at its origin; `reads`: as far as it may be shown; `item`: null if unknown. */
interface Repeats extends Pick<Chain, "callerId"> {
  readonly node: string;
  readonly failedNode: string;
  readonly field?: string;
  readonly reads: string;
  readonly isPart: boolean;
  readonly isRepeated: boolean;
  readonly item: ItemPlace | null;
}

function repeats({ field = "", reads, item, ...fact }: Repeats): string {
  const what = reads === "" ? "a field that" : `${fact.isPart ? "a field of " : ""}${quoted(reads)}, which`;
  const as = field === "" || field === reads ? "" : ` as ${quoted(field)}`;
  const from = item === null || item.count <= 1 ? "" : ` in item ${item.index + 1} of ${item.count}`;
  return `The error of ${quoted(fact.failedNode)} ${fact.isRepeated ? "repeats the value of" : "names"} ${what} ${quoted(fact.node)}${ofCaller(fact)} sent${as}${from}.`;
}

/** How a value differs in kind from those that were there in the last successes. */
const ODD_AS = {
  control: "holds a control character, such as a zero byte",
  line: "holds a line break or tab",
  percent: "holds a percent sign that begins no encoded character",
  sign: "holds a special character",
  negative: "is negative",
  fraction: "has decimals",
  long: "is longer",
  twice: "has a value that another one has, too",
} as const;
export type Oddity = keyof typeof ODD_AS;

interface OddPlace {
  readonly field: string;
  readonly how: Oddity;
  readonly lengths: readonly [now: number, before: number];
  readonly item: ItemPlace;
}

const oddInWords = ({ field, how, lengths: [now, before], item: { index, count } }: OddPlace): string =>
  `${quoted(field)}${count <= 1 ? "" : ` of item ${index + 1} of ${count}`} ${ODD_AS[how]}${how === "long" ? ` (about ${counted(now, "character")}, before at most ${before})` : ""}`;

interface Parameters {
  readonly node: string;
  readonly read: readonly ParameterOrigin[];
  readonly odd: readonly OddPlace[];
  /** Those with another value in the last success. */
  readonly changed: readonly string[];
  readonly before: string | null;
  readonly unresolved: number;
}

/** `field`: its name at its origin, if it differs. */
interface ParameterOrigin {
  readonly name: string;
  readonly isEmpty: boolean;
  readonly from: string;
  readonly field: string | null;
}

const parameterInWords = ({ name, isEmpty, from, field }: ParameterOrigin): string =>
  `${quoted(name)}${isEmpty ? ", which was empty," : ""} from ${field === null ? "" : `${quoted(field)} of `}${quoted(from)}`;

/** A call of a sub-workflow: by which node, and which execution it was. */
interface Call {
  readonly by: string;
  readonly workflow: string | null;
  readonly executionId: string;
}

/** A field of its input or answer that is read and is missing. */
interface Lacking extends Call {
  readonly node: string;
  readonly field: string;
  readonly reader: string;
}

const called = ({ workflow, executionId }: Call): string =>
  `${workflow === null ? "the sub-workflow" : quoted(workflow)} (execution ${executionId})`;

const inWords = ({ from, output, to, input }: Edge): string =>
  `${quoted(from)} (output ${output + 1}) leads to ${quoted(to)} (input ${input + 1})`;

/** Also what has not failed can be retried: what waits, or was stopped. */
const RETRIED: Readonly<Record<string, string>> = {
  success: ", which succeeded itself, so what it does may have been done twice",
  waiting: ", which still waits, and may continue, too",
  canceled: ", which was canceled",
};

export const CHAIN_SENTENCES = {
  "called_by.agent": ({ agentId, runId }: { agentId: string; runId: string }) =>
    `An agent of n8n's Agents module called it as a tool (agent ${agentId}, run ${runId}); the public API shows nothing of agents.`,
  called_by: ({ callers }: { callers: readonly { executionId: string; workflow: string }[] }) =>
    `It was called by ${callers.map(({ executionId, workflow }) => `${quoted(workflow)} (execution ${executionId})`).join(", which was called by ")}.`,
  retry_of: (fact: {
    node: string | null;
    executionId: string;
    /** The workflow was saved in between. */
    isEdited: boolean;
    status: string | null;
  }) =>
    `It is a retry of execution ${fact.executionId}${fact.node === null ? (RETRIED[fact.status ?? ""] ?? "") : `, which failed at ${quoted(fact.node)}`}${fact.isEdited ? "; the workflow was edited since" : ""}.`,
  agent_calls: (fact: { node: string; calls: readonly string[]; uncalled: readonly string[] }) =>
    `Agent ${quoted(fact.node)} called ${fact.calls.length === 0 ? "none of its tools" : fact.calls.map(quoted).join(", then ")}${fact.uncalled.length === 0 ? "" : `; it did not call ${fact.uncalled.map(quoted).join(", ")}`}.`,
  /** The fact's `root`, what went wrong there, follows. */
  sub_workflow_wrong: (fact: Call) =>
    `Something went wrong in ${called(fact)}, which ${quoted(fact.by)} called.`,
  /** `instead`: the node that answered before, if another one did. */
  sub_workflow_answer: (fact: Lacking & { instead: string | null; sends: string | null; before: string }) =>
    fact.instead === null
      ? `${quoted(fact.node)} of ${called(fact)} was edited since its execution ${fact.before}: ${quoted(fact.by)} now gets ${fact.sends === null ? `no ${quoted(fact.field)}` : `${quoted(fact.sends)} in place of ${quoted(fact.field)}`}, which ${quoted(fact.reader)} reads.`
      : `${quoted(fact.node)} is now the last node that ran in ${called(fact)}, so ${quoted(fact.by)} got its answer, not that of ${quoted(fact.instead)} as in execution ${fact.before}: it lacks ${quoted(fact.field)}, which ${quoted(fact.reader)} reads.`,
  "items_unread.sub_runs": (fact: Call & { node: string; runs: number; all: number; count: number }) =>
    `${quoted(fact.node)}, the last node of ${called(fact)}, ran ${counted(fact.runs, "time")}, and ${quoted(fact.by)} got only what its last run sent: ${fact.count} of ${counted(fact.all, "item")}.`,
  sub_workflow_input: (fact: Lacking & { isNew: boolean }) =>
    `${quoted(fact.node)}, which starts ${called(fact)}, dropped the input ${quoted(fact.field)} that ${quoted(fact.by)} gave it, as it is not among its declared inputs${fact.isNew ? " (it came through before)" : ""}; ${quoted(fact.reader)} reads it.`,
  /** `ofFirst`: how many items are known, if more were given. */
  field_empty: (
    fact: {
      node: string;
      from: string;
      reads: string;
      ofFirst: number | null;
      why: EmptyReason | null;
    } & Chain,
  ) =>
    `${quoted(fact.node)} reads ${quoted(fact.reads)}${madeBy(fact)}, which is in ${fact.ofFirst === null ? "nothing" : `none of the first ${counted(fact.ofFirst, "item")}`} that ${quoted(fact.from)} sent${ofCaller(fact)}: it came out empty${fact.ofFirst === null ? "" : " in them"}${fact.why === null ? insteadInWords(fact) : `, because ${emptyBecause(fact.why, fact.from)}`}.`,
  parameter_empty: (fact: SentEmpty) =>
    `${refused(fact)}${fact.isSure ? "" : ", probably"} because ${readsEmpty(fact)}${insteadInWords(fact)}.`,
  "parameter_empty.guess": (fact: SentEmpty) => `Perhaps because ${readsEmpty(fact)}.`,
  value_broken: (fact: Refused & { node: string; field: string; how: Break }) =>
    `${refused(fact)}: ${quoted(fact.node)} sent ${quoted(fact.field)} ${BROKEN_AS[fact.how]}.`,
  number_rounded: (fact: Sent) =>
    `${refused(fact)}: ${quoted(fact.reads)}${madeBy(fact)} is a number larger than JavaScript counts exactly (2^53), so n8n may have rounded it when ${quoted(fact.node)} got it; as a text it would be kept.`,
  day_by_zone: (
    fact: Refused & { node: string; field: string; zone: string | null; changed: string | null },
  ) =>
    `${refused(fact)}: ${quoted(fact.node)} makes the day that it asks for of the current time in the time zone of ${fact.zone === null ? "n8n" : `the workflow (${fact.zone})`}, where it was another day than in UTC${fact.changed === null ? "" : `; the time zone was changed since execution ${fact.changed}`}.`,
  parameters: ({ node, read, odd, changed, before, unresolved }: Parameters) =>
    `${quoted(node)} was given ${read.map(parameterInWords).join(", ")}${changed.length === 0 ? "" : `; ${changed.map((name) => quoted(name)).join(", ")} had another value in the last success${before === null ? "" : ` (execution ${before})`}`}${odd.length === 0 ? "" : `; new since the last successes: ${odd.map(oddInWords).join(", and ")}`}${unresolved === 0 ? "" : `; ${counted(unresolved, "other expression")} not resolved here`}.`,
  error_repeats: repeats,
  retry_repeats: (fact: {
    node: string;
    executionId: string;
    done: number;
    count: number;
    isAtOnce: boolean;
  }) =>
    `This is the retry of execution ${fact.executionId}, in which ${quoted(fact.node)} had already done ${fact.done} of ${counted(fact.count, "item")} before the one that failed${fact.isAtOnce ? " (perhaps also some after it)" : ""}; the retry was given them again.`,
  "edited.connections": (fact: {
    node: string;
    before: string;
    swapped: "inputs" | "outputs" | null;
    made: readonly Edge[];
    gone: readonly Edge[];
  }) =>
    `${fact.swapped === null ? "Connections were edited" : `The ${fact.swapped} of ${quoted(fact.node)} were swapped`} since the last success (execution ${fact.before}): ${[...fact.made.map((edge) => `${inWords(edge)} now`), ...(fact.swapped === null ? fact.gone : []).map((edge) => `${inWords(edge)} no longer`)].join(", ")}.`,
  "edited.settings": (fact: { before: string; settings: readonly string[] }) =>
    `The workflow's settings were edited since the last success (execution ${fact.before}): ${fact.settings.join(", ")}.`,
};
