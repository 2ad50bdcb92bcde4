/** Which executions hold a correlation id, and which belong to them, as far as both are known. */
import * as z from "zod";
import { mayHoldId } from "../terms/id-filter.ts";
import { type Family, familyOf, type LinkLookup } from "./family.ts";
import type { IndexDatabase } from "./index-database.ts";
import type { KnownExecutions } from "./known-executions.ts";
import { IN_WINDOW, windowBindings } from "./tables.ts";
import type { TraceWindow } from "./trace-window.ts";
import type { TracedExecution } from "./traced-execution.ts";

/** Executions with one id that are looked at, the newest of them. */
export const MAX_MATCHES = 1_000;
/** Executions with more ids than they have rows for that are asked for one, by filters of 4 kB at most. */
const MAX_CROWDED = 20_000;
/** Filters that are held in memory at once. */
const CROWDED_AT_ONCE = 1_000;

/** What failed comes first, and what succeeded last: a failure is not hidden by sending its id again. */
const RANK = "CASE WHEN status IN ('error', 'crashed') THEN 0 WHEN status = 'success' THEN 2 ELSE 1 END";
/** By turns of workflow, the newest first: who may post to one pushes out nothing of another. */
const TURN = `ROW_NUMBER() OVER (PARTITION BY workflow_id, ${RANK} ORDER BY executions.id DESC)`;

/** Which correlation ids are looked at: `open` ones, which any caller may ask for, or `all`, with `n8n:data`. */
export type VisibleIds = "open" | "all";

/** What a row's `needs_data` may be, at most. */
const MOST_NEEDED: Readonly<Record<VisibleIds, number>> = { open: 0, all: 1 };

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

/** What belongs to a request, as far as it is known. */
export interface KnownFamily extends Family {
  readonly executions: readonly TracedExecution[];
  /** Ids of those that n8n has deleted since. */
  readonly deleted: readonly string[];
  /** Ids of those that succeeded although something in them failed: an error that was caught, a tool of an agent. */
  readonly swallowing: readonly string[];
}

/** Executions that may hold an id. */
export interface Candidates {
  readonly ids: readonly string[];
  /** True when there may be others. */
  readonly isCut: boolean;
}

const matchRow = z.object({ executionId: z.string(), nodeName: z.string().nullable(), path: z.string() });
const crowdedRow = z.object({ id: z.string(), otherIds: z.string() });
const heldRow = z.object({ executionId: z.string(), digest: z.string(), path: z.string() });

export class KnownRequests {
  readonly #database: IndexDatabase;
  readonly #executions: KnownExecutions;

  constructor(database: IndexDatabase, executions: KnownExecutions) {
    this.#database = database;
    this.#executions = executions;
  }

  /**
   * The executions of the window that hold the correlation id, newest first, one more than is looked at. Of more than
   * that, failures come first, by turns of workflow.
   */
  matchesOf(digest: string, window: TraceWindow, visible: VisibleIds): RememberedMatch[] {
    return this.#database
      .exec(
        `SELECT CAST(execution_id AS TEXT) AS executionId, node_name AS nodeName, path FROM (
         SELECT execution_id, node_name, path, ${RANK} AS rank, ${TURN} AS turn, COUNT(*) OVER () > ${MAX_MATCHES} AS isCut
         FROM correlations JOIN executions ON executions.id = execution_id
         WHERE ${IN_WINDOW} AND digest = ?4 AND needs_data <= ?5)
       ORDER BY isCut * rank, isCut * turn, execution_id DESC LIMIT ${MAX_MATCHES + 1}`,
        ...windowBindings(window),
        digest,
        MOST_NEEDED[visible],
      )
      .map((row) => matchRow.parse(row));
  }

