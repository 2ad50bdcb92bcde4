/** Stores executions, marks them as deleted, and removes them. Executions that n8n deletes stay if they were read. */
import * as z from "zod";
import { executionFacts } from "../../executions/execution-facts.ts";
import { newestFirst } from "../../platform/id-order.ts";
import type { FilterBlocks } from "../terms/filter-blocks.ts";
import type { ExecutionCounts } from "./execution-counts.ts";
import type { IdRange } from "./gaps.ts";
import type { IndexDatabase } from "./index-database.ts";
import { KNOWN_IN_PART_LIST, type MemorableExecution } from "./memorable-execution.ts";
import { RecentWrites } from "./recent-writes.ts";
import { MAY_CONTINUE, UNFINISHED } from "./tables.ts";
import { hasEnded, type TracedExecution, tracedExecution } from "./traced-execution.ts";

const FORGOTTEN_AT_ONCE = 10_000;
const correlationRow = z.object({
  digest: z.string(),
  needsData: z.number().transform((flag) => flag === 1),
  nodeName: z.string().nullable(),
  path: z.string(),
});
const goneRow = z.object({ id: z.string(), workflowId: z.string() });
const OWN_COLUMNS = tracedExecution.omit({ subExecutions: true }).keyof().options;
const FACT_COLUMNS = executionFacts.keyof().options;
const JUDGEMENT =
  "INTO judgements SELECT id, ? FROM executions WHERE id = CAST(? AS INTEGER) AND status = 'success'";

export class ExecutionRows {
  readonly #database: IndexDatabase;
  readonly #filters: FilterBlocks;
  readonly #counts: ExecutionCounts;
  readonly recent = new RecentWrites();

  constructor(database: IndexDatabase, filters: FilterBlocks, counts: ExecutionCounts) {
    this.#database = database;
    this.#filters = filters;
    this.#counts = counts;
    database.onFailure(() => this.recent.forgetAllUnfinished());
  }

  /** Drops executions for which another scan stored something newer while they were in flight. @param now epoch ms */
  upToDate(executions: readonly MemorableExecution[], now: number) {
    const contradictions = executions.map(({ execution }) => this.recent.contradiction(execution, now));
    return {
      executions: executions.filter((_one, index) => contradictions[index] === null),
      /** True if they belong to another history than n8n's current one, or than the stored one. */
      isOtherHistory: contradictions.includes("other"),
    };
  }

