/** How the history index of n8n is kept up to date. */
import { fail, keepingLast, text } from "./source.ts";

export interface HistoryIndexSettings {
  /** Milliseconds between two looks at what is new; null when it looks only when somebody asks. */
  readonly intervalMs: number | null;
  /** How many days back it reads by itself. */
  readonly days: number;
  /** Most executions that it knows: the oldest make room. */
  readonly maxExecutions: number;
}

const INTERVAL_SECONDS = { default: 60, least: 10, most: 3_600 };
const DAYS = { default: 30, least: 1, most: 3_650 };
const MAX_EXECUTIONS = { default: 500_000, least: 1_000, most: 5_000_000 };

interface Bounds {
  readonly default: number;
  readonly least: number;
  readonly most: number;
}

function readWhole(raw: string | undefined, setting: string, bounds: Bounds, otherwise = ""): number {
  if (raw === undefined) return bounds.default;
  const value = /^\d{1,9}$/.test(raw) ? Number(raw) : Number.NaN;
  if (value >= bounds.least && value <= bounds.most) return value;
  fail(
    setting,
    `is not a whole number from ${bounds.least} to ${bounds.most}${otherwise}`,
    `Set it to such a number${otherwise}, or leave it out: ${bounds.default} is the default.`,
  );
}

/**
 * How the history index is kept.
 * @throws ObserverError `CONFIGURATION_ERROR` for what is no number within bounds.
 */
export const readHistoryIndexSettings = keepingLast((source): HistoryIndexSettings => {
  const interval = text(source, "INDEX_INTERVAL")?.toLowerCase();
  return {
    intervalMs:
      interval === "off"
        ? null
        : readWhole(interval, "INDEX_INTERVAL", INTERVAL_SECONDS, " (or off)") * 1_000,
    days: readWhole(text(source, "INDEX_DAYS"), "INDEX_DAYS", DAYS),
    maxExecutions: readWhole(text(source, "INDEX_MAX_EXECUTIONS"), "INDEX_MAX_EXECUTIONS", MAX_EXECUTIONS),
  };
});
