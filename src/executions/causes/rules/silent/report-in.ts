/**
 * Whether an output itself says that something went wrong, by the names that services use for it. Fixed names only, so
 * that a sentence may repeat them. Pure.
 */
import { lengthOf, parsedJson } from "../../../../json/members.ts";
import { isReadObject, type ReadValue } from "../../../../json/omitted.ts";
import { firstFound } from "../../../../platform/first-found.ts";
import type { Shows } from "../../wording/reported-sentences.ts";

interface Sign {
  readonly shows: Shows;
  /** It may also be a property of the requested record. */
  readonly isOfRow?: true;
  /** It need not be a failure: an order may be rejected, a row skipped. */
  readonly isMild?: true;
}

export interface Report extends Sign {
  /** One of the names below, as the output spells it. */
  readonly key: string;
  readonly amount: number;
  /** One of the words below, where it is such a word. */
  readonly word?: string;
  /** Payload. */
  readonly said: Said | null;
}

type Holder = Readonly<Record<string, ReadValue>>;

interface Row extends Sign {
  readonly names: ReadonlySet<string>;
  /** It counts inside any object; otherwise only in the answer itself, or in one of its results. */
  readonly isAnywhere?: true;
  readonly matches: (value: ReadValue, holder: Holder) => boolean;
}

const plain = (text: string): string => text.toLowerCase().replaceAll(/[\s_-]/g, "");
const names = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));
const wordIn = (text: string) => (value: ReadValue) =>
  typeof value === "string" && names(text).has(plain(value));
const isList = (value: ReadValue): boolean => typeof value === "object" && amountOf(value) > 0;
const isNo = (value: ReadValue): boolean => value === false || value === "false";
const isCount = (value: ReadValue): boolean => Number.isInteger(value) && amountOf(value) > 0;
const amountOf = (value: ReadValue): number =>
  typeof value === "number"
    ? value
    : isReadObject(value)
      ? Object.keys(value).length
      : (lengthOf(value) ?? 0);

const HARMLESS = /^\s*(?:|0|ok|none|null|no(?: error)?|false|success|undefined|n\/a|-)\s*$/i;
/** In an object with many members, an error is ordinary data. */
const isFilled = (value: ReadValue, holder: Holder): boolean =>
  Object.keys(holder).length <= 6 &&
  (typeof value === "string" ? !HARMLESS.test(value) : textIn(value) !== null);

