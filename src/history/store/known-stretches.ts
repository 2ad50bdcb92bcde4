/** The stretches of history in which every execution is known, and the ids without an execution. */
import * as z from "zod";
import { isNewer } from "../../platform/id-order.ts";
import type { IdRange } from "./gaps.ts";
import type { IndexDatabase } from "./index-database.ts";
import { isInside, type Stretch, union } from "./stretches.ts";

/**
 * What is known of a stretch: each execution that n8n lists (`listed`); or also those in no list, if n8n hides
 * unfinished ones, whose ids were requested one by one (`hidden`).
 */
export type Scope = (typeof SCOPES)[number];
const SCOPES = ["listed", "hidden"] as const;

const MAX_GAPS = 5_000;

const rangeRow = z.object({ high: z.string(), low: z.string() });
const stretchRow = rangeRow.extend({ isBottom: z.number().transform((flag) => flag === 1) });
const STRETCH = "CAST(high AS TEXT) AS high, CAST(low AS TEXT) AS low, is_bottom AS isBottom";

/** Whether one known stretch contains the whole claim: the gap between two known stretches is unknown. */
const contains = (known: Stretch, claimed: Stretch): boolean =>
  !isNewer(claimed.high, known.high) &&
  !isNewer(known.low, claimed.low) &&
  (known.isBottom || !claimed.isBottom);

export class KnownStretches {
  readonly #database: IndexDatabase;
  /** Cached from the database; cleared by each change. */
  readonly #held = new Map<Scope, readonly Stretch[]>();

  constructor(database: IndexDatabase) {
    this.#database = database;
    database.onFailure(() => this.#held.clear());
  }

  of(scope: Scope): readonly Stretch[] {
    const where = "FROM stretches WHERE scope = ? ORDER BY stretches.high DESC";
    const stretches =
      this.#held.get(scope) ?? this.#database.rows(stretchRow, `SELECT ${STRETCH} ${where}`, scope);
    this.#held.set(scope, stretches);
    return stretches;
  }

  /** True if the id lies in a completely known stretch. */
  covers(id: string): boolean {
    return SCOPES.some((scope) => this.of(scope).some((one) => isInside(id, one)));
  }

  /** Records that every execution of the stretch is known, and merges it with stretches that share an id with it. */
  claim(scope: Scope, stretch: Stretch): void {
    const claimed = this.#aboveFloor(stretch);
    if (claimed === null) return;
    if (this.of(scope).some((known) => contains(known, claimed))) return;
    this.#held.clear();
    const joined = this.#database.rows(
      stretchRow,
      `DELETE FROM stretches WHERE scope = ? AND high >= CAST(? AS INTEGER) AND low <= CAST(? AS INTEGER)
       RETURNING ${STRETCH}`,
      scope,
      claimed.low,
      claimed.high,
    );
    const { high, low, isBottom } = union([claimed, ...joined]);
    this.#database.exec("INSERT INTO stretches VALUES (?, ?, ?, ?)", scope, high, low, isBottom ? 1 : 0);
  }

  /** The part of the stretch that was not removed to make room; null if there is none. */
  #aboveFloor(stretch: Stretch): Stretch | null {
    const floor = this.#floor;
    if (floor === undefined || isNewer(stretch.low, floor)) return stretch;
    return isNewer(floor, stretch.high) ? null : { ...stretch, low: floor, isBottom: false };
  }

  get #floor(): string | undefined {
    return this.#database.fact("floor");
  }

  /** True once the oldest executions were removed to make room: nothing below the floor is claimed. */
  get hasFloor(): boolean {
    return this.#floor !== undefined;
  }

  isBelowFloor(id: string | null): boolean {
    return id !== null && isNewer(this.#floor ?? "0", id);
  }

  noteEmpty(ids: readonly string[]): void {
    this.#database.insert(
      "empty_ids",
      ids.map((id) => [id]),
    );
  }

  /**
   * The newest ranges of ids neither known to have an execution nor to be empty; `isCut` if there are more below.
   * @param usedAgainAbove above this id, n8n may have reused the ids of deleted executions
   */
  gapsIn({ high, low }: IdRange, usedAgainAbove = high): { ranges: IdRange[]; isCut: boolean } {
    const ranges = this.#database.rows(
      rangeRow,
      `WITH ends AS (
         SELECT id FROM executions WHERE id BETWEEN CAST(?2 AS INTEGER) AND CAST(?1 AS INTEGER)
         AND (is_deleted = 0 OR id <= CAST(?3 AS INTEGER))
         UNION SELECT id FROM empty_ids WHERE id BETWEEN CAST(?2 AS INTEGER) AND CAST(?1 AS INTEGER)
         UNION SELECT CAST(?1 AS INTEGER) + 1 UNION SELECT CAST(?2 AS INTEGER) - 1),
       steps AS (SELECT id, LAG(id) OVER (ORDER BY id) AS previous FROM ends)
       SELECT CAST(id - 1 AS TEXT) AS high, CAST(previous + 1 AS TEXT) AS low FROM steps
       WHERE id - previous > 1 ORDER BY id DESC LIMIT ${MAX_GAPS + 1}`,
      high,
      low,
      usedAgainAbove,
    );
    return { ranges: ranges.slice(0, MAX_GAPS), isCut: ranges.length > MAX_GAPS };
  }

  /** Call this if n8n has a different history, which must be listed from the start. */
  forgetAll(): void {
    this.#held.clear();
    this.#database.exec("DELETE FROM stretches");
    this.#database.exec("DELETE FROM empty_ids");
    this.#database.forgetFacts("floor", "settled");
  }

  /** Removes claims about ids below this one. */
  raiseFloor(lowest: string): void {
    const database = this.#database;
    this.#held.clear();
    database.setFact("floor", lowest);
    database.exec("DELETE FROM empty_ids WHERE id < CAST(? AS INTEGER)", lowest);
    database.exec("DELETE FROM stretches WHERE high < CAST(? AS INTEGER)", lowest);
    database.exec(
      "UPDATE stretches SET low = CAST(?1 AS INTEGER), is_bottom = 0 WHERE low < CAST(?1 AS INTEGER)",
      lowest,
    );
  }
}
