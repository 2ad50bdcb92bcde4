/**
 * What redaction leaves of a workflow's own texts: sentences quote nothing else, since outside of its place a secret is not
 * recognized. Knows the built-in rules only, not those of the settings. Pure.
 */
import type { ReadValue } from "../../json/omitted.ts";
import { MARKS } from "../../redaction/marks.ts";
import { createRedactor } from "../../redaction/redact.ts";
import { textsOf } from "./field-references.ts";

const redact = createRedactor([]);

export const isOpen = (value: object): boolean => Object.keys(redact(value).counts).length === 0;

export const openTextOf = (parameters: ReadValue | undefined): string =>
  textsOf(redact(parameters).value).join("\n").replaceAll(MARKS, "");
