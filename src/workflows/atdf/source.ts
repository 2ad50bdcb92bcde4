/**
 * Parses text into a YAML document with positions. The length is limited, and aliases and tags are refused, because they
 * could create more than plain values. Lines that are not YAML are repaired if that is mechanical, so that the rest can
 * be checked too; line numbers stay the same.
 */
import { type Document, isAlias, isNode, LineCounter, parseAllDocuments, visit } from "yaml";

/** In characters. No tool description is longer. */
export const MAX_ATDF_LENGTH = 20_000;

/** Line and column, starting at 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface AtdfFinding extends Place {
  /** A stable name for the problem, such as `not_yaml`. */
  readonly code: string;
  /** A block with an error is invalid. */
  readonly severity: "error" | "warning";
  /** Dots between keys, `[n]` for items; empty for the block as a whole. */
  readonly path: string;
  readonly message: string;
  readonly fix: string;
}

type Parsed = ReturnType<typeof parse>;

const START: Place = { line: 1, column: 1 };

const fault = (code: string, place: Place, message: string, fix: string): AtdfFinding => ({
  code,
  severity: "error",
  ...place,
  path: "",
  message,
  fix,
});

/** Each repaired line means parsing the whole block again, so characters and lines are limited. */
const MAX_RECOVERED_LENGTH = 80_000;
const MAX_RECOVERED = 20;

function parse(text: string) {
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter,
    schema: "core",
    merge: false,
    resolveKnownTags: false,
    customTags: null,
    stringKeys: true,
    // Duplicate keys are reported with the other findings.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  const placeOf = (offset: number): Place => {
    const { line, col } = lineCounter.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  return { documents: "empty" in documents ? [] : documents, placeOf };
}

const VALUE_WITH_KEYS = [
  'This line has a value and keys below it, or a second ": " in its value.',
  "Put the value in quotes; a key with keys below it has no value of its own.",
] as const;
const SYNTAX: Readonly<Record<string, readonly [message: string, fix: string]>> = {
  TAB_AS_INDENT: ["Tabs cannot indent YAML.", "Indent with spaces."],
  BLOCK_AS_IMPLICIT_KEY: VALUE_WITH_KEYS,
  MULTILINE_IMPLICIT_KEY: VALUE_WITH_KEYS,
  BAD_SCALAR_START: ["A plain value cannot begin with this character.", "Put the value in quotes."],
  UNEXPECTED_TOKEN: ["There is text after the closing quote.", "Put the whole value in one pair of quotes."],
  BAD_INDENT: ["The indentation does not fit the lines above.", "Indent keys of one level alike."],
  NON_STRING_KEY: ["A key must be a plain word.", "Put a value that begins with { or [ in quotes."],
};
const UNKNOWN_SYNTAX = ["This is not YAML.", "See whether a quote, a colon or a dash is missing."] as const;

/** The first error; later ones are often only its consequences. */
function firstError({ documents, placeOf }: Parsed): AtdfFinding | undefined {
  const errors = documents.flatMap((document) => document.errors);
  const [first] = errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  if (first === undefined) return undefined;
  return fault("not_yaml", placeOf(first.pos[0]), ...(SYNTAX[first.code] ?? UNKNOWN_SYNTAX));
}

/** Repairs line after line until the text parses; if it never does, `parsed` is absent. */
function parseAndRecover(text: string): { parsed?: Parsed; findings: AtdfFinding[] } {
  const findings: AtdfFinding[] = [];
  const maxRecovered = Math.min(MAX_RECOVERED, MAX_RECOVERED_LENGTH / text.length);
  let current = text;
  for (;;) {
    const parsed = parse(current);
    const error = firstError(parsed);
    if (error === undefined) return { parsed, findings };
    findings.push(error);
    const next = findings.length > maxRecovered ? current : recoverLine(current, error.line);
    if (next === current) return { findings };
    current = next;
  }
}

const KEY_AND_VALUE = /^((\s*(?:- +)*)[\w.-]{1,80}:)(?:[ \t]+|(?=[^\s:]))(.*)$/;
const KEY_OR_ITEM = /^\s*(?:-(?:\s|$)|[\w.-]{1,80}:(?:\s|$))/;
const QUOTED = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')(?:\s+#.*)?$/;

const indentOf = (line: string): number => line.length - line.trimStart().length;
/** Tabs and no-break spaces look like indentation, but YAML does not accept them. */
const withSpaces = (line: string): string =>
  line.slice(0, indentOf(line)).replaceAll("\t", "  ").replace(/[^ ]/g, " ") + line.trimStart();

