/**
 * What is known of one n8n's history: for each execution that was read its facts, its links and the digests of its
 * correlation ids, and the stretches of history in which all are known. No payload.
 *
 * Every method runs to its end without waiting, so two scans at once cannot mix within one. What n8n deletes stays,
 * marked so. Bounded in rows. Knows nothing of Durable Objects: any SQLite will do.
 */
import * as z from "zod";
import type { ExecutionFacts } from "../../executions/execution-facts.ts";
import { EXECUTION_STATUSES, type ExecutionListItem } from "../../n8n/schemas.ts";
import type { Sql, SqlValue } from "../../platform/sql.ts";
import { REQUEST_MS } from "../../platform/time-limits.ts";
import { CountedCosts } from "../report/index-costs.ts";
import {
  type LastFailure,
  lastFailure,
  type Milestone,
  type RowCounts,
  rowCounts,
} from "../report/index-report.ts";
import { CREATE_FILTER_TABLE, FILTER_TABLE, FilterBlocks } from "../terms/filter-blocks.ts";
import { type Family, familyOf, type LinkLookup } from "./family.ts";
import type { IdRange } from "./gaps.ts";
import { jsonChunks } from "./json-chunks.ts";
import { HeldLookTimes, type LookTimes } from "./look-times.ts";
import { FACT_COLUMNS, factCells, SELECTED_FACTS, toFacts } from "./stored-facts.ts";
import { type Stretch, union } from "./stretches.ts";
import { hasEnded, isNewer, type TracedExecution, tracedExecution } from "./traced-execution.ts";

/** Counted up when the shape of the tables changes: what is stored in another shape is forgotten, and read anew. */
const SHAPE = "8";
/** After that a list has come, or failed. */
const LONGEST_LIST_MS = 2 * REQUEST_MS.usual;
/** Executions with one id that are looked at, the newest of them. */
export const MAX_MATCHES = 1_000;
export const MAX_UNFINISHED = 1_000;
/** Tried again by each trace. */
const MAX_UNREAD = 100;
const MAX_PROBLEMS = 20;
/** Of the unfinished ones, what is held of them to see that they are the same: no more run or wait in a page. */
const MAX_KEPT_UNFINISHED = 250;
/** Gaps that are told at once: many more than are asked for. */
const MAX_GAPS = 5_000;
/** Ids of one range in which executions are counted. */
const COUNTED_IDS = 1_024;
const FORGOTTEN_AT_ONCE = 10_000;

/** An execution as it is remembered. */
export interface MemorableExecution {
  readonly execution: TracedExecution;
  readonly correlations: readonly CorrelationPlace[];
  /** Why it could not be read, or not wholly; null when all of it was looked at. */
  readonly problem: string | null;
  /** Null when n8n failed to give it: then only what its list tells is known. */
  readonly facts: ExecutionFacts | null;
  /** What a search asks before it is read (`terms/`); null where nothing tells what is in it. */
  readonly termFilter: Uint8Array | null;
}

export interface CorrelationPlace {
  readonly digest: string;
  /** Null for the execution's custom data. */
  readonly nodeName: string | null;
  readonly path: string;
}

export interface RememberedMatch {
  readonly executionId: string;
  readonly nodeName: string | null;
  readonly path: string;
}

export interface HeldCorrelation {
  readonly executionId: string;
  readonly digest: string;
  readonly path: string;
}

/** What one page brought, kept in one go. */
export interface Checkpoint {
  readonly executions: readonly MemorableExecution[];
  /** Executions that n8n no longer has. */
  readonly deleted: readonly string[];
  /** Ids that were asked for, and under which n8n has nothing. */
  readonly empty: readonly string[];
  /** In which every execution is known, once this is kept. */
  readonly claims: readonly { readonly scope: Scope; readonly stretch: Stretch }[];
  /** What was passed over as known was known in this epoch. */
  readonly epoch: number;
}

/** The part of history that is asked about. */
export interface MemoryWindow {
  readonly workflowId: string | null;
  /** ISO 8601 in UTC with milliseconds, inclusive. */
  readonly startedAfter: string | null;
  readonly startedBefore: string | null;
}

export interface KnownHistory {
  /** Of which all is known, newest first. */
  readonly stretches: readonly Stretch[];
  /** Known executions of the window that had not ended when they were read, one more than are looked after. */
  readonly unfinished: readonly TracedExecution[];
  /** Ids of listed executions of the window that n8n failed to give, the newest of them. */
  readonly unread: readonly string[];
}

/** What belongs to a request, as far as it is known. */
export interface KnownFamily extends Family {
  readonly executions: readonly TracedExecution[];
  /** Ids of those that n8n has deleted since. */
  readonly deleted: readonly string[];
  /** Ids of those that succeeded although something in them failed: an error that was caught, a tool of an agent. */
  readonly swallowing: readonly string[];
}

export interface KnownRequest {
  /** Newest first, one more than is looked at. */
  readonly matches: readonly RememberedMatch[];
  readonly family: KnownFamily;
}

