/** Whole sentences for failures that an output itself reports, and values that broke on their way. */
import { counted, countedPart, type Part } from "../../../platform/counted.ts";
import { quoted } from "../../../platform/display-name.ts";

interface Reported extends Part {
  readonly node: string;
  /** One of the fixed names of `report-in.ts`. */
  readonly field: string;
  readonly shows: Shows;
  readonly amount: number;
  /** The later node that looks at it. */
  readonly by: string | null;
}

/** How a field shows a failure. */
const SHOWN = {
  entries: (field, amount) => `${field} holds ${counted(amount, "entry", "entries")}`,
  count: (field, amount) => `${field} is ${amount}`,
  nothing: (field) => `${field} is empty or 0`,
  unchanged: (field) => `${field} is 0`,
  code: (field, amount) => `${field} is ${amount}`,
  false: (field) => `${field} is false`,
  true: (field) => `${field} is true`,
  word: (field) => `${field} says so`,
  filled: (field) => `${field} is filled`,
  fault: () => "it holds a fault, as SOAP services answer",
  page: () => "it is a web page (HTML) instead of the data that was asked for",
  text: (field) => `the text of ${field} is an error message`,
  cut: (field) => `${field} says that it was cut off at its limit`,
} satisfies Record<string, (field: string, amount: number) => string>;
export type Shows = keyof typeof SHOWN;
/** The verb for answers that show something other than a failure. */
const REPORTS: Readonly<Partial<Record<Shows, string>>> = {
  page: "reports no result",
  cut: "is not whole",
  unchanged: "reports that nothing was changed",
};

const ALARMING = /err|fail|fault/i;

interface BrokenValue {
  readonly node: string;
  readonly field?: string;
  readonly how: Break;
  /** What it was made from, where that is known. */
  readonly from: string | null;
  readonly read: string | null;
  readonly zone: string | null;
}

/** What follows `"Node" sent "field"`, or `made "field" from …, and`. */
export const BROKEN_AS = {
  date: 'as "Invalid Date": what it was made from is no date in the format that was expected',
  object: 'as "[object Object]": an object was put into a text',
  not_a_number: "as NaN or Infinity, which is no number: what was calculated with is empty or no number",
  undefined: 'with the word "undefined" or "null" in it: a value that was put into the text is not there',
  placeholder: "with a placeholder that was not filled in: it was not evaluated as an expression",
  encoding: "with wrong characters: a text was read in another encoding than it was written in",
  unsafe: "as a number that is too large: integers above 2^53 are not kept exactly, so it may be rounded",
  zeros: "leading zeros (or a plus sign) of the text are lost, as if it were a number",
  separators: "the number is cut off at a separator: commas and dots were not read as they were meant",
  swapped: "day and month of the date are swapped",
  scientific:
    "as a number in scientific notation (such as 4.9E+12), as spreadsheets save long numbers: digits are lost",
  masked: "with stars or dots in place of most of it: it is masked, and not the value itself",
  epoch:
    "as 1970-01-01: what it was made from is no time in milliseconds (nothing, or a number of another kind)",
  seconds: "it became a day of 1970: it is in seconds, and was taken for milliseconds",
  dust: "with a remainder of floating-point numbers (such as 0.30000000000000004): it was not rounded",
  entities: 'with HTML entities in it (such as "&amp;"), though nothing here is HTML',
  emptied: "it came out empty: it could not be converted or calculated",
  day: "",
} as const;
export type Break = keyof typeof BROKEN_AS;

function broken({ node, field, how, from, read, zone }: BrokenValue): string {
  const named = field === undefined ? "a value" : quoted(field);
  if (from === null) return `${quoted(node)} sent ${named} ${BROKEN_AS[how]}.`;
  const source = `${named} from ${read === null ? "what" : `${quoted(read)}, which`} ${quoted(from)} sent`;
  if (how !== "day") return `${quoted(node)} made ${source}, and ${BROKEN_AS[how]}.`;
  return `${quoted(node)} made ${source}, as a day in the time zone of ${zone === null ? "n8n or the workflow" : `the workflow (${zone})`}: there it is another day than the one that the time is written with.`;
}

/** Two values of unlike types. */
interface Unlike {
  readonly node: string;
  readonly field: string;
  readonly types: readonly string[];
}

const letBy = (by: string | null): string =>
  by === null ? "" : `, and ${quoted(by)} let that through like an approval`;

