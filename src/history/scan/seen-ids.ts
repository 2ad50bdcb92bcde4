/**
 * The ids that a listing has shown, in the window or beside it, and between which of them the window lies. Pure.
 */
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { type IdRange, idFrom } from "../store/gaps.ts";
import type { TraceWindow } from "../store/trace-window.ts";
import { isNewer, lowerOf } from "../store/traced-execution.ts";

type Place = "before" | "inside" | "after";

const newestFirst = (a: string, b: string): number => (a === b ? 0 : isNewer(a, b) ? -1 : 1);

export class SeenIds {
  readonly #window: TraceWindow;
  readonly #places = new Map<string, Place>();

  constructor(window: TraceWindow) {
    this.#window = window;
  }

  /** Newest first. */
  get all(): string[] {
    return [...this.#places.keys()].sort(newestFirst);
  }

  see(items: readonly ExecutionListItem[]): void {
    for (const item of items) this.#places.set(item.id, this.#placeOf(item));
  }

  #placeOf({ startedAt }: ExecutionListItem): Place {
    const { startedAfter, startedBefore } = this.#window;
    if (startedAt === null) return "inside";
    const started = Date.parse(startedAt);
    if (startedAfter !== null && started < Date.parse(startedAfter)) return "before";
    return startedBefore !== null && started > Date.parse(startedBefore) ? "after" : "inside";
  }

  #idsAt(place: Place): string[] {
    return this.all.filter((id) => this.#places.get(id) === place);
  }

  /**
   * The ids among which an execution of the window can be; null when nothing was seen. `isOpen`: there may be newer
   * ones, that began after whatever is listed. Ids count up nearly as starts do: an execution that began late, for
   * its id, does not end the span.
   */
  get span(): (IdRange & { readonly isOpen: boolean }) | null {
    const newest = this.all[0];
    if (newest === undefined) return null;
    const inside = this.#idsAt("inside");
    const before = this.#idsAt("before");
    const anchor = inside[0] ?? before[0] ?? "0";
    const above = this.#idsAt("after").findLast((id) => isNewer(id, anchor));
    const lowest = inside.at(-1) ?? above ?? idFrom(newest, 1);
    const below = before.find((id) => isNewer(lowest, id)) ?? "0";
    const high = above === undefined ? newest : idFrom(above, -1);
    return { high, low: lowerOf(idFrom(below, 1), high), isOpen: above === undefined };
  }
}
