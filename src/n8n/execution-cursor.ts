/**
 * n8n's cursor for lists of executions: plain base64 of `{"lastId":"6","limit":2}`. It may be made by
 * hand, which gives random access by id. Undocumented, so the ordinary cursor stays the fall-back.
 * Source: n8n `packages/cli/src/public-api/v1/shared/services/pagination.service.ts`.
 */
import * as z from "zod";

const executionCursor = z.object({ lastId: z.coerce.string().regex(/^\d{1,19}$/), limit: z.number().int() });

/** A cursor that continues below the execution `lastId`. */
export function cursorBelow(lastId: string, limit: number): string {
  return btoa(JSON.stringify({ lastId, limit }));
}

/** The id a cursor continues below, or undefined when it is not such a cursor. */
export function readExecutionCursor(cursor: string): { lastId: string; limit: number } | undefined {
  try {
    const parsed = executionCursor.safeParse(JSON.parse(atob(cursor)));
    return parsed.success ? parsed.data : undefined;
  } catch {
    // Not base64 or not JSON: not a cursor of this kind.
    return undefined;
  }
}

/** Changes the page size in the cursor, since n8n ignores the query's for that of the cursor. */
export function withLimit(cursor: string, limit: number): string {
  const place = readExecutionCursor(cursor);
  return place === undefined ? cursor : cursorBelow(place.lastId, limit);
}