export const REPORTED_SENTENCES = {
  broken_value: broken,
  "mistaken_type.truth": (fact: { node: string; field: string; from: string; isPadded: boolean }) =>
    `${quoted(fact.node)} only looks whether ${quoted(fact.field)} is true, and ${fact.isPadded ? "a blank or line break beside its expression makes a text of it" : `${quoted(fact.from)} sent it as a text (such as "false"), not as a boolean`}: every text that is not empty counts as true.`,
  "mistaken_type.sum": ({ node, field }: { node: string; field: string }) =>
    `${quoted(node)} adds up ${quoted(field)}, whose values are texts, not numbers: Summarize leaves texts out, so they are missing from the sum.`,
  "mistaken_type.sort": ({ node, field }: { node: string; field: string }) =>
    `${quoted(node)} sorted by ${quoted(field)}, whose values are texts: it put them in the order of their letters ("10" before "9"), not of their numbers or dates.`,
  "mistaken_type.keys": ({ node, field, types: [left, right], isPart }: Unlike & { isPart: boolean }) =>
    `${quoted(node)} compares by ${quoted(field)}, and ${isPart ? "did not match all that is alike" : "found nothing alike"}, because ${left === right ? "the same values are spelled otherwise (case or blanks, also line breaks)" : `it is a ${left} at the first input and a ${right} at the second`}.`,
  "mistaken_type.letters": ({ node, field }: { node: string; field: string }) =>
    `${quoted(node)} compares ${quoted(field)} as a text, by its letters, since both values are texts: as numbers or dates it would decide the other way ("100" is less than "90" as a text).`,
  "mistaken_type.strict": ({ node, field, types }: Unlike) =>
    `${quoted(node)} compares ${quoted(field)} strictly (=== or !==) with the same value of another type, so it is never equal: one is a ${types[0]}, the other a ${types[1]}.`,
  default_instead: (fact: { node: string; field: string; literal: string } & Part) =>
    `${quoted(fact.node)} took its default ${fact.literal} instead of the real value of ${quoted(fact.field)} for ${countedPart(fact, "item")}: it was ${fact.literal === "true" ? "false" : "0"}, which counts as empty there (|| or ?: looks only whether it is truthy).`,
  "mistaken_type.added": ({ node, field }: { node: string; field: string }) =>
    `${quoted(node)} did not add to ${quoted(field)}: at least one of the two is a text, so + put them one behind the other ("50" + "8" is "508").`,
  "mistaken_type.promise": ({ node }: { node: string }) =>
    `The code of ${quoted(node)} starts a request and does not await it: what it sent was made before the answer came.`,
  "mistaken_type.minutes": ({ node }: { node: string }) =>
    `${quoted(node)} writes a date with "mm" where the month belongs: "mm" are the minutes, the month is "MM".`,
  "mistaken_type.tokens": ({ node }: { node: string }) =>
    `${quoted(node)} writes a date with "YYYY" or "DD", which Luxon does not take for year and day (they are "yyyy" and "dd"): "YYYY" stays as it is, and "DD" becomes a whole date.`,
  "mistaken_type.data_uri": ({ node, field, from }: { node: string; field: string; from: string }) =>
    `${quoted(node)} makes a file of ${quoted(field)} as base64, and ${quoted(from)} sent a data URI there ("data:…;base64,…"): its beginning is decoded, too, so the file is damaged.`,
  "mistaken_type.past_day": (fact: { node: string; caller: string; argument: string }) =>
    `${quoted(fact.caller)} called ${quoted(fact.node)} with a day as ${quoted(fact.argument)} that is long past, and nothing before the agent names that year: its model may not know what day it is.`,
  "mistaken_type.invented": (fact: { node: string; caller: string; argument: string }) =>
    `${quoted(fact.caller)} called ${quoted(fact.node)} with a value as ${quoted(fact.argument)} that is in nothing that it was given (items, parameters, answers of tools): its model may have made it up.`,
  "mistaken_type.past": ({ node }: { node: string }) =>
    `${quoted(node)} did not wait: the time until which it is to wait was past already.`,
  reported_failure: ({ node, field, shows, amount, count, of, atLeast }: Reported) =>
    `${quoted(node)} is a success to n8n, but its answer${of > 1 ? ` reports a failure for ${countedPart({ count, of, atLeast }, "item")}` : ` ${REPORTS[shows] ?? "reports an error"}`}: ${SHOWN[shows](quoted(field), amount)}, and no later node looks at that.`,
  "reported_failure.word": (fact: {
    node: string;
    field?: string;
    /** One of the fixed words of `report-in.ts`. */
    word: string;
    count: number;
    of: number;
    successes: number;
  }) =>
    `${quoted(fact.node)} is a success to n8n, but its answer says ${quoted(fact.word)}${fact.field === undefined ? "" : ` in ${quoted(fact.field)}`}${fact.of > 1 ? ` for ${fact.count} of ${fact.of}` : ""}, ${fact.successes === 1 ? "unlike in the last success" : `as in none of the last ${fact.successes} successes`}, and no later node looks at that.`,
  declined: ({ node, count }: { node: string; count: number }) =>
    `Somebody declined what ${quoted(node)} asked${count > 1 ? `, ${counted(count, "time")}` : ""}.`,
  "unanswered.retry": ({ node, by }: { node: string; by: string | null }) =>
    `Nobody answered ${quoted(node)} in this execution: it is a retry of one that waited there, and n8n let it go on with what it had been given, without an answer${letBy(by)}.`,
  unanswered: ({ node, by }: { node: string; by: string | null }) =>
    `Nobody answered ${quoted(node)} before its time limit was over: it went on with what it had been given, without an answer${letBy(by)}.`,
  read_otherwise: (fact: {
    node: string;
    fields: readonly string[];
    by: string;
    instead: string | null;
    successes: number;
  }) =>
    `${quoted(fact.node)} found nothing of what it found in the last ${counted(fact.successes, "success", "successes")} (${fact.fields.slice(0, 3).map(quoted).join(", ")})${fact.instead === null ? ": what it read has another form" : `: what it read is ${fact.instead}`}. ${quoted(fact.by)} needs that.`,
  /** It may be meant, so it names no failure. */
  "reported_failure.calm": ({ node, field, by }: Reported) =>
    `The answer of ${quoted(node)} does not say that all went well${ALARMING.test(field) ? "" : ` (${quoted(field)})`}${by === null ? "" : `; ${quoted(by)} looks at that`}.`,
};
