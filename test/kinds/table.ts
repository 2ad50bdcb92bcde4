/** The table kind × result of docs/explaining.md. Pure. */
import type { JudgedKind } from "./judge-all.ts";
import { tallyOf } from "./judge-all.ts";

export const tableBegin = "<!-- kinds: written by `npm run tools judge:kinds -- --write` -->";
export const tableEnd = "<!-- /kinds -->";

export function toTable(judged: readonly JudgedKind[]): string {
  const { explained, kinds, wrong, falseAlarms, ordinary, ordinaryWorkflows } = tallyOf(judged);
  const faulty = judged.filter(({ family }) => family !== "ordinary");
  const rows = faulty.map(({ name, family, verdict, sentence }) => toRow([name, family, verdict, sentence]));
  return [
    `${explained} of ${kinds} kinds are explained, ${wrong} wrongly; ${falseAlarms} false alarms on ${ordinary} ordinary successes of ${ordinaryWorkflows} workflows.`,
    "",
    toRow(["kind", "family", "result", "what is said first"]),
    toRow(["---", "---", "---", "---"]),
    ...rows,
  ].join("\n");
}

const toRow = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replace(/[|<>]/g, "\\$&").replace(/\s+/g, " ")).join(" | ")} |`;

/** @throws Error if the document has no markers for the table */
export function writeTable(document: string, table: string): string {
  const [from, to] = [document.indexOf(tableBegin), document.indexOf(tableEnd)];
  if (from < 0 || to < from) throw new Error(`The document has no ${tableBegin} … ${tableEnd}`);
  return `${document.slice(0, from + tableBegin.length)}\n${table}\n${document.slice(to)}`;
}
