/**
 * Looks for something in the payload of executions as it passes by, and in nothing that redaction hides.
 *
 * Each item is redacted as a whole whether or not it holds what is sought, and only then looked at. So a right
 * guess at a secret costs and tells exactly what a wrong one does. What is too large to be redacted is not
 * looked at, for its size alone.
 */
import type { PayloadPlace } from "../n8n/execution-walk.ts";
import { excerptOf } from "./hit-excerpt.ts";
import { MAX_NESTED_JSON, parseContainer, scalarsIn } from "./json-scalars.ts";
import { orderOf, type ValuePlace } from "./look.ts";
import type { PathSegment } from "./request-id-paths.ts";
import type { Sought } from "./sought.ts";

/** Redacts a value of JSON, and gives JSON. */
export type Redact = (value: unknown) => unknown;

export interface PayloadSearchOptions {
  readonly sought: Sought;
  /** Decides what is a hit. It must keep nothing: it is given all that passes by. */
  readonly redact: Redact;
  /** Redacts what has a hit once more, to be shown; without it, hits have no excerpt. */
  readonly redactShown?: Redact;
  /** Most bytes that are redacted in all. */
  readonly maxBytes: number;
}

export interface Hit extends ValuePlace {
  /** Redacted; empty when none was asked for. */
  readonly excerpt: string;
}

export interface SearchedPayload {
  /** The first ones, in the order of execution. */
  readonly hits: readonly Hit[];
  /** True when a part could not be redacted: too large, too much, or no JSON. */
  readonly isPartial: boolean;
  /** False when no more was to be redacted, by `maxBytes`. */
  readonly isWhole: boolean;
}

/** Of one execution. */
const MAX_HITS = 3;
/** Of one item: it is held while it passes, and redacted in one go, which others wait for. */
const MAX_ITEM_BYTES = 1024 * 1024;
/** Of one execution: more could not be redacted within the time of a call. */
const MAX_EXECUTION_BYTES = 32 * 1024 * 1024;
/** Until a pause is due. It depends on the size of what is looked at alone, not on what is found. */
const BYTES_UNTIL_PAUSE = 32 * 1024;
/** What an item costs however small it is. */
const LEAST_ITEM_BYTES = 256;
/** The redactor remembers the secrets of what is shown. Beyond this, excerpts have marks without numbers. */
const MAX_SHOWN_BYTES = 4 * 1024 * 1024;

// A byte order mark in a payload is a character like any other.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: false });

/** One search, over as many executions as there are. */
export class PayloadSearch {
  readonly options: PayloadSearchOptions;
  /** How many bytes may still be redacted. */
  left: number;
  /** Bytes that were redacted since the last pause. */
  #sincePause = 0;
  #shownBytes = 0;

  constructor(options: PayloadSearchOptions) {
    this.options = options;
    this.left = options.maxBytes;
  }

  begin(): ExecutionSearch {
    return new ExecutionSearch(this);
  }

  spend(bytes: number): void {
    this.left -= bytes;
    this.#sincePause += bytes;
  }

  /** True when so much was redacted that others should get their turn; it then counts anew. */
  takePause(): boolean {
    if (this.#sincePause < BYTES_UNTIL_PAUSE) return false;
    this.#sincePause = 0;
    return true;
  }

  /** What is to be shown of a value that has a hit. */
  toShown(value: unknown, byteLength: number, redacted: unknown): unknown {
    const { redactShown } = this.options;
    if (redactShown === undefined || this.#shownBytes + byteLength > MAX_SHOWN_BYTES) return redacted;
    this.#shownBytes += byteLength;
    return redactShown(value);
  }
}

/** The search in one execution. */
export class ExecutionSearch {
  readonly #search: PayloadSearch;
  #hits: Hit[] = [];
  #bytes = 0;
  #isPartial = false;
  #isWhole = true;

  constructor(search: PayloadSearch) {
    this.#search = search;
  }

  /** How many bytes of the next item may be redacted. */
  get room(): number {
    return Math.min(MAX_ITEM_BYTES, MAX_EXECUTION_BYTES - this.#bytes, this.#search.left);
  }

  /** @param json an item's `json` or the custom data; null when there was no room for it */
  seeContainer(json: Uint8Array | null, place: PayloadPlace): void {
    if (json === null) {
      this.#miss();
      return;
    }
    const value = parseContainer(decoder.decode(json));
    if (value === undefined) this.#isPartial = true;
    else this.#see(wrapped(value, place.path), json.length, place);
  }

  /** The message of a failed run. */
  seeMessage(message: string, place: PayloadPlace): void {
    // A character has three bytes at most.
    const byteLength = message.length * 3;
    if (byteLength > this.room) this.#miss();
    else this.#see(wrapped(message, place.path), byteLength, place);
  }

  /** To be called once the execution has passed, when the order of its runs is known. */
  result(): SearchedPayload {
    return { hits: inOrder(this.#hits), isPartial: this.#isPartial, isWhole: this.#isWhole };
  }

  #miss(): void {
    if (this.#search.left >= MAX_ITEM_BYTES) {
      this.#isPartial = true;
      return;
    }
    // What is left is for what passes by first, not for what happens to be small.
    this.#search.left = 0;
    this.#isWhole = false;
  }

  #see(value: unknown, byteLength: number, place: PayloadPlace): void {
    const search = this.#search;
    const { sought, redact, redactShown } = search.options;
    const cost = Math.max(byteLength, LEAST_ITEM_BYTES);
    this.#bytes += cost;
    search.spend(cost);
    const redacted = redact(value);
    if (findIn(redacted, sought, 1).length === 0) return;
    const shown = search.toShown(value, byteLength, redacted);
    const found = findIn(shown, sought, MAX_HITS).map(({ text, at, path }) => ({
      run: place.run,
      item: place.item,
      path,
      excerpt: redactShown === undefined ? "" : excerptOf(text, at, sought.text.length),
    }));
    this.#hits = inOrder([...this.#hits, ...found]);
  }
}

const inOrder = (hits: readonly Hit[]): Hit[] =>
  hits.toSorted((a, b) => orderOf(a) - orderOf(b)).slice(0, MAX_HITS);

/** With the company of the key that it stands under, if it has one. */
const wrapped = (value: unknown, path: readonly PathSegment[]): unknown =>
  path.reduceRight<unknown>((inner, segment) => Object.fromEntries([[segment, inner]]), value);

interface Found {
  readonly text: string;
  /** Where in the text. */
  readonly at: number;
  readonly path: readonly PathSegment[];
}

/** Where it stands in the texts and numbers of a value, and of the JSON in its texts. */
function findIn(value: unknown, sought: Sought, most: number): Found[] {
  const found: Found[] = [];
  const visit = (root: unknown, rootPath: readonly PathSegment[], nested: number): void => {
    for (const { text, path } of scalarsIn(root, rootPath)) {
      if (found.length === most) return;
      const at = sought.find(text, path);
      if (at !== -1) found.push({ text, at, path: path() });
      if (nested < MAX_NESTED_JSON && mayHold(text, sought.text))
        visit(parseContainer(text), path(), nested + 1);
    }
  };
  visit(value, [], 0);
  return found.slice(0, most);
}

/** A text with escapes may hold anything: JSON in it spells characters in its own way. */
const mayHold = (text: string, sought: string): boolean => text.includes(sought) || text.includes("\\");
