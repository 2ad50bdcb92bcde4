/**
 * The table of clients in docs/clients.md: name, version, way of signing in, observations. A run of the lane rewrites all
 * of it. Pure.
 */
export interface ClientRow {
  readonly name: string;
  readonly version: string;
  readonly signIn: string;
  readonly seen: string;
}

const begin = "<!-- clients: written by `npm run tools test:real-clients -- --write` -->";
const end = "<!-- /clients -->";

/** @throws when the document has no marker for the table */
export function writeClients(document: string, rows: readonly ClientRow[]): string {
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from < 0 || to < from) throw new Error(`The document has no ${begin}`);
  return `${document.slice(0, from)}${begin}\n${toTable(rows)}\n${document.slice(to)}`;
}

export function toTable(rows: readonly ClientRow[]): string {
  const lines = rows.map(({ name, version, signIn, seen }) => toLine([name, version, signIn, seen]));
  return [
    toLine(["client", "version", "signed in by", "seen"]),
    toLine(["---", "---", "---", "---"]),
    ...lines,
  ].join("\n");
}

const toLine = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
