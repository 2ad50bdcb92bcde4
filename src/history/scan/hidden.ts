/**
 * Executions that are in no list of this n8n, though they are there by id: those that run or wait in its main
 * process. Their ids are gaps in its lists, and are asked for one by one, newest first.
 *
 * Promises: no more than so many a trace; what is found is read like any other; what n8n does not have is
 * remembered and not asked for again; how many gaps were not looked at is told.
 */

import { mayPass } from "../../n8n/back-off.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { counted } from "../../platform/counted.ts";
import { ObserverError } from "../../platform/errors.ts";
import { type ReadOptions, readOne } from "../reading/read-executions.ts";
import type { ExecutionStore } from "../store/execution-store.ts";
import { countOf, type IdRange, idFrom, newestOf, without } from "../store/gaps.ts";
import { isInside } from "../store/stretches.ts";
import { isNewer } from "../store/traced-execution.ts";
import type { ScanLedger } from "./scan-ledger.ts";
import type { SeenIds } from "./seen-ids.ts";

/** How many single ids a trace may still ask for; its scans share it. */
export interface SingleAsks {
  left: number;
}

const MAX_ASKS = 100;
export const newSingleAsks = (): SingleAsks => ({ left: MAX_ASKS });

/** Above the newest listed one: after so many ids in a row without an execution there is taken to be none. */
export const EMPTY_IDS_AT_THE_TOP = 10;
const CONCURRENT_ASKS = 2;

export interface HiddenOptions extends ReadOptions {
  readonly store: ExecutionStore;
  readonly ledger: ScanLedger;
  readonly asks: SingleAsks;
  readonly mustStop: () => boolean;
}

type Answer = "read" | "empty" | "failed";

export class HiddenReader {
  readonly #options: HiddenOptions;
  readonly #answers = new Map<string, Answer>();
  #failed = 0;

  constructor(options: HiddenOptions) {
    this.#options = options;
  }

  /**
   * To be called once everything is listed: what ended meanwhile is there by its id all the same.
   * @returns false when ids are left to be asked for
   */
  async read(seen: SeenIds): Promise<boolean> {
    const { ledger, store } = this.#options;
    const { span } = seen;
    if (span === null) {
      await this.#readEmptyHistory();
      return true;
    }
    await ledger.checkpoint();
    const top = span.isOpen ? await this.#readAbove(span.high) : span.high;
    const { ranges, isCut } = store.stretches.gapsIn({ ...span, high: top });
    const gaps = without(ranges, seen.all);
    const asked = await this.#askFor(newestOf(gaps, this.#options.asks.left), span.high);
    await ledger.checkpoint();
    // What lies below the oldest that is listed is pruned, but for what waits longer than n8n keeps the others.
    const oldest = gaps.at(-1);
    const isBelow = !isCut && oldest !== undefined && oldest.low === "1";
    const below = isBelow ? this.#onSkipped([oldest], asked) : 0;
    const between = this.#onSkipped(isBelow ? gaps.slice(0, -1) : gaps, asked);
    if (below > 0)
      this.#tellLeft(
        `${counted(below, "id")} before execution ${idFrom(oldest?.high ?? "0", 1)} ${below === 1 ? "is" : "are"}`,
      );
    if (between > 0 || isCut)
      this.#tellLeft(
        isCut ? `more than ${counted(between, "id is", "ids are")}` : counted(between, "id is", "ids are"),
      );
    return between === 0 && !isCut;
  }

  /** How many of these were not looked at. */
  #onSkipped(ranges: readonly IdRange[], looked: ReadonlySet<string>): number {
    const isIn = (id: string): boolean => ranges.some((range) => isInside(id, { ...range, isBottom: false }));
    return countOf(ranges) - [...looked].filter(isIn).length;
  }

  /** Nothing is listed: perhaps whatever there is waits, under ids that nothing leads to. */
  async #readEmptyHistory(): Promise<void> {
    const { ledger } = this.#options;
    const top = await this.#readAbove("0");
    const asked = `only the ids 1 to ${idFrom(top, EMPTY_IDS_AT_THE_TOP)} were asked for`;
    ledger.skip(
      null,
      `this n8n lists no execution, and those that wait or run are in none of its lists: ${asked}`,
    );
    await ledger.checkpoint();
  }

  /** Upwards from the newest listed one. @returns the newest id that is there */
  async #readAbove(newest: string): Promise<string> {
    let top = newest;
    for (let id = idFrom(newest, 1); this.#mayAsk(); id = idFrom(id, 1)) {
      if (BigInt(id) - BigInt(top) > BigInt(EMPTY_IDS_AT_THE_TOP)) break;
      if ((await this.#ask(id)) === "read") top = id;
    }
    return top;
  }

  #mayAsk(): boolean {
    const { asks, mustStop } = this.#options;
    return asks.left > 0 && this.#failed === 0 && !mustStop();
  }

  /** @param settled ids above may still be given to executions @returns those that were looked at */
  async #askFor(ids: readonly string[], settled: string): Promise<ReadonlySet<string>> {
    const looked = new Set(ids.filter((id) => this.#answers.has(id)));
    await mapConcurrently(this.#toAsk(ids), CONCURRENT_ASKS, async (id) => {
      const answer = await this.#ask(id);
      if (answer !== "failed") looked.add(id);
      if (answer === "empty" && !isNewer(id, settled)) this.#options.ledger.noteEmpty(id);
    });
    return looked;
  }

  *#toAsk(ids: readonly string[]): Generator<string> {
    for (const id of ids.filter((each) => !this.#answers.has(each))) {
      if (!this.#mayAsk()) return;
      yield id;
    }
  }

  async #ask(id: string): Promise<Answer> {
    this.#options.asks.left -= 1;
    const answer = await this.#answerTo(id);
    this.#answers.set(id, answer);
    return answer;
  }

  async #answerTo(id: string): Promise<Answer> {
    try {
      await readOne(id, this.#options, this.#options.ledger);
    } catch (error) {
      if (!(error instanceof ObserverError)) throw error;
      if (error.code === "EXECUTION_NOT_FOUND") return "empty";
      if (!mayPass(error)) throw error;
      this.#failed += 1;
      return "failed";
    }
    return "read";
  }

  #tellLeft(which: string): void {
    this.#options.ledger.skip(
      null,
      `${which} in no list of this n8n and not looked at yet: executions that wait or run may be among them; each further call asks for ${MAX_ASKS}`,
    );
  }
}
