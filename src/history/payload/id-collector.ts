/**
 * Collects the correlation ids of an execution while it streams in: the values at known request-id paths, also in JSON
 * inside strings. It does not depend on what is searched for. Pure.
 */
import * as z from "zod";
import type { PathSegment } from "../../json/path-text.ts";
import type { PayloadPlace, WalkedRun } from "../../n8n/execution-walk.ts";
import type { ComparableIds, IsIdPath } from "../request-ids/comparable-ids.ts";
import { comparedForm } from "../request-ids/request-forms.ts";
import { type FoundScalar, lastKeyOf, MAX_NESTED_JSON, parseContainer, scalarsIn } from "./json-scalars.ts";
import type { RedactLarge } from "./payload-items.ts";

export interface ValuePlace {
  /** Null for the execution's custom data. */
  readonly run: WalkedRun | null;
  readonly item: PayloadPlace["item"];
  /** May lead into JSON inside a string. */
  readonly path: readonly PathSegment[];
}

export interface FoundId extends ValuePlace {
  /** @see ComparableIds.isOpen */
  readonly isOpen: boolean;
}

export interface CollectedIds {
  /** Distinct values at known paths, with their first place in the order of execution. */
  readonly correlations: ReadonlyMap<string, FoundId>;
  /** Distinct values of custom data at no known path, if redaction does not hide them. */
  readonly customValues: ReadonlyMap<string, ValuePlace>;
  /** True if part of it could not be searched, or there were too many ids. */
  readonly isPartial: boolean;
}

/** The longest id that can be searched for. */
export const MAX_REQUEST_ID_LENGTH = 512;
export const MAX_CORRELATIONS = 1_000;
/** Maximum depth at which ids are looked for, because checking a path costs in proportion to its length. */
const MAX_ID_DEPTH = 64;
/** Ids that each node may add, however many others have. */
const IDS_OF_NODE = 50;
const MAX_CROWDED_NODES = 20;

interface WrittenPlace extends ValuePlace {
  /** The id as it is written there. */
  readonly text: string;
}

interface Places {
  /** The first place in all runs before the latest. */
  earliest: WrittenPlace;
  latest: WrittenPlace;
}

export const orderOf = (place: ValuePlace): number => place.run?.order ?? Number.NEGATIVE_INFINITY;

export class IdCollector {
  readonly #ids: ComparableIds;
  readonly #isIdPath: IsIdPath;
  readonly #correlations = new Map<string, Places>();
  readonly #customValues = new Map<string, ValuePlace>();
  /** Number of ids first seen in each node's runs. */
  readonly #idsOfNodes = new Map<string | undefined, number>();
  #isPartial = false;

  constructor(ids: ComparableIds) {
    this.#ids = ids;
    this.#isIdPath = ids.ofExecution();
  }

