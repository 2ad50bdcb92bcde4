/**
 * What this n8n can do, as far as it has been seen in its answers. Never inferred from its version: what is not known is
 * null, and is asked when it is needed. Pure.
 */
import * as z from "zod";
import { EXECUTION_STATUSES, type ExecutionStatus } from "../schemas.ts";

const known = z.boolean().nullable();

export const capabilities = z.object({
  /** Values of `status` by which it filters lists of executions. */
  statuses: z.array(z.enum(EXECUTION_STATUSES)).nullable(),
  /** Executions in a list carry `status`; else it is worked out from what else they carry. */
  listsStatus: known,
  filtersDates: known,
  /** What it does with a `limit` above its own: take its own, or refuse. */
  clampsLimit: known,
  knowsRedaction: known,
  /** It reports a key's scopes (`GET /discover`). */
  tellsScopes: known,
});
export type Capabilities = z.infer<typeof capabilities>;

export const NOTHING_KNOWN: Capabilities = {
  statuses: null,
  listsStatus: null,
  filtersDates: null,
  clampsLimit: null,
  knowsRedaction: null,
  tellsScopes: null,
};

/**
 * True when executions that have not ended may be in no list, though they are there by id. An n8n that does not
 * filter by `new` leaves out of its lists whatever its main process holds, waiting executions among it (seen on
 * 1.100 and 1.123).
 */
export function hidesUnfinished({ statuses }: Capabilities): boolean {
  return statuses !== null && !statuses.includes("new");
}

/** True also when nothing is known yet: then it is tried. */
export function filtersByStatus({ statuses }: Capabilities, status: ExecutionStatus): boolean {
  return statuses === null || statuses.includes(status);
}
