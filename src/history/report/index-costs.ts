/**
 * The requests to n8n that the index has caused, in the background and for people. Counted in memory and stored
 * together with other writes, so that counting costs no writes of its own: the latest counts are lost with the object.
 */
import * as z from "zod";

/** Bytes are those of n8n's answers. */
const cost = z.object({ requests: z.number(), bytes: z.number(), executions: z.number() });

export const indexCosts = z.object({
  /** ISO 8601: start of the counting. */
  since: z.string(),
  background: cost,
  /** The caller that starts a shared scan pays for it. */
  people: cost,
});
export type IndexCosts = z.infer<typeof indexCosts>;
export type Payer = Exclude<keyof IndexCosts, "since">;

const nothing = () => ({ requests: 0, bytes: 0, executions: 0 });

export class CountedCosts {
  readonly #write: (text: string) => void;
  #costs: IndexCosts | null;
  #isKept = true;

  /** @param kept the stored text */
  constructor(kept: string | undefined, write: (text: string) => void) {
    this.#costs = kept === undefined ? null : indexCosts.parse(JSON.parse(kept));
    this.#write = write;
  }

  /** Null before the first request to n8n. */
  get all(): IndexCosts | null {
    return this.#costs;
  }

  /** @param now epoch ms */
  countersOf(payer: Payer, now: number) {
    this.#costs ??= { since: new Date(now).toISOString(), background: nothing(), people: nothing() };
    const counted = this.#costs[payer];
    const add = (what: keyof typeof counted, more: number): void => {
      counted[what] += more;
      this.#isKept = false;
    };
    return {
      countRequest: () => add("requests", 1),
      countBytes: (bytes: number) => add("bytes", bytes),
      countExecution: () => add("executions", 1),
    };
  }

  keep(): void {
    if (this.#isKept) return;
    this.#write(JSON.stringify(this.#costs));
    this.#isKept = true;
  }
}
