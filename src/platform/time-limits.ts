/**
 * Time limits, in milliseconds, that depend on each other: a slot must not be reassigned before its holder can be
 * done. The longer ones are computed from the shorter ones. A limit that depends on no other is defined where it is
 * used. Imports nothing.
 */
import { MINUTE_MS } from "./durations.ts";

/** Covers time that no limit counts: message latency, and reading data that has arrived. */
const MARGIN_MS = 5_000;

/** The minimum timeout of any request; with less, a late one could never succeed. */
export const LEAST_REQUEST_MS = 1_000;
/** Timeouts of a request to n8n, from requesting its slot to the end of its answer. */
export const REQUEST_MS = {
  usual: 25_000,
  /** n8n sends whole workflows: a page of a hundred may be many MB. */
  pageOfWorkflows: 40_000,
};
export const LONGEST_REQUEST_MS = Math.max(...Object.values(REQUEST_MS));

/** The longest wait for a slot, unless the request is next in line: "try again later" is better than silence. */
export const SLOT_WAIT_MS = 10_000;
/** After this a slot expires even if it was not released. */
export const SLOT_LEASE_MS = LONGEST_REQUEST_MS + MARGIN_MS;
/** For this long after a slot was granted, a usual request may reuse it once the previous request has ended. */
export const SLOT_REUSE_MS = LONGEST_REQUEST_MS - REQUEST_MS.usual;

/** Clients wait at least this long. */
export const CLIENT_PATIENCE_MS = MINUTE_MS;
/** How long a call may scan; the caller can choose it. */
export const TIME_BUDGET_MS = {
  least: LEAST_REQUEST_MS,
  usual: 20_000,
  most: CLIENT_PATIENCE_MS - MARGIN_MS,
};
/** Milliseconds for the steps that a call may still take after its time budget, one after another. */
export const OVERTIME_MS = {
  /** Maximum delay of a scan's first page: `most` if n8n is slow, `background` if nobody waits for it. */
  late: { least: 10_000, most: 15_000, background: 40_000 },
  /** How long a late scan then has to read that page. */
  firstPage: { least: 2_000, most: 10_000, background: REQUEST_MS.usual },
  /** Checking whether it is still the same n8n, when nothing was found. */
  askingAnew: 15_000,
  links: 10_000,
  failingNode: REQUEST_MS.usual,
  /** Checking which workflows n8n does not save, when nothing was found. */
  unsavedWorkflows: 5_000,
};
