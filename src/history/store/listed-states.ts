/**
 * Compares n8n's lists with what is stored: what has to be read, and whether this is still the same history.
 *
 * If an ended execution has become a different one, n8n was reinstalled or restored and reuses its ids. A new epoch
 * begins: everything is listed again, and counts as deleted until n8n lists it.
 */
import * as z from "zod";
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { higherOf, isNewer } from "../../platform/id-order.ts";
import type { ExecutionCounts } from "./execution-counts.ts";
import type { IndexDatabase } from "./index-database.ts";
import type { KnownStretches } from "./known-stretches.ts";
import type { LookTimes } from "./look-times.ts";
import type { RunningLooks } from "./running-looks.ts";
import { isInside } from "./stretches.ts";
import { MAY_CONTINUE } from "./tables.ts";
import { hasEnded, mayContinue, tracedExecution } from "./traced-execution.ts";

const stateRow = tracedExecution
  .pick({ id: true, workflowId: true, status: true, startedAt: true, stoppedAt: true, waitTill: true })
  .extend({ isDeleted: z.number(), isRead: z.number() });
type State = z.infer<typeof stateRow>;
type ListedState = Omit<State, "isDeleted" | "isRead"> & Pick<ExecutionListItem, "isStatusInferred">;

/** The ids of listed ended executions that are unknown, or stored with other values. */
const NOT_AS_KNOWN = `SELECT value ->> 0 AS id FROM json_each(?) WHERE NOT EXISTS (
  SELECT 1 FROM executions WHERE executions.id = CAST(value ->> 0 AS INTEGER) AND workflow_id = value ->> 1
  AND status = value ->> 2 AND started_at IS value ->> 3 AND stopped_at IS value ->> 4 AND is_deleted = 0)`;

/** A retry that succeeds changes nothing else of what it retried. An n8n that was restored knows no later retry. */
const RETRIED_OTHERWISE = `executions.id = CAST(value ->> 0 AS INTEGER) AND workflow_id = value ->> 2
  AND started_at IS value ->> 3 AND retry_success_id IS NOT CAST(value ->> 1 AS INTEGER)`;
const RETRIED = `SELECT value ->> 0 AS id FROM json_each(?) CROSS JOIN executions WHERE ${RETRIED_OTHERWISE}`;
const NOTE_RETRIED = `UPDATE executions SET retry_success_id = CAST(value ->> 1 AS INTEGER) FROM json_each(?)
  WHERE ${RETRIED_OTHERWISE}`;

/** Another execution with the same id. If one of the two has not begun, it may be the same that has begun since. */
const isAnother = (known: State, listed: ListedState): boolean =>
  known.workflowId !== listed.workflowId ||
  (known.startedAt !== null && listed.startedAt !== null && known.startedAt !== listed.startedAt);

/** The stored status may be more exact than one inferred from n8n's list. */
function isSameStatus(known: State, { status, isStatusInferred }: ListedState): boolean {
  if (isStatusInferred !== true || status !== "error") return known.status === status;
  return hasEnded(known) && known.status !== "success";
}

/** Fewer may reappear by chance: for a moment, n8n does not list an execution that is just ending. */
const MANY_BACK = 10;
/** Fewer may appear by chance: a worker's clock may be behind when it runs the first executions of a workflow. */
const MANY_APPEARED = 3;

/** The parts of the store that these comparisons use. */
interface Store {
  readonly running: RunningLooks;
  readonly stretches: KnownStretches;
  readonly lookTimes: LookTimes;
  readonly counts: ExecutionCounts;
}

export class ListedStates {
  readonly #database: IndexDatabase;
  readonly #store: Store;
  readonly #onNewEpoch: () => void;

  constructor(database: IndexDatabase, store: Store, onNewEpoch: () => void) {
    this.#database = database;
    this.#store = store;
    this.#onNewEpoch = onNewEpoch;
  }

