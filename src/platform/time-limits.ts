/**
 * How long things may take, in milliseconds, where one has to outlast another: a slot goes to somebody
 * else no earlier than whoever holds it can be done. Those that have to be longer are made of those that have to be
 * shorter. What depends on nothing stands where it is used. Imports nothing.
 */

/** For what is counted in no limit: the way of a message, and the reading of what has arrived. */
const MARGIN_MS = 5_000;

/** No request is given less, else a late one could never succeed. */
export const LEAST_REQUEST_MS = 1_000;
/** A request to n8n, from the asking for its slot to the end of its answer: the longest that it is given. */
export const REQUEST_MS = {
  usual: 25_000,
  /** n8n sends whole workflows: a page of a hundred may be many MB. */
  pageOfWorkflows: 40_000,
};
/** The client gives none more. */
export const LONGEST_REQUEST_MS = Math.max(...Object.values(REQUEST_MS));

/** Nobody waits longer for a slot: a client that is asked to come back knows more than one that hears nothing. */
export const SLOT_WAIT_MS = 10_000;
/** After that a slot is another's, though nobody has ended it. */
export const SLOT_LEASE_MS = LONGEST_REQUEST_MS + MARGIN_MS;
/** So long after it was given, a usual request may still begin in a slot in which another one has ended. */
export const SLOT_REUSE_MS = LONGEST_REQUEST_MS - REQUEST_MS.usual;

/** Clients give up after so long, or later. */
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
  /** Asking whether n8n is still the one it was, when nothing was found. */
  askingAnew: 10_000,
  links: 10_000,
  failingNode: REQUEST_MS.usual,
  /** Asking which workflows n8n does not save, when nothing was found. */
  unsavedWorkflows: 5_000,
};
