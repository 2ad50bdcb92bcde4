/**
 * Searches the payload of executions while it streams in, except for what redaction hides.
 *
 * Each item is redacted as a whole before it is searched, whether or not it has a hit, so a right guess at a secret
 * costs and shows exactly the same as a wrong one. An item that is too large to be redacted is not searched.
 */
import type { PathSegment } from "../../json/path-text.ts";
import type { PayloadPlace } from "../../n8n/execution-walk.ts";
import { orderOf, type ValuePlace } from "./id-collector.ts";
import { MAX_NESTED_JSON, parseContainer, scalarsIn } from "./json-scalars.ts";
import { ItemBounds, MAX_ITEM_BYTES, type PayloadItem, type RedactLarge } from "./payload-items.ts";
import { excerptOf, type SearchTarget } from "./search-target.ts";

export interface PayloadSearchOptions {
  /** Read again for each item, because callers may join and leave a shared scan. */
  readonly searchTargets: () => readonly SearchTarget[];
  /** Redacts an item with a hit again for display; without it, hits have no excerpt. */
  readonly redactShown?: RedactLarge;
  readonly maxBytes: number;
}

export interface Hit extends ValuePlace {
  readonly excerpt: string;
}

export interface SearchedPayload {
  /** The first hits in the order of execution. */
  readonly hitsOf: (searchTarget: SearchTarget) => readonly Hit[];
  readonly isPartial: boolean;
  /** False if `maxBytes` ended the search. */
  readonly isWhole: boolean;
}

/** Redacts and searches an item that has streamed in. */
type Work = () => Promise<void>;

const MAX_HITS = 3;
/** Small items share a pause. Depends only on their size, not on what is found. */
const BYTES_UNTIL_PAUSE = 32 * 1024;
/** The redactor remembers displayed secrets, so this is bounded. Beyond it, excerpts have marks without numbers. */
const MAX_SHOWN_BYTES = 4 * 1024 * 1024;
/** A larger item is not redacted again for its excerpt. */
const MAX_SHOWN_ITEM_BYTES = 64 * 1024;

export class PayloadSearch {
  readonly options: PayloadSearchOptions;
  left: number;
  #sincePause = 0;
  #shownBytes = 0;

  constructor(options: PayloadSearchOptions) {
    this.options = options;
    this.left = options.maxBytes;
  }

  begin(): ExecutionSearch {
    return new ExecutionSearch(this);
  }

  /** True if other tasks should get a turn; the count then restarts. */
  takePause(): boolean {
    if (this.#sincePause < BYTES_UNTIL_PAUSE) return false;
    this.#sincePause = 0;
    return true;
  }

  noteRedacted(bytes: number): void {
    this.#sincePause += bytes;
  }

  async toShown(value: unknown, byteLength: number, redacted: unknown): Promise<unknown> {
    const { redactShown } = this.options;
    if (redactShown === undefined || byteLength > MAX_SHOWN_ITEM_BYTES) return redacted;
    if (this.#shownBytes + byteLength > MAX_SHOWN_BYTES) return redacted;
    this.#shownBytes += byteLength;
    return await redactShown(value);
  }
}

export class ExecutionSearch {
  readonly #search: PayloadSearch;
  readonly #hits = new Map<SearchTarget, Hit[]>();
  readonly #bounds = new ItemBounds();
  #isPartial = false;
  #isWhole = true;

  constructor(search: PayloadSearch) {
    this.#search = search;
  }

  get room(): number {
    if (this.#search.left <= 0 || this.#search.options.searchTargets().length === 0) return 0;
    return Math.min(this.#bounds.room, this.#search.left);
  }

  /** @param item null if it exceeded the room @returns work to be done later; null if there is none */
  see(item: PayloadItem | null, placeOf: () => PayloadPlace): Work | null {
    if (item === null || item.byteLength > this.room) return this.#miss();
    if (item.value === undefined) {
      this.#isPartial = true;
      return null;
    }
    this.#search.left -= this.#bounds.take(item);
    const place = placeOf();
    return async () => await this.#see(item, place);
  }

  /** Called after the execution has ended and all work is done, when the order of its runs is known. */
  result(): SearchedPayload {
    return {
      hitsOf: (searchTarget) => inOrder(this.#hits.get(searchTarget) ?? []),
      isPartial: this.#isPartial,
      isWhole: this.#isWhole,
    };
  }

  #miss(): null {
    if (this.#search.left >= MAX_ITEM_BYTES) {
      this.#isPartial = true;
      return null;
    }
    // The remaining bytes must not go to a later item just because it is small.
    this.#search.left = 0;
    this.#isWhole = false;
    return null;
  }

  async #see(item: PayloadItem, place: PayloadPlace): Promise<void> {
    const search = this.#search;
    const { value, byteLength } = item;
    const { searchTargets, redactShown } = search.options;
    const redacted = await item.redacted();
    search.noteRedacted(byteLength);
    for (const searchTarget of searchTargets()) {
      if (findIn(redacted, searchTarget, 1).length === 0) continue;
      const shown = await search.toShown(value, byteLength, redacted);
      const found = findIn(shown, searchTarget, MAX_HITS).map(({ text, at, path }) => ({
        run: place.run,
        item: place.item,
        path,
        excerpt: redactShown === undefined ? "" : excerptOf(text, at, searchTarget.text.length),
      }));
      const known = this.#hits.get(searchTarget) ?? [];
      const isNew = (hit: Hit): boolean => !known.some((one) => areSameCustomData(one, hit));
      this.#hits.set(searchTarget, inOrder([...known, ...found.filter(isNew)]));
    }
  }
}

/** Custom data also occurs in an execution's data. */
const areSameCustomData = (one: Hit, other: Hit): boolean =>
  one.run === null && other.run === null && one.path.join("\n") === other.path.join("\n");

const inOrder = (hits: readonly Hit[]): Hit[] =>
  hits.toSorted((a, b) => orderOf(a) - orderOf(b)).slice(0, MAX_HITS);

interface Found {
  readonly text: string;
  readonly at: number;
  readonly path: readonly PathSegment[];
}

/** Searches texts and numbers of a value, and JSON inside its texts. */
function findIn(value: unknown, searchTarget: SearchTarget, most: number): Found[] {
  const found: Found[] = [];
  const visit = (root: unknown, rootPath: readonly PathSegment[], nested: number): void => {
    for (const { text, path } of scalarsIn(root, rootPath, undefined, searchTarget.also)) {
      if (found.length === most) return;
      const at = searchTarget.find(text, path);
      if (at !== -1) found.push({ text, at, path: path() });
      if (nested < MAX_NESTED_JSON && mayHold(text, searchTarget.text))
        visit(parseContainer(text), path(), nested + 1);
    }
  };
  visit(value, [], 0);
  return found.slice(0, most);
}

/** JSON inside a text may escape any character. */
const mayHold = (text: string, searchTarget: string): boolean =>
  text.includes(searchTarget) || text.includes("\\");