export interface KnownCoverage {
  readonly executions: number;
  /** Start of the oldest and the newest, ISO 8601. */
  readonly from: string | null;
  readonly to: string | null;
  /** The lowest and the highest id; null when there is none. */
  readonly lowest: string | null;
  readonly highest: string | null;
  /** Those that could not be read, or not wholly; the newest of them. */
  readonly problems: readonly { readonly executionId: string; readonly reason: string }[];
  /** How many there are in all. */
  readonly problemCount: number;
}

const TABLES = [
  "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
  `CREATE TABLE executions (
    id INTEGER PRIMARY KEY, workflow_id TEXT NOT NULL, workflow_name TEXT, mode TEXT NOT NULL,
    status TEXT NOT NULL, started_at TEXT, stopped_at TEXT, wait_till TEXT,
    parent_id INTEGER, unknown_parent_workflow_id TEXT, retry_of INTEGER, retry_success_id INTEGER, problem TEXT,
    is_read INTEGER NOT NULL, digests TEXT, is_deleted INTEGER NOT NULL, ${FACT_COLUMNS})`,
  CREATE_FILTER_TABLE,
  "CREATE INDEX by_parent ON executions (parent_id) WHERE parent_id IS NOT NULL",
  "CREATE INDEX by_retry ON executions (retry_of) WHERE retry_of IS NOT NULL",
  "CREATE INDEX unread ON executions (is_read) WHERE is_read = 0",
  "CREATE INDEX unfinished ON executions (status) WHERE status IN ('running', 'waiting', 'new', 'unknown')",
  "CREATE INDEX problems ON executions (id) WHERE problem IS NOT NULL",
  `CREATE TABLE calls (
    caller_id INTEGER NOT NULL, child_id INTEGER NOT NULL, node_name TEXT NOT NULL,
    PRIMARY KEY (caller_id, child_id)) WITHOUT ROWID`,
  "CREATE INDEX by_child ON calls (child_id)",
  // One row for each, no other index: `executions.digests` leads back.
  `CREATE TABLE correlations (
    digest TEXT NOT NULL, execution_id INTEGER NOT NULL, node_name TEXT, path TEXT NOT NULL,
    PRIMARY KEY (digest, execution_id)) WITHOUT ROWID`,
  // How many executions there are in each range of ids.
  "CREATE TABLE counts (ids INTEGER PRIMARY KEY, executions INTEGER NOT NULL)",
  // Ids under which n8n has nothing.
  "CREATE TABLE empty_ids (id INTEGER PRIMARY KEY)",
  "CREATE TABLE stretches (scope TEXT NOT NULL, high INTEGER NOT NULL, low INTEGER NOT NULL, is_bottom INTEGER NOT NULL)",
];

const TABLE_NAMES = ["executions", "calls", "correlations", "stretches", "counts", "empty_ids", FILTER_TABLE];

const EXECUTION_COLUMNS = `CAST(id AS TEXT) AS id, workflow_id AS workflowId, workflow_name AS workflowName, mode,
  status, started_at AS startedAt, stopped_at AS stoppedAt, wait_till AS waitTill,
  CAST(parent_id AS TEXT) AS parentId, unknown_parent_workflow_id AS unknownParentWorkflowId,
  CAST(retry_of AS TEXT) AS retryOf,
  CAST(retry_success_id AS TEXT) AS retrySuccessId`;

/** An execution that has not started is in every window. */
const IN_WINDOW = `(?1 IS NULL OR workflow_id = ?1) AND (?2 IS NULL OR started_at IS NULL OR started_at >= ?2)
  AND (?3 IS NULL OR started_at IS NULL OR started_at <= ?3)`;

const KNOWN = `${IN_WINDOW} AND is_deleted = 0 AND status NOT IN ('running', 'new', 'unknown')
  AND executions.id <= CAST(?4 AS INTEGER) AND executions.id >= CAST(?5 AS INTEGER)`;

const windowBindings = (window: MemoryWindow): [string | null, string | null, string | null] => [
  window.workflowId,
  window.startedAfter,
  window.startedBefore,
];

const executionRow = tracedExecution.omit({ subExecutions: true });
/** As n8n lists it. */
const itemRow = tracedExecution.pick({
  ...{ id: true, workflowId: true, mode: true, status: true, startedAt: true, stoppedAt: true },
  ...{ waitTill: true, retryOf: true, retrySuccessId: true },
});
const callRow = z.object({ executionId: z.string(), nodeName: z.string() });
const idRow = z.object({ id: z.string() });
const stretchRow = z
  .object({ high: z.string(), low: z.string(), isBottom: z.number() })
  .transform((row) => ({ ...row, isBottom: row.isBottom === 1 }));
