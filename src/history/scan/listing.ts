/**
 * Lists executions without data, newest first, and passes over the stretches of which all is known.
 *
 * Promises: it never lists an id twice; it ends at the end of the window or of history, or throws when n8n's
 * cursor does not move on. Dates are n8n's own filter where it has one; else the place to begin is searched
 * for by cursors made by hand, and dates are compared here.
 */

import type { ExecutionQuery } from "../../n8n/client.ts";
import { cursorBelow, readExecutionCursor, withLimit } from "../../n8n/execution-cursor.ts";
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { ObserverError } from "../../platform/errors.ts";
import { MAX_PAGE_SIZE } from "../reading/page-size.ts";
import { type IdRange, idFrom } from "../store/gaps.ts";
import { knownDownTo, type Stretch } from "../store/stretches.ts";
import type { TraceWindow } from "../store/trace-window.ts";
import { isNewer, lowerOf } from "../store/traced-execution.ts";

/** A full page with data; n8n gives no more at once. */
const PAGE_SIZE = MAX_PAGE_SIZE;

export interface ListedPage {
  /** Those of the window, newest first. */
  readonly items: readonly ExecutionListItem[];
  /** Ids of those that have to be read. */
  readonly unread: ReadonlySet<string>;
  /** The lowest that n8n listed; null for an empty page. */
  readonly listedTo: string | null;
  /** Everything from the page before down to this id was listed or is known; null for an empty page. */
  readonly low: string | null;
  /** True when there is nothing more in the window. */
  readonly isLast: boolean;
  /** True when, besides, there is nothing older at all. */
  readonly isBottom: boolean;
  /** What gets the same executions with data from an n8n whose cursors cannot be made by hand; else null. */
  readonly query: ExecutionQuery | null;
}

export interface ListingOptions {
  /** Asks n8n for one page without data. */
  readonly list: (query: ExecutionQuery) => Promise<Page>;
  readonly window: TraceWindow;
  /**
   * True when all executions are listed, whatever the window, to see which ids are in no list: workflow and dates
   * are then compared here.
   */
  readonly listsAll: boolean;
  /** Told of each execution that is listed on the way, in the window or beside it. */
  readonly onListed: (items: readonly ExecutionListItem[]) => void;
  /** Told of a range of ids of which these are all that n8n lists, and since when, epoch ms. */
  readonly onWhole: (range: IdRange, ids: readonly string[], askedAt: number) => void;
  readonly now: () => number;
  /** How many are listed at first. */
  readonly firstPageSize: number;
  /** It is not listed farther than to this id; null where there is no such bound. */
  readonly stopAt: string | null;
  /** Tells which of the listed have to be read; what it learns may take stretches away. */
  readonly unreadOf: (items: readonly ExecutionListItem[]) => Promise<ReadonlySet<string>>;
  /** Of which all is known. */
  readonly stretches: () => readonly Stretch[];
  /** False when this n8n is known not to filter by date. */
  readonly filtersDates: boolean;
  /** Told once when n8n turns out not to filter by date. */
  readonly onNoDateFilter: () => Promise<void>;
}

interface Page {
  readonly executions: readonly ExecutionListItem[];
  readonly nextCursor: string | null;
}

export class Listing {
  readonly #options: ListingOptions;
  #filtersDates: boolean;
  /** The lowest id that was listed, or is known from there on. */
  #lowest: string | null = null;
  /** The last id that n8n itself listed. */
  #last: string | null = null;
  /** Down to this id all was read without a list; null where it is listed on from the page before. */
  #readTo: string | null = null;

  constructor(options: ListingOptions) {
    this.#options = options;
    this.#filtersDates = options.filtersDates && !options.listsAll;
  }

  /** All down to this id was read, and is not to be listed. To be called between two pages. */
  passOver(id: string): void {
    this.#readTo = id;
  }

  /** @throws ObserverError */
  async *pages(): AsyncGenerator<ListedPage, void> {
    let query = this.#query(this.#options.firstPageSize, undefined);
    let page = await this.#firstPage(query);
    for (;;) {
      const listed = await this.#toListed(page, query);
      yield listed;
      const next = this.#nextQuery(page, listed);
      if (next === null) return;
      query = next;
      page = await this.#listLearning(query);
    }
  }

  async #firstPage(query: ExecutionQuery): Promise<Page> {
    const { startedBefore } = this.#options.window;
    const page = await this.#listLearning(query);
    if (startedBefore === null || this.#filtersDates) return page;
    const newest = page.executions[0];
    if (newest === undefined || !isAfter(newest, startedBefore)) return page;
    // Nothing is further down, or no cursor leads there but those that n8n hands out.
    if (page.nextCursor === null || isOpaque(page.nextCursor)) return page;
    const cursor = await this.#cursorAt(startedBefore, newest.id);
    return await this.#list(this.#query(this.#options.firstPageSize, cursor));
  }

