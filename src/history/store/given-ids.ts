/**
 * Tracks which ids can get no execution any more. A database assigns an id before its row is visible: while the
 * transaction is open, n8n has no execution with that id, although later ones may already have ended. This is stored,
 * because calls may be farther apart than the lifetime of the object. No clock.
 */
import * as z from "zod";
import { higherOf } from "../../platform/id-order.ts";
import type { IndexDatabase } from "./index-database.ts";

/** n8n stores an execution in one transaction, which is open for a few seconds even with megabytes of data. */
export const MOST_OPEN_MS = 10_000;

const givenIds = z.object({
  /** All ids up to this one were assigned long ago. */
  closedUpTo: z.string(),
  /** The next such id, and since when it is known: epoch ms. */
  next: z.object({ id: z.string(), since: z.number() }).nullable(),
});

export class GivenIds {
  readonly #database: IndexDatabase;

  constructor(database: IndexDatabase) {
    this.#database = database;
  }

  get closedUpTo(): string {
    return this.#known.closedUpTo;
  }

  get #known(): z.infer<typeof givenIds> {
    return this.#database.factOf("given ids", givenIds) ?? { closedUpTo: "0", next: null };
  }

  /** @param newest the newest execution that is known to exist @param now epoch ms */
  see(newest: string, now: number): void {
    const { closedUpTo, next } = this.#known;
    const isSetBack = next !== null && next.since > now;
    if (next !== null && !isSetBack && now - next.since < MOST_OPEN_MS) return;
    const closed = next === null || isSetBack ? closedUpTo : higherOf(next.id, closedUpTo);
    // A look that shows nothing new writes nothing.
    if (next === null && closed === newest) return;
    const known = { closedUpTo: closed, next: closed === newest ? null : { id: newest, since: now } };
    this.#database.setFact("given ids", JSON.stringify(known));
  }

  /** Call this if n8n has a different history. */
  forget(): void {
    this.#database.forgetFacts("given ids");
  }
}
