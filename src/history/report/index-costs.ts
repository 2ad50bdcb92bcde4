/**
 * What the index has asked of n8n so far: by itself, and for people. Counted in memory, and kept together with what is
 * written anyway, so that counting costs no writing of its own: what was counted since then is lost with the object.
 */
import * as z from "zod";

/** Bytes are those of n8n's answers, as they are read. */
const cost = z.object({ requests: z.number(), bytes: z.number(), executions: z.number() });

export const indexCosts = z.object({
  /** ISO 8601: from when on it is counted. */
  since: z.string(),
  background: cost,
  /** Whoever begins what several wait for pays for it. */
  people: cost,
});
export type IndexCosts = z.infer<typeof indexCosts>;
export type Payer = Exclude<keyof IndexCosts, "since">;

const nothing = () => ({ requests: 0, bytes: 0, executions: 0 });

export class CountedCosts {
  readonly #write: (text: string) => void;
  #costs: IndexCosts | null;
  #isKept = true;

  /** @param kept as it was written */
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