  /** If an execution occurs twice, the later one wins. @param now epoch ms */
  remember(executions: readonly MemorableExecution[], now: number): void {
    this.recent.noteKept(executions, now);
    let read = new Map<string, MemorableExecution>();
    for (const one of executions) {
      if (!read.has(one.execution.id) && this.recent.isSame(one)) continue;
      if (one.facts !== null) {
        read.set(one.execution.id, one);
        continue;
      }
      this.#rememberAll([...read.values()]);
      read = new Map();
      // Terms that were read earlier may be outdated.
      this.#filters.put(new Map([[one.execution.id, null]]));
      if (!this.#noteUnread(one.execution, one.problem)) this.#rememberAll([one]);
    }
    this.#rememberAll([...read.values()]);
  }

  /** Marks executions as deleted by n8n. Completely read, ended ones stay; the others are removed. */
  markDeleted(ids: readonly string[]): void {
    if (ids.length === 0) return;
    const list = JSON.stringify(ids);
    const unread = this.#database.executionIds(
      `WHERE id IN (SELECT value FROM json_each(?))
       AND (is_read = 0 OR problem IN (SELECT value FROM json_each(?)) OR status IN ${UNFINISHED})`,
      list,
      KNOWN_IN_PART_LIST,
    );
    this.#database.atomically(() => {
      this.#forget(unread);
      this.#database.exec(
        "UPDATE executions SET is_deleted = 1 WHERE is_deleted = 0 AND id IN (SELECT value FROM json_each(?))",
        list,
      );
    });
  }

  /**
   * Marks executions of the range as deleted if n8n should have listed them but did not.
   * @param listed the ids that n8n lists there, across all workflows and times
   * @param askedAt epoch ms when the list was requested: executions stored later may also have ended later
   */
  markMissing({ high, low }: IdRange, listed: readonly string[], askedAt: number): void {
    const missing = this.#database.executionIds(
      `WHERE id BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER) AND is_deleted = 0
       AND NOT (${MAY_CONTINUE}) AND id NOT IN (SELECT value FROM json_each(?))`,
      low,
      high,
      JSON.stringify(listed),
    );
    this.markDeleted(this.notKeptSince(missing.map((id) => ({ id, askedAt }))));
  }

  /** Excludes executions that another scan has stored since they were requested. */
  notKeptSince(asked: readonly { readonly id: string; readonly askedAt: number }[]): string[] {
    return asked.filter(({ id, askedAt }) => !this.recent.isKeptSince(id, askedAt)).map(({ id }) => id);
  }

  /**
   * Removes the oldest executions, in batches: other work waits meanwhile, and a list of ids has a maximum length.
   * Those that have not begun stay, because no list would show them again. @returns the removed ids, in ascending order
   */
  forgetBelow(lowest: string): readonly string[] {
    const where = `WHERE executions.id < CAST(? AS INTEGER) AND status <> 'new'
      ORDER BY executions.id LIMIT ${FORGOTTEN_AT_ONCE}`;
    const gone = this.#database.executionIds(where, lowest);
    this.#forget(gone);
    return gone;
  }

  /** Records whether a known success is wrong nevertheless. */
  judge(id: string, isWrong: boolean): void {
    this.#database.exec(`INSERT OR REPLACE ${JUDGEMENT}`, isWrong ? 1 : 0, id);
  }

  /** The same, only for a success without a judgement that is not known to have handled an error. */
  judgeFirst(id: string, isWrong: boolean): void {
    this.#database.exec(`INSERT OR IGNORE ${JUDGEMENT} AND handled_errors = 0`, isWrong ? 1 : 0, id);
  }

  /** n8n does not list the execution again because of a retry, and may not keep the retry. */
  noteRetried(id: string, retrySuccessId: string): void {
    this.#database.exec(
      "UPDATE executions SET retry_success_id = ? WHERE id = ? AND retry_success_id IS NULL",
      retrySuccessId,
      id,
    );
  }

  /** When a worker dies, n8n (2.40.5) overwrites its executions' data with an error: the ids read before are kept. */
  #withKnownIds(one: MemorableExecution): MemorableExecution {
    const { execution, correlations, otherIds, facts } = one;
    const isEmpty = correlations.length === 0 && otherIds === null && facts?.runs === 0;
    if (!isEmpty || !hasEnded(execution)) return one;
    const known = this.#database.rows(
      correlationRow,
      `SELECT correlations.digest, needs_data AS needsData, node_name AS nodeName, correlations.path
       FROM executions, json_each(executions.digests) AS held
       JOIN correlations ON correlations.digest = held.value AND execution_id = executions.id
       WHERE executions.id = ? AND workflow_id = ? AND status IN ${UNFINISHED}`,
      execution.id,
      execution.workflowId,
    );
    return known.length === 0 ? one : { ...one, correlations: known, problem: null };
  }

  #rememberAll(read: readonly MemorableExecution[]): void {
    if (read.length === 0) return;
    // In ascending order, because SQLite fills its pages then; descending inserts leave them half empty.
    const executions = read
      .map((one) => this.#withKnownIds(one))
      .sort((a, b) => newestFirst(b.execution.id, a.execution.id));
    const ids = executions.map(({ execution }) => execution.id);
    this.#database.atomically(() => {
      this.#forgetRows(ids);
      this.#filters.put(new Map(executions.map(({ execution, termFilter }) => [execution.id, termFilter])));
      this.#database.insert("calls", executions.flatMap(callsOf));
      this.#database.insert("models", executions.flatMap(modelsOf));
      this.#database.insert("correlations", executions.flatMap(correlationsOf));
      this.#database.insert("executions", executions.map(cellsOf));
      this.#counts.noteAdded(executions.map(({ execution }) => execution));
    });
    this.recent.noteUnfinished(executions);
  }

  /** Updates what n8n's list reports. False if there is no row, or its id now belongs to another execution. */
  #noteUnread(
    { id, workflowId, status, startedAt, stoppedAt, waitTill }: TracedExecution,
    problem: string | null,
  ): boolean {
    this.recent.forget(id);
    const updated = this.#database.exec(
      `UPDATE executions SET status = ?, started_at = ?, stopped_at = ?, wait_till = ?, problem = ?, is_read = 0,
       is_deleted = 0, accepted_at = iif(started_at IS NULL AND ? IS NOT NULL, NULL, accepted_at)
       WHERE id = ? AND workflow_id = ?
         AND (status IN ${UNFINISHED} OR started_at IS ?) RETURNING id`,
      status,
      startedAt,
      stoppedAt,
      waitTill,
      problem,
      startedAt,
      id,
      workflowId,
      startedAt,
    );
    return updated.length > 0;
  }

  #forget(ids: readonly string[]): void {
    if (ids.length === 0) return;
    this.#forgetRows(ids);
    this.#filters.remove(ids);
  }

  #forgetRows(ids: readonly string[]): void {
    for (const id of ids) this.recent.forget(id);
    const list = JSON.stringify(ids);
    this.#database.exec(
      `DELETE FROM correlations WHERE (digest, execution_id) IN
       (SELECT value, executions.id FROM executions, json_each(executions.digests) WHERE executions.id IN (SELECT value FROM json_each(?)))`,
      list,
    );
    const gone = this.#database.rows(
      goneRow,
      `DELETE FROM executions WHERE id IN (SELECT value FROM json_each(?))
       RETURNING CAST(id AS TEXT) AS id, workflow_id AS workflowId`,
      list,
    );
    this.#counts.noteRemoved(gone);
    this.#database.exec("DELETE FROM calls WHERE caller_id IN (SELECT value FROM json_each(?))", list);
    this.#database.exec("DELETE FROM models WHERE execution_id IN (SELECT value FROM json_each(?))", list);
    this.#database.exec("DELETE FROM judgements WHERE id IN (SELECT value FROM json_each(?))", list);
  }
}

/** Cells in the order of the columns, as in the functions below. */
const cellsOf = ({ execution, correlations, otherIds, problem, facts }: MemorableExecution) => [
  ...OWN_COLUMNS.map((name) => execution[name] ?? null),
  problem,
  facts === null ? 0 : 1,
  correlations.length === 0 ? null : JSON.stringify(correlations.map(({ digest }) => digest)),
  otherIds,
  0,
  ...FACT_COLUMNS.map((fact) => facts?.[fact] ?? null),
];

const callsOf = ({ execution: { id, subExecutions } }: MemorableExecution) =>
  subExecutions.map(({ executionId, nodeName }) => [id, executionId, nodeName]);

const modelsOf = ({ execution: { id }, facts }: MemorableExecution) =>
  (facts?.models ?? []).map(({ model, llmCalls, tokens, estimatedTokens }) => [
    id,
    model,
    llmCalls,
    tokens.prompt,
    tokens.completion,
    estimatedTokens.prompt,
    estimatedTokens.completion,
  ]);

const correlationsOf = ({ execution: { id }, correlations }: MemorableExecution) =>
  correlations.map((place) => [place.digest, id, place.needsData ? 1 : 0, place.nodeName, place.path]);
