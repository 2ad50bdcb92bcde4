/**
 * The capabilities of this n8n, as far as its answers have shown them. Never inferred from its version: an unknown
 * one is null, and is queried when needed. Pure.
 */
import * as z from "zod";
import { EXECUTION_STATUSES, type ExecutionStatus } from "../schemas.ts";

const known = z.boolean().nullable();

export const capabilities = z.object({
  /** Values of `status` by which n8n can filter lists of executions. */
  statuses: z.array(z.enum(EXECUTION_STATUSES)).nullable(),
  /** Executions in a list have `status`; otherwise it is inferred from their other members. */
  listsStatus: known,
  filtersDates: known,
  /** Whether n8n reduces a `limit` above its maximum instead of refusing the request. */
  clampsLimit: known,
  knowsRedaction: known,
  /** Whether n8n reports a key's scopes (`GET /discover`). */
  tellsScopes: known,
  /** Executions wait in a queue before they run (queue mode), and are in no list meanwhile. */
  queues: known.default(null),
});
export type Capabilities = z.infer<typeof capabilities>;
/** The capabilities that can be queried. Whether n8n queues shows only while something waits. */
export type ReportedCapabilities = Omit<Capabilities, "queues">;

export const NOTHING_KNOWN: Capabilities = {
  statuses: null,
  listsStatus: null,
  filtersDates: null,
  clampsLimit: null,
  knowsRedaction: null,
  tellsScopes: null,
  queues: null,
};

/**
 * True when executions that have not ended may be missing from every list, though they can be read by id. An n8n that
 * cannot filter by `new` omits from its lists whatever its main process holds, including waiting executions (seen on
 * 1.100 and 1.123).
 */
export const hidesUnfinished = ({ statuses }: Pick<Capabilities, "statuses">): boolean =>
  statuses !== null && !statuses.includes("new");

/** Also true when nothing is known yet: then the filter is tried. */
export const filtersByStatus = ({ statuses }: Capabilities, status: ExecutionStatus): boolean =>
  statuses === null || statuses.includes(status);
