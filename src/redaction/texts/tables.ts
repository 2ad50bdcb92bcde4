/**
 * Tables written as text: CSV, TSV, Markdown, and the output of command lines. The first row names the columns; in a
 * row of two cells, the first names the second. One pass over the lines. Also the rows of SQL,
 * `INSERT INTO users (id, password) VALUES (1, '…')`, in one pass over each statement.
 */
import { Edits, type Stretch, TextReader } from "../edits.ts";
import { accountKindOf, redactAccount } from "../structure/account-numbers.ts";
import type { TextRule } from "../text-rule.ts";
import { matchAt } from "./characters.ts";
import { isAnnouncedPhrase, isLikely, isLiteral, isTokenLike } from "./plausible-values.ts";
import { quotedAt } from "./values-after.ts";

type Delimiter = "," | ";" | "\t" | "|" | "  ";

const MAX_LINE = 20_000;
const MAX_CELLS = 200;
const MAX_NAME = 40;
const MAX_HEADER = 1_000;
const SHORTEST_VALUE = 4;
/** Lines between the rows of an ASCII table, and below the header in Markdown. */
const BORDER = /^[\s|+:=-]{3,}$/;

const LONGEST_BORDER = 2_000;
const BORDER_BEGINS = new Set(Array.from(" \t|+:=-", (sign) => sign.charCodeAt(0)));

/** Checks the first character first, which rules most lines out. */
function isBorder(text: string, from: number, to: number): boolean {
  if (to - from < 3 || to - from >= LONGEST_BORDER) return false;
  const first = text.charCodeAt(from);
  if (first > 32 && first < 128 && !BORDER_BEGINS.has(first)) return false;
  const line = text.slice(from, to);
  return BORDER.test(line) && /--|==/.test(line);
}

/** What pg_dump writes before its rows, whose cells are separated by tabs: `COPY users (id, password) FROM stdin;` */
const COPY = /copy [\w."]{1,130} \(([^()\n]{1,2000})\) from stdin/iy;

const DELIMITERS: readonly Delimiter[] = ["\t", "|", ",", ";", "  "];
/** How often each delimiter occurs in a line, in the same order. */
type Counts = readonly [number, number, number, number, number];
const PAIRS: readonly Delimiter[] = ["|", "\t", ",", "  "];
const NO_COLUMNS: ReadonlyMap<number, string> = new Map();
const NONE: Counts = [0, 0, 0, 0, 0];

const countOf = (counts: Counts, delimiter: Delimiter): number => counts[DELIMITERS.indexOf(delimiter)] ?? 0;

/** Outside quotes; zeros for a line that cannot be a row. */
function delimiterCounts(text: string, from: number, to: number): Counts {
  if (to - from > MAX_LINE || to - from < 3) return NONE;
  let [commas, semicolons, tabs, pipes, gaps] = [0, 0, 0, 0, 0];
  let isQuoted = false;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 34) isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (code === 44) commas += 1;
    else if (code === 59) semicolons += 1;
    else if (code === 9) tabs += 1;
    else if (code === 124) pipes += 1;
    else if (code === 32 && text.charCodeAt(at - 1) === 32 && text.charCodeAt(at + 1) > 32 && at - from > 2) {
      gaps += 1;
    }
  }
  return [tabs, pipes, commas, semicolons, gaps];
}

function cellsOf(text: string, from: number, to: number, delimiter: Delimiter, limit = MAX_CELLS): Stretch[] {
  const sign = delimiter.charCodeAt(0);
  const isGap = delimiter === "  ";
  const cells: Stretch[] = [];
  let begin = from;
  let isQuoted = false;
  for (let at = from; at <= to && cells.length < limit; at += 1) {
    if (at < to) {
      const code = text.charCodeAt(at);
      if (code === 34) isQuoted = !isQuoted;
      if (isQuoted || code !== sign || (isGap && text.charCodeAt(at + 1) !== sign)) continue;
    }
    cells.push(trimmed(text, begin, at));
    begin = at + delimiter.length;
    while (isGap && text[begin] === " ") begin += 1;
    at = begin - 1;
  }
  // A row that begins with a pipe has no cell before it.
  if (delimiter === "|" && cells[0]?.from === cells[0]?.to) cells.shift();
  return cells;
}

