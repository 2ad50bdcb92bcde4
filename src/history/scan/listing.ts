/**
 * Lists executions without data, newest first, and skips the stretches that are fully known.
 *
 * Promises: it never lists an id twice; it ends at the end of the window or of history, or throws if n8n's cursor does
 * not advance. n8n filters by date if it can; otherwise the starting point is found by binary search with hand-made
 * cursors, and dates are compared here.
 */
import type { ExecutionQuery, ListedExecutions } from "../../n8n/client.ts";
import { cursorBelow, readExecutionCursor, withLimit } from "../../n8n/execution-cursor.ts";
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { isRefusedByN8n, ObserverError } from "../../platform/errors.ts";
import { isNewer, lowerOf, newestFirst } from "../../platform/id-order.ts";
import { FIRST_PAGE_SIZE, MAX_PAGE_SIZE } from "../reading/page-size.ts";
import { HIGHEST_ID, type IdRange, idFrom } from "../store/gaps.ts";
import { isInside, knownDownTo } from "../store/stretches.ts";
import { isWholeHistory, type TraceWindow } from "../store/trace-window.ts";
import type { ListedPage } from "./jobs.ts";
import type { ScanOptions } from "./scan-options.ts";
import type { ScanSession } from "./session.ts";
import type { UnlistedReader } from "./unlisted.ts";
import { isInWindow, timeIn } from "./window.ts";

/** Executions per step of the binary search: one of them may have begun far later than its neighbours. */
const ITEMS_PER_PROBE = 10;

/** `ids` includes executions of an unknown shape. */
type Page = Pick<ListedExecutions, "executions" | "nextCursor"> & { readonly ids: readonly string[] };

export class Listing {
  readonly #session: ScanSession;
  readonly #unlisted: UnlistedReader;
  readonly #options: ScanOptions;
  readonly #firstPageSize: number;
  /** The window that is listed: a wider one if missing ids are to show. */
  readonly #listedWindow: TraceWindow;
  /** Nothing was known at the start: it stops where another scan is reading. */
  readonly #isNothingKnown: boolean;
  #filtersDates: boolean;
  /** The last query, and the page it returned. */
  #query: ExecutionQuery;
  #page: Page = { executions: [], ids: [], nextCursor: null };
  #listed: ListedPage | null = null;
  /** The lowest id that was listed or is known. */
  #lowest: string | null = null;
  /** The last id that n8n listed. */
  #last: string | null = null;
  /** Everything down to this id was read without a list; null if listing continues from the previous page. */
  #readTo: string | null = null;

  /** @param filtersDates false if this n8n is known not to filter by date */
  constructor(session: ScanSession, unlisted: UnlistedReader, filtersDates: boolean) {
    this.#session = session;
    this.#unlisted = unlisted;
    this.#options = session.options;
    this.#isNothingKnown = session.ranges.stretches.length === 0;
    this.#firstPageSize = session.options.look?.firstListSize ?? FIRST_PAGE_SIZE;
    this.#listedWindow = session.hidesExecutions ? unlisted.widenedWindow : session.options.window;
    this.#filtersDates = filtersDates && !session.hidesExecutions;
    this.#query = this.#queryFor(this.#firstPageSize, undefined);
  }

  /** Marks everything down to this id as read, so that it is not listed. Call this between two pages. */
  skipDownTo(id: string): void {
    this.#readTo = id;
  }

