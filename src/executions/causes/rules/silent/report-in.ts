/**
 * Whether an output itself says that something went wrong, by the names that services use for it. Fixed words only, so
 * that a sentence may repeat them. Pure.
 */
import { isReadObject, type ReadValue } from "../../../../json/omitted.ts";
import { lengthOf } from "../../../json-members.ts";

/** How the field shows it. */
export type Shows =
  | "entries"
  | "count"
  | "false"
  | "true"
  | "word"
  | "code"
  | "filled"
  | "fault"
  | "page"
  | "text";

export interface Report {
  /** One of the names below, as the output spells it. */
  readonly key: string;
  readonly shows: Shows;
  readonly amount: number | null;
  /** It could as well be a property of what was asked for. */
  readonly isOfRow: boolean;
  /** It need not be a failure: an order may be rejected, a row skipped. */
  readonly isMild: boolean;
  /** Payload. */
  readonly said: string | null;
}

const names = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Lists or counts of what went wrong, wherever they stand. */
const LISTS =
  names(`errors usererrors fielderrors validationerrors inserterrors writeerrors partialfailureerror
  rejected rejectederrors rejecteditems failed faileditems failures failedcount failurecount errorcount errorscount
  numfailed failedrecords failedrecordcount failedputcount failedentrycount rejectedcount unprocesseditems haserrors
  iserror bounced undelivered invalidrecipients unsuccessful totalerrors totalfailed itemerrors`);
const MILD = names("skipped skippedcount ignored notfound invalid duplicates");
/** Of the whole answer, or of one of its results. */
const FLAGS = names("success ok succeeded successful issuccess issuccessful acknowledged");
const STATES = names(
  "status state result outcome ack stat conclusion jobstatus deliverystatus messagestatus",
);
const FILLED = names(
  "error errormessage errormsg errordescription exception failurereason errorreason failure faultstring",
);
const CODES: Readonly<Record<string, (code: number) => boolean>> = {
  exitcode: (code) => code !== 0,
  returncode: (code) => code !== 0,
  exitstatus: (code) => code !== 0,
  statuscode: (code) => code >= 400,
  httpstatus: (code) => code >= 400,
  httpstatuscode: (code) => code >= 400,
  errcode: (code) => code !== 0,
  errno: (code) => code !== 0,
};
/** What holds the answer proper, so that its members count as the answer's. */
const HOLDERS = names(
  "body data response result results responses output outputs payload return answer entries items",
);

const BAD = names("error errors failed failure fail fault exception errored");
const DOUBTFUL =
  names(`rejected declined denied refused invalid unauthorized forbidden bounced undelivered undeliverable
  aborted timeout timedout partialfailure partiallyfailed requestdenied invalidrequest overquerylimit blocked notfound
  suppressed dropped completedwitherrors unknownerror incomplete`);
const HARMLESS = /^\s*(?:|0|ok|none|null|no(?: error)?|false|success|undefined|n\/a|-)\s*$/i;

const plain = (text: string): string => text.toLowerCase().replaceAll(/[\s_-]/g, "");

const MAX_DEPTH = 6;
const MAX_LISTED = 50;

/** @param isRow a row of a table: only lists of errors count, its other fields are data */
export const reportIn = (json: ReadValue, isRow: boolean): Report | null => search(json, !isRow, 0);

function search(value: ReadValue, isAnswer: boolean, depth: number): Report | null {
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value))
    return firstOf(value.slice(0, MAX_LISTED), (one) => search(one, isAnswer, depth + 1));
  if (!isReadObject(value)) return null;
  const members = Object.entries(value);
  const own = firstOf(members, ([key, member]) => reportOf(key, member, isAnswer, value));
  if (own !== null) return own;
  return firstOf(members, ([key, member]) => {
    const holds = isAnswer && HOLDERS.has(plain(key));
    if (typeof member === "string") return holds || key === "stdout" ? inText(key, member) : null;
    return search(member, holds, depth + 1);
  });
}

function firstOf<One>(all: readonly One[], look: (one: One) => Report | null): Report | null {
  for (const one of all) {
    const found = look(one);
    if (found !== null) return found;
  }
  return null;
}

