/** Whole sentences for items that were lost, repeated, mixed or decided wrongly. */
import { counted, countedPart, type Part } from "../../../platform/counted.ts";
import { quoted } from "../../../platform/display-name.ts";
import type { Differing } from "./compared-sentences.ts";

const and = (names: readonly string[]): string => names.map(quoted).join(" and ");

/** What a condition compares: a field of an item, or a fixed text, with another. */
export interface Comparison {
  readonly field: string | null;
  /** n8n's own name. */
  readonly operation: string;
  /** The workflow's own word or number; null if it is anything else. */
  readonly literal: string | null;
  readonly against: keyof typeof AGAINST;
  readonly ignoresCase: boolean;
}

/** What the field is compared with, if its text is not shown. */
const AGAINST = {
  nothing: "",
  empty: " an empty text",
  text: " a fixed text",
  value: " a fixed value",
  expression: " another value",
} as const;

const OPERATIONS: Readonly<Record<string, string>> = {
  gt: "is greater than",
  gte: "is at least",
  lt: "is less than",
  lte: "is at most",
  larger: "is greater than",
  smaller: "is less than",
  equal: "equals",
  notEqual: "does not equal",
  notEquals: "does not equal",
  notContains: "does not contain",
  true: "is true",
  false: "is false",
  empty: "is empty",
  notEmpty: "is not empty",
  notExists: "does not exist",
};
const operationInWords = (name: string): string =>
  (Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined) ??
  name.replaceAll(/[^A-Za-z]/g, "").replaceAll(/[A-Z]/g, (one) => ` ${one.toLowerCase()}`);

export function compared({ field, operation, literal, against, ignoresCase }: Comparison): string {
  const isText = against === "text";
  const shown = literal === null ? AGAINST[against] : ` ${isText ? quoted(literal) : literal}`;
  const how = isText && !ignoresCase ? " (case-sensitive)" : "";
  return `${field === null ? "a fixed text" : quoted(field)} ${operationInWords(operation)}${shown}${how}`;
}

const ONLY_BY = {
  case: "only in upper and lower case",
  blanks: "only by blanks (spaces) at an end",
  marks: "only by punctuation, quotes or case around the word",
} as const;

/** A node that reads or gets the items of another one. */
interface Reading {
  readonly node: string;
  readonly from: string;
}

