/** Whole sentences for failures that an output itself reports, and values that broke on their way. A row's argument type defines the fields of that fact. */
import { counted } from "../../../platform/counted.ts";
import { quoted } from "../../../platform/display-name.ts";
import type { Shows } from "../rules/silent/report-in.ts";

interface Reported {
  readonly node: string;
  /** One of the fixed names of `report-in.ts`. */
  readonly field: string;
  readonly shows: Shows;
  readonly amount: number | null;
  /** The later node that looks at it. */
  readonly by: string | null;
  readonly count: number;
  readonly of: number;
}

const SHOWN: Readonly<Record<Shows, (field: string, amount: number | null) => string>> = {
  entries: (field, amount) => `${field} holds ${counted(amount ?? 0, "entry", "entries")}`,
  count: (field, amount) => `${field} is ${amount ?? 0}`,
  code: (field, amount) => `${field} is ${amount ?? 0}`,
  false: (field) => `${field} is false`,
  true: (field) => `${field} is true`,
  word: (field) => `${field} says so`,
  filled: (field) => `${field} is filled`,
  fault: () => "it holds a fault, as SOAP services answer",
  page: () => "it is a web page (HTML) instead of the data that was asked for",
  text: (field) => `${field} begins with one`,
};

const ALARMING = /err|fail|fault/i;

export const REPORTED_SENTENCES = {
  reported_failure: ({ node, field, shows, amount, count, of }: Reported) =>
    `${quoted(node)} is a success to n8n, but its answer${of > 1 ? ` reports a failure for ${count} of ${counted(of, "item")}` : shows === "page" ? " reports no result" : " reports an error"}: ${SHOWN[shows](quoted(field), amount)}, and no later node looks at that.`,
  /** It may be meant, so it names no failure. */
  "reported_failure.calm": ({ node, field, by }: Reported) =>
    `The answer of ${quoted(node)} does not say that all went well${ALARMING.test(field) ? "" : ` (${quoted(field)})`}${by === null ? "" : `; ${quoted(by)} looks at it`}.`,
};