  /** Incremented when n8n has another history, or executions were removed: what was known before may be unknown now. */
  get epoch(): number {
    return Number(this.#database.fact("epoch") ?? 0);
  }

  /** Whether rows may belong to a former history. */
  get hasFormer(): boolean {
    return this.usedAgainAbove !== undefined;
  }

  /** Deleted executions above this id may belong to a former history, so that n8n may reuse their ids. */
  get usedAgainAbove(): string | undefined {
    return this.#database.fact("used again above");
  }

  /**
   * The listed ids that have to be read: unknown, changed, or running with data that may have changed. `isOtherHistory`
   * is also true if the API key sees more than before: many deleted ones are back, or unknown old ones have appeared.
   */
  unknownOf(items: readonly ExecutionListItem[]): { ids: string[]; isOtherHistory: boolean } {
    const changed = this.#notAsKnown(items);
    const known = this.#knownOf(changed);
    const others = changed.flatMap((item) => {
      const row = known.get(item.id);
      return row !== undefined && isAnother(row, item) ? [row] : [];
    });
    const gone = new Set(others.map(({ id }) => id));
    const back = [...known.values()].filter(({ id, isDeleted }) => isDeleted === 1 && !gone.has(id));
    const isReplaced = others.some((row) => hasEnded(row) && !this.#isUsedAgain(row));
    // The API key did not see others either; no page would show those again, because their stretches count as known.
    const seesMore =
      back.filter(({ id }) => this.#store.stretches.covers(id)).length >= MANY_BACK ||
      changed.filter((item) => !known.has(item.id) && this.#wasToBeListed(item)).length >= MANY_APPEARED;
    if (isReplaced) this.beginEpoch(items.map(({ id }) => id).reduce(higherOf, "0"));
    else if (seesMore) this.compareAnew();
    const isOtherHistory = isReplaced || seesMore;
    if (isOtherHistory || back.length > 0)
      this.#noteBack(items.map(({ id }) => id).filter((id) => !gone.has(id)));
    this.#noteRetried(items);
    const ids = changed.filter((item) => this.#hasChanged(known.get(item.id), item));
    return { ids: ids.map(({ id }) => id), isOtherHistory };
  }

  /**
   * True if an earlier look would have seen it, everything around it counts as known, and nothing older is known of its
   * workflow. Without the last, a worker whose clock is behind would have everything listed again after each look.
   */
  #wasToBeListed(item: ListedState): boolean {
    const { settled } = this.#store.lookTimes;
    if (settled === null || item.startedAt === null || !hasEnded(item)) return false;
    const isOld = item.startedAt < settled.before && !isNewer(item.id, settled.upTo);
    if (!isOld || !this.#store.stretches.of("listed").some((one) => isInside(item.id, one))) return false;
    const known = this.#store.counts.boundsOf([item.workflowId]);
    return known === null || isNewer(known.lowest, item.id);
  }

  #noteRetried(items: readonly ExecutionListItem[]): void {
    const retried = items.map((item) => [item.id, item.retrySuccessId, item.workflowId, item.startedAt]);
    const asked = JSON.stringify(retried);
    if (this.#database.ids(RETRIED, asked).length > 0) this.#database.exec(NOTE_RETRIED, asked);
  }

  /** Most listed executions have ended unchanged; SQL filters those out, so their rows are not loaded. */
  #notAsKnown(items: readonly ExecutionListItem[]): readonly ExecutionListItem[] {
    const ended = items.filter(hasEnded);
    if (ended.length === 0) return items;
    const states = ended.map((item) => [
      item.id,
      item.workflowId,
      item.status,
      item.startedAt,
      item.stoppedAt,
    ]);
    const others = new Set(this.#database.ids(NOT_AS_KNOWN, JSON.stringify(states)));
    return items.filter((item) => !hasEnded(item) || others.has(item.id));
  }

  #hasChanged(known: State | undefined, listed: ListedState): boolean {
    if (known === undefined || !isSameStatus(known, listed)) return true;
    if (known.workflowId !== listed.workflowId || known.startedAt !== listed.startedAt) return true;
    // When an execution is canceled, n8n's main process stores what it has, and a worker stores everything later.
    if (known.stoppedAt !== listed.stoppedAt) return true;
    if (hasEnded(listed)) return false;
    // The same wait time: it is still the same sleep.
    if (known.waitTill !== listed.waitTill) return true;
    if (listed.status === "waiting") return false;
    if (known.isRead === 0) return true;
    // A queued execution's data does not change until it begins.
    return listed.status !== "new" && mayContinue(listed) && !this.#store.running.isSettled(listed);
  }

  #knownOf(items: readonly ExecutionListItem[]): Map<string, State> {
    if (items.length === 0) return new Map();
    const ids = JSON.stringify(items.map(({ id }) => id));
    const rows = this.#database.executions(stateRow, "WHERE id IN (SELECT value FROM json_each(?))", ids);
    return new Map(rows.map((row) => [row.id, row]));
  }

  #noteBack(ids: readonly string[]): void {
    this.#database.exec(
      `UPDATE executions SET is_deleted = 0
         WHERE is_deleted = 1 AND id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    );
  }

  /** The row belongs to a former history, and n8n has reused its id. */
  #isUsedAgain({ id, isDeleted }: State): boolean {
    const above = this.usedAgainAbove;
    return isDeleted === 1 && above !== undefined && isNewer(id, above);
  }

  /** n8n has another history. @param newest the newest listed id: n8n will reuse the ids above it */
  beginEpoch(newest: string): void {
    this.#database.atomically(() => {
      this.#database.setFact("used again above", newest);
      // No list shows which queued executions were replaced, so those with ids to be reused count as deleted.
      this.#database.exec(
        `UPDATE executions SET is_deleted = 1
         WHERE NOT (${MAY_CONTINUE}) OR (status = 'new' AND id > CAST(? AS INTEGER))`,
        newest,
      );
      this.compareAnew();
    });
  }

  /** The stored data may mix two histories: everything is listed and compared again. */
  compareAnew(): void {
    this.#onNewEpoch();
    this.countEpoch();
  }

  /** From now on, what scans and traces have skipped as known proves nothing. */
  countEpoch(): void {
    this.#database.setFact("epoch", String(this.epoch + 1));
  }
}
