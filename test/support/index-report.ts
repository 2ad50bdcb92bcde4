/** A report on a history index, with the facts that a test does not care about. */
import type { IndexReport } from "../../src/history/report/index-report.ts";

export const indexReport = (facts: Partial<IndexReport>): IndexReport => ({
  instance: "default",
  head: null,
  floor: null,
  isWhole: false,
  isFull: false,
  known: 0,
  rows: null,
  sizeBytes: 0,
  syncedAt: null,
  queue: null,
  lastFailure: null,
  nextStepAt: null,
  step: { executions: 2_000, isOver: true },
  costs: null,
  settings: { intervalMs: 60_000, days: 30, maxExecutions: 500_000 },
  ...facts,
});
