/**
 * Looks at the values of an execution as they pass by: takes those at known request-id paths, which are its
 * correlation ids, and notes where something sought stands. JSON held in a string is looked into. Pure.
 */
import type { PayloadPlace, WalkedRun } from "../n8n/execution-walk.ts";
import type { PathSegment, RequestIdPaths } from "./request-id-paths.ts";

/** What is sought in values, wherever they stand. */
export interface Sought {
  /** A text that every value that fits holds. Not empty. */
  readonly text: string;
  fits(value: string, path: readonly PathSegment[]): boolean;
}

/** Where a value stands. */
export interface ValuePlace {
  /** Null for the execution's custom data. */
  readonly run: WalkedRun | null;
  readonly item: PayloadPlace["item"];
  /** Into JSON held in a string as well. */
  readonly path: readonly PathSegment[];
}

export interface LookResult {
  /** The distinct values at known paths, each with its first place in the order of execution. */
  readonly correlations: ReadonlyMap<string, ValuePlace>;
  /** The first places of what is sought, in the order of execution. */
  readonly hits: readonly ValuePlace[];
  /** True when a part could not be looked at, or there were more correlation ids than are kept. */
  readonly isPartial: boolean;
}

/** No id is longer; it is also the longest that can be asked for. */
export const MAX_REQUEST_ID_LENGTH = 512;
/** A batch may carry many requests. */
export const MAX_CORRELATIONS = 1_000;
const MAX_HITS = 20;
/** JSON held in a string, inside JSON held in a string: deeper nesting was never seen. */
const MAX_NESTED_JSON = 3;

/** Where one id was seen. */
interface Places {
  /** Of the runs before the latest one. */
  earliest: ValuePlace;
  latest: ValuePlace;
}

const orderOf = (place: ValuePlace): number => place.run?.order ?? Number.NEGATIVE_INFINITY;

export class Look {
  readonly #paths: RequestIdPaths;
  readonly #sought: Sought | null;
  readonly #correlations = new Map<string, Places>();
  readonly #hits: ValuePlace[] = [];
  #isPartial = false;

  constructor(paths: RequestIdPaths, sought: Sought | null) {
    this.#paths = paths;
    this.#sought = sought;
  }

  /** @param holdsText whether the value's bytes may hold the sought text */
  see(value: string | number, place: PayloadPlace, holdsText: boolean): void {
    this.#visit(String(value), place, place.path, holdsText, 0);
  }

  /** Notes that a part could not be looked at. */
  missPart(): void {
    this.#isPartial = true;
  }

  /** To be called once the execution has passed, when the order of its runs is known. */
  result(): LookResult {
    const correlations = [...this.#correlations].map(
      ([value, { earliest, latest }]) => [value, earlier(earliest, latest)] as const,
    );
    const hits = this.#hits.toSorted((a, b) => orderOf(a) - orderOf(b)).slice(0, MAX_HITS);
    return { correlations: new Map(correlations), hits, isPartial: this.#isPartial };
  }

  #visit(
    text: string,
    place: PayloadPlace,
    path: readonly PathSegment[],
    holdsText: boolean,
    nested: number,
  ): void {
    if (this.#paths.matches(path)) this.#noteCorrelation(text, { run: place.run, item: place.item, path });
    if (holdsText && this.#sought?.fits(text, path) === true)
      this.#noteHit({ run: place.run, item: place.item, path });
    if (nested < MAX_NESTED_JSON && (holdsText || this.#paths.mayStandIn(text)))
      this.#visitNested(text, place, path, nested + 1);
  }

  #noteCorrelation(value: string, place: ValuePlace): void {
    if (value === "" || value.length > MAX_REQUEST_ID_LENGTH) return;
    const known = this.#correlations.get(value);
    if (known !== undefined) {
      // One place a run is enough: its first. The run before has ended, so its order is known.
      if (known.latest.run === place.run) return;
      known.earliest = earlier(known.earliest, known.latest);
      known.latest = place;
    } else if (this.#correlations.size < MAX_CORRELATIONS) {
      this.#correlations.set(value, { earliest: place, latest: place });
    } else {
      this.#isPartial = true;
    }
  }

  /** Keeps more than are told: which runs come first is known only later. */
  #noteHit(place: ValuePlace): void {
    if (this.#hits.length < MAX_HITS * 50) this.#hits.push(place);
  }

  #visitNested(text: string, place: PayloadPlace, path: readonly PathSegment[], nested: number): void {
    const value = parseContainer(text);
    if (value === undefined) return;
    const open: { value: unknown; path: readonly PathSegment[] }[] = [{ value, path }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { value: found, path: at } = next;
      if (typeof found === "string" || typeof found === "number") {
        const inner = String(found);
        this.#visit(inner, place, at, this.#sought !== null && mayHold(inner, this.#sought.text), nested);
      } else if (Array.isArray(found)) {
        for (let index = found.length - 1; index >= 0; index -= 1)
          open.push({ value: found[index], path: [...at, index] });
      } else if (typeof found === "object" && found !== null) {
        for (const [key, member] of Object.entries<unknown>({ ...found }).reverse())
          open.push({ value: member, path: [...at, key] });
      }
    }
  }
}

/** A text with escapes may hold anything: JSON in it spells characters in its own way. */
const mayHold = (text: string, sought: string): boolean => text.includes(sought) || text.includes("\\");

const earlier = (a: ValuePlace, b: ValuePlace): ValuePlace => (orderOf(b) < orderOf(a) ? b : a);

function parseContainer(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    // It only looked like JSON.
    return undefined;
  }
}
