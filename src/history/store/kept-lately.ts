/**
 * What the index holds in memory of what it has just written: of which executions a list that is under way may have
 * been too early, and which need not be written again. Lost with the object, which costs writing, and claims nothing.
 */
import { REQUEST_MS } from "../../platform/time-limits.ts";
import type { MemorableExecution } from "./memorable-execution.ts";
import { hasEnded } from "./traced-execution.ts";

/** After that a list has come, or failed. */
const LONGEST_LIST_MS = 2 * REQUEST_MS.usual;
/** Of the unfinished ones, what is held of them to see that they are the same: no more run or wait in a page. */
const MAX_KEPT_UNFINISHED = 250;

const inWords = ({ termFilter, ...one }: MemorableExecution): string =>
  JSON.stringify([one, termFilter?.join()]);

export class KeptLately {
  /** When executions were kept, epoch ms: of those that a list under way may have been too early for. */
  readonly #keptAt = new Map<string, number>();
  /** Those that had not ended, by id, as they were kept: each look reads them, and mostly they are the same. */
  readonly #unfinished = new Map<string, string>();

  /** @param time epoch ms */
  isKeptSince(id: string, time: number): boolean {
    return (this.#keptAt.get(id) ?? Number.NEGATIVE_INFINITY) > time;
  }

  /** @param now epoch ms */
  noteTime(executions: readonly MemorableExecution[], now: number): void {
    for (const { execution } of executions) {
      // Last in the order of keys, too.
      this.#keptAt.delete(execution.id);
      this.#keptAt.set(execution.id, now);
    }
    for (const [id, keptAt] of this.#keptAt) {
      if (keptAt > now - LONGEST_LIST_MS) return;
      this.#keptAt.delete(id);
    }
  }

  /** True when just this is what is kept of it: then nothing is written. */
  isSame(one: MemorableExecution): boolean {
    const kept = this.#unfinished.get(one.execution.id);
    return kept !== undefined && kept === inWords(one);
  }

  noteUnfinished(executions: readonly MemorableExecution[]): void {
    for (const one of executions)
      if (one.facts !== null && !hasEnded(one.execution))
        this.#unfinished.set(one.execution.id, inWords(one));
    for (const id of this.#unfinished.keys()) {
      if (this.#unfinished.size <= MAX_KEPT_UNFINISHED) return;
      this.#unfinished.delete(id);
    }
  }

  /** Its row is another one now, or gone. */
  forget(id: string): void {
    this.#unfinished.delete(id);
  }

  forgetAllUnfinished(): void {
    this.#unfinished.clear();
  }
}