const isTrimmed = (code: number): boolean =>
  code <= 32 || code === 34 || code === 39 || code === 42 || code === 96 || code === 0xa0;

function trimmed(text: string, from: number, to: number): Stretch {
  let [begin, end] = [from, to];
  while (begin < end && isTrimmed(text.charCodeAt(begin))) begin += 1;
  while (end > begin && isTrimmed(text.charCodeAt(end - 1))) end -= 1;
  return { from: begin, to: end };
}

class Tables extends TextReader {
  #delimiter: Delimiter | undefined;
  #count = 0;
  /** The current table's columns that hold secrets, with their names. */
  #columns: ReadonlyMap<number, string> = NO_COLUMNS;
  #header = "";
  #isStrict = false;

  redacted(): string {
    const text = this.text;
    let previousCounts = NONE;
    let [previous, previousEnd] = [0, 0];
    for (let from = 0; from < text.length; ) {
      const next = text.indexOf("\n", from);
      const end = next < 0 ? text.length : next;
      const to = text[end - 1] === "\r" && end > from ? end - 1 : end;
      if (!isBorder(text, from, to)) {
        const lineCounts = delimiterCounts(text, from, to);
        this.#line(lineCounts, previousCounts, { from, to }, { from: previous, to: previousEnd });
        previousCounts = lineCounts;
        [previous, previousEnd] = [from, to];
      }
      from = end + 1;
    }
    return this.edits.result();
  }

