/** How much n8n is asked at most, by all users together. */
import { fail, keepingLast, type SettingsSource, text } from "./source.ts";

export interface N8nLimits {
  /** Requests that n8n answers at the same time. */
  readonly maxConcurrent: number;
  /** Requests that begin in any minute. */
  readonly requestsPerMinute: number;
}

interface Bounds {
  readonly default: number;
  readonly least: number;
  readonly most: number;
}

/** A trace asks two at a time, and n8n gains nothing from a third: two traces side by side. */
const MAX_CONCURRENT: Bounds = { default: 4, least: 1, most: 100 };
/** Fifty users who call every eight seconds need 800; what one greedy user leaves is more (docs/limits.md). */
const REQUESTS_PER_MINUTE: Bounds = { default: 2_400, least: 20, most: 100_000 };

function readCount(source: SettingsSource, setting: string, bounds: Bounds): number {
  const raw = text(source, setting);
  if (raw === undefined) return bounds.default;
  const count = /^\d{1,9}$/.test(raw) ? Number(raw) : Number.NaN;
  if (count >= bounds.least && count <= bounds.most) return count;
  fail(
    setting,
    `is not a whole number from ${bounds.least} to ${bounds.most}`,
    `Set it to such a number, or leave it out: ${bounds.default} is the default.`,
  );
}

/**
 * How much n8n is asked at most.
 * @throws ObserverError `CONFIGURATION_ERROR` for what is no number within bounds.
 */
export const readN8nLimits = keepingLast((source): N8nLimits => {
  return {
    maxConcurrent: readCount(source, "N8N_MAX_CONCURRENT", MAX_CONCURRENT),
    requestsPerMinute: readCount(source, "N8N_REQUESTS_PER_MINUTE", REQUESTS_PER_MINUTE),
  };
});
