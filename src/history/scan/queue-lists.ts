/**
 * Lists the executions around ids that may be in n8n's queue, to see which have begun.
 *
 * Promises: up to 20 requests each; they end early when the scan has to.
 */
import { cursorBelow } from "../../n8n/execution-cursor.ts";
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { isBadRequest } from "../../platform/errors.ts";
import { isNewer, newestFirst } from "../../platform/id-order.ts";
import { MAX_PAGE_SIZE } from "../reading/page-size.ts";
import { idFrom } from "../store/gaps.ts";
import type { ScanSession } from "./session.ts";

const MAX_LISTS = 20;

/** Newest first. @param lowOf the id to list down to, given the newest one @throws ObserverError */
export async function listNewest(
  session: ScanSession,
  lowOf: (newest: string) => string,
): Promise<readonly ExecutionListItem[]> {
  const items: ExecutionListItem[] = [];
  let cursor: string | undefined;
  for (let lists = 0; lists < MAX_LISTS; lists += 1) {
    const { executions, nextCursor } = await session.list({ limit: MAX_PAGE_SIZE, cursor });
    items.push(...executions);
    const [highest = "0", lowest = "0"] = [items[0]?.id, items.at(-1)?.id];
    if (nextCursor === null || !isNewer(lowest, lowOf(highest)) || session.mustStop()) break;
    cursor = nextCursor;
  }
  return items;
}

/** Lists the neighbours of these ids. @returns which have begun, and which were not checked @throws ObserverError */
export async function listBegun(
  session: ScanSession,
  ids: readonly string[],
): Promise<{ readonly begun: readonly string[]; readonly unlisted: readonly string[] }> {
  const begun: string[] = [];
  let unlisted = ids.toSorted(newestFirst);
  for (let lists = 0; lists < MAX_LISTS && unlisted[0] !== undefined; lists += 1) {
    if (session.mustStop()) break;
    const cursor = cursorBelow(idFrom(unlisted[0], 1), MAX_PAGE_SIZE);
    try {
      const { executions, nextCursor } = await session.list({ limit: MAX_PAGE_SIZE, cursor });
      // After a restart, n8n also lists queued executions.
      const listed = new Set(executions.filter(({ status }) => status !== "new").map(({ id }) => id));
      const lowest = nextCursor === null ? "0" : (executions.at(-1)?.id ?? "0");
      begun.push(...unlisted.filter((id) => listed.has(id)));
      unlisted = unlisted.filter((id) => isNewer(lowest, id));
    } catch (error) {
      // This n8n refuses hand-made cursors.
      if (!isBadRequest(error)) throw error;
      break;
    }
  }
  return { begun, unlisted };
}
