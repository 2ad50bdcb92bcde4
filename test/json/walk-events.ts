/** Writes down what a walker tells its visitor. */
import { JsonReadError } from "../../src/json/errors.ts";
import { type Guide, JsonWalker, type Scalar, type Visitor } from "../../src/json/json-walker.ts";

export type Path = readonly (string | number)[];

export type WalkEvent =
  | { readonly kind: "open" | "close" | "unlooked" | "broken"; readonly place: string; readonly path: Path }
  | {
      readonly kind: "scalar";
      readonly place: string;
      readonly path: Path;
      readonly value: Scalar;
      readonly holdsText: boolean;
    };

export interface Search {
  readonly text?: string;
  readonly wantedKeys?: ReadonlySet<string>;
}

function recorderOf(events: WalkEvent[], wantedKeys: ReadonlySet<string>): Visitor {
  return {
    wantsKey: (key) => wantedKeys.has(key),
    open: (place, walker) => events.push({ kind: "open", place, path: walker.path() }),
    close: (place, walker) => events.push({ kind: "close", place, path: walker.path() }),
    scalar: (place, value, walker, holdsText) =>
      events.push({ kind: "scalar", place, path: walker.path(), value, holdsText }),
    unlooked: (place, walker) => events.push({ kind: "unlooked", place, path: walker.path() }),
    broken: (place, walker) => events.push({ kind: "broken", place, path: walker.path() }),
  };
}

/** @throws JsonReadError */
export function eventsOf(root: Guide, chunks: Iterable<Uint8Array>, search: Search = {}): WalkEvent[] {
  const events: WalkEvent[] = [];
  const walker = new JsonWalker(root, recorderOf(events, search.wantedKeys ?? new Set()), search.text);
  for (const chunk of chunks) walker.write(chunk);
  walker.end();
  return events;
}

/** The result, or undefined for a JsonReadError. Any other error is a bug and passes through. */
export function resultOrRefusal<Result>(read: () => Result): { readonly value: Result } | undefined {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof JsonReadError) return undefined;
    throw error;
  }
}

type Loose = { -readonly [Key in keyof Guide]: Guide[Key] };

/** A guide that leads everywhere, and back to itself. */
export function everywhere(place: string, rest: Partial<Guide> = { scalars: "all" }): Guide {
  const guide: Loose = { place, ...rest };
  guide.otherMembers = guide;
  guide.items = guide;
  return guide;
}
