/**
 * Lists executions without data, newest first, and passes over the stretches of which all is known.
 *
 * Promises: it never lists an id twice; it ends at the end of the window or of history, or throws when n8n's
 * cursor does not move on. Dates are n8n's own filter where it has one; else the place to begin is searched
 * for by cursors made by hand, and dates are compared here.
 */

import type { ExecutionQuery, ListedExecutions } from "../../n8n/client.ts";
import { cursorBelow, readExecutionCursor, withLimit } from "../../n8n/execution-cursor.ts";
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { ObserverError } from "../../platform/errors.ts";
import { FIRST_PAGE_SIZE, MAX_PAGE_SIZE } from "../reading/page-size.ts";
import { type IdRange, idFrom } from "../store/gaps.ts";
import { knownDownTo } from "../store/stretches.ts";
import { isNewer, lowerOf } from "../store/traced-execution.ts";
import type { ListedPage } from "./jobs.ts";
import type { ScanRanges } from "./ranges.ts";
import type { ScanOptions } from "./scan-options.ts";
import type { ScanSession } from "./session.ts";
import type { UnlistedReader } from "./unlisted.ts";
import { isInWindow, timeIn } from "./window.ts";

/** A full page with data; n8n gives no more at once. */
const PAGE_SIZE = MAX_PAGE_SIZE;

type Page = Pick<ListedExecutions, "executions" | "nextCursor">;

export class Listing {
  readonly #session: ScanSession;
  readonly #ranges: ScanRanges;
  readonly #unlisted: UnlistedReader;
  readonly #options: ScanOptions;
  readonly #firstPageSize: number;
  /** Whatever the window, to see which ids are in no list: workflow and dates are compared here then. */
  readonly #listsAll: boolean;
  #filtersDates: boolean;
  /** The page that was listed last, and what it was asked for with. */
  #query: ExecutionQuery;
  #page: Page = { executions: [], nextCursor: null };
  #listed: ListedPage | null = null;
  /** The lowest id that was listed or is known. */
  #lowest: string | null = null;
  /** The last id that n8n listed. */
  #last: string | null = null;
  /** Down to this id all was read without a list; null where it is listed on from the page before. */
  #readTo: string | null = null;

  /** @param filtersDates false when this n8n is known not to filter by date */
  constructor(session: ScanSession, ranges: ScanRanges, unlisted: UnlistedReader, filtersDates: boolean) {
    this.#session = session;
    this.#ranges = ranges;
    this.#unlisted = unlisted;
    this.#options = session.options;
    this.#firstPageSize = session.options.head?.listed ?? FIRST_PAGE_SIZE;
    this.#listsAll = session.leavesOut;
    this.#filtersDates = filtersDates && !session.leavesOut;
    this.#query = this.#queryFor(this.#firstPageSize, undefined);
  }

  /** All down to this id was read, and is not to be listed. To be called between two pages. */
  passOver(id: string): void {
    this.#readTo = id;
  }

  /**
   * Asks for the first page, and compares it at once: what another scan learns while the running and waiting ones are
   * being listed is newer than this page.
   * @throws ObserverError
   */
  async begin(): Promise<void> {
    this.#page = await this.#firstPage(this.#query);
    this.#listed = this.#toListed(this.#page, this.#query);
  }

  /** To be called once it has begun. @throws ObserverError */
  async *pages(): AsyncGenerator<ListedPage, void> {
    for (let listed = this.#listed; listed !== null; ) {
      yield listed;
      const next = this.#nextQuery(this.#page, listed);
      if (next === null) return;
      this.#query = next;
      this.#page = await this.#listLearning(next);
      listed = this.#toListed(this.#page, next);
    }
  }

  async #firstPage(query: ExecutionQuery): Promise<Page> {
    const page = await this.#listLearning(query);
    const newest = page.executions[0];
    if (newest === undefined || this.#filtersDates || this.#timeOf(newest) !== "after") return page;
    // Nothing is further down, or no cursor leads there but those that n8n hands out.
    if (page.nextCursor === null || isOpaque(page.nextCursor)) return page;
    const cursor = await this.#cursorBeforeWindowEnd(newest.id);
    return await this.#list(this.#queryFor(this.#firstPageSize, cursor));
  }

  /** Asks with dates, and without them once n8n refuses or ignores them, which it may do at any page. */
  async #listLearning(query: ExecutionQuery): Promise<Page> {
    const { startedAfter: _after, startedBefore: _before, ...withoutDates } = query;
    const hasDates = query.startedAfter !== undefined || query.startedBefore !== undefined;
    try {
      const page = await this.#list(query);
      if (!hasDates || page.executions.every((item) => this.#timeOf(item) === "inside")) return page;
      await this.#forgoDateFilter();
      return page;
    } catch (error) {
      if (!hasDates || !isUnknownParameter(error)) throw error;
      await this.#forgoDateFilter();
      return await this.#list(withoutDates);
    }
  }

  #timeOf(item: ExecutionListItem) {
    return timeIn(this.#options.window, item);
  }

  async #forgoDateFilter(): Promise<void> {
    this.#filtersDates = false;
    await this.#options.capabilities.learn({ filtersDates: false });
  }

