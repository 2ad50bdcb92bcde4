/**
 * n8n's cursor for lists of executions: plain base64 of `{"lastId":"6","limit":2}`. It can be built by
 * hand, which gives random access by id. That is undocumented, so the ordinary cursor remains the fallback.
 * Source: n8n `packages/cli/src/public-api/v1/shared/services/pagination.service.ts`.
 */
import * as z from "zod";

const executionCursor = z.object({ lastId: z.coerce.string().regex(/^\d{1,19}$/), limit: z.number().int() });

/** A cursor that continues below the execution `lastId`. */
export const cursorBelow = (lastId: string, limit: number): string => btoa(JSON.stringify({ lastId, limit }));

/** The id below which a cursor continues, or undefined when it is not such a cursor. */
export function readExecutionCursor(cursor: string): { lastId: string; limit: number } | undefined {
  try {
    return executionCursor.safeParse(JSON.parse(atob(cursor))).data;
  } catch {
    // Not base64 or not JSON: not a cursor of this kind.
    return undefined;
  }
}

/** Changes the page size in the cursor, because n8n uses it instead of the query's `limit`. */
export function withLimit(cursor: string, limit: number): string {
  const place = readExecutionCursor(cursor);
  return place === undefined ? cursor : cursorBelow(place.lastId, limit);
}
