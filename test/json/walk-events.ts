/** Records the events that a walker reports to its visitor. */
import { JsonReadError } from "../../src/json/errors.ts";
import { JsonWalker } from "../../src/json/json-walker.ts";
import type { Guide } from "../../src/json/walk-guide.ts";
import { ALL, type Scalar, type Visitor } from "../../src/json/walk-visitor.ts";

export type Path = readonly (string | number)[];

export type WalkEvent =
  | { readonly kind: "open" | "onSkipped" | "broken"; readonly place: string; readonly path: Path }
  | { readonly kind: "close"; readonly place: string; readonly path: Path; readonly length: number }
  | { readonly kind: "scalar"; readonly place: string; readonly path: Path; readonly value: Scalar }
  /** `json` is null if there was no room. */
  | { readonly kind: "gathered"; readonly place: string; readonly path: Path; readonly json: string | null };

export interface Wanted {
  readonly keys?: ReadonlySet<string>;
  /** Room for each gathered container, in bytes. */
  readonly room?: number;
  /** Places of optional containers that are entered. Absent: all. */
  readonly entered?: ReadonlySet<string>;
}

function recorderOf(events: WalkEvent[], { keys = new Set(), room = 0, entered }: Wanted): Visitor {
  return {
    wantsKey: (key) => keys.has(key),
    enters: (place) => (entered === undefined || entered.has(place) ? ALL : 0),
    open: (place, walker) => events.push({ kind: "open", place, path: walker.path() }),
    close: (place, walker, length) => events.push({ kind: "close", place, path: walker.path(), length }),
    scalar: (place, value, walker) => events.push({ kind: "scalar", place, path: walker.path(), value }),
    roomFor: () => room,
    gathered: (place, gathered, walker) =>
      events.push({
        kind: "gathered",
        place,
        path: walker.path(),
        json: gathered.isWhole ? new TextDecoder().decode(gathered.bytes) : null,
      }),
    onSkipped: (place, walker) => events.push({ kind: "onSkipped", place, path: walker.path() }),
    broken: (place, walker) => events.push({ kind: "broken", place, path: walker.path() }),
  };
}

/** @throws JsonReadError */
export function eventsOf(root: Guide, chunks: Iterable<Uint8Array>, wanted: Wanted = {}): WalkEvent[] {
  const events: WalkEvent[] = [];
  const walker = new JsonWalker(root, recorderOf(events, wanted));
  for (const chunk of chunks) walker.write(chunk);
  walker.end();
  return events;
}

/** The result, or undefined for a JsonReadError. Other errors are bugs and pass through. */
export function resultOrRefusal<Result>(read: () => Result): { readonly value: Result } | undefined {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof JsonReadError) return undefined;
    throw error;
  }
}

type Loose = { -readonly [Key in keyof Guide]: Guide[Key] };

/** A guide that enters everything and applies everywhere. */
export function everywhere(place: string, rest: Partial<Guide> = { scalars: "all" }): Guide {
  const guide: Loose = { place, ...rest };
  guide.otherMembers = guide;
  guide.items = guide;
  return guide;
}