export const ITEMS_SENTENCES = {
  "decided.near": (fact: { node: string; test: Comparison; by: keyof typeof ONLY_BY } & Part) =>
    `${quoted(fact.node)} tests whether ${compared(fact.test)}, and in ${countedPart(fact, "item")} the value differs from that ${ONLY_BY[fact.by]}.`,
  "decided.fixed": ({ node, test, of }: { node: string; test: Comparison; of: number }) =>
    `${quoted(node)} compares a fixed text, not an expression that reads the item (${compared(test)}): it decided the same for ${of === 1 ? "the item" : `all ${counted(of, "item")}`}, whatever was in it.`,
  "decided.always": (fact: { node: string; field: string; isOr: boolean } & Part) =>
    `${quoted(fact.node)} joins ${fact.isOr ? 'two "does not equal" tests' : 'two "equals" tests'} of ${quoted(fact.field)} with ${fact.isOr ? "OR, which is always true" : "AND, which is never true"}: ${countedPart(fact, "item")} had a value that it names, and it was ${fact.isOr ? "let through all the same" : "not found"}.`,
  decided: (fact: Differing & { of: number; outputs: readonly number[]; test: Comparison | null }) =>
    `${quoted(fact.node)}${fact.test === null ? "" : `, which tests whether ${compared(fact.test)},`} sent ${fact.outputs.length === 0 ? `none of ${counted(fact.of, "item")} on` : `${counted(fact.of, "item")} by output ${fact.outputs.map((output) => output + 1).join(" and ")}`}, unlike the last successes (execution ${fact.before}).`,
  starved: (fact: Reading & { input: number; given: number }) =>
    `${quoted(fact.node)} got nothing at its input ${fact.input + 1}: of ${counted(fact.given, "item")} that ${quoted(fact.from)} was given, none went that way.`,

  items_unread: (fact: { node: string; which: "first" | "last"; given: number; sent: number }) =>
    `${quoted(fact.node)} was given ${counted(fact.given, "item")}, and its code reads only the ${fact.which} one of them: it sent ${counted(fact.sent, "item")}.`,
  "items_unread.once": ({ node, given }: { node: string; given: number }) =>
    `${quoted(node)} is set to run once (Execute Once): of the ${counted(given, "item")} that it was given it took only the first.`,
  "items_unread.parameter": (fact: { node: string; parameter: string; given: number }) =>
    `${quoted(fact.node)} takes its parameter "${fact.parameter}" from the first of the ${counted(fact.given, "item")} that it was given, and used that one for all of them, though they differ there.`,
  "items_unread.same": (fact: Reading & { field: string; which: "first" | "last"; count: number }) =>
    `${quoted(fact.node)} reads ${quoted(fact.field)} of only the ${fact.which} item of ${quoted(fact.from)}, so all ${counted(fact.count, "item")} got the same value, though each has one of its own there.`,
  "items_unread.last_run": (fact: Reading & { runs: number; read: number; count: number }) =>
    `${quoted(fact.node)} reads ${quoted(fact.from)} with .all(), which gives only the items of its last run: ${fact.read} of the ${fact.count} that its ${counted(fact.runs, "run")} sent.`,
  "items_unread.list": (fact: { node: string; field: string; from: string; count: number; before: string }) =>
    `${quoted(fact.node)} reads only the first of ${counted(fact.count, "entry", "entries")} of ${quoted(fact.field)} that ${quoted(fact.from)} sent; in the last success (execution ${fact.before}) there was one.`,
  "items_unread.answer": ({ node, given }: { node: string; given: number }) =>
    `The caller was answered with only the first of the ${counted(given, "item")} of ${quoted(node)}.`,

  items_mixed: (fact: Reading & { reader: string; count: number; isLinked: boolean }) =>
    `${quoted(fact.node)} sends items at other positions than ${quoted(fact.from)}${fact.isLinked ? " and does not say which item each came from (pairedItem), so n8n links them by position" : ""}: ${quoted(fact.reader)}, which reads ${quoted(fact.from)} by position, got ${counted(fact.count, "item")} paired with another's values.`,
  "items_mixed.merged": ({ node, count }: { node: string; count: number }) =>
    `${quoted(node)} puts items together by their position, and the inputs are not in the same order: ${counted(count, "item")} got the values of another.`,
  "items_mixed.shifted": (fact: {
    node: string;
    reader: string;
    short: readonly (readonly [name: string, length: number])[];
    given: number;
  }) =>
    `${quoted(fact.node)} leaves out missing values (empty or null), so its lists are of unequal length: of ${counted(fact.given, "item")} ${fact.short.map(([name, length]) => `${quoted(name)} has ${length}`).join(", ")}; ${quoted(fact.reader)} reads them by index, so behind the first missing value it got values of another item.`,
  "items_mixed.grouped": (fact: { node: string; field: string; id: string; count: number }) =>
    `${quoted(fact.node)} tells items apart by ${quoted(fact.field)}, and in ${counted(fact.count, "group")} of the same ${quoted(fact.field)} they have a different ${quoted(fact.id)}: several were put together as one.`,
  stale_value: (fact: Reading & { loop: string; run: number; of: number }) =>
    `In its run ${fact.run + 1} of ${fact.of} ${quoted(fact.node)} reads ${quoted(fact.from)}, which did not run in that round of ${quoted(fact.loop)}: the value is from an earlier round.`,

  repeated: (fact: {
    node: string;
    from: string | null;
    count: number;
    isSame: boolean;
    was: number | null;
  }) =>
    `${quoted(fact.node)} ran for each of the ${counted(fact.count, "item")}${fact.from === null ? "" : ` that ${quoted(fact.from)} sent`}${fact.isSame ? `, and nothing in it depends on the item: it did the same ${counted(fact.count, "time")}` : `: ${counted(fact.count, "time")}`}${fact.was === null ? "" : `; in the last success ${counted(fact.was, "time")}`}.`,
  "repeated.given": (fact: { node: string; by: string; times: number; distinct: number; isAsked: boolean }) =>
    `${quoted(fact.node)} ${fact.isAsked ? `ran for each of ${counted(fact.times, "item")} and nothing in it depends on them, so it` : "made and"} sent the same ${fact.distinct === 1 ? "item" : counted(fact.distinct, "item")} ${counted(fact.times, "time")}: ${quoted(fact.by)} did the same ${fact.times === 2 ? "twice" : counted(fact.times, "time")}.`,
  "repeated.before": (fact: Reading & { before: string }) =>
    `What ${quoted(fact.node)} took from ${quoted(fact.from)} is the same as in execution ${fact.before}, which succeeded: it did the same again.`,
  "repeated.crossed": (fact: { node: string; given: readonly number[]; sent: number }) =>
    `${quoted(fact.node)} combines every item of one input with every item of the other (all possible combinations): it made ${counted(fact.sent, "item")} of ${fact.given.join(" and ")}.`,
  "repeated.outputs": (fact: {
    node: string;
    outputs: readonly number[];
    targets: readonly string[];
    times: number;
  }) =>
    `${quoted(fact.node)} sends an item to all matching outputs, and sent ${counted(fact.times, "item")} by more than one (outputs ${fact.outputs.map((output) => output + 1).join(" and ")}): both ${and(fact.targets)} ran on it.`,
  "repeated.branches": (fact: Reading & { branches: readonly string[]; times: number; isSame: boolean }) =>
    `${quoted(fact.node)} ran ${counted(fact.times, "time")} because ${counted(fact.branches.length, "branch", "branches")} of ${quoted(fact.from)} lead to it, by ${and(fact.branches)}, and it runs once for each (no Merge joins them)${fact.isSame ? "; it did the same each time" : ""}.`,
  "repeated.pages": ({ node, pages }: { node: string; pages: number }) =>
    `${quoted(node)} asked for ${counted(pages, "page")} and got the same one each time: what its pagination sends to ask for the next page has no effect, so what follows is done ${pages === 2 ? "twice" : counted(pages, "time")}.`,
  "repeated.calls": (fact: { node: string; caller: string; count: number }) =>
    `${quoted(fact.caller)} called ${quoted(fact.node)} ${counted(fact.count, "time")} with the same arguments, and got a different answer each time: what it does may have been done ${fact.count === 2 ? "twice" : counted(fact.count, "time")}.`,
  "repeated.joined": (fact: {
    node: string;
    given: readonly number[];
    sent: number;
    input: number;
    /** The fields by which they are put together. */
    by: readonly string[];
  }) =>
    `${quoted(fact.node)} made ${counted(fact.sent, "item")} of ${fact.given.join(" and ")}: items of its input ${fact.input + 1} match several of the other input${fact.by.length === 0 ? "" : ` by ${and(fact.by)}`}, and each match makes an item, so what follows is done twice or more for them.`,

  overwritten: (fact: { node: string; key: string; count: number; distinct: number }) =>
    `${quoted(fact.node)} stores by ${quoted(fact.key)}, which is the same in several of the ${counted(fact.count, "item")} that it was given: a later one overwrote an earlier one, so that ${fact.distinct} of ${fact.count} are left.`,
  "dropped.no_row": (fact: Differing) =>
    `${quoted(fact.node)} changed no row: none matched (not found), and it sent only that it was done; in the last success (execution ${fact.before}) it sent the row.`,

  "dropped.not_reset": (fact: { node: string; count: number; round: number; from: string | null }) =>
    `The loop of ${quoted(fact.node)} was done, and is not reset (its option Reset is off): when ${fact.from === null ? "items came" : `${quoted(fact.from)} sent items`} again (time ${fact.round}), ${counted(fact.count, "item")} went straight to its "done" output and never through the loop.`,
  "dropped.seen": (fact: { node: string; isFixed: boolean; given: number; dropped: number }) =>
    `${quoted(fact.node)} tells items apart by ${fact.isFixed ? "a fixed text, not an expression" : "an expression that does not read the item"}, the same value for every item: it dropped ${fact.dropped} of ${counted(fact.given, "item")} as seen before.`,
  "dropped.known": (fact: { node: string; given: number; fields: readonly string[] }) =>
    `${quoted(fact.node)} dropped all that it was given (${counted(fact.given, "item")}) as seen before, here or in an earlier execution: it tells items apart by ${and(fact.fields)}.`,
  "dropped.input": (fact: Reading & { input: number; inputs: number; count: number }) =>
    `${quoted(fact.node)} has ${counted(fact.inputs, "input")}, and ${quoted(fact.from)} is connected to input ${fact.input + 1}: the ${counted(fact.count, "item")} that it sent there went nowhere.`,
  "dropped.limit": (fact: { node: string; given: number; limit: number }) =>
    `${quoted(fact.node)} let ${fact.limit} of ${counted(fact.given, "item")} through: its limit is ${fact.limit}.`,
  "dropped.uncounted": (fact: { node: string; field: string; left: number; given: number }) =>
    `${quoted(fact.node)} counts only items with a value in ${quoted(fact.field)}, which ${fact.left} of ${counted(fact.given, "item")} do not have: it counted ${fact.given - fact.left}, and in the last success all.`,
  "dropped.page": ({ node, limit }: { node: string; limit: number }) =>
    `${quoted(node)} gave ${counted(limit, "item")}, exactly its limit (Return All is off): there may be more.`,
  "dropped.pages": ({ node, member }: { node: string; member: string }) =>
    `${quoted(node)} read one page: its answer says that there are more (${quoted(member)}), and nothing in the workflow reads them.`,
};