  async #list(query: ExecutionQuery): Promise<Page> {
    const { store, clock } = this.#options;
    const askedAt = clock.now();
    const page = await this.#session.list(query);
    this.#unlisted.see(page.executions);
    const range = wholeRange(query, page, this.#last);
    const ids = page.executions.map(({ id }) => id);
    if (range !== null) store.rows.markMissing(range, ids, askedAt);
    return page;
  }

  #queryFor(limit: number, cursor: string | undefined): ExecutionQuery {
    const { workflowId, startedAfter, startedBefore } = this.#options.window;
    const dates = this.#filtersDates
      ? { startedAfter: startedAfter ?? undefined, startedBefore: startedBefore ?? undefined }
      : {};
    return { workflowId: (this.#listsAll ? null : workflowId) ?? undefined, ...dates, limit, cursor };
  }

  #toListed({ executions, nextCursor }: Page, query: ExecutionQuery): ListedPage {
    const { window } = this.#options;
    const previous = this.#lowest;
    const lowest = executions.at(-1)?.id ?? null;
    const hasMoved =
      lowest === null ? nextCursor === null : this.#last === null || isNewer(this.#last, lowest);
    if (!hasMoved) throw stuck();
    this.#last = lowest;
    const items = executions.filter(
      (item) => (previous === null || isNewer(previous, item.id)) && isInWindow(window, item),
    );
    // What it learns may take stretches away.
    const unread = this.#ranges.unreadOf(items);
    const { stretches } = this.#ranges;
    const known = lowest === null ? { low: null, isBottom: false } : knownDownTo(lowest, stretches);
    this.#lowest = previous === null ? known.low : lowerOf(known.low ?? previous, previous);
    const isBeforeWindow =
      executions.length > 0 && executions.every((item) => this.#timeOf(item) === "before");
    // With a filter for the oldest date, the end of the list is not the end of history.
    const isEnd = nextCursor === null && (window.startedAfter === null || !this.#filtersDates);
    const cursor = nextCursor ?? query.cursor;
    return {
      items,
      unread,
      listedTo: lowest,
      low: known.low,
      isLast: nextCursor === null || isBeforeWindow || known.isBottom || this.#isAtStop(known.low),
      isBottom: known.isBottom || isEnd,
      query: cursor !== undefined && isOpaque(cursor) ? query : null,
    };
  }

  #isAtStop(low: string | null): boolean {
    const stopAt = this.#options.head?.stopAt ?? null;
    return stopAt !== null && low !== null && !isNewer(low, stopAt);
  }

  #nextQuery({ nextCursor }: Page, listed: ListedPage): ExecutionQuery | null {
    if (listed.isLast || nextCursor === null || listed.low === null) return null;
    if (listed.query !== null) return this.#queryFor(PAGE_SIZE, withLimit(nextCursor, PAGE_SIZE));
    const low = this.#readTo === null ? listed.low : lowerOf(this.#readTo, listed.low);
    return this.#queryFor(PAGE_SIZE, cursorBelow(low, PAGE_SIZE));
  }

  /** A cursor at the newest execution that started before the end of the window, or a little above it. */
  async #cursorBeforeWindowEnd(newestId: string): Promise<string> {
    let low = 0n;
    let high = BigInt(newestId) + 1n;
    while (high - low > BigInt(PAGE_SIZE)) {
      const middle = (low + high) / 2n;
      const { executions } = await this.#list(this.#queryFor(1, cursorBelow(String(middle), 1)));
      const [item] = executions;
      if (item !== undefined && this.#timeOf(item) === "after") high = BigInt(item.id);
      else low = middle;
    }
    return cursorBelow(String(high), this.#firstPageSize);
  }
}

/**
 * The ids of which a page has all that n8n lists; null where it may leave some out. Above the first page there is what
 * began since; below the last one nothing.
 * @param before the last id of the page before, which n8n's own cursor goes on from
 */
function wholeRange(
  { workflowId, startedAfter, startedBefore, cursor }: ExecutionQuery,
  { executions, nextCursor }: Page,
  before: string | null,
): IdRange | null {
  const [first] = executions;
  if (workflowId !== undefined || startedAfter !== undefined || startedBefore !== undefined) return null;
  const above = cursor === undefined ? null : (readExecutionCursor(cursor)?.lastId ?? before);
  const high = above === null ? first?.id : idFrom(above, -1);
  const low = nextCursor === null ? "0" : executions.at(-1)?.id;
  return high === undefined || low === undefined ? null : { high, low };
}

const isOpaque = (cursor: string): boolean => readExecutionCursor(cursor) === undefined;

function isUnknownParameter(error: unknown): boolean {
  return error instanceof ObserverError && error.details.httpStatus === 400;
}

function stuck(): ObserverError {
  return new ObserverError("N8N_BAD_RESPONSE", "n8n's cursor does not move on.", {
    solution: "Narrow the window with startedBefore to get past this place.",
  });
}
