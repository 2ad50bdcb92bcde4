/**
 * Compares what n8n lists with what is known: which executions have to be read, and whether this is still the same
 * history.
 *
 * An ended execution that is another one now means another history: n8n was reinstalled or restored, and uses its ids
 * again. Then an epoch begins: everything is listed again, and counts as deleted until n8n lists it.
 */
import * as z from "zod";
import type { ExecutionListItem } from "../../n8n/schemas.ts";
import { isNewer } from "../../platform/id-order.ts";
import type { IndexDatabase } from "./index-database.ts";
import type { KnownStretches } from "./known-stretches.ts";
import type { RunningLooks } from "./running-looks.ts";
import { MAY_GO_ON } from "./tables.ts";
import { hasEnded, mayGoOn, tracedExecution } from "./traced-execution.ts";

const stateRow = tracedExecution
  .pick({ id: true, workflowId: true, status: true, startedAt: true, stoppedAt: true, waitTill: true })
  .extend({ isDeleted: z.number(), isRead: z.number() });
type State = z.infer<typeof stateRow>;
type ListedState = Omit<State, "isDeleted" | "isRead"> & Pick<ExecutionListItem, "isStatusInferred">;

/** Of what a list says of executions that have ended: the ids of those of which another thing is known, or nothing. */
const NOT_AS_KNOWN = `SELECT value ->> 0 AS id FROM json_each(?) WHERE NOT EXISTS (
  SELECT 1 FROM executions WHERE executions.id = CAST(value ->> 0 AS INTEGER) AND workflow_id = value ->> 1
  AND status = value ->> 2 AND started_at IS value ->> 3 AND stopped_at IS value ->> 4 AND is_deleted = 0)`;

const newestOf = (items: readonly ExecutionListItem[]): string =>
  items.reduce((newest, { id }) => (isNewer(id, newest) ? id : newest), "0");

/** Another execution under the same id. Where one of them had not begun, the same may have begun since. */
const isAnother = (known: State, listed: ListedState): boolean =>
  known.workflowId !== listed.workflowId ||
  (known.startedAt !== null && listed.startedAt !== null && known.startedAt !== listed.startedAt);

/** What is known may be more exact than a status inferred from n8n's list. */
function isSameStatus(known: State, { status, isStatusInferred }: ListedState): boolean {
  if (isStatusInferred !== true || status !== "error") return known.status === status;
  return hasEnded(known) && known.status !== "success";
}

/** Fewer may count as deleted by chance for a moment: n8n lists none that is just ending. */
const MANY_BACK = 10;

export class ListedStates {
  readonly #database: IndexDatabase;
  readonly #running: RunningLooks;
  readonly #stretches: KnownStretches;
  readonly #onNewEpoch: () => void;

  constructor(
    database: IndexDatabase,
    running: RunningLooks,
    stretches: KnownStretches,
    onNewEpoch: () => void,
  ) {
    this.#database = database;
    this.#running = running;
    this.#stretches = stretches;
    this.#onNewEpoch = onNewEpoch;
  }

  /** Counted up when n8n turns out to have another history, or room was made: what was known before may be unknown now. */
  get epoch(): number {
    return Number(this.#database.fact("epoch") ?? 0);
  }

  /** Whether rows may be of a former history. */
  get hasFormer(): boolean {
    return this.usedAgainAbove !== undefined;
  }

  /** What was deleted above this id may be of a former history, and n8n may use its id again. */
  get usedAgainAbove(): string | undefined {
    return this.#database.fact("used again above");
  }

  /**
   * The listed ids that have to be read: unknown or changed, or still running so that their data may have changed.
   * `isOtherHistory` also where many are back that counted as deleted: the key did not see them for a while.
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
    // No page would show again the others that the key did not see: they lie in stretches that count as known.
    const areBack = back.filter(({ id }) => this.#stretches.covers(id)).length >= MANY_BACK;
    if (isReplaced) this.beginEpoch(newestOf(items));
    else if (areBack) this.compareAnew();
    const isOtherHistory = isReplaced || areBack;
    if (isOtherHistory || back.length > 0)
      this.#noteBack(items.map(({ id }) => id).filter((id) => !gone.has(id)));
    const ids = changed.filter((item) => this.#hasChanged(known.get(item.id), item));
    return { ids: ids.map(({ id }) => id), isOtherHistory };
  }

  /** Most of a list has ended and is known just so: the rows of these stay in the database. */
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
    // Of one that is canceled, the main process of n8n stores what it has, and a worker all that there is, later.
    if (known.stoppedAt !== listed.stoppedAt) return true;
    if (hasEnded(listed)) return false;
    // As long as it is the same sleep, nothing has changed.
    if (known.waitTill !== listed.waitTill) return true;
    if (listed.status === "waiting") return false;
    if (known.isRead === 0) return true;
    // What n8n was given to begin with is all that there is until it begins.
    return listed.status !== "new" && mayGoOn(listed) && !this.#running.isSettled(listed);
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

  /** It belongs to a former history, and n8n has come to its id again. */
  #isUsedAgain({ id, isDeleted }: State): boolean {
    const above = this.usedAgainAbove;
    return isDeleted === 1 && above !== undefined && isNewer(id, above);
  }

  /** n8n has another history. @param newest the newest listed id: n8n is going to use the ids above it again */
  beginEpoch(newest: string): void {
    this.#database.atomically(() => {
      this.#database.setFact("used again above", newest);
      // No list shows which queued executions were replaced: those whose ids are given away again count as deleted.
      this.#database.exec(
        `UPDATE executions SET is_deleted = 1
         WHERE NOT (${MAY_GO_ON}) OR (status = 'new' AND id > CAST(? AS INTEGER))`,
        newest,
      );
      this.compareAnew();
    });
  }

  /** What was read may be of two histories: all is listed and compared anew. */
  compareAnew(): void {
    this.#onNewEpoch();
    this.countEpoch();
  }

  /** From now on, what scans and traces have passed over as known proves nothing. */
  countEpoch(): void {
    this.#database.setFact("epoch", String(this.epoch + 1));
  }
}