  /** These executions, failures first, by turns of workflow. */
  failuresFirst(executionIds: readonly string[]): string[] {
    return this.#database.ids(
      `SELECT CAST(id AS TEXT) AS id FROM executions WHERE id IN (SELECT value FROM json_each(?))
       ORDER BY ${RANK}, ${TURN}, executions.id DESC`,
      JSON.stringify(executionIds),
    );
  }

  /**
   * Executions of the window that may hold the correlation id, and have no row for it: failures first, by turns of
   * workflow.
   */
  candidatesOf(digest: string, window: TraceWindow, visible: VisibleIds, most: number): Candidates {
    const crowded = this.#database.ids(
      `SELECT CAST(id AS TEXT) AS id FROM executions
       WHERE ${IN_WINDOW} AND other_ids IS NOT NULL AND is_deleted = 0
       AND id NOT IN (SELECT execution_id FROM correlations WHERE digest = ?4)
       ORDER BY ${RANK}, ${TURN}, executions.id DESC LIMIT ${MAX_CROWDED + 1}`,
      ...windowBindings(window),
      digest,
    );
    const found: string[] = [];
    for (let at = 0; at < MAX_CROWDED && at < crowded.length && found.length <= most; at += CROWDED_AT_ONCE)
      found.push(...this.#mayHold(crowded.slice(at, at + CROWDED_AT_ONCE), digest, visible));
    return { ids: found.slice(0, most), isCut: found.length > most || crowded.length > MAX_CROWDED };
  }

  /** Those whose filters say that they may, in the order given. */
  #mayHold(executionIds: readonly string[], digest: string, visible: VisibleIds): string[] {
    const kinds = [false, true].slice(0, MOST_NEEDED[visible] + 1);
    return this.#database
      .exec(
        `SELECT CAST(executions.id AS TEXT) AS id, other_ids AS otherIds
         FROM json_each(?) AS asked JOIN executions ON executions.id = asked.value ORDER BY asked.key`,
        JSON.stringify(executionIds),
      )
      .map((row) => crowdedRow.parse(row))
      .filter(({ otherIds }) => kinds.some((needsData) => mayHoldId(otherIds, { digest, needsData })))
      .map(({ id }) => id);
  }

  /** The correlation ids that these executions hold. */
  correlationsOf(executionIds: readonly string[], visible: VisibleIds): HeldCorrelation[] {
    return this.#database
      .exec(
        `SELECT CAST(execution_id AS TEXT) AS executionId, digest, path FROM correlations
       WHERE needs_data <= ?2 AND (digest, execution_id) IN (SELECT value, executions.id FROM executions, json_each(executions.digests)
         WHERE executions.id IN (SELECT value FROM json_each(?1)))`,
        JSON.stringify(executionIds),
        MOST_NEEDED[visible],
      )
      .map((row) => heldRow.parse(row));
  }

  /** What belongs to a request, given the executions that hold its id. */
  family(matchIds: readonly string[]): KnownFamily {
    const family = familyOf(matchIds, this.#links());
    const idsWhere = (condition: string): string[] =>
      this.#database.ids(
        `SELECT CAST(id AS TEXT) AS id FROM executions
         WHERE ${condition} AND id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(family.ids),
      );
    return {
      ...family,
      executions: this.#executions.withIds(family.ids),
      deleted: idsWhere("is_deleted = 1"),
      swallowing: idsWhere("status = 'success' AND handled_errors > 0 AND is_deleted = 0"),
    };
  }

  #links(): LinkLookup {
    const ids = (query: string, id: string): string[] => this.#database.ids(query, id);
    return {
      isKnown: (id) => this.#database.exec("SELECT 1 FROM executions WHERE id = ?", id).length > 0,
      childrenOf: (id) => ids(CHILDREN, id),
      handlersOf: (id) => ids(HANDLERS, id),
      retriesOf: (id) => ids(RETRIES, id),
      causeOf: (id) => {
        const [execution] = this.#executions.withIds([id]);
        const [caller] = ids(CALLER, id);
        return execution?.retryOf ?? execution?.parentId ?? caller ?? null;
      },
    };
  }
}

const CHILDREN = `SELECT CAST(id AS TEXT) AS id FROM executions WHERE parent_id = ?1 AND retry_of IS NULL
  UNION SELECT CAST(child_id AS TEXT) AS id FROM calls WHERE caller_id = ?1`;

const HANDLERS = `SELECT CAST(id AS TEXT) AS id FROM executions
  WHERE mode = 'error' AND (parent_id = ?1 AND retry_of IS NULL
    OR id IN (SELECT child_id FROM calls WHERE caller_id = ?1))`;

const RETRIES = `SELECT CAST(id AS TEXT) AS id FROM executions WHERE retry_of = ?1
  UNION SELECT CAST(retry_success_id AS TEXT) AS id FROM executions
  WHERE id = ?1 AND retry_success_id IS NOT NULL`;

const CALLER =
  "SELECT CAST(caller_id AS TEXT) AS id FROM calls WHERE child_id = ? ORDER BY caller_id LIMIT 1";
