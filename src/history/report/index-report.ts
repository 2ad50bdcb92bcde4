/** The operator's report on the index of one n8n: its progress, size and cost. No payload. */
import * as z from "zod";
import { indexCosts } from "./index-costs.ts";

/** Half of what a Durable Object may have. The oldest executions make room. */
export const MAX_INDEX_BYTES = 5_000_000_000;

/** The most executions that a step of the alarm reads back. */
export const STEP_EXECUTIONS = 2_000;
export const backStep = z.object({
  /** Fewer after steps that were cut off. */
  executions: z.number(),
  /** False while one goes on, and after one that was cut off. */
  isOver: z.boolean(),
});
export type BackStep = z.infer<typeof backStep>;

/** An execution that stands for how far is known. `startedAt`: ISO 8601, null where it has not begun. */
const milestone = z.object({ id: z.string(), startedAt: z.string().nullable() });
export type Milestone = z.infer<typeof milestone>;

export const rowCounts = z.object({
  deleted: z.number(),
  /** n8n fails to give these, or their newest state. */
  unread: z.number(),
  /** A part of these could not be looked at. */
  partlyRead: z.number(),
});
export type RowCounts = z.infer<typeof rowCounts>;

export const lastFailure = z.object({
  code: z.string(),
  at: z.string(),
  /** True once n8n could be asked again. */
  isOver: z.boolean(),
});
export type LastFailure = z.infer<typeof lastFailure>;

/** What waits for a worker, or for n8n's concurrency limit. */
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
  /** Everything is known from here up to what was looked at last; null while nothing is known as a whole. */
  floor: milestone.nullable(),
  /** True when n8n has nothing older than the floor. */
  isWhole: z.boolean(),
  /** How many executions are known, deleted ones included. */
  known: z.number(),
  /** Null where it was not asked for: to count them walks over all rows. */
  rows: rowCounts.nullable(),
  /** True when there is no room for older ones. */
  isFull: z.boolean(),
  /** When all that is new was looked at last, ISO 8601; null before. */
  syncedAt: z.string().nullable(),
  lastFailure: lastFailure.nullable(),
  /** What waits to begin in n8n; null when nothing does. */
  queue: queueFacts.nullable().default(null),
  costs: indexCosts.nullable(),
  step: backStep,
});
export type HistoryReport = z.infer<typeof historyReport>;

export const indexReport = historyReport.extend({
  instance: z.string(),
  /** All rows and indexes on disk. */
  sizeBytes: z.number(),
  /** ISO 8601; null when none is planned: one goes on just now, nobody has asked yet, or it does nothing by itself. */
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
