/**
 * Reads the code and the fields that an answer with `status: "error"` names. Both are payload: a code is shown only if
 * all its words are common in error codes, and a field only if the tool declares it. Pure.
 */
import { memberOf } from "../../../json/members.ts";
import type { ReadValue } from "../../../json/omitted.ts";

/** `none`: the answer has no code; `other`: its code is not shown. */
const NO_CODE = "none";
const OTHER_CODE = "other";
export const VALIDATION_ERROR = "VALIDATION_ERROR";

const CODE = /^[A-Z]{2,}(?:_[A-Z]+){0,8}$/;

/** Only words for problems and kinds of things are shown, because `JANE_ROE` looks like a code, too. */
const CODE_WORDS = new Set(
  `A ACCESS ACCOUNT ACTION ADDRESS AI ALLOWED ALREADY AMOUNT AN API APPOINTMENT ARGUMENT ARGUMENTS AUTH AUTHENTICATION
  AUTHORIZATION AVAILABLE BACKEND BAD BALANCE BLOCKED BODY BOOKING BUSY CALENDAR CALENDARS CALL CANCELED CANCELLED CANNOT CART CHANNEL
  CLIENT CLOSED CONFIG CONFIGURATION CONFLICT CONNECTION CONSTRAINT CONTACT CONTENT CREATE CREATED CREDENTIAL
  CREDENTIALS CUSTOMER DATA DATABASE DATE DB DELETE DELETED DENIED DEPENDENCY DISABLED DOCUMENT DOES DOWN DOWNSTREAM
  DUPLICATE EMAIL EMPTY ENTITY ERROR EVENT EXCEEDED EXCEPTION EXECUTION EXHAUSTED EXIST EXISTS EXPIRED EXTERNAL FAILED
  FAILURE FIELD FIELDS FILE FILTER FORBIDDEN FORMAT FOUND FULL GATEWAY GENERIC GONE GROUP HTTP ID IDENTIFIER IN
  INACTIVE INCOMPLETE INPUT INSUFFICIENT INTEGRATION INTERNAL INVALID INVENTORY INVOICE IS ISSUE ITEM ITEMS JOB JSON
  KEY LARGE LENGTH LIMIT LIMITED LIST LOCKED LOGIN LOOKUP MAIL MALFORMED MAX MESSAGE METHOD MIN MISMATCH MISSING MODEL
  MODULE MULTIPLE NETWORK NO NODE NOT NOTHING NULL NUMBER OBJECT OF OFFLINE OPERATION OPTION ORDER OUT OUTPUT OVERLOADED
  OWNER PAGE PARAM PARAMETER PARAMETERS PARSE PARSING PART PARTIAL PAYLOAD PAYMENT PENDING PERMISSION PERMISSIONS
  PRECONDITION PROCESSING PRODUCT PROJECT PROPERTY PROVIDER QUERY QUEUE QUOTA RANGE RATE READ RECORD REFUSED REJECTED
  REQUEST REQUESTS REQUIRED RESOURCE RESPONSE RESULT RESULTS RETRY ROLE RULE SCHEMA SCOPE SEARCH SEND SERVER SERVICE
  SESSION SIZE SLOT STATE STATUS STEP STOCK STORAGE SYNTAX SYSTEM TABLE TASK TEMPORARILY TEMPORARY THROTTLED TICKET TIME
  TIMED TIMEOUT TO TOKEN TOO MANY TOOL TRIGGER TYPE UNAUTHENTICATED UNAUTHORIZED UNAVAILABLE UNEXPECTED UNIQUE UNKNOWN
  UNPROCESSABLE UNREACHABLE UNSUPPORTED UPDATE UPSTREAM URL USER USERS VALIDATION VALUE VALUES VERSION VIOLATION WEBHOOK
  WORKFLOW WRITE WRONG`.split(/\s+/),
);

const isKnownCode = (code: string): boolean =>
  CODE.test(code) && code.split("_").every((word) => CODE_WORDS.has(word));
/** Paths of the code in an answer; the guide's path comes first. */
const CODE_PLACES = ["data.code", "data.error.code", "error.code", "code"];

export function errorCodeOf(answer: ReadValue): string {
  const found = CODE_PLACES.map((place) => valueAt(answer, place)).find((code) => code !== undefined);
  if (found === undefined || found === null) return NO_CODE;
  return typeof found === "string" && isKnownCode(found) ? found : OTHER_CODE;
}

const FIELD_PLACES = ["data.details", "data.error", "error.details", "data", "error"];
const SINGLE = ["field", "path", "param", "parameter", "property"];
const LISTS = ["fields", "errors", "issues", "missing", "details"];
const MAX_FIELDS = 20;

/** The fields that an answer names in one of the common forms, verbatim. */
export function namedFields(answer: ReadValue): string[] {
  const fields = FIELD_PLACES.map((place) => valueAt(answer, place)).flatMap((place) => [
    ...membersOf(place, SINGLE).flatMap(nameIn),
    ...membersOf(place, LISTS).flatMap((list) => (Array.isArray(list) ? list.flatMap(nameIn) : [])),
  ]);
  return [...new Set(fields)].slice(0, MAX_FIELDS);
}

/** A name, a path as a list, or an object that has either. */
function nameIn(entry: ReadValue): string[] {
  if (typeof entry === "string") return [entry];
  if (Array.isArray(entry)) return typeof entry[0] === "string" ? [entry[0]] : [];
  return membersOf(entry, [...SINGLE, "name"])
    .flatMap((name) => (Array.isArray(name) ? name.slice(0, 1) : [name]))
    .filter((name) => typeof name === "string");
}

const membersOf = (value: ReadValue | undefined, names: readonly string[]): ReadValue[] =>
  names.map((name) => memberOf(value, name)).filter((member) => member !== undefined);

const valueAt = (value: ReadValue, place: string) => memberOf(value, ...place.split("."));
