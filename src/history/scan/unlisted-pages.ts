/**
 * Reads history that was not listed. Below what is known, each page is asked for with its data at once, by the ids that
 * it should have: a list before it would cost n8n nearly as much again as it costs to find the page.
 *
 * Promises: a page counts only if n8n gave as many executions as were asked for and each could be read, since then
 * there is nothing else between their ids. At the first page that does not count this is over: what was read of it is
 * kept, nothing of it is claimed, and the scan lists on from above it. Nor does it go on where many ids have no
 * execution, so that neighbouring pages would hold the same ones.
 */
import { mayPass } from "../../n8n/back-off.ts";
import { cursorBelow } from "../../n8n/execution-cursor.ts";
import { ObserverError } from "../../platform/errors.ts";
import { type Reading, type ReadOptions, readPage } from "../reading/read-executions.ts";
import { idFrom, newestOf } from "../store/gaps.ts";
import { isNewer } from "../store/traced-execution.ts";
import type { BelievedHistory } from "./believed-history.ts";
import type { ListedPage } from "./listing.ts";
import type { ScanClaims } from "./scan-claims.ts";
import type { Job } from "./scan-jobs.ts";
import type { ScanLedger } from "./scan-ledger.ts";
import type { ScanOptions } from "./scan-options.ts";
import type { SeenIds } from "./seen-ids.ts";
import type { UnfinishedReader } from "./unfinished.ts";

/** Of ids, how many have to be those of executions: each that is not is one more that is read twice. */
const LEAST_DENSITY = 0.9;
/** Executions that are known here and there, as by links, are read again rather than listed around. */
const MOST_READ_AGAIN = 20;
/** Fewer tell nothing of the others. */
const TELLING_ITEMS = 20;

export interface UnlistedJob extends Job {
  /** The page begins below this id. */
  readonly below: string;
}

export const isUnlisted = (job: Job): job is UnlistedJob => "below" in job;

interface UnlistedOptions
  extends ReadOptions,
    Pick<ScanOptions, "own" | "head" | "window" | "store" | "underWay"> {
  /** In an n8n that hides executions, what is in no list has to be looked for. */
  readonly hides: () => boolean;
  readonly seen: SeenIds;
  readonly unfinished: UnfinishedReader;
  readonly ledger: ScanLedger;
  readonly believed: BelievedHistory;
  readonly claims: ScanClaims;
}

export class UnlistedPages {
  readonly #options: UnlistedOptions;
  readonly #underWay = new Set<Promise<void>>();
  #isOver = false;
  /** The newest id below which something has to be listed after all. */
  #failedBelow: string | null = null;

  constructor(options: UnlistedOptions) {
    this.#options = options;
  }

  /** True where next to nothing is known below the page, and ids follow one another closely. */
  mayFollow({ items, listedTo, low, isLast, query }: ListedPage): boolean {
    const { store, believed } = this.#options;
    const [newest] = items;
    if (!this.#mayBegin() || isLast || query !== null) return false;
    if (newest === undefined || listedTo === null || low === null) return false;
    if (items.length < TELLING_ITEMS || items.length < LEAST_DENSITY * distance(newest.id, listedTo))
      return false;
    const isUnknown = store.executions.endedBelow(low, MOST_READ_AGAIN + 1) <= MOST_READ_AGAIN;
    return believed.stretches.every((known) => !isNewer(low, known.low)) && isUnknown;
  }

  #mayBegin(): boolean {
    const { own, head, window, hides } = this.#options;
    const isWhole = Object.values(window).every((bound) => bound === null);
    return !this.#isOver && own === null && head === null && isWhole && !hides();
  }

  /** The page below an id; null when this is over, or there are not so many ids. */
  jobBelow(below: string, room: number): UnlistedJob | null {
    const size = this.#options.pageSize.current;
    if (this.#isOver || room < size || BigInt(below) <= size) return null;
    const low = idFrom(below, -size);
    const wanted = new Set(newestOf([{ high: idFrom(below, -1), low }], size));
    const query = { limit: size, cursor: cursorBelow(below, size) };
    return { below, run: { items: [], wanted, workflowId: null, query }, step: { low, isBottom: false } };
  }

  /**
   * Waits for the pages under way.
   * @param lowest down to which they were asked for
   * @returns below which id to list on: an execution that was read is listed again, so that the end of history shows
   */
  async end(lowest: string): Promise<string> {
    this.#isOver = true;
    await Promise.allSettled(this.#underWay);
    return idFrom(this.#failedBelow ?? lowest, 1);
  }

  /** @throws ObserverError when nobody waits any more */
  async read(job: UnlistedJob): Promise<void> {
    const reading = this.#readAlone(job);
    this.#underWay.add(reading);
    await reading.finally(() => this.#underWay.delete(reading));
  }

  /** What another scan reads just now is left to the lists. */
  async #readAlone(job: UnlistedJob): Promise<void> {
    const { underWay, ledger } = this.#options;
    const { wanted } = job.run;
    const begun = underWay.begin(wanted);
    try {
      if (begun.mine.size < wanted.size) return this.#giveUp(job);
      await this.#read(job);
      // Whoever waits for it finds it kept.
      await ledger.checkpoint();
    } finally {
      begun.end();
    }
  }

  async #read(job: UnlistedJob): Promise<void> {
    const { ledger, believed, claims, seen, unfinished } = this.#options;
    const { readings, isWhole } = await this.#readPage(job);
    const mine = readings.filter(({ execution }) => !isNewer(job.step.low, execution.id));
    const items = mine.map(({ execution }) => execution);
    seen.see(items);
    // Before they are kept: those that are known may be another history's.
    believed.changedOf(items);
    for (const one of mine) ledger.read(one);
    if (!isWhole) return this.#giveUp(job);
    unfinished.passed(idFrom(job.below, -1), job.step.low, items);
    if (mine.length < LEAST_DENSITY * job.run.wanted.size) this.#isOver = true;
    claims.finish(job.step, mine.at(-1)?.execution.id);
  }

  async #readPage({ below, run }: UnlistedJob): Promise<{ readings: Reading[]; isWhole: boolean }> {
    const readings: Reading[] = [];
    const { query } = run;
    if (query === null) throw new Error("A page that is not listed has a query.");
    try {
      await readPage(query, this.#options, {
        read: (reading) => readings.push(reading),
        // Then there are fewer than were asked for.
        unreadable: () => {},
        vanished: () => {},
      });
    } catch (error) {
      if (!(error instanceof ObserverError) || error.code === "INTERRUPTED") throw error;
      // What it is shows when it is listed, and read as it is listed.
      if (mayPass(error)) this.#options.pageSize.halve();
      return { readings, isWhole: false };
    }
    return { readings, isWhole: isInOrder(below, readings) && readings.length === query.limit };
  }

  /** It has to be listed after all. */
  #giveUp({ below, step }: UnlistedJob): void {
    this.#isOver = true;
    this.#options.claims.giveUp(step);
    if (this.#failedBelow === null || isNewer(below, this.#failedBelow)) this.#failedBelow = below;
  }
}

/** How many ids there are from one down to another. */
const distance = (high: string, low: string): number => Number(BigInt(high) - BigInt(low)) + 1;

/** Newest first, from below this id on: as it was asked for. */
function isInOrder(below: string, readings: readonly Reading[]): boolean {
  const ids = [below, ...readings.map(({ execution }) => execution.id)];
  return ids.every((id, place) => place === 0 || isNewer(ids[place - 1] ?? "", id));
}
