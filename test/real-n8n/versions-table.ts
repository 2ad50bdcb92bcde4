/**
 * The tables of what works on which n8n, in docs/versions.md: a row for each kind of request, a column for each
 * version. A run of the lane writes the column of its version, and keeps the others. Pure.
 */
import type { Verdict } from "./report.ts";
import { type N8nVersion, n8nVersions } from "./versions.ts";

/** The markers and the content of a table. */
interface Table {
  begin: string;
  end: string;
  /** The heading of the first column. */
  head: string;
  versions: readonly N8nVersion[];
}

export const KINDS_TABLE: Table = {
  begin: "<!-- kinds: written by `npm run tools test:n8n -- --version <version> --write` -->",
  end: "<!-- /kinds -->",
  head: "kind of request",
  versions: n8nVersions,
};
export const QUEUE_TABLE: Table = {
  begin: "<!-- queue: written by `npm run test:n8n -- --queue --write` -->",
  end: "<!-- /queue -->",
  head: "in queue mode",
  versions: n8nVersions.filter((version) => version.startsWith("2.")),
};

/** The cell of a version that was not checked yet. */
const unknown = "–";

/** @throws when the document has no marker for the table */
export function writeColumn(
  document: string,
  version: N8nVersion,
  kinds: ReadonlyMap<string, Verdict>,
  { begin, end, head, versions }: Table = KINDS_TABLE,
): string {
  const [before, rest] = splitAt(document, begin);
  const [table, after] = splitAt(rest, end);
  const cells = readCells(table);
  for (const row of cells.values()) row.delete(version);
  for (const [kind, verdict] of kinds) {
    cells.set(kind, new Map(cells.get(kind)).set(version, verdict));
  }
  const lines = [...cells].flatMap(([kind, row]) =>
    row.size === 0 ? [] : [toLine([escapeBars(kind), ...versions.map((each) => row.get(each) ?? unknown)])],
  );
  const top = [toLine([head, ...versions]), toLine(["---", ...versions.map(() => "---")])];
  return `${before}${begin}\n${[...top, ...lines].join("\n")}\n${end}${after}`;
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  if (at < 0) throw new Error(`The document has no ${mark}`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}

function readCells(table: string): Map<string, Map<string, string>> {
  const [head, , ...rows] = table.trim().split("\n").map(toCells);
  const cells = new Map<string, Map<string, string>>();
  for (const [kind = "", ...values] of rows) {
    const entries = values.flatMap((value, index): [string, string][] => {
      const version = head?.[index + 1];
      return version === undefined || value === unknown ? [] : [[version, value]];
    });
    cells.set(readBars(kind), new Map(entries));
  }
  return cells;
}

const toLine = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const escapeBars = (text: string): string => text.replaceAll("|", "\\|");
const readBars = (text: string): string => text.replaceAll("\\|", "|");

function toCells(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}