const matchRow = z.object({ executionId: z.string(), nodeName: z.string().nullable(), path: z.string() });
const heldRow = z.object({ executionId: z.string(), digest: z.string(), path: z.string() });
const stateRow = z.object({
  id: z.string(),
  workflowId: z.string(),
  status: z.enum(EXECUTION_STATUSES),
  startedAt: z.string().nullable(),
  stoppedAt: z.string().nullable(),
  waitTill: z.string().nullable(),
  isDeleted: z.number(),
});
const factRow = z.object({ value: z.string() });
const startRow = z.object({ startedAt: z.string().nullable() });
const countRow = z.object({ count: z.number() });
const spanRow = z.object({
  executions: z.number(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  lowest: z.string().nullable(),
  highest: z.string().nullable(),
});
type Span = z.infer<typeof spanRow>;
const rangeRow = z.object({ high: z.string(), low: z.string() });
const problemRow = z.object({ executionId: z.string(), reason: z.string() });

type State = z.infer<typeof stateRow>;

/** Between two stretches that are known there is something that is not, so that none has to be joined then. */
const contains = (known: Stretch, claimed: Stretch): boolean =>
  !isNewer(claimed.high, known.high) &&
  !isNewer(known.low, claimed.low) &&
  (known.isBottom || !claimed.isBottom);

const newestOf = (items: readonly ExecutionListItem[]): string =>
  items.reduce((newest, { id }) => (isNewer(id, newest) ? id : newest), "0");

type Cell = string | number | null;

const inWords = ({ termFilter, ...one }: MemorableExecution): string =>
  JSON.stringify([one, termFilter?.join()]);

const isSameExecution = (known: State, listed: ListedState): boolean =>
  known.workflowId === listed.workflowId && known.startedAt === listed.startedAt;

type ListedState = Omit<State, "isDeleted"> & Pick<ExecutionListItem, "isStatusInferred">;

/** What n8n's list only let infer may be more exactly known. */
function isSameStatus(known: State, { status, isStatusInferred }: ListedState): boolean {
  if (isStatusInferred !== true || status !== "error") return known.status === status;
  return hasEnded(known) && known.status !== "success";
}

function hasChanged(known: State | undefined, listed: ListedState): boolean {
  if (known === undefined || !isSameStatus(known, listed) || !isSameExecution(known, listed)) return true;
  if (hasEnded(listed)) return false;
  // A waiting execution sleeps: as long as it is the same sleep, nothing has changed.
  return (
    listed.status !== "waiting" || known.stoppedAt !== listed.stoppedAt || known.waitTill !== listed.waitTill
  );
}

/**
 * What is known of a stretch: each execution that n8n lists, or also those that are in no list of an n8n which hides
 * the unfinished ones (`hidden`), whose ids were asked for one by one.
 */
export type Scope = "listed" | "hidden";

export class ExecutionStore {
  /** What n8n was asked for all of this. */
  readonly costs: CountedCosts;
  /** What a search asks of executions before it reads them. */
  readonly filters: FilterBlocks;
  readonly #sql: Sql;
  /** When executions were kept, epoch ms: of those that a list under way may have been too early for. */
  readonly #keptAt = new Map<string, number>();
  /** Those that had not ended, by id, as they were kept: each look reads them, and mostly they are the same. */
  readonly #keptUnfinished = new Map<string, string>();
  readonly #lookTimes: HeldLookTimes;

  constructor(sql: Sql) {
    this.#sql = sql;
    this.filters = new FilterBlocks(sql);
    this.#exec("CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID");
    if (this.#fact("shape") !== SHAPE) this.#beginAnew();
    this.costs = new CountedCosts(this.#fact("costs"), (text) => this.#setFact("costs", text));
    const syncedAt = this.#fact("synced at");
    const kept = {
      syncedAt: syncedAt === undefined ? null : Number(syncedAt),
      settledBefore: this.#fact("settled before") ?? null,
    };
    this.#lookTimes = new HeldLookTimes(kept, (times) => this.#writeLookTimes(times));
  }

  /**
   * Counted up when n8n turns out to have another history than the one that is known: what was passed over as known
   * before may be unknown now.
   */
  get epoch(): number {
    return Number(this.#fact("epoch") ?? 0);
  }

  /** When n8n was looked at last. */
  get lookTimes(): LookTimes {
    return this.#lookTimes.times;
  }

  /**
   * All that is new was looked at.
   * @param now epoch ms
   * @param settledBefore what began before was in n8n's lists: ISO 8601, null when that is not known
   */
  noteLook(now: number, settledBefore: string | null): void {
    this.#lookTimes.note(now, settledBefore);
  }

  #writeLookTimes({ syncedAt, settledBefore }: LookTimes): void {
    if (syncedAt !== null) this.#setFact("synced at", String(syncedAt));
    if (settledBefore !== null) this.#setFact("settled before", settledBefore);
    this.costs.keep();
  }

  /** Why n8n could not be asked when it was tried by itself; null when that never failed. */
  get lastFailure(): LastFailure | null {
    const text = this.#fact("last failure");
    return text === undefined ? null : lastFailure.parse(JSON.parse(text));
  }

  set lastFailure(failure: LastFailure) {
    this.#setFact("last failure", JSON.stringify(failure));
  }

  /**
   * The stretches have to be listed anew. What is known of executions stays, and counts as deleted until n8n lists it
   * again.
   * @param newest the newest id that n8n lists, as far as is known: above it n8n is going to use ids again
   */
  #beginEpoch(newest: string): void {
    this.#setFact("used again above", newest);
    this.#exec(
      "UPDATE executions SET is_deleted = 1 WHERE status NOT IN ('running', 'waiting', 'new', 'unknown')",
    );
    this.#exec("DELETE FROM stretches");
    this.#exec("DELETE FROM empty_ids");
    this.#exec("DELETE FROM facts WHERE name IN ('floor', 'settled before')");
    this.#lookTimes.forgetSettled();
    this.#setFact("epoch", String(this.epoch + 1));
  }

  #beginAnew(): void {
    for (const table of [...TABLE_NAMES, "facts"]) this.#exec(`DROP TABLE IF EXISTS ${table}`);
    for (const statement of TABLES) this.#exec(statement);
    this.#setFact("shape", SHAPE);
  }

  #exec(query: string, ...bindings: Cell[]): Record<string, SqlValue>[] {
    return [...this.#sql.exec(query, ...bindings)];
  }

  #fact(name: string): string | undefined {
    const [row] = this.#exec("SELECT value FROM facts WHERE name = ?", name);
    return row === undefined ? undefined : factRow.parse(row).value;
  }

  #setFact(name: string, value: string): void {
    this.#exec("INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", name, value);
  }

  /** Of which all is known, newest first. */
  stretches(scope: Scope): Stretch[] {
    return this.#exec(
      `SELECT CAST(high AS TEXT) AS high, CAST(low AS TEXT) AS low, is_bottom AS isBottom FROM stretches
       WHERE scope = ? ORDER BY stretches.high DESC`,
      scope,
    ).map((row) => stretchRow.parse(row));
  }

  /** @param scope whose stretches may be passed over */
  known(scope: Scope, window: MemoryWindow): KnownHistory {
    const unfinished = this.#exec(
      `SELECT ${EXECUTION_COLUMNS} FROM executions
       WHERE ${IN_WINDOW} AND status IN ('running', 'waiting', 'new', 'unknown') AND is_deleted = 0
       ORDER BY executions.id DESC LIMIT ${MAX_UNFINISHED + 1}`,
      ...windowBindings(window),
    );
    const unread = this.#ids(
      `SELECT CAST(id AS TEXT) AS id FROM executions WHERE ${IN_WINDOW} AND is_read = 0
       ORDER BY executions.id DESC LIMIT ${MAX_UNREAD}`,
      ...windowBindings(window),
    );
    return {
      stretches: this.stretches(scope),
      unfinished: unfinished.map((row) => ({ ...executionRow.parse(row), subExecutions: [] })),
      unread,
    };
  }

  /**
   * Of what n8n lists, the ids that have to be read: unknown ones, and those that changed or still run. When an
   * execution that had ended is another one now, this n8n has another history (set up anew, or restored from a
   * backup: it uses its ids again): then all of it has to be listed anew.
   */
  unknownOf(items: readonly ExecutionListItem[]): { ids: string[]; isOtherHistory: boolean } {
    const rows = this.#exec(
      `SELECT CAST(id AS TEXT) AS id, workflow_id AS workflowId, status, started_at AS startedAt,
       stopped_at AS stoppedAt, wait_till AS waitTill, is_deleted AS isDeleted
       FROM executions WHERE id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(items.map(({ id }) => id)),
    );
    const known = new Map(rows.map((row) => stateRow.parse(row)).map((row) => [row.id, row]));
    const others = items.flatMap((item) => {
      const row = known.get(item.id);
      return row === undefined || isSameExecution(row, item) ? [] : [row];
    });
    const isOtherHistory = others.some((row) => hasEnded(row) && !this.#isUsedAgain(row));
    if (isOtherHistory) this.#beginEpoch(newestOf(items));
    const back = [...known.values()].filter((row) => !others.includes(row));
    if (isOtherHistory || back.some(({ isDeleted }) => isDeleted === 1))
      this.#exec(
        `UPDATE executions SET is_deleted = 0
         WHERE is_deleted = 1 AND id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(back.map(({ id }) => id)),
      );
    const ids = items.filter((item) => hasChanged(known.get(item.id), item));
    return { ids: ids.map(({ id }) => id), isOtherHistory };
  }

  /** It was in the history that n8n had before, and n8n has come to its id again. */
  #isUsedAgain({ id, isDeleted }: State): boolean {
    const above = this.#fact("used again above");
    return isDeleted === 1 && above !== undefined && isNewer(id, above);
  }

  /**
   * Keeps what a page brought. What is claimed in another epoch is not: it was believed in part.
   * @param now epoch ms
   */
  keep({ executions, deleted, empty, claims, epoch }: Checkpoint, now: number): void {
    this.markDeleted(deleted);
    this.remember(executions, now);
    this.#insert(
      "empty_ids",
      empty.map((id) => [id]),
    );
    if (epoch !== this.epoch) return;
    for (const { scope, stretch } of claims) this.claim(scope, stretch);
  }

  /**
   * n8n has deleted these. What is known of them stays; of what was never read, or had not ended, nothing does.
   */
  markDeleted(ids: readonly string[]): void {
    if (ids.length === 0) return;
    const list = JSON.stringify(ids);
    const unread = this.#ids(
      `SELECT CAST(id AS TEXT) AS id FROM executions WHERE id IN (SELECT value FROM json_each(?))
       AND (is_read = 0 OR status IN ('running', 'waiting', 'new', 'unknown'))`,
      list,
    );
    this.#forget(unread);
    this.#exec(
      "UPDATE executions SET is_deleted = 1 WHERE is_deleted = 0 AND id IN (SELECT value FROM json_each(?))",
      list,
    );
  }

  /**
   * What n8n should have listed from one id down to another, and did not: it has deleted it.
   * @param listed what n8n lists there, of all workflows and times
   * @param askedAt epoch ms when the list was asked for: what was read since may have ended since
   */
  markMissing({ high, low }: IdRange, listed: readonly string[], askedAt: number): void {
    const isOld = (id: string): boolean => (this.#keptAt.get(id) ?? Number.NEGATIVE_INFINITY) <= askedAt;
    const missing = this.#ids(
      `SELECT CAST(id AS TEXT) AS id FROM executions
         WHERE id BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER) AND is_deleted = 0
         AND status NOT IN ('running', 'waiting', 'new', 'unknown')
         AND id NOT IN (SELECT value FROM json_each(?))`,
      low,
      high,
      JSON.stringify(listed),
    );
    this.markDeleted(missing.filter(isOld));
  }

  /** Keeps what was read; of an execution that comes twice, what came last. */
  remember(executions: readonly MemorableExecution[], now: number): void {
    this.#noteKept(executions, now);
    let read = new Map<string, MemorableExecution>();
    for (const one of executions) {
      if (!read.has(one.execution.id) && this.#isKept(one)) continue;
      if (one.facts !== null) {
        read.set(one.execution.id, one);
        continue;
      }
      this.#rememberAll([...read.values()]);
      read = new Map();
      // What was read of it before may be what it no longer is.
      this.filters.put(new Map([[one.execution.id, null]]));
      if (!this.#noteUnread(one.execution, one.problem)) this.#rememberAll([one]);
    }
    this.#rememberAll([...read.values()]);
  }

  /** True when just this is what is kept of it: then nothing is written. */
  #isKept(one: MemorableExecution): boolean {
    const kept = this.#keptUnfinished.get(one.execution.id);
    return kept !== undefined && kept === inWords(one);
  }

  #noteUnfinished(executions: readonly MemorableExecution[]): void {
    for (const one of executions)
      if (one.facts !== null && !hasEnded(one.execution))
        this.#keptUnfinished.set(one.execution.id, inWords(one));
    for (const id of this.#keptUnfinished.keys()) {
      if (this.#keptUnfinished.size <= MAX_KEPT_UNFINISHED) return;
      this.#keptUnfinished.delete(id);
    }
  }

  #noteKept(executions: readonly MemorableExecution[], now: number): void {
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

  #rememberAll(executions: readonly MemorableExecution[]): void {
    if (executions.length === 0) return;
    this.#forgetRows(executions.map(({ execution }) => execution.id));
    this.filters.put(new Map(executions.map(({ execution, termFilter }) => [execution.id, termFilter])));
    this.#insert(
      "executions",
      executions.map(({ execution, correlations, problem, facts }) => [
        execution.id,
        execution.workflowId,
        execution.workflowName,
        execution.mode,
        execution.status,
        execution.startedAt,
        execution.stoppedAt,
        execution.waitTill,
        execution.parentId,
        execution.unknownParentWorkflowId,
        execution.retryOf,
        execution.retrySuccessId,
        problem,
        facts === null ? 0 : 1,
        correlations.length === 0 ? null : JSON.stringify(correlations.map(({ digest }) => digest)),
        0,
        ...factCells(facts),
      ]),
    );
    this.#count(
      "+",
      executions.map(({ execution }) => execution.id),
    );
    this.#insert(
      "calls",
      executions.flatMap(({ execution: { id, subExecutions } }) =>
        subExecutions.map(({ executionId, nodeName }) => [id, executionId, nodeName]),
      ),
    );
    this.#insert(
      "correlations",
      executions.flatMap(({ execution: { id }, correlations }) =>
        correlations.map(({ digest, nodeName, path }) => [digest, id, nodeName, path]),
      ),
    );
    this.#noteUnfinished(executions);
  }

  /** One statement for many rows: a statement for each would be most of the work. */
  #insert(table: string, rows: readonly (readonly Cell[])[]): void {
    const [first] = rows;
    if (first === undefined) return;
    const columns = first.map((_cell, index) => `value ->> ${index}`);
    for (const chunk of jsonChunks(rows))
      this.#exec(`INSERT OR IGNORE INTO ${table} SELECT ${columns.join(", ")} FROM json_each(?)`, chunk);
  }

  /** What was read of it before still holds. False when nothing was, or its id is another execution's now. */
  #noteUnread(
    { id, workflowId, status, startedAt, stoppedAt, waitTill }: TracedExecution,
    problem: string | null,
  ): boolean {
    this.#keptUnfinished.delete(id);
    const noted = this.#exec(
      `UPDATE executions SET status = ?, started_at = ?, stopped_at = ?, wait_till = ?, problem = ?, is_read = 0,
       is_deleted = 0
       WHERE id = ? AND workflow_id = ?
         AND (status IN ('running', 'waiting', 'new', 'unknown') OR started_at IS ?) RETURNING id`,
      status,
      startedAt,
      stoppedAt,
      waitTill,
      problem,
      id,
      workflowId,
      startedAt,
    );
    return noted.length > 0;
  }

  #forget(ids: readonly string[]): void {
    if (ids.length === 0) return;
    this.#forgetRows(ids);
    this.filters.remove(ids);
  }

  #forgetRows(ids: readonly string[]): void {
    for (const id of ids) this.#keptUnfinished.delete(id);
    const list = JSON.stringify(ids);
    this.#exec(
      `DELETE FROM correlations WHERE (digest, execution_id) IN
       (SELECT value, executions.id FROM executions, json_each(executions.digests) WHERE executions.id IN (SELECT value FROM json_each(?)))`,
      list,
    );
    const gone = this.#ids(
      `DELETE FROM executions WHERE id IN (SELECT value FROM json_each(?)) RETURNING CAST(id AS TEXT) AS id`,
      list,
    );
    this.#count("-", gone);
    this.#exec("DELETE FROM calls WHERE caller_id IN (SELECT value FROM json_each(?))", list);
  }

  /** Every execution of the scope in this stretch is known: joins it to the others that share an id with it. */
  claim(scope: Scope, stretch: Stretch): void {
    const claimed = this.#aboveFloor(stretch);
    if (claimed === null) return;
    if (this.stretches(scope).some((known) => contains(known, claimed))) return;
    const joined = this.#exec(
      `DELETE FROM stretches WHERE scope = ? AND high >= CAST(? AS INTEGER) AND low <= CAST(? AS INTEGER)
       RETURNING CAST(high AS TEXT) AS high, CAST(low AS TEXT) AS low, is_bottom AS isBottom`,
      scope,
      claimed.low,
      claimed.high,
    ).map((row) => stretchRow.parse(row));
    const { high, low, isBottom } = union([claimed, ...joined]);
    this.#exec("INSERT INTO stretches VALUES (?, ?, ?, ?)", scope, high, low, isBottom ? 1 : 0);
  }

  /** Without what was forgotten to make room; null when nothing is left. */
  #aboveFloor(stretch: Stretch): Stretch | null {
    const floor = this.#fact("floor");
    if (floor === undefined || isNewer(stretch.low, floor)) return stretch;
    return isNewer(floor, stretch.high) ? null : { ...stretch, low: floor, isBottom: false };
  }

  /** What terms are made under. Those that were made under other rules are forgotten. */
  set termRules(rulesDigest: string) {
    if (this.#fact("term rules") === rulesDigest) return;
    this.filters.forgetAll();
    this.#keptUnfinished.clear();
    this.#setFact("term rules", rulesDigest);
  }

  /**
   * Known executions of the window that n8n still has, as n8n lists them, newest first, from one id down to another.
   * Those that run are not among them: they are read each time.
   */
  knownItems(window: MemoryWindow, { high, low }: IdRange): ExecutionListItem[] {
    return this.#exec(
      `SELECT CAST(id AS TEXT) AS id, workflow_id AS workflowId, status, mode, started_at AS startedAt,
       stopped_at AS stoppedAt, wait_till AS waitTill, CAST(retry_of AS TEXT) AS retryOf,
       CAST(retry_success_id AS TEXT) AS retrySuccessId FROM executions
       WHERE ${KNOWN} ORDER BY executions.id DESC`,
      ...windowBindings(window),
      high,
      low,
    ).map((row) => itemRow.parse(row));
  }

  /** The executions of the window that hold the correlation id, newest first, one more than is looked at. */
  matchesOf(digest: string, window: MemoryWindow): RememberedMatch[] {
    return this.#exec(
      `SELECT CAST(execution_id AS TEXT) AS executionId, node_name AS nodeName, path
       FROM correlations JOIN executions ON executions.id = execution_id
       WHERE ${IN_WINDOW} AND digest = ?4 ORDER BY execution_id DESC LIMIT ${MAX_MATCHES + 1}`,
      ...windowBindings(window),
      digest,
    ).map((row) => matchRow.parse(row));
  }

  /** The correlation ids that these executions hold. */
  correlationsOf(executionIds: readonly string[]): HeldCorrelation[] {
    return this.#exec(
      `SELECT CAST(execution_id AS TEXT) AS executionId, digest, path FROM correlations
       WHERE (digest, execution_id) IN (SELECT value, executions.id FROM executions, json_each(executions.digests)
         WHERE executions.id IN (SELECT value FROM json_each(?)))`,
      JSON.stringify(executionIds),
    ).map((row) => heldRow.parse(row));
  }

  /** Both in one go: the executions that hold the correlation id, and what belongs to them. */
  request(digest: string, window: MemoryWindow): KnownRequest {
    const matches = this.matchesOf(digest, window);
    return { matches, family: this.family(matches.slice(0, MAX_MATCHES).map((match) => match.executionId)) };
  }

  /** What is known of the window from the newest execution down to this one. */
  coverage(window: MemoryWindow, downTo: string): KnownCoverage {
    const where = `${IN_WINDOW} AND id >= CAST(?4 AS INTEGER)`;
    const bindings = [...windowBindings(window), downTo] as const;
    const isWhole = Object.values(window).every((bound) => bound === null);
    const [problemCount] = this.#exec(
      `SELECT COUNT(*) AS count FROM executions WHERE ${where} AND problem IS NOT NULL`,
      ...bindings,
    );
    const problems = this.#exec(
      `SELECT CAST(id AS TEXT) AS executionId, problem AS reason FROM executions
       WHERE ${where} AND problem IS NOT NULL ORDER BY executions.id DESC LIMIT ${MAX_PROBLEMS}`,
      ...bindings,
    );
    return {
      ...(isWhole ? this.#spanFrom(downTo) : this.#spanIn(where, bindings)),
      problems: problems.map((row) => problemRow.parse(row)),
      problemCount: countRow.parse(problemCount).count,
    };
  }

  #spanIn(where: string, bindings: readonly (string | null)[]): Span {
    const [row] = this.#exec(
      `SELECT COUNT(*) AS executions, MIN(started_at) AS "from", MAX(started_at) AS "to",
       CAST(MIN(id) AS TEXT) AS lowest, CAST(MAX(id) AS TEXT) AS highest FROM executions WHERE ${where}`,
      ...bindings,
    );
    return spanRow.parse(row);
  }

  /** The same without a walk over all of them: ids count up as starts do. */
  #spanFrom(downTo: string): Span {
    const [row] = this.#exec(
      `SELECT CAST((SELECT MIN(id) FROM executions WHERE id >= CAST(?1 AS INTEGER)) AS TEXT) AS lowest,
       CAST((SELECT MAX(id) FROM executions WHERE id >= CAST(?1 AS INTEGER)) AS TEXT) AS highest,
       (SELECT started_at FROM executions WHERE id >= CAST(?1 AS INTEGER) AND started_at IS NOT NULL
        ORDER BY id LIMIT 1) AS "from",
       (SELECT started_at FROM executions WHERE id >= CAST(?1 AS INTEGER) AND started_at IS NOT NULL
        ORDER BY id DESC LIMIT 1) AS "to"`,
      downTo,
    );
    const [counted] = this.#exec(
      `SELECT (SELECT COUNT(*) FROM executions
               WHERE id BETWEEN CAST(?1 AS INTEGER) AND (CAST(?1 AS INTEGER) / ${COUNTED_IDS} + 1) * ${COUNTED_IDS} - 1)
        + (SELECT COALESCE(SUM(executions), 0) FROM counts WHERE ids > CAST(?1 AS INTEGER) / ${COUNTED_IDS}) AS count`,
      downTo,
    );
    return spanRow.parse({ ...row, executions: countRow.parse(counted).count });
  }

  /** Counted as they come and go: a walk over all of them would read each row. */
  #count(sign: "+" | "-", ids: readonly string[]): void {
    if (ids.length === 0) return;
    this.#exec(
      `INSERT INTO counts SELECT value / ${COUNTED_IDS}, 0 ${sign} COUNT(*) FROM json_each(?) WHERE true GROUP BY 1
       ON CONFLICT (ids) DO UPDATE SET executions = executions + excluded.executions`,
      JSON.stringify(ids),
    );
  }

  /**
   * Ids of the range under which nothing is known: no execution, and not that there is none. Newest first, at most
   * `MAX_GAPS` ranges; `isCut` when there are more below.
   */
  gapsIn({ high, low }: IdRange): { ranges: IdRange[]; isCut: boolean } {
    const rows = this.#exec(
      `WITH ends AS (
         SELECT id FROM executions WHERE id BETWEEN CAST(?2 AS INTEGER) AND CAST(?1 AS INTEGER)
         UNION SELECT id FROM empty_ids WHERE id BETWEEN CAST(?2 AS INTEGER) AND CAST(?1 AS INTEGER)
         UNION SELECT CAST(?1 AS INTEGER) + 1 UNION SELECT CAST(?2 AS INTEGER) - 1),
       steps AS (SELECT id, LAG(id) OVER (ORDER BY id) AS previous FROM ends)
       SELECT CAST(id - 1 AS TEXT) AS high, CAST(previous + 1 AS TEXT) AS low FROM steps
       WHERE id - previous > 1 ORDER BY id DESC LIMIT ${MAX_GAPS + 1}`,
      high,
      low,
    );
    const ranges = rows.map((row) => rangeRow.parse(row));
    return { ranges: ranges.slice(0, MAX_GAPS), isCut: ranges.length > MAX_GAPS };
  }

  /** The executions with these ids, as far as they are known. */
  executions(ids: readonly string[]): TracedExecution[] {
    const rows = this.#exec(
      `SELECT ${EXECUTION_COLUMNS} FROM executions WHERE id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    );
    return rows.map((row) => {
      const facts = executionRow.parse(row);
      return { ...facts, subExecutions: this.#callsOf(facts.id) };
    });
  }

  /** What was found in it; null where it is not known, or was not read. */
  factsOf(id: string): ExecutionFacts | null {
    const [row] = this.#exec(`SELECT ${SELECTED_FACTS} FROM executions WHERE id = ? AND is_read = 1`, id);
    return row === undefined ? null : toFacts(row);
  }

  /** What belongs to a request, given the executions that hold its id. */
  family(matchIds: readonly string[]): KnownFamily {
    const family = familyOf(matchIds, this.#links());
    const idsWhere = (condition: string): string[] =>
      this.#ids(
        `SELECT CAST(id AS TEXT) AS id FROM executions
         WHERE ${condition} AND id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(family.ids),
      );
    return {
      ...family,
      executions: this.executions(family.ids),
      deleted: idsWhere("is_deleted = 1"),
      swallowing: idsWhere("status = 'success' AND handled_errors > 0 AND is_deleted = 0"),
    };
  }

  #callsOf(id: string): { executionId: string; nodeName: string }[] {
    return this.#exec(
      "SELECT CAST(child_id AS TEXT) AS executionId, node_name AS nodeName FROM calls WHERE caller_id = ? ORDER BY child_id",
      id,
    ).map((row) => callRow.parse(row));
  }

  #ids(query: string, ...bindings: (string | null)[]): string[] {
    return this.#exec(query, ...bindings).map((row) => idRow.parse(row).id);
  }

  #links(): LinkLookup {
    const one = (id: string): TracedExecution | undefined => this.executions([id])[0];
    return {
      isKnown: (id) => this.#exec("SELECT 1 FROM executions WHERE id = ?", id).length > 0,
      childrenOf: (id) =>
        this.#ids(
          `SELECT CAST(id AS TEXT) AS id FROM executions WHERE parent_id = ?1 AND retry_of IS NULL
           UNION SELECT CAST(child_id AS TEXT) AS id FROM calls WHERE caller_id = ?1`,
          id,
        ),
      handlersOf: (id) =>
        this.#ids(
          `SELECT CAST(id AS TEXT) AS id FROM executions WHERE mode = 'error' AND (parent_id = ?1 AND retry_of IS NULL
           OR id IN (SELECT child_id FROM calls WHERE caller_id = ?1))`,
          id,
        ),
      retriesOf: (id) =>
        this.#ids(
          `SELECT CAST(id AS TEXT) AS id FROM executions WHERE retry_of = ?1
           UNION SELECT CAST(retry_success_id AS TEXT) AS id FROM executions
           WHERE id = ?1 AND retry_success_id IS NOT NULL`,
          id,
        ),
      causeOf: (id) => {
        const execution = one(id);
        const [caller] = this.#ids(
          "SELECT CAST(caller_id AS TEXT) AS id FROM calls WHERE child_id = ? ORDER BY caller_id LIMIT 1",
          id,
        );
        return execution?.retryOf ?? execution?.parentId ?? caller ?? null;
      },
    };
  }

  /** How many executions there are. */
  get count(): number {
    const [row] = this.#exec("SELECT COALESCE(SUM(executions), 0) AS count FROM counts");
    return countRow.parse(row).count;
  }

  /** Walks over all rows. */
  countRows(): RowCounts {
    const [row] = this.#exec(
      `SELECT COUNT(*) AS known, COUNT(*) FILTER (WHERE is_deleted = 1) AS deleted,
       COUNT(*) FILTER (WHERE is_read = 0) AS unread,
       COUNT(*) FILTER (WHERE is_read = 1 AND problem IS NOT NULL) AS partlyRead FROM executions`,
    );
    return rowCounts.parse(row);
  }

  /** The newest known execution; null while there is none. */
  get head(): Milestone | null {
    const [id] = this.#ids(
      "SELECT CAST(id AS TEXT) AS id FROM executions ORDER BY executions.id DESC LIMIT 1",
    );
    return id === undefined ? null : { id, startedAt: this.startOf(id) };
  }

  /** When the execution began, ISO 8601; null where it is not known, or has not begun. */
  startOf(id: string): string | null {
    const [row] = this.#exec("SELECT started_at AS startedAt FROM executions WHERE id = ?", id);
    return row === undefined ? null : startRow.parse(row).startedAt;
  }

  /**
   * Forgets the oldest where there are more than so many.
   * @returns how many were forgotten
   */
  makeRoom(most: number): number {
    const [row] = this.#exec(
      "SELECT CAST(id AS TEXT) AS id FROM executions ORDER BY executions.id DESC LIMIT 1 OFFSET ?",
      most - 1,
    );
    if (row === undefined) return 0;
    const { id: lowest } = idRow.parse(row);
    const forgotten = this.#forgetBelow(lowest);
    if (forgotten === 0) return 0;
    this.#setFact("floor", lowest);
    this.#exec("DELETE FROM empty_ids WHERE id < CAST(? AS INTEGER)", lowest);
    this.#exec("DELETE FROM stretches WHERE high < CAST(? AS INTEGER)", lowest);
    this.#exec(
      "UPDATE stretches SET low = CAST(?1 AS INTEGER), is_bottom = 0 WHERE low < CAST(?1 AS INTEGER)",
      lowest,
    );
    return forgotten;
  }

  /** In parts: a list of all of them may be longer than a value may be. */
  #forgetBelow(lowest: string): number {
    let forgotten = 0;
    for (;;) {
      const gone = this.#ids(
        `SELECT CAST(id AS TEXT) AS id FROM executions WHERE executions.id < CAST(? AS INTEGER)
         LIMIT ${FORGOTTEN_AT_ONCE}`,
        lowest,
      );
      if (gone.length === 0) return forgotten;
      this.#forget(gone);
      forgotten += gone.length;
    }
  }
}