  /**
   * Requests the first page and compares it at once: what another scan learns while the running and waiting executions
   * are being listed is newer than this page.
   * @throws ObserverError
   */
  async begin(): Promise<void> {
    this.#page = await this.#firstPage(this.#query);
    const [newest] = this.#page.executions;
    if (newest !== undefined && isWholeHistory(this.#options.window))
      this.#session.ranges.compareNewest(newest.id);
    this.#listed = this.#toListed(this.#page, this.#query);
  }

  /** Call this after `begin`. @throws ObserverError */
  async *pages(): AsyncGenerator<ListedPage, void> {
    for (let listed = this.#listed; listed !== null; ) {
      yield listed;
      const next = this.#nextQuery(this.#page, listed);
      if (next === null) return;
      this.#query = next;
      this.#page = await this.#listWithDates(next);
      listed = this.#toListed(this.#page, next);
    }
  }

  async #firstPage(query: ExecutionQuery): Promise<Page> {
    const page = await this.#listWithDates(query);
    const newest = page.executions[0];
    if (newest === undefined || this.#filtersDates || this.#timeInWindow(newest) !== "after") return page;
    // There is nothing further down, or only n8n's own cursors lead there.
    if (page.nextCursor === null || isOpaque(page.nextCursor)) return page;
    const cursor = await this.#cursorBeforeWindowEnd(newest.id);
    return await this.#list(this.#queryFor(this.#firstPageSize, cursor));
  }

  /** Filters by date until n8n refuses or ignores it, which may happen on any page. */
  async #listWithDates(query: ExecutionQuery): Promise<Page> {
    const { startedAfter: _after, startedBefore: _before, ...withoutDates } = query;
    const hasDates = query.startedAfter !== undefined || query.startedBefore !== undefined;
    try {
      const page = await this.#list(query);
      if (!hasDates || page.executions.every((item) => this.#timeInWindow(item) === "inside")) return page;
      await this.#stopFilteringDates();
      return page;
    } catch (error) {
      if (!hasDates || !isRefusedByN8n(error)) throw error;
      await this.#stopFilteringDates();
      return await this.#list(withoutDates);
    }
  }

  #timeInWindow(item: ExecutionListItem) {
    return timeIn(this.#listedWindow, item);
  }

  async #stopFilteringDates(): Promise<void> {
    this.#filtersDates = false;
    await this.#options.capabilities.learn({ filtersDates: false });
  }

  async #list(query: ExecutionQuery): Promise<Page> {
    const { store, clock } = this.#options;
    const askedAt = clock.now();
    const listed = await this.#session.list(query);
    const unrecognized = listed.unrecognizedIds.flatMap((id) => id ?? []);
    const ids = [...listed.executions.map(({ id }) => id), ...unrecognized].sort(newestFirst);
    const page = { ...listed, ids };
    this.#unlisted.noteListed(page.executions);
    const range = wholeRange(query, page, this.#last);
    if (range !== null && this.#session.ranges.mayClaim) store.rows.markMissing(range, ids, askedAt);
    return page;
  }

  #queryFor(limit: number, cursor: string | undefined): ExecutionQuery {
    const { workflowId, startedAfter, startedBefore } = this.#options.window;
    // If missing ids are to show, all executions are listed; workflow and dates are then compared here.
    const listed = this.#session.hidesExecutions ? null : workflowId;
    const dates = this.#filtersDates
      ? { startedAfter: startedAfter ?? undefined, startedBefore: startedBefore ?? undefined }
      : {};
    return { workflowId: listed ?? undefined, ...dates, limit, cursor };
  }

  #toListed({ executions, ids, nextCursor }: Page, query: ExecutionQuery): ListedPage {
    const { window } = this.#options;
    const previous = this.#lowest;
    const lowest = ids.at(-1) ?? null;
    const hasMoved =
      lowest === null ? nextCursor === null : this.#last === null || isNewer(this.#last, lowest);
    if (!hasMoved) throw cursorDoesNotAdvance();
    this.#last = lowest;
    const isKnown = ({ id }: ExecutionListItem): boolean => previous !== null && !isNewer(previous, id);
    this.#unlisted.noteSkipped(executions.filter(isKnown));
    const items = executions.filter((item) => !isKnown(item) && isInWindow(window, item));
    // After `unreadOf`, which may remove stretches.
    const unread = this.#session.ranges.unreadOf(items);
    const changed = this.#options.ownReads === null ? unread : this.#session.ranges.changedOf(items);
    const unchanged = items.filter(({ id }) => !changed.has(id));
    // A restored n8n may reuse ids, so a stretch is trusted only if one of its executions is listed unchanged.
    const stretches = this.#session.ranges.stretches.filter((one) =>
      unchanged.some(({ id }) => isInside(id, one)),
    );
    const known = lowest === null ? { low: null, isBottom: false } : knownDownTo(lowest, stretches);
    this.#lowest = previous === null ? known.low : lowerOf(known.low ?? previous, previous);
    const isBeforeWindow =
      executions.length > 0 && executions.every((item) => this.#timeInWindow(item) === "before");
    // With a filter for the oldest date, the end of the list is not the end of history.
    const isEnd = nextCursor === null && (window.startedAfter === null || !this.#filtersDates);
    const cursor = nextCursor ?? query.cursor;
    return {
      items,
      unread,
      listedTo: lowest,
      low: known.low ?? (isEnd ? this.#lowestListed : null),
      isLast:
        nextCursor === null ||
        isBeforeWindow ||
        known.isBottom ||
        ((unchanged.length > 0 || this.#isNothingKnown) && this.#isAtStop(known.low)),
      isBottom: known.isBottom || isEnd,
      query: cursor !== undefined && isOpaque(cursor) ? query : null,
    };
  }

  /** The `low` of an empty page: it shows that this id is the oldest. Null if older ones were read without a list. */
  get #lowestListed(): string | null {
    const hasReadOn = this.#lowest !== null && this.#readTo !== null && isNewer(this.#lowest, this.#readTo);
    return hasReadOn ? null : this.#lowest;
  }

  #isAtStop(low: string | null): boolean {
    const stopAt = this.#options.look?.stopAt ?? null;
    return stopAt !== null && low !== null && !isNewer(low, stopAt);
  }

  #nextQuery({ nextCursor }: Page, listed: ListedPage): ExecutionQuery | null {
    if (listed.isLast || nextCursor === null || listed.low === null) return null;
    if (listed.query !== null) return this.#queryFor(MAX_PAGE_SIZE, withLimit(nextCursor, MAX_PAGE_SIZE));
    const low = this.#readTo === null ? listed.low : lowerOf(this.#readTo, listed.low);
    return this.#queryFor(MAX_PAGE_SIZE, cursorBelow(low, MAX_PAGE_SIZE));
  }

  /** A cursor at the newest execution that started before the end of the window, or a little above it. */
  async #cursorBeforeWindowEnd(newestId: string): Promise<string> {
    let low = 0n;
    let high = BigInt(newestId) + 1n;
    while (high - low > BigInt(MAX_PAGE_SIZE)) {
      const middle = (low + high) / 2n;
      const { executions } = await this.#list(
        this.#queryFor(ITEMS_PER_PROBE, cursorBelow(String(middle), ITEMS_PER_PROBE)),
      );
      const [item] = executions;
      const areAfter = executions.every((one) => this.#timeInWindow(one) === "after");
      if (item !== undefined && areAfter) high = BigInt(item.id);
      else low = middle;
    }
    return cursorBelow(String(high), this.#firstPageSize);
  }
}

/**
 * The id range of which a page shows everything that n8n lists; null if it may omit some. Ids above the first page can
 * only be newer; below the last page there is nothing.
 * @param before the last id of the previous page, where n8n's own cursor continues
 */
function wholeRange(
  { workflowId, startedAfter, startedBefore, cursor }: ExecutionQuery,
  { ids, nextCursor }: Page,
  before: string | null,
): IdRange | null {
  const [first] = ids;
  if (workflowId !== undefined || startedAfter !== undefined || startedBefore !== undefined) return null;
  const above = cursor === undefined ? null : (readExecutionCursor(cursor)?.lastId ?? before);
  const high = above === null ? first && HIGHEST_ID : idFrom(above, -1);
  const low = nextCursor === null ? "0" : ids.at(-1);
  return high === undefined || low === undefined ? null : { high, low };
}

const isOpaque = (cursor: string): boolean => readExecutionCursor(cursor) === undefined;

function cursorDoesNotAdvance(): ObserverError {
  return new ObserverError("N8N_BAD_RESPONSE", "n8n's cursor does not advance.", {
    solution: "Narrow the window with startedBefore to get past this place.",
  });
}
