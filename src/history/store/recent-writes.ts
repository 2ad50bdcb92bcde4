/** The latest writes to the index: which answers in flight are outdated, and what need not be written again. */
import { keepLast } from "../../platform/bounded-collections.ts";
import { REQUEST_MS } from "../../platform/time-limits.ts";
import type { MemorableExecution } from "./memorable-execution.ts";
import { hasEnded, type TracedExecution } from "./traced-execution.ts";

/** After this time, an answer has arrived or failed. */
const LONGEST_ANSWER_MS = 2 * REQUEST_MS.usual;
/** The maximum number of executions on a page of running or waiting ones. */
const MAX_KEPT_UNFINISHED = 250;

const serialized = ({ termFilter, ...one }: MemorableExecution): string =>
  JSON.stringify([one, termFilter?.join()]);

/** Maximum of the latest ended executions that answers in flight are compared with. */
const MAX_COMPARED = 10_000;

/** Distinguishes executions with the same id. */
type Identity = Pick<TracedExecution, "workflowId" | "startedAt">;

export class RecentWrites {
  /** Epoch ms when executions were stored; held as long as an answer in flight may be older. */
  readonly #keptAt = new Map<string, number>();
  /** The latest of them that had ended. */
  readonly #ended = new Map<string, Identity>();
  /** Unfinished executions as stored, serialized: each look reads them, and they are mostly unchanged. */
  readonly #unfinished = new Map<string, string>();

  isKeptSince(id: string, time: number): boolean {
    return (this.#keptAt.get(id) ?? Number.NEGATIVE_INFINITY) > time;
  }

  /**
   * Whether a recently stored reading contradicts this one: "ended" if this one is older, "other" if it is another
   * execution, because n8n was restored or reinstalled in between. Null if it does not.
   */
  contradiction(one: TracedExecution, now: number): "ended" | "other" | null {
    const kept = this.#ended.get(one.id);
    if (kept === undefined || !this.isKeptSince(one.id, now - LONGEST_ANSWER_MS)) return null;
    const { workflowId, startedAt } = kept;
    // The workflow of an execution of unknown shape is empty.
    const isOtherWorkflow = workflowId !== one.workflowId && workflowId !== "" && one.workflowId !== "";
    if (!isOtherWorkflow && !hasEnded(one)) return "ended";
    const hadBegun = startedAt !== null && one.startedAt !== null;
    return isOtherWorkflow || (hadBegun && startedAt !== one.startedAt) ? "other" : null;
  }

  noteKept(executions: readonly MemorableExecution[], now: number): void {
    for (const { execution } of executions) {
      const { id, workflowId, startedAt } = execution;
      // Moves it to the end, because the oldest are removed first.
      this.#keptAt.delete(id);
      this.#keptAt.set(id, now);
      this.#ended.delete(id);
      if (hasEnded(execution)) this.#ended.set(id, { workflowId, startedAt });
    }
    for (const [id, keptAt] of this.#keptAt) {
      // A time in the future was noted before the clock was set back.
      if (keptAt > now - LONGEST_ANSWER_MS && keptAt <= now) break;
      this.#keptAt.delete(id);
      this.#ended.delete(id);
    }
    keepLast(this.#ended, MAX_COMPARED);
  }

  /** n8n has another history, about which earlier writes say nothing. */
  noteNewEpoch(): void {
    this.#keptAt.clear();
    this.#ended.clear();
    // Their rows may be marked as deleted now.
    this.#unfinished.clear();
  }

  /** True if exactly this was stored last, so that nothing has to be written. */
  isSame(one: MemorableExecution): boolean {
    const kept = this.#unfinished.get(one.execution.id);
    return kept !== undefined && kept === serialized(one);
  }

  noteUnfinished(executions: readonly MemorableExecution[]): void {
    for (const one of executions)
      if (one.facts !== null && !hasEnded(one.execution))
        this.#unfinished.set(one.execution.id, serialized(one));
    keepLast(this.#unfinished, MAX_KEPT_UNFINISHED);
  }

  forget(id: string): void {
    this.#unfinished.delete(id);
  }

  /** Unfinished executions will be written again even if unchanged. */
  forgetAllUnfinished(): void {
    this.#unfinished.clear();
  }
}
