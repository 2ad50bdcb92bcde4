/**
 * From text to a YAML document with positions. Bounded in length, without aliases, without tags that could make
 * anything but plain values. What is no YAML is repaired line by line where that is mechanical, so that the rest
 * can be judged too; lines stay where they are.
 */
import { type Document, isAlias, isNode, LineCounter, type Node, parseAllDocuments, visit } from "yaml";
import { type AtdfFinding, MAX_ATDF_LENGTH } from "./block.ts";
import { recoverLine } from "./recover-line.ts";

export interface AtdfSource {
  readonly findings: readonly AtdfFinding[];
  /** The block, perhaps repaired; undefined when it cannot be read. */
  readonly document: Document | undefined;
  /** Line and column of an offset, from 1. */
  readonly placeOf: (offset: number) => Place;
}

export interface Place {
  readonly line: number;
  readonly column: number;
}

interface Parsed {
  readonly documents: readonly Document[];
  readonly placeOf: (offset: number) => Place;
}

const START: Place = { line: 1, column: 1 };
/** Each repair of a line costs reading all of the block once more: so many characters in all, and so many repairs. */
const MAX_REPAIR_LENGTH = 80_000;
const MAX_REPAIRS = 20;

function parse(text: string): Parsed {
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter,
    schema: "core",
    merge: false,
    resolveKnownTags: false,
    customTags: null,
    stringKeys: true,
    // Told by us, in our words and with all others.
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

const SYNTAX: Readonly<Record<string, readonly [message: string, fix: string]>> = {
  TAB_AS_INDENT: ["Tabs cannot indent YAML.", "Indent with spaces."],
  BLOCK_AS_IMPLICIT_KEY: [
    'This line has a value and keys below it, or a second ": " in its value.',
    "Put the value in quotes; a key with keys below it has no value of its own.",
  ],
  MULTILINE_IMPLICIT_KEY: [
    'This line has a value and keys below it, or a second ": " in its value.',
    "Put the value in quotes; a key with keys below it has no value of its own.",
  ],
  BAD_SCALAR_START: ["A plain value cannot begin with this sign.", "Put the value in quotes."],
  UNEXPECTED_TOKEN: ["There is text after the closing quote.", "Put the whole value in one pair of quotes."],
  BAD_INDENT: ["The indentation does not fit the lines above.", "Indent keys of one level alike."],
  NON_STRING_KEY: ["A key must be a plain word.", "Put a value that begins with { or [ in quotes."],
};
const UNKNOWN_SYNTAX = ["This is not YAML.", "See whether a quote, a colon or a dash is missing."] as const;

/** The first thing that is wrong: what follows is often only its consequence. */
function firstError({ documents, placeOf }: Parsed): AtdfFinding | undefined {
  const errors = documents.flatMap((document) => document.errors);
  const [first] = errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  if (first === undefined) return undefined;
  const [message, fix] = SYNTAX[first.code] ?? UNKNOWN_SYNTAX;
  return { code: "not_yaml", severity: "error", ...placeOf(first.pos[0]), path: "", message, fix };
}

interface Repaired {
  readonly parsed: Parsed;
  readonly findings: readonly AtdfFinding[];
  readonly isReadable: boolean;
}

/** Repairs one line after the other, until nothing is wrong or nothing more can be done. */
function parseAndRepair(text: string): Repaired {
  const findings: AtdfFinding[] = [];
  const maxRepairs = Math.min(MAX_REPAIRS, MAX_REPAIR_LENGTH / text.length);
  let current = text;
  for (;;) {
    const parsed = parse(current);
    const error = firstError(parsed);
    if (error === undefined) return { parsed, findings, isReadable: true };
    findings.push(error);
    const next = findings.length > maxRepairs ? current : recoverLine(current, error.line);
    if (next === current) return { parsed, findings, isReadable: false };
    current = next;
  }
}

/** What may be inside YAML, and has no place in a description. */
function forbiddenFindings(document: Document, placeOf: Parsed["placeOf"]): AtdfFinding[] {
  const findings: AtdfFinding[] = [];
  const add = (code: "alias" | "tag", node: Node, message: string, fix: string): void => {
    const place = placeOf(node.range?.[0] ?? 0);
    findings.push({ code, severity: "error", ...place, path: "", message, fix });
  };
  visit(document, (_key, node) => {
    if (!isNode(node)) return;
    if (isAlias(node) || node.anchor !== undefined)
      add("alias", node, "Anchors and aliases are not read.", "Write the value out where it is needed.");
    else if (node.tag !== undefined)
      add("tag", node, "Tags such as !!str are not read.", "Leave the tag out.");
  });
  return findings;
}

const FENCE = /^\s*(?:```|~~~)[\w-]*\s*$/;

/** Blanks what is put around a block and is no part of it, and says so. Lines stay where they are. */
function unwrap(text: string): { readonly text: string; readonly findings: AtdfFinding[] } {
  const findings: AtdfFinding[] = [];
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n?|\n/);
  const first = lines.findIndex((line) => line.trim() !== "");
  const opening = lines[first] ?? "";
  if (opening.startsWith("=")) {
    lines[first] = opening.slice(1);
    findings.push({
      code: "expression",
      severity: "warning",
      line: first + 1,
      column: 1,
      path: "",
      message: "The block is an n8n expression: it is judged as it is written, not as n8n will fill it in.",
      fix: "Make it fixed text, unless it needs values of the workflow.",
    });
  }
  if (FENCE.test(lines[first] ?? "")) {
    findings.push({
      code: "fence",
      severity: "error",
      line: first + 1,
      column: 1,
      path: "",
      message: "A Markdown code fence stands around the block.",
      fix: "Leave the fence out: clients are shown it.",
    });
    lines[first] = "";
    const last = lines.findLastIndex((line) => line.trim() !== "");
    if (FENCE.test(lines[last] ?? "")) lines[last] = "";
  }
  return { text: lines.join("\n"), findings };
}

/** The first document with content; a closing `---` begins an empty one. */
function onlyBlock({ documents, placeOf }: Parsed): {
  document: Document | undefined;
  findings: AtdfFinding[];
} {
  const filled = documents.filter(({ contents }) => isNode(contents) && !isEmptyScalar(contents));
  const second = filled[1]?.contents;
  const document = filled[0];
  if (!isNode(second)) return { document, findings: [] };
  const finding: AtdfFinding = {
    code: "several_blocks",
    severity: "error",
    ...placeOf(second.range?.[0] ?? 0),
    path: "",
    message: "A second block begins after ---; only the first is read.",
    fix: "Keep one block.",
  };
  return { document, findings: [finding] };
}

function isEmptyScalar(node: Node): boolean {
  return "value" in node && node.value === null;
}

/** Reads a block of any text. Never throws. */
export function readSource(text: string): AtdfSource {
  if (text.length > MAX_ATDF_LENGTH)
    return { findings: [tooLong()], document: undefined, placeOf: () => START };
  const unwrapped = unwrap(text);
  const { parsed, findings: syntax, isReadable } = parseAndRepair(unwrapped.text);
  const { placeOf } = parsed;
  if (!isReadable) return { findings: [...unwrapped.findings, ...syntax], document: undefined, placeOf };
  const { document, findings } = onlyBlock(parsed);
  const forbidden = document === undefined ? [] : forbiddenFindings(document, placeOf);
  return { findings: [...unwrapped.findings, ...syntax, ...findings, ...forbidden], document, placeOf };
}

function tooLong(): AtdfFinding {
  return {
    code: "too_long",
    severity: "error",
    ...START,
    path: "",
    message: `The block is longer than ${MAX_ATDF_LENGTH} characters.`,
    fix: "Shorten it: every client is shown all of it.",
  };
}