  /** Asks with dates, and without them once n8n refuses or ignores them, which it may do at any page. */
  async #listLearning(query: ExecutionQuery): Promise<Page> {
    const { startedAfter, startedBefore } = this.#options.window;
    const { startedAfter: _after, startedBefore: _before, ...withoutDates } = query;
    const hasDates = query.startedAfter !== undefined || query.startedBefore !== undefined;
    try {
      const page = await this.#list(query);
      const isIgnored = page.executions.some(
        (item) =>
          (startedBefore !== null && isAfter(item, startedBefore)) ||
          (startedAfter !== null && isBefore(item, startedAfter)),
      );
      if (!hasDates || !isIgnored) return page;
      await this.#forgoDateFilter();
      return page;
    } catch (error) {
      if (!hasDates || !isUnknownParameter(error)) throw error;
      await this.#forgoDateFilter();
      return await this.#list(withoutDates);
    }
  }

  async #forgoDateFilter(): Promise<void> {
    this.#filtersDates = false;
    await this.#options.onNoDateFilter();
  }

  async #list(query: ExecutionQuery): Promise<Page> {
    const askedAt = this.#options.now();
    const page = await this.#options.list(query);
    this.#options.onListed(page.executions);
    const range = wholeRange(query, page, this.#last);
    if (range !== null)
      this.#options.onWhole(
        range,
        page.executions.map(({ id }) => id),
        askedAt,
      );
    return page;
  }

  #query(limit: number, cursor: string | undefined): ExecutionQuery {
    const { listsAll, window } = this.#options;
    const { startedAfter, startedBefore } = window;
    const workflowId = listsAll ? null : window.workflowId;
    const dates = this.#filtersDates
      ? { startedAfter: startedAfter ?? undefined, startedBefore: startedBefore ?? undefined }
      : {};
    return { workflowId: workflowId ?? undefined, ...dates, limit, cursor };
  }

  async #toListed({ executions, nextCursor }: Page, query: ExecutionQuery): Promise<ListedPage> {
    const { window } = this.#options;
    const previous = this.#lowest;
    const lowest = executions.at(-1)?.id ?? null;
    const hasMoved =
      lowest === null ? nextCursor === null : this.#last === null || isNewer(this.#last, lowest);
    if (!hasMoved) throw stuck();
    this.#last = lowest;
    const items = executions.filter(
      (item) => (previous === null || isNewer(previous, item.id)) && isInWindow(item, window),
    );
    const unread = await this.#options.unreadOf(items);
    const stretches = this.#options.stretches();
    const known = lowest === null ? { low: null, isBottom: false } : knownDownTo(lowest, stretches);
    this.#lowest = previous === null ? known.low : lowerOf(known.low ?? previous, previous);
    const { startedAfter } = window;
    const isBeforeWindow =
      startedAfter !== null &&
      executions.length > 0 &&
      executions.every((item) => isBefore(item, startedAfter));
    // With a filter for the oldest date, the end of the list is not the end of history.
    const isEnd = nextCursor === null && (startedAfter === null || !this.#filtersDates);
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
    const { stopAt } = this.#options;
    return stopAt !== null && low !== null && !isNewer(low, stopAt);
  }

  #nextQuery({ nextCursor }: Page, listed: ListedPage): ExecutionQuery | null {
    if (listed.isLast || nextCursor === null || listed.low === null) return null;
    if (listed.query !== null) return this.#query(PAGE_SIZE, withLimit(nextCursor, PAGE_SIZE));
    const low = this.#readTo === null ? listed.low : lowerOf(this.#readTo, listed.low);
    return this.#query(PAGE_SIZE, cursorBelow(low, PAGE_SIZE));
  }

  /** A cursor at the newest execution that started no later than this, or a little above it. */
  async #cursorAt(startedBefore: string, newestId: string): Promise<string> {
    let low = 0n;
    let high = BigInt(newestId) + 1n;
    while (high - low > BigInt(PAGE_SIZE)) {
      const middle = (low + high) / 2n;
      const { executions } = await this.#list(this.#query(1, cursorBelow(String(middle), 1)));
      const [item] = executions;
      if (item !== undefined && isAfter(item, startedBefore)) high = BigInt(item.id);
      else low = middle;
    }
    return cursorBelow(String(high), this.#options.firstPageSize);
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

const isAfter = (item: ExecutionListItem, date: string): boolean =>
  item.startedAt !== null && Date.parse(item.startedAt) > Date.parse(date);

const isBefore = (item: ExecutionListItem, date: string): boolean =>
  item.startedAt !== null && Date.parse(item.startedAt) < Date.parse(date);

/** Where n8n does not filter this does. An execution that has not started is at any time. */
export function isInWindow(
  item: ExecutionListItem,
  { workflowId, startedAfter, startedBefore }: TraceWindow,
): boolean {
  if (workflowId !== null && item.workflowId !== workflowId) return false;
  if (startedAfter !== null && isBefore(item, startedAfter)) return false;
  return startedBefore === null || !isAfter(item, startedBefore);
}

function isUnknownParameter(error: unknown): boolean {
  return error instanceof ObserverError && error.details.httpStatus === 400;
}

function stuck(): ObserverError {
  return new ObserverError("N8N_BAD_RESPONSE", "n8n's cursor does not move on.", {
    solution: "Narrow the window with startedBefore to get past this place.",
  });
}
