/**
 * Which ids can get no execution any more. A database gives an id away before its row can be seen: while that transaction
 * is open, n8n has no execution under the id, and others above it may have ended. In memory only: losing it costs
 * requests. No I/O, and no clock.
 */
import { higherOf } from "../../platform/id-order.ts";

/** n8n stores an execution in one transaction: even with megabytes of data it is open for a few seconds. */
export const MOST_OPEN_MS = 10_000;

export class GivenIds {
  #closedUpTo = "0";
  /** The next one, and since when it is known: epoch ms. */
  #next: { readonly id: string; readonly since: number } | null = null;

  /** All ids up to this one were given away long ago. */
  get closedUpTo(): string {
    return this.#closedUpTo;
  }

  /** @param newest the newest execution that has begun @param now epoch ms */
  see(newest: string, now: number): void {
    if (this.#next !== null && now - this.#next.since >= MOST_OPEN_MS) {
      this.#closedUpTo = higherOf(this.#next.id, this.#closedUpTo);
      this.#next = null;
    }
    this.#next ??= { id: newest, since: now };
  }

  /** Call this if n8n has a different history. */
  forget(): void {
    this.#closedUpTo = "0";
    this.#next = null;
  }
}