  #line(lineCounts: Counts, previousCounts: Counts, line: Stretch, header: Stretch): void {
    const [, names] = matchAt(COPY, this.text, line.from) ?? [];
    if (names !== undefined) {
      const columns = names.split(",").map((name) => name.replace(/[\s"]/g, ""));
      this.#columns = this.#secretColumns(columns);
      this.#delimiter = "\t";
      this.#count = columns.length - 1;
      this.#isStrict = true;
      return;
    }
    if (this.#delimiter === undefined || countOf(lineCounts, this.#delimiter) !== this.#count)
      this.#begin(lineCounts, previousCounts, header);
    const isRow = this.#delimiter !== undefined && this.#columns.size > 0;
    if (isRow || this.#isPair(lineCounts, previousCounts)) this.#row(line, isRow, lineCounts);
  }

  /** Takes the previous line as the header if both have the same number of cells. */
  #begin(lineCounts: Counts, previousCounts: Counts, header: Stretch): void {
    this.#delimiter = undefined;
    this.#columns = NO_COLUMNS;
    for (const [place, delimiter] of DELIMITERS.entries()) {
      const count = lineCounts[place] ?? 0;
      if (count === 0 || previousCounts[place] !== count) continue;
      const cells = cellsOf(this.text, header.from, header.to, delimiter);
      const names = cells.map(({ from, to }) => (to - from > MAX_NAME ? "" : this.text.slice(from, to)));
      this.#delimiter = delimiter;
      this.#header = names.join(" ").slice(0, MAX_HEADER);
      this.#count = count;
      // `Host:   localhost` is a line of its own.
      const isPair = /[:：]$/.test(names[0] ?? "") && !/[:：]$/.test(names[1] ?? "");
      this.#columns =
        !isPair && names.every((name) => /^[\p{L}\p{M}\p{N}_$#. ()/:-]*$/u.test(name))
          ? this.#secretColumns(names)
          : NO_COLUMNS;
      this.#isStrict =
        delimiter === "\t" ||
        ((delimiter === "," || delimiter === ";") &&
          names.every((name) => !name.includes(" ")) &&
          !this.text.slice(header.from, header.to).includes(", "));
      if (this.#columns.size > 0) return;
    }
  }

  #secretColumns(names: readonly string[]): ReadonlyMap<number, string> {
    return new Map(
      [...names.entries()].filter(([, name]) => this.#isSecret(name) || accountKindOf(name) !== "none"),
    );
  }

  #isSecret(name: string): boolean {
    const kind = name.length < 2 ? "none" : this.context.kindOfKey(name);
    // A scheme of authorization is not the name of a column.
    return (
      (kind === "secret" || kind === "tokens") && !isTokenLike(name) && !/^(?:bearer|basic)$/i.test(name)
    );
  }

  /** Rows with pipes may belong to a table without a header. */
  #isPair(lineCounts: Counts, previousCounts: Counts): boolean {
    const [tabs, pipes, commas, , gaps] = lineCounts;
    return pipes >= 1 || tabs === 1 || (commas === 1 && previousCounts[2] === 1) || gaps === 1;
  }

  #row({ from, to }: Stretch, isRow: boolean, lineCounts: Counts): void {
    const delimiter =
      (isRow ? this.#delimiter : undefined) ?? PAIRS.find((each) => countOf(lineCounts, each) > 0) ?? ",";
    const cells = cellsOf(this.text, from, to, delimiter, isRow ? MAX_CELLS : 5);
    cells.forEach((cell, column) => {
      const header = isRow ? this.#columns.get(column) : undefined;
      if (header !== undefined) {
        if (!this.#takeAccount(header, cell) && this.#isSecret(header)) this.#takeCell(cell, this.#isStrict);
        return;
      }
      const name = cells[column - 1];
      if (column < 3 && name !== undefined && name.to - name.from <= MAX_NAME && this.#isName(name))
        this.#takeCell(cell, false);
    });
  }

  #isName({ from, to }: Stretch): boolean {
    const name = this.text.slice(from, to).replace(/[:：]$/, "");
    return /^[\p{L}\p{M}\p{N}_ .()/-]+$/u.test(name) && this.#isSecret(name);
  }

  #takeAccount(name: string, { from, to }: Stretch): boolean {
    const isBeside = (beside: RegExp): boolean => beside.test(this.#header);
    const account = redactAccount(name, this.text.slice(from, to), this.context.mark, { isBeside });
    if (account !== undefined) this.edits.replace(from, to, account);
    return account !== undefined;
  }

  #takeCell({ from, to }: Stretch, isStrict: boolean): void {
    if (to - from < SHORTEST_VALUE || this.text.startsWith("[REDACTED:", from)) return;
    const value = this.text.slice(from, to);
    if (!isLiteral(value, true) || from < this.edits.done) return;
    const isOfColumn = isStrict && (/^[^\s]{4,}$/.test(value) || isAnnouncedPhrase(value));
    if (!isOfColumn && !isLikely(value) && !/^\d{4,12}$/.test(value)) return;
    this.take({ from, to });
  }
}

export const tables: TextRule = (text, context) =>
  /[,;\t|]| {2}/.test(text) ? new Tables(text, context).redacted() : text;

const INSERTED_COLUMNS =
  /\binto[ \t\r\n]{1,20}[\w.`"[\]]{1,100}[ \t\r\n]{0,20}\(([^()]{1,2000})\)[ \t\r\n]{0,20}values[ \t\r\n]{0,20}(?=\()/gi;
const SIGN = /[ \t\r\n]{0,100}([(),]|[^(),'"\s;][^(),'";\r\n]{0,500})/y;

export const inserts: TextRule = (text, { mark, kindOfKey }) => {
  const edits = new Edits(text);
  INSERTED_COLUMNS.lastIndex = 0;
  for (let match = INSERTED_COLUMNS.exec(text); match !== null; match = INSERTED_COLUMNS.exec(text)) {
    const secret = (match[1] ?? "")
      .split(",")
      .map((column) => kindOfKey(column.replace(/[\s"'`[\]]/g, "")) === "secret");
    let column = 0;
    let at = INSERTED_COLUMNS.lastIndex;
    for (let isOpen = true; isOpen && at < text.length; ) {
      const begin = at + (matchAt(/[ \t\r\n]{0,100}(?:N(?='))?/y, text, at)?.[0].length ?? 0);
      const quoted = quotedAt(text, begin);
      if (quoted !== undefined) {
        const value = text.slice(quoted.from, quoted.to);
        if (secret[column] === true && isLiteral(value, false))
          edits.replace(quoted.from, quoted.to, mark("key", value));
        at = quoted.to + 1;
        continue;
      }
      const [whole, sign = ""] = matchAt(SIGN, text, at) ?? [];
      isOpen = whole !== undefined;
      at += whole?.length ?? 0;
      if (sign === "(") column = 0;
      else if (sign === ",") column += 1;
    }
    INSERTED_COLUMNS.lastIndex = at;
  }
  return edits.result();
};
