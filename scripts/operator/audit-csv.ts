/**
 * The audit as CSV (RFC 4180), safe to open in a spreadsheet: clients choose their own names, and a name that begins
 * with `=` would be a formula. Pure.
 */
import { AUDITED_IDS, type KeptEntry } from "../../src/activity-log/entry.ts";

const COLUMNS = [
  ...["time", "event", "outcome", "userId", "via", "clientId", "clientName", "tool"],
  ...AUDITED_IDS,
  ...["durationMs", "bytesRead", "redactions", "grantId", "reason", "notKept"],
];

export const CSV_HEADER = COLUMNS.join(",");

export function toCsvLine(entry: KeptEntry): string {
  const ofCall =
    entry.event === "tool_call" ? { ...entry.ids, redactions: formatCounts(entry.redactions) } : {};
  const values: Readonly<Record<string, unknown>> = { ...entry, ...ofCall };
  return COLUMNS.map((column) => toCell(values[column])).join(",");
}

/** Characters that start a formula in spreadsheets (OWASP, "CSV Injection"). */
const FORMULA = /^\s*[=+\-@\t\r|%]/;

function toCell(value: unknown): string {
  if (typeof value === "number") return String(value);
  const text = typeof value === "string" ? value : "";
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export function formatCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([kind, count]) => `${kind} ${count}`)
    .join("; ");
}
