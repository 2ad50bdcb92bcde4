/** The operator's report on the index of one n8n: its progress, size and cost. No payload. */
import * as z from "zod";
import { indexCosts } from "./index-costs.ts";

/** Half of a Durable Object's limit. The oldest executions are removed to stay below it. */
export const MAX_INDEX_BYTES = 5_000_000_000;

/** Maximum executions that an alarm step backfills. */
export const STEP_EXECUTIONS = 2_000;
export const backStep = z.object({
  /** Fewer after steps that were interrupted. */
  executions: z.number(),
  /** False while a step runs, and after one that was interrupted. */
  isOver: z.boolean(),
});
export type BackStep = z.infer<typeof backStep>;

/** An execution that marks how far history is known. `startedAt`: ISO 8601, null if it has not begun. */
const milestone = z.object({ id: z.string(), startedAt: z.string().nullable() });
export type Milestone = z.infer<typeof milestone>;

export const rowCounts = z.object({
  deleted: z.number(),
  /** n8n fails to return these, or their newest state. */
  unread: z.number(),
  /** Part of these could not be read. */
  partlyRead: z.number(),
});
export type RowCounts = z.infer<typeof rowCounts>;

export const lastFailure = z.object({
  code: z.string(),
  at: z.string(),
  /** True once n8n answered again. */
  isOver: z.boolean(),
});
export type LastFailure = z.infer<typeof lastFailure>;

/** Executions that wait for a worker, or for n8n's concurrency limit. */
export const queueFacts = z.object({
  /** How many executions have not begun. */
  length: z.number(),
  /** True if there may be more. */
  isAtLeast: z.boolean(),
  /** How many of them were not read yet. */
  unread: z.number(),
  /** When n8n accepted the oldest that was read, ISO 8601; null if n8n does not report it. */
  oldestSince: z.string().nullable(),
  /** When an execution last began, ISO 8601; null if none did. */
  lastBegunAt: z.string().nullable(),
  /** When n8n's queue was last looked at, ISO 8601; null if n8n has none. */
  seenAt: z.string().nullable(),
});
export type QueueFacts = z.infer<typeof queueFacts>;

export const historyReport = z.object({
  /** The newest known execution; null while there is none. */
  head: milestone.nullable(),
  /** Everything from here up to the last look is known; null while no range is completely known. */
  floor: milestone.nullable(),
  /** True when n8n has nothing older than the floor. */
  isWhole: z.boolean(),
  /** How many executions are known, including deleted ones. */
  known: z.number(),
  /** Null if not requested: counting reads all rows. */
  rows: rowCounts.nullable(),
  /** True if there is no room for older executions. */
  isFull: z.boolean(),
  /** ISO 8601 of the last complete look for new executions; null before the first one. */
  syncedAt: z.string().nullable(),
  lastFailure: lastFailure.nullable(),
  /** Executions that wait to begin in n8n; null if there are none. */
  queue: queueFacts.nullable().default(null),
  costs: indexCosts.nullable(),
  step: backStep,
});
export type HistoryReport = z.infer<typeof historyReport>;

export const indexReport = historyReport.extend({
  instance: z.string(),
  /** All rows and indexes on disk. */
  sizeBytes: z.number(),
  /** ISO 8601; null if no step is scheduled: one is running, nobody has called yet, or background sync is off. */
  nextStepAt: z.string().nullable(),
  settings: z.object({
    /** `INDEX_INTERVAL` in milliseconds; null for off. */
    intervalMs: z.number().nullable(),
    days: z.number(),
    maxExecutions: z.number(),
  }),
});
export type IndexReport = z.infer<typeof indexReport>;

/** Replaces the report of an index that failed or could not be reached. */
export const failedIndex = z.object({
  instance: z.string(),
  error: z.object({ code: z.string(), message: z.string() }),
});
export type FailedIndex = z.infer<typeof failedIndex>;