/** Many programs log to the error stream; it counts only without other output, and with words of failure. */
const isComplaint = (value: ReadValue, { stdout }: Holder): boolean =>
  typeof value === "string" &&
  (stdout === "" || stdout === undefined) &&
  /\b(?:error|failed|denied|cannot|can't|no such|not found|fatal|refused)\b/i.test(value);

const ERRORS = `errors usererrors fielderrors validationerrors inserterrors writeerrors partialfailureerror
  rejectederrors errorcount errorscount haserrors iserror totalerrors itemerrors`;
const UNDONE = `rejected rejecteditems failed faileditems failures failedcount failurecount numfailed failedrecords
  failedrecordcount failedputcount failedentrycount rejectedcount unprocesseditems bounced undelivered
  invalidrecipients unsuccessful totalfailed`;
const WRONG = names(`${ERRORS} ${UNDONE}`);
const LEFT_OUT = names("skipped skippedcount ignored notfound invalid duplicates suppressed dropped");
const ACCEPTED = names("accepted acceptedcount numaccepted delivered deliveredcount");
/** How many rows or documents a change matched: 0 if none has that key. */
const REACHED = names(
  "matchedcount modifiedcount nmatched nmodified affectedrows rowsaffected changedrows updatedcount",
);
const STATES = names(
  "status state result outcome ack stat conclusion jobstatus deliverystatus messagestatus",
);
const BAD = "error errors failed failure fail fault exception errored";
const DOUBTFUL = `rejected declined denied refused invalid unauthorized forbidden bounced undelivered undeliverable
  aborted timeout timedout partialfailure partiallyfailed requestdenied invalidrequest overquerylimit blocked notfound
  suppressed dropped completedwitherrors unknownerror incomplete`;
/** These may describe the requested record, so they count only if the successes had other words. */
const REFUSALS = names(`${BAD} ${DOUBTFUL} inactive expired reject deny decline cancelled canceled`);
const LEADS =
  /^\s*[-*[(]{0,2}(err(?:or)?|nok|nack?|fail(?:ed|ure)?|fault|exception|rejected|refused|denied|declined)(?=[\s\])]{0,3}(?:[\d:;,!|]|$))/i;

/** A word of refusal or failure that is the whole text, or leads it as a code: "ERR 0014;…". One of ours, not payload. */
export function refusalIn(value: ReadValue): { readonly word: string; readonly isText: boolean } | null {
  if (typeof value !== "string") return null;
  const word = plain(value.trim());
  if (REFUSALS.has(word)) return { word, isText: false };
  const [, lead] = LEADS.exec(value) ?? [];
  return lead === undefined ? null : { word: lead.toUpperCase(), isText: true };
}
const UNFINISHED = names("queued pending processing inprogress running waiting notready");
const FINISHED = names("done completed complete finished ready success succeeded processed");
/** The state of a job that outlives the answer. The word is from our own lists, not payload. */
export function progressIn(value: ReadValue): { readonly word: string; readonly isFinished: boolean } | null {
  const word = typeof value === "string" ? plain(value.trim()) : "";
  const isFinished = FINISHED.has(word);
  return isFinished || UNFINISHED.has(word) ? { word, isFinished } : null;
}
const ERROR = names(`error errormessage errormsg errordescription exception failurereason errorreason failure
  faultstring`);

const ROWS: readonly Row[] = [
  { names: names(ERRORS), shows: "entries", matches: isList, isAnywhere: true },
  { names: names(UNDONE), shows: "entries", matches: isList, isAnywhere: true, isOfRow: true },
  { names: WRONG, shows: "count", matches: isCount, isOfRow: true },
  { names: names("iserror errors error"), shows: "true", matches: (value) => value === true },
  { names: names("haserrors failed"), shows: "true", matches: (value) => value === true, isOfRow: true },
  {
    names: names("success ok"),
    shows: "false",
    // A lookup found nothing, or it is a record's own state.
    matches: (value, { data, error, id }) =>
      isNo(value) && error === undefined && (data === null || id !== undefined),
    isOfRow: true,
  },
  { names: names("success ok succeeded successful issuccess issuccessful"), shows: "false", matches: isNo },
  { names: names("acknowledged"), shows: "false", matches: isNo, isOfRow: true, isMild: true },
  {
    names: names("finishreason stopreason"),
    shows: "cut",
    matches: (value) => typeof value === "string" && /^(?:length|max_?tokens)$/i.test(value),
  },
  {
    names: STATES,
    shows: "cut",
    matches: (value, { role }) => value === "incomplete" && role === "assistant",
  },
  { names: STATES, shows: "word", matches: wordIn(BAD), isOfRow: true },
  { names: STATES, shows: "word", matches: wordIn(DOUBTFUL), isOfRow: true, isMild: true },
  {
    names: names("exitcode returncode exitstatus errcode errno"),
    shows: "code",
    matches: (value) => typeof value === "number" && value !== 0,
  },
  {
    names: names("statuscode httpstatus httpstatuscode"),
    shows: "code",
    matches: (value) => typeof value === "number" && value >= 400,
  },
  {
    names: names("code"),
    shows: "code",
    matches: (value, { stdout }) => stdout !== undefined && amountOf(value) !== 0,
  },
  { names: names("stderr"), shows: "filled", matches: isComplaint },
  { names: ERROR, shows: "filled", matches: isFilled },
  { names: LEFT_OUT, shows: "entries", matches: isList, isMild: true },
  {
    names: ACCEPTED,
    shows: "nothing",
    matches: (value) => value === 0 || (Array.isArray(value) && value.length === 0),
    isMild: true,
  },
  {
    names: REACHED,
    shows: "unchanged",
    matches: (value, holder) => value === 0 && !hasReached(holder),
    isMild: true,
  },
  {
    names: LEFT_OUT,
    shows: "count",
    matches: (value, holder) => isCount(value) && !hasNoFailures(holder),
    isOfRow: true,
    isMild: true,
  },
];
/** Whether the object also counts failures, and there are none. */
const hasNoFailures = (holder: Holder): boolean =>
  Object.entries(holder).some(
    ([key, value]) => WRONG.has(plain(key)) && (value === 0 || lengthOf(value) === 0),
  );

/** Whether another count says that a row was matched or added. */
const hasReached = (holder: Holder): boolean =>
  Object.entries(holder).some(
    ([key, value]) =>
      isCount(value) && /matched|modified|affected|changed|updated|inserted|upserted/i.test(key),
  );

/** Keys of objects that wrap the actual answer. */
const HOLDERS = names(
  "body data response result results responses output outputs payload return answer entries items choices",
);

const MAX_DEPTH = 7;
const MAX_LISTED = 50;

/**
 * @param isRow a row of a table: only lists of errors count, its other fields are data
 * @param isDone the node performs an action, so a list in the answer reports the result of each part of it
 */
export const reportIn = (json: ReadValue, isRow: boolean, isDone: boolean): Report | null =>
  search(json, !isRow, isDone ? 0 : 1);

/** @param depth beyond 1, a list that is no wrapper holds the requested data, and is not searched */
function search(value: ReadValue, isAnswer: boolean, depth: number): Report | null {
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) {
    const rows = isAnswer || depth === 1 ? value.slice(0, MAX_LISTED) : [];
    return firstFound(rows, (one) => search(one, isAnswer, depth + 1));
  }
  if (!isReadObject(value)) return null;
  const members = Object.entries(value);
  const own = members.flatMap(([key, member]) => reportOf(key, member, isAnswer, value) ?? []);
  const first = own.find(({ isMild }) => isMild !== true) ?? own[0];
  if (first !== undefined) return first;
  return firstFound(members, ([key, member]) => {
    const holds = isAnswer && HOLDERS.has(plain(key));
    if (typeof member === "string") return holds || key === "stdout" ? inText(key, member) : null;
    return search(member, holds, depth + 1);
  });
}