  see(value: string | number, place: PayloadPlace): void {
    const { path } = place;
    this.#visit(
      { text: String(value), key: lastKeyOf(path), depth: path.length, path: () => path },
      place,
      0,
    );
  }

  /** Only for custom data that redaction does not hide, and that is at no known path. */
  seeCustomValue(key: string, text: string): void {
    if (text === "" || text.length > MAX_REQUEST_ID_LENGTH) return;
    const value = comparedForm(text);
    if (this.#customValues.size === MAX_CORRELATIONS && !this.#customValues.has(value)) {
      this.#isPartial = true;
      return;
    }
    this.#customValues.set(value, { run: null, item: null, path: ["customData", key] });
  }

  missPart(): void {
    this.#isPartial = true;
  }

  /** Called after the execution has ended, when the order of its runs is known. */
  result(): CollectedIds {
    const correlations = [...this.#correlations].map(([value, { earliest, latest }]) => {
      const { text, ...place } = earlier(earliest, latest);
      // Redaction may hide 32 hex digits, but no UUID, which is the same id.
      const isOpen = [text, value].some((spelling) => this.#ids.isOpen(spelling, place.path));
      return [value, { ...place, isOpen }] as const;
    });
    const customValues = [...this.#customValues].filter(([value]) => !this.#correlations.has(value));
    return {
      correlations: new Map(correlations),
      customValues: new Map(customValues),
      isPartial: this.#isPartial,
    };
  }

  #visit(scalar: FoundScalar, place: PayloadPlace, nested: number): void {
    const { text, key, path } = scalar;
    if (this.#ids.endWith(key)) this.#seeAtIdKey(scalar, place);
    if (nested === MAX_NESTED_JSON || !this.#ids.mayStandIn(text)) return;
    const inner = parseContainer(text);
    if (inner === undefined) return;
    for (const found of scalarsIn(inner, path(), () => this.missPart()))
      this.#visit(found, place, nested + 1);
  }

  /** Creates the path only if the value matters: it may be long, and there may be many. */
  #seeAtIdKey({ text, depth, path }: FoundScalar, { run, item }: PayloadPlace): void {
    const value = comparedForm(text);
    if (!this.#makesDifference(value, run)) return;
    if (depth > MAX_ID_DEPTH) {
      this.missPart();
      return;
    }
    const at = { run, item, path: path(), text };
    const isIdPath = this.#isIdPath(at.path);
    if (isIdPath === undefined) this.missPart();
    if (isIdPath === true) this.#noteCorrelation(value, at);
  }

  #makesDifference(value: string, run: ValuePlace["run"]): boolean {
    if (value === "" || value.length > MAX_REQUEST_ID_LENGTH) return false;
    const known = this.#correlations.get(value);
    if (known !== undefined) return known.latest.run !== run;
    return !this.#isPartial || this.#hasRoomFor(run?.nodeName);
  }

  #hasRoomFor(node: string | undefined): boolean {
    const hasFew = (this.#idsOfNodes.get(node) ?? 0) < IDS_OF_NODE;
    return this.#correlations.size < MAX_CORRELATIONS + (hasFew ? MAX_CROWDED_NODES * IDS_OF_NODE : 0);
  }

  #noteCorrelation(value: string, place: WrittenPlace): void {
    const known = this.#correlations.get(value);
    if (known !== undefined) {
      // The run before has ended, so its order is known.
      known.earliest = earlier(known.earliest, known.latest);
      known.latest = place;
      return;
    }
    const node = place.run?.nodeName;
    if (!this.#hasRoomFor(node)) {
      this.missPart();
      return;
    }
    this.#idsOfNodes.set(node, (this.#idsOfNodes.get(node) ?? 0) + 1);
    this.#correlations.set(value, { earliest: place, latest: place });
  }
}

const earlier = (a: WrittenPlace, b: WrittenPlace): WrittenPlace => (orderOf(b) < orderOf(a) ? b : a);

/** n8n stores at most ten values of 512 characters, so an execution with more contains something else. */
const MAX_CHARACTERS = 64 * 1024;

const redactedData = z.object({ customData: z.record(z.string(), z.unknown()) });

const isMember = ({ run, item, path }: PayloadPlace): boolean =>
  run === null && item === null && path.length === 2 && path[0] === "customData";

/**
 * The custom data of an execution, whose values are stored like request ids unless redaction hides them. All of it is
 * redacted whatever is searched for, so that a right guess at a secret costs and shows the same as a wrong one.
 */
export class CustomData {
  readonly #members = new Map<string, string>();
  #characters = 0;

  see(value: string | number, place: PayloadPlace): void {
    if (!isMember(place)) return;
    const [key, text] = [String(place.path[1]), String(value)];
    this.#characters += key.length + text.length;
    if (this.#characters <= MAX_CHARACTERS) this.#members.set(key, text);
  }

  /** Work for after the execution has ended; null if it has no custom data. */
  work(redact: RedactLarge, ids: IdCollector): (() => Promise<void>) | null {
    if (this.#characters > MAX_CHARACTERS) ids.missPart();
    if (this.#members.size === 0) return null;
    return async () => {
      const customData = Object.fromEntries(this.#members);
      const left = redactedData.safeParse(await redact({ customData })).data?.customData ?? {};
      for (const [key, value] of this.#members)
        if (Object.hasOwn(left, key) && left[key] === value) ids.seeCustomValue(key, value);
    };
  }
}
