/**
 * What the index holds in memory about its latest writes: for which executions a pending answer may be outdated, and
 * which need not be written again. Losing it with the object costs some writes, and claims nothing.
 */
import { REQUEST_MS } from "../../platform/time-limits.ts";
import type { MemorableExecution } from "./memorable-execution.ts";
import { hasEnded, type TracedExecution } from "./traced-execution.ts";

/** By then an answer has arrived or failed. */
const LONGEST_ANSWER_MS = 2 * REQUEST_MS.usual;
/** The most executions that a page of running or waiting ones has. */
const MAX_KEPT_UNFINISHED = 250;

const inWords = ({ termFilter, ...one }: MemorableExecution): string =>
  JSON.stringify([one, termFilter?.join()]);

/** The most that are compared with pending answers: those kept last. */
const MAX_COMPARED = 10_000;

/** What tells an execution from another one under the same id. */
type Identity = Pick<TracedExecution, "workflowId" | "startedAt">;

export class KeptLately {
  /** When executions were stored, epoch ms; held as long as a pending answer may be older. */
  readonly #keptAt = new Map<string, number>();
  /** Those of them that had ended, the last ones. */
  readonly #ended = new Map<string, Identity>();
  /** Unfinished executions as they were stored: each look reads them, and they are mostly unchanged. */
  readonly #unfinished = new Map<string, string>();

  isKeptSince(id: string, time: number): boolean {
    return (this.#keptAt.get(id) ?? Number.NEGATIVE_INFINITY) > time;
  }

  /**
   * How another reading of it that was kept lately says otherwise: "ended", where this one is older; or that it is
   * another execution, "other", since n8n was restored or set up anew in between. Null if it does not.
   */
  contradiction(one: TracedExecution, now: number): "ended" | "other" | null {
    const kept = this.#ended.get(one.id);
    if (kept === undefined || !this.isKeptSince(one.id, now - LONGEST_ANSWER_MS)) return null;
    const { workflowId, startedAt } = kept;
    // The workflow of one in a form that is not known is empty.
    const isOtherWorkflow = workflowId !== one.workflowId && workflowId !== "" && one.workflowId !== "";
    if (!isOtherWorkflow && !hasEnded(one)) return "ended";
    const hadBegun = startedAt !== null && one.startedAt !== null;
    return isOtherWorkflow || (hadBegun && startedAt !== one.startedAt) ? "other" : null;
  }

  noteKept(executions: readonly MemorableExecution[], now: number): void {
    for (const { execution } of executions) {
      const { id, workflowId, startedAt } = execution;
      // Moves it to the end, since the oldest are removed first.
      this.#keptAt.delete(id);
      this.#keptAt.set(id, now);
      this.#ended.delete(id);
      if (hasEnded(execution)) this.#ended.set(id, { workflowId, startedAt });
    }
    for (const [id, keptAt] of this.#keptAt) {
      // One that lies ahead was noted before the clock was set back.
      if (keptAt > now - LONGEST_ANSWER_MS && keptAt <= now) break;
      this.#keptAt.delete(id);
      this.#ended.delete(id);
    }
    for (const id of this.#ended.keys()) {
      if (this.#ended.size <= MAX_COMPARED) return;
      this.#ended.delete(id);
    }
  }

  /** n8n has another history: what was kept says nothing of it. */
  noteNewEpoch(): void {
    this.#keptAt.clear();
    this.#ended.clear();
    // Their rows may count as deleted now.
    this.#unfinished.clear();
  }

  /** True when exactly this was kept, so that nothing has to be written. */
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

  forget(id: string): void {
    this.#unfinished.delete(id);
  }

  forgetAllUnfinished(): void {
    this.#unfinished.clear();
  }
}