function reportOf(key: string, value: ReadValue, isAnswer: boolean, holder: Holder): Report | null {
  const name = plain(key);
  // The XML prefix before the colon may be anything.
  const fault = isList(value) ? /(?:^|:)(fault)$/i.exec(key)?.[1] : undefined;
  const sign: Sign | undefined = fault
    ? { shows: "fault" }
    : ROWS.find((row) => (isAnswer || row.isAnywhere) && row.names.has(name) && row.matches(value, holder));
  if (sign === undefined) return null;
  const said = (sign.shows === "word" ? null : textIn(value)) ?? textIn(holder);
  const word = sign.shows === "word" ? { word: plain(String(value)) } : {};
  return { ...sign, ...word, key: fault ?? key, amount: amountOf(value), said };
}

const IN_TEXT: readonly (readonly [RegExp, Shows])[] = [
  [/<(?:[\w-]{1,40}:)?fault[\s>]/i, "fault"],
  [/^\s*(?:<!doctype html|<html[\s>])/i, "page"],
  [/<(?:success|ok|succeeded)>\s*false\s*</i, "text"],
  [/<(?:error|errors|exception|errormessage)(?:\s[^>]{0,200})?>[^<\s]/i, "text"],
  [/^\s*(?:fatal )?(?:error|exception|failure)\s*[:!]/i, "text"],
  // Line protocols of old systems, where it would be "OK" or "ACK" otherwise.
  [/^\s*[-+]?(?:ERR|ERROR|NOK|NAK|NACK|FAIL|FAILED)(?:[\s:;,|=]|\d|$)/, "text"],
];

function inText(key: string, text: string): Report | null {
  if (/^\s*[[{]/.test(text)) return search(parsedJson(text) ?? null, true, MAX_DEPTH - 2);
  const [, shows] = IN_TEXT.find(([form]) => form.test(text)) ?? [];
  const said = /<(?:faultstring|(?:\w{1,40}:)?text|message|title)[^>]{0,200}>\s*([^<]+)/i.exec(text)?.[1];
  return shows === undefined ? null : { key, shows, amount: 0, said: { said: said ?? text } };
}

const MESSAGE_KEYS =
  "message msg error errors faultstring reason detail details description response title stderr".split(" ");

/** What the answer says, in the form that facts use. */
interface Said {
  readonly said: string;
  /** Absent if the field's name says that it holds a message. */
  readonly saidPath?: readonly [key: string];
}

/** The most informative text, uncut: a part of a secret could not be redacted. */
export function textIn(value: ReadValue | undefined, name: string | null = null, depth = 0): Said | null {
  if (value === "") return null;
  if (typeof value === "string") return { said: value, ...(name === null ? {} : { saidPath: [name] }) };
  if (Array.isArray(value)) return textIn(value[0], name, depth + 1);
  if (depth > 3 || !isReadObject(value)) return null;
  const found = firstFound(MESSAGE_KEYS, (key) => textIn(value[key], null, depth + 1));
  const [first = ""] = Object.keys(value);
  return found ?? (depth === 0 ? null : textIn(value[first], first, depth + 1));
}