/**
 * Repairs a line that breaks the YAML, so that other problems can be reported too: replaces tabs by spaces, and quotes
 * its value, or drops it if keys are nested below. Line numbers stay the same. Linear.
 * @param line starting at 1. @returns the same text if there is nothing to repair
 */
function recoverLine(text: string, line: number): string {
  const spaced = text.split("\n").map(withSpaces).join("\n");
  if (spaced !== text) return spaced;
  const lines = text.split("\n");
  const [, key = "", before = "", value = ""] = KEY_AND_VALUE.exec(lines[line - 1] ?? "") ?? [];
  const plain = value.trim();
  if (plain === "" || plain.startsWith("#") || QUOTED.test(plain)) return text;
  const next = lines.slice(line).find((each) => each.trim() !== "" && !each.trim().startsWith("#")) ?? "";
  const hasKeysBelow = KEY_OR_ITEM.test(next) && indentOf(next) > before.length;
  lines[line - 1] = hasKeysBelow ? key : `${key} ${JSON.stringify(plain.replace(/^(["'])(.*)\1$/, "$2"))}`;
  return lines.join("\n");
}

function forbiddenFindings(document: Document, placeOf: Parsed["placeOf"]): AtdfFinding[] {
  const findings: AtdfFinding[] = [];
  visit(document, (_key, node) => {
    if (!isNode(node)) return;
    const place = placeOf(node.range?.[0] ?? 0);
    if (isAlias(node) || node.anchor !== undefined)
      findings.push(
        fault("alias", place, "Anchors and aliases are not read.", "Write the value out where it is needed."),
      );
    else if (node.tag !== undefined)
      findings.push(fault("tag", place, "Tags such as !!str are not read.", "Leave the tag out."));
  });
  return findings;
}

const FENCE = /^\s*(?:```|~~~)[\w-]*\s*$/;

/** Blanks and reports wrappers around a block. Line numbers stay the same. */
function unwrap(text: string): { readonly text: string; readonly findings: AtdfFinding[] } {
  const findings: AtdfFinding[] = [];
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n?|\n/);
  const first = lines.findIndex((line) => line.trim() !== "");
  const place: Place = { line: first + 1, column: 1 };
  const opening = lines[first] ?? "";
  if (opening.startsWith("=")) {
    lines[first] = opening.slice(1);
    const message = "The block is an n8n expression: it is checked as written, not as n8n evaluates it.";
    const fix = "Make it fixed text, unless it needs values of the workflow.";
    findings.push({ ...fault("expression", place, message, fix), severity: "warning" });
  }
  if (FENCE.test(lines[first] ?? "")) {
    const message = "A Markdown code fence surrounds the block.";
    findings.push(fault("fence", place, message, "Leave the fence out: every client sees it."));
    lines[first] = "";
    const last = lines.findLastIndex((line) => line.trim() !== "");
    if (FENCE.test(lines[last] ?? "")) lines[last] = "";
  }
  return { text: lines.join("\n"), findings };
}

const isFilled = ({ contents }: Document): boolean =>
  isNode(contents) && !("value" in contents && contents.value === null);

/** Reads a block, perhaps with repaired lines; `document` is undefined if it cannot be read. Never throws. */
export function readSource(text: string) {
  const nothing = { document: undefined, placeOf: () => START };
  if (text.length > MAX_ATDF_LENGTH) {
    const message = `The block is longer than ${MAX_ATDF_LENGTH} characters.`;
    const fix = "Shorten it: every client receives all of it.";
    return { ...nothing, findings: [fault("too_long", START, message, fix)] };
  }
  const unwrapped = unwrap(text);
  const { parsed, findings: syntax } = parseAndRecover(unwrapped.text);
  const findings = [...unwrapped.findings, ...syntax];
  if (parsed === undefined) return { ...nothing, findings };
  const { placeOf } = parsed;
  // The first document with content, because a closing `---` begins an empty one.
  const [document, second] = parsed.documents.filter(isFilled);
  if (second !== undefined) {
    const place = placeOf(second.contents?.range?.[0] ?? 0);
    const message = "A second block begins after ---; only the first is read.";
    findings.push(fault("several_blocks", place, message, "Keep one block."));
  }
  if (document !== undefined) findings.push(...forbiddenFindings(document, placeOf));
  return { findings, document, placeOf };
}
