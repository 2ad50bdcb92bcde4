/**
 * How long things may take, in milliseconds, where one has to outlast another: a slot goes to somebody
 * else no earlier than whoever holds it can be done. Those that have to be longer are made of those that have to be
 * shorter. What depends on nothing stands where it is used. Imports nothing.
 */

/** For what no limit counts: message latency, and reading what has arrived. */
const MARGIN_MS = 5_000;

/** The least time for any request; with less, a late one could never succeed. */
export const LEAST_REQUEST_MS = 1_000;
/** A request to n8n, from the asking for its slot to the end of its answer: the longest that it is given. */
export const REQUEST_MS = {
  usual: 25_000,
  /** n8n sends whole workflows: a page of a hundred may be many MB. */
  pageOfWorkflows: 40_000,
};
/** The longest timeout of any request. */
export const LONGEST_REQUEST_MS = Math.max(...Object.values(REQUEST_MS));

/** The longest wait for a slot: asking a client to come back is better than silence. */
export const SLOT_WAIT_MS = 10_000;
/** After this a slot expires even if it was not released. */
export const SLOT_LEASE_MS = LONGEST_REQUEST_MS + MARGIN_MS;
/** So long after it was given, a usual request may still begin in a slot in which another one has ended. */
export const SLOT_REUSE_MS = LONGEST_REQUEST_MS - REQUEST_MS.usual;

/** Clients wait at least this long. */
export const CLIENT_PATIENCE_MS = 60_000;
/** How long a call may scan: it can be told in a call. */
export const TIME_BUDGET_MS = {
  least: LEAST_REQUEST_MS,
  usual: 20_000,
  most: CLIENT_PATIENCE_MS - MARGIN_MS,
};
/** The steps that a call may still take after its time budget, one after the other. */
export const OVERTIME_MS = {
  /** How much later than in time a call may come to its first page… */
  late: 10_000,
  /** …which it then has so long to read. */
  firstPage: 2_000,
  /** Checking whether it is still the same n8n, when nothing was found. */
  askingAnew: 10_000,
  links: 10_000,
  failingNode: REQUEST_MS.usual,
  /** Checking which workflows n8n does not save, when nothing was found. */
  unsavedWorkflows: 5_000,
};