function reportOf(
  key: string,
  value: ReadValue,
  isAnswer: boolean,
  holder: Readonly<Record<string, ReadValue>>,
): Report | null {
  const name = plain(key);
  const said = (STATES.has(name) ? null : textIn(value)) ?? textIn(holder);
  const report = (shows: Shows, amount: number | null = null, isOfRow = true, isMild = false): Report => ({
    ...{ key, shows, amount, isOfRow, isMild, said },
  });
  if (/(?:^|:)fault$/i.test(key) && typeof value === "object" && value !== null)
    return report("fault", null, false);
  if (LISTS.has(name) || MILD.has(name)) {
    const isMild = MILD.has(name);
    const isList = typeof value === "object" && value !== null;
    const count =
      typeof value === "number" ? value : isReadObject(value) ? Object.keys(value).length : lengthOf(value);
    if (count !== undefined && Number.isInteger(count) && count > 0 && (isList || isAnswer))
      return report(isList ? "entries" : "count", count, !isList, isMild);
    return value === true && isAnswer && !isMild ? report("true", null, false) : null;
  }
  if (!isAnswer) return null;
  if (FLAGS.has(name)) return value === false || value === "false" ? report("false", null, false) : null;
  if (STATES.has(name) && typeof value === "string") {
    const word = plain(value);
    return BAD.has(word) ? report("word") : DOUBTFUL.has(word) ? report("word", null, true, true) : null;
  }
  const isWrong = name === "code" && "stdout" in holder ? CODES.exitcode : CODES[name];
  if (isWrong !== undefined && typeof value === "number")
    return isWrong(value) ? report("code", value, false) : null;
  if (name === "stderr") return isComplaint(value, holder) ? report("filled") : null;
  if (!FILLED.has(name)) return null;
  if (value === true) return report("true");
  const isFilled = typeof value === "string" ? !HARMLESS.test(value) : textIn(value) !== null;
  // Next to data of its own, an error is one of many things that a row may hold.
  return isFilled ? report("filled", null, Object.keys(holder).length > 6) : null;
}

/** Many programs write notes to the error stream; without other output, and in words of refusal, it is more. */
const isComplaint = (value: ReadValue, { stdout }: Readonly<Record<string, ReadValue>>): boolean =>
  typeof value === "string" &&
  (stdout === "" || stdout === undefined) &&
  /\b(?:error|failed|denied|cannot|can't|no such|not found|fatal|refused)\b/i.test(value);

const IN_TEXT: readonly (readonly [RegExp, Shows])[] = [
  [/<(?:[\w-]{1,40}:)?fault[\s>]/i, "fault"],
  [/^\s*(?:<!doctype html|<html[\s>])/i, "page"],
  [/<(?:success|ok|succeeded)>\s*false\s*</i, "text"],
  [/<(?:error|errors|exception|errormessage)(?:\s[^>]{0,200})?>[^<\s]/i, "text"],
  [/^\s*(?:fatal )?(?:error|exception|failure)\s*[:!]/i, "text"],
];

function inText(key: string, text: string): Report | null {
  if (/^\s*[[{]/.test(text)) return search(parsed(text), true, MAX_DEPTH - 2);
  const found = IN_TEXT.find(([form]) => form.test(text));
  if (found === undefined) return null;
  const said = /<(?:faultstring|(?:\w{1,40}:)?text|message|title)[^>]{0,200}>\s*([^<]{1,300})/i.exec(
    text,
  )?.[1];
  return {
    key,
    shows: found[1],
    amount: null,
    isOfRow: false,
    isMild: false,
    said: said ?? text.slice(0, MAX_SAID),
  };
}

function parsed(text: string): ReadValue {
  try {
    const value: ReadValue = JSON.parse(text);
    return value;
  } catch {
    return null;
  }
}

const MAX_SAID = 300;
const TELLING = [
  "message",
  "msg",
  "error",
  "faultstring",
  "reason",
  "detail",
  "details",
  "description",
  "response",
  "title",
  "stderr",
];

/** The text that says most. */
function textIn(value: ReadValue | undefined, depth = 0): string | null {
  if (typeof value === "string") return value === "" ? null : value.slice(0, MAX_SAID);
  if (depth > 3 || value === null || typeof value !== "object") return null;
  if (Array.isArray(value)) return value.length === 0 ? null : textIn(value[0], depth + 1);
  if (!isReadObject(value)) return null;
  for (const key of TELLING) {
    const text = textIn(value[key], depth + 1);
    if (text !== null) return text;
  }
  return depth === 0 ? null : textIn(Object.values(value)[0], depth + 1);
}
