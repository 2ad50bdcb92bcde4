/** How a value breaks: what it was and what became of it. Pure. */
import type { ReadValue } from "../../json/omitted.ts";
import { HOUR_MS } from "../../platform/durations.ts";
import type { Break } from "./wording/reported-sentences.ts";

/** What nobody writes into a text on purpose. */
export const BROKEN_TEXTS: readonly (readonly [Break, RegExp])[] = [
  ["date", /\bInvalid Date(?:Time)?\b/],
  ["object", /\[object (?:Object|Promise|Undefined|Null)\]/],
  ["not_a_number", /(?:^|[\s:=(€$£])-?(?:NaN|Infinity(?!\s\w))(?:$|[\s.,;%)€$£])/],
  ["undefined", /(?:^|[\s/=:,(_"'-])undefined(?:$|[\s/&?,.!;)"'_-])|(?:^|[/=])null(?:$|[/&?])/],
  ["placeholder", /\{\{\s{0,9}[$\w.[\]'"()-]{1,80}\s{0,9}\}\}|\$\{[\w.$[\]]{1,60}\}/],
  ["encoding", /Ã[\u0080-\u00BF]|Â[\u00A0-\u00BF]|â€[\u0080-\u2122]|\uFFFD/],
];
/** Texts that are wrong only in comparison with their source, or in their place. */
export const ODD_TEXTS: readonly (readonly [Break, RegExp])[] = [
  ["scientific", /^[1-9]\.\d{3,5}E\+(?:09|1\d)$/],
  ["epoch", /^1970-01-01(?=T|$)/],
  ["entities", /&(?:amp|lt|gt|quot|apos|#0?39|#x27);/],
];
/** A secret as a service displays it, with most of it hidden. */
export const MASKED: readonly (readonly [Break, RegExp])[] = [
  ["masked", /^\S{0,12}(?:\*{4,}|•{3,})\S{0,8}$|^[\w-]{2,12}…[\w-]{2,8}$/],
];
/** Breaks that may be meant, or that the data alone does not prove. */
export const DOUBTFUL: ReadonlySet<Break> = new Set(["day", "scientific", "dust", "entities"]);

/** A floating-point rounding error, as sums and products of decimals have. */
export const isDust = (value: ReadValue): boolean =>
  /^-?\d{1,9}\.\d{0,9}(?:0{7,}|9{7,})\d{1,2}$/.test(String(value)) && String(value).length >= 17;

/** Above 2^53 integers are rounded; far above it, a number is no id. */
export const isUnsafe = (value: ReadValue): boolean =>
  typeof value === "number" &&
  Number.isInteger(value) &&
  !Number.isSafeInteger(value) &&
  Math.abs(value) < 1e21;

interface How {
  /** The field's own name. */
  readonly name: string;
  /** The expression by which it was made; empty where the field only has the same name. */
  readonly template: string;
  /** The expression, or the lines of code, that it was made by. */
  readonly maker: string;
  /** The field's own type is a number. */
  readonly isNumber: boolean;
  /** The workflow's time zone; null where n8n's applies. */
  readonly zone: string | null;
}

export function becameOf(was: ReadValue, now: ReadValue, how: How): Break | null {
  if (isEmptied(was, now, how.template)) return "emptied";
  // Milliseconds of that year are of a whole hour, if someone was born on that day.
  if (/^1\d{9}$/.test(String(was)) && Number(was) % HOUR_MS !== 0 && /^1970-/.test(String(now)))
    return "seconds";
  if (typeof was !== "string") return null;
  if (/^\+?0\d{2,}$|^\+\d{5,}$/.test(was) && isSameNumber(was, now)) {
    const removesPart = typeof now === "string" && TAKES_PART.test(how.maker);
    const convertsToNumber =
      ASKS_FOR_NUMBER.test(how.maker) || (how.isNumber && !/(?:number|nummer)$/i.test(how.name));
    const isQuantity = convertsToNumber && !IDENTIFIES.test(how.name);
    return removesPart || isQuantity ? null : "zeros";
  }
  if (typeof now === "number") {
    if (/^-?\d{16,20}$/.test(was) && String(now) !== was) return "unsafe";
    return isCutAtSeparator(was, now) && !isRounded(was, now, how.maker) ? "separators" : null;
  }
  return typeof now === "string" ? dateBreak(was, now, how) : null;
}

/** Expressions that calculate or convert a value. */
const CALCULATES =
  /Number\(|parse(?:Int|Float)\(|\.to(?!UpperCase|LowerCase|String\b)[A-Z]\w*\(|\.from[A-Z]\w*\(| [*/-] /;
const CHOOSES = /\?|\|\||&&|\$if(?:Empty)?\(/;
const LITERALS = /'[^'\n]*'|"[^"\n]*"/g;

const isEmptied = (was: ReadValue, now: ReadValue, template: string): boolean =>
  (now === null || now === "") &&
  was !== null &&
  was !== "" &&
  CALCULATES.test(template.replaceAll(LITERALS, "''")) &&
  !CHOOSES.test(template);

/** A quantity with leading zeros may become a number; an identifier must not, even if code converts it. */
const ASKS_FOR_NUMBER = /\b(?:Number|parseInt|parseFloat)\(|\.to(?:Number|Int|Float)\(/;
export const IDENTIFIES =
  /zip|post(?:al|code)|plz|phone|mobile|fax|account|iban|ean|gtin|isbn|barcode|sku|(?:code|id)$/i;

/** Removes zeros or a prefix on purpose. */
const TAKES_PART = /\.(?:replace(?:All)?|slice|substr(?:ing)?|match|trimStart)\(/;

const isSameNumber = (was: string, now: ReadValue): boolean =>
  (typeof now === "number" ||
    (typeof now === "string" && now !== was && /^\d+$/.test(now) && was.startsWith("0"))) &&
  Number(now) === Number(was);

/** "1.234,56" read as 1.234: digits are gone. */
function isCutAtSeparator(was: string, now: number): boolean {
  if (!/^\D{0,4}\d{1,15}(?:[.,' ]\d{1,15})+\D{0,4}$/.test(was) || /^\D*\d+\.\d+\D*$/.test(was)) return false;
  const digits = (text: string): string => text.replaceAll(/\D/g, "").replace(/0+$/, "");
  return digits(was) !== digits(String(now)) && Number.parseFloat(was.replace(/^\D+/, "")) === Math.abs(now);
}

const MAKES_POINT = /\.replace(?:All)?\([^()\n]{1,30},\s?['"`]\.['"`]\)/;

/** Whether its comma became a point, so that the rest was cut off on purpose. */
const isRounded = (was: string, now: number, maker: string): boolean =>
  MAKES_POINT.test(maker) && Number(/^\D*(\d+),\d+\D*$/.exec(was)?.[1] ?? Number.NaN) === Math.abs(now);

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d.{0,10}(?:Z|[+-]\d\d:?\d\d)$/;
const MONTH_FIRST = /['"]M{1,2}\W?[dD]/;
const YEAR_FIRST = /^(?<y>\d{4})[-/](?<m>\d\d)[-/](?<d>\d\d)$/;
const DAY_FIRST = /^(?<d>\d{1,2})\.(?<m>\d{1,2})\.(?<y>\d{4})/;

/** Midnight of the day that a text names. */
function dayOf(text: string): number | null {
  const { y, m, d } = (YEAR_FIRST.exec(text) ?? DAY_FIRST.exec(text))?.groups ?? {};
  return y === undefined ? null : Date.UTC(Number(y), Number(m) - 1, Number(d));
}

function dateBreak(was: string, now: string, { template, zone }: How): Break | null {
  const before = DAY_FIRST.exec(was)?.groups;
  const after = /^(?<y>\d{4})-(?<m>\d\d)-(?<d>\d\d)/.exec(now)?.groups;
  if (before !== undefined && after !== undefined) {
    const isSwapped = Number(before.d) === Number(after.m) && Number(before.m) === Number(after.d);
    return isSwapped && Number(before.d) !== Number(before.m) && !MONTH_FIRST.test(template)
      ? "swapped"
      : null;
  }
  if (!INSTANT.test(was)) return null;
  const day = dayOf(now);
  const month = /^\d{4}-\d\d$/.test(now) ? now : null;
  const [own, text] = month === null ? [dayOf(was.slice(0, 10)), day] : [was.slice(0, 7), month];
  if (text === null || own === text) return null;
  if (zone === null) return ONLY_FORMATS.test(template) && !CALCULATES_DATE.test(template) ? "day" : null;
  const there = dayIn(zone, new Date(was));
  return (month === null ? dayOf(there) : there.slice(0, 7)) === text ? "day" : null;
}

const ONLY_FORMATS = /format|toISODate|toLocale|toDateString/i;
const CALCULATES_DATE = /plus|minus|add|sub|startOf|endOf|set\(/i;

/** The day in a time zone, year first; empty where the zone is unknown. */
function dayIn(timeZone: string, time: Date): string {
  try {
    return new Intl.DateTimeFormat("en-CA", {
      timeZone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
    }).format(time);
  } catch {
    return "";
  }
}
