/** Which executions hold a correlation id, and which belong to them, as far as known. */
import * as z from "zod";
import { mayHoldId } from "../terms/id-filter.ts";
import { type Family, familyOf, LinkIndex, type LinkLookup, MAX_FAMILY } from "./family.ts";
import type { IndexReader } from "./index-database.ts";
import type { NarrowedSql } from "./narrowed-sql.ts";
import { IN_WINDOW, type TraceWindow, windowBindings } from "./trace-window.ts";
import type { TracedExecution } from "./traced-execution.ts";
import type { VisibleExecutions } from "./visible-executions.ts";

/** Maximum executions with one id; the newest are used. */
export const MAX_MATCHES = 1_000;
/** Maximum executions with more ids than rows whose filters are checked for one id. */
const MAX_CROWDED = 20_000;
const CROWDED_AT_ONCE = 1_000;

/** Failures rank first, so that nobody can hide one by sending its id again. */
const RANK = "CASE WHEN status IN ('error', 'crashed') THEN 0 WHEN status = 'success' THEN 2 ELSE 1 END";
/** Round-robin over workflows, so that posting to one cannot displace another's executions. */
const TURN = `ROW_NUMBER() OVER (PARTITION BY workflow_id, ${RANK} ORDER BY executions.id DESC)`;

/** Which correlation ids a caller may look up: `open` ones, or `all` with `n8n:data`. */
export type VisibleIds = "open" | "all";

const MOST_NEEDED: Readonly<Record<VisibleIds, number>> = { open: 0, all: 1 };

const matchRow = z.object({ executionId: z.string(), nodeName: z.string().nullable(), path: z.string() });
export type RememberedMatch = Readonly<z.infer<typeof matchRow>> & {
  /** Whether the execution holds other ids at the same place. */
  readonly isOfSeveral?: boolean;
};

const heldRow = matchRow.extend({ digest: z.string() });
export type HeldCorrelation = Readonly<z.infer<typeof heldRow>>;

const crowdedRow = z.object({ id: z.string(), otherIds: z.string() });

export interface KnownFamily extends Family {
  readonly executions: readonly TracedExecution[];
  /** Ids of executions that n8n has deleted since. */
  readonly deleted: readonly string[];
  /** Successes in which something failed or is wrong: a caught error, an agent's tool, or what an explanation found. */
  readonly swallowing: readonly string[];
  /** Successes without a judgement that n8n still has. */
  readonly unjudged: readonly string[];
}

export interface Candidates {
  readonly ids: readonly string[];
  readonly isCut: boolean;
}

export class KnownRequests {
  readonly #database: IndexReader<NarrowedSql>;
  readonly #executions: VisibleExecutions;

  constructor(database: IndexReader<NarrowedSql>, executions: VisibleExecutions) {
    this.#database = database;
    this.#executions = executions;
  }

  /** The newest executions with the id, up to one more than the limit. If there are more: failures first. */
  matchesOf(digest: string, window: TraceWindow, visible: VisibleIds): RememberedMatch[] {
    return this.#database.rows(
      matchRow,
      `SELECT CAST(execution_id AS TEXT) AS executionId, node_name AS nodeName, path FROM (
         SELECT execution_id, node_name, path, ${RANK} AS rank, ${TURN} AS turn, COUNT(*) OVER () > ${MAX_MATCHES} AS isCut
         FROM correlations JOIN executions ON executions.id = execution_id
         WHERE ${IN_WINDOW} AND digest = ?4 AND needs_data <= ?5)
       ORDER BY isCut * rank, isCut * turn, execution_id DESC LIMIT ${MAX_MATCHES + 1}`,
      ...windowBindings(window),
      digest,
      MOST_NEEDED[visible],
    );
  }

  failuresFirst(executionIds: readonly string[]): string[] {
    return this.#database.executionIds(
      `WHERE id IN (SELECT value FROM json_each(?)) ORDER BY ${RANK}, ${TURN}, executions.id DESC`,
      JSON.stringify(executionIds),
    );
  }

  /** Executions without a row for the id that may still hold it: failures first, round-robin over workflows. */
  candidatesOf(digest: string, window: TraceWindow, visible: VisibleIds, most: number): Candidates {
    const crowded = this.#database.executionIds(
      `WHERE ${IN_WINDOW} AND other_ids IS NOT NULL AND is_deleted = 0
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

  /** The executions whose filters may hold the id, in the order given. */
  #mayHold(executionIds: readonly string[], digest: string, visible: VisibleIds): string[] {
    const kinds = [false, true].slice(0, MOST_NEEDED[visible] + 1);
    return this.#database
      .rows(
        crowdedRow,
        `SELECT CAST(executions.id AS TEXT) AS id, other_ids AS otherIds
         FROM json_each(?) AS asked JOIN executions ON executions.id = asked.value ORDER BY asked.key`,
        JSON.stringify(executionIds),
      )
      .filter(({ otherIds }) => kinds.some((needsData) => mayHoldId(otherIds, { digest, needsData })))
      .map(({ id }) => id);
  }

  /** Which of the executions hold one of the ids, whenever they began. */
  holdersAmong(
    executionIds: readonly string[],
    digests: readonly string[],
    visible: VisibleIds,
  ): RememberedMatch[] {
    return this.#database.rows(
      matchRow,
      `SELECT CAST(execution_id AS TEXT) AS executionId, node_name AS nodeName, path
       FROM correlations JOIN executions ON executions.id = execution_id
       WHERE digest IN (SELECT value FROM json_each(?1)) AND execution_id IN (SELECT value FROM json_each(?2))
         AND needs_data <= ?3 ORDER BY execution_id DESC`,
      JSON.stringify(digests),
      JSON.stringify(executionIds),
      MOST_NEEDED[visible],
    );
  }

  correlationsOf(executionIds: readonly string[], visible: VisibleIds): HeldCorrelation[] {
    return this.#database.rows(
      heldRow,
      `SELECT CAST(execution_id AS TEXT) AS executionId, digest, node_name AS nodeName, path FROM correlations
       WHERE needs_data <= ?2 AND (digest, execution_id) IN (SELECT value, executions.id FROM executions, json_each(executions.digests)
         WHERE executions.id IN (SELECT value FROM json_each(?1)))`,
      JSON.stringify(executionIds),
      MOST_NEEDED[visible],
    );
  }

  /** The calls of executions at the nodes where they hold an id, and the calls for which n8n names no node. */
  callsAt(matches: readonly RememberedMatch[]): RememberedCall[] {
    return this.#database.rows(
      callRow,
      `SELECT CAST(caller_id AS TEXT) AS callerId, CAST(child_id AS TEXT) AS childId, 1 AS isNamed
       FROM json_each(?1) AS asked JOIN calls ON caller_id = CAST(asked.value ->> 'executionId' AS INTEGER)
         AND node_name = asked.value ->> 'nodeName'
       UNION SELECT CAST(parent_id AS TEXT), CAST(executions.id AS TEXT), 0
       FROM json_each(?1) AS asked JOIN executions ON parent_id = CAST(asked.value ->> 'executionId' AS INTEGER)
       WHERE retry_of IS NULL AND mode <> 'error'
         AND NOT EXISTS (SELECT 1 FROM calls WHERE caller_id = parent_id AND child_id = executions.id)`,
      JSON.stringify(matches),
    );
  }

  family(matchIds: readonly string[]): KnownFamily {
    const linked = this.#database.ids(LINKED, JSON.stringify(matchIds));
    const few = linked.length <= MAX_FAMILY ? this.#executions.withIds(linked) : null;
    const family = familyOf(matchIds, few === null ? this.#links() : new LinkIndex(few));
    const members = new Set(family.ids);
    const kinds = this.#database.rows(kindRow, KINDS, JSON.stringify(family.ids));
    const idsOf = (wanted: z.infer<typeof kindRow>["kind"]): string[] =>
      kinds.flatMap(({ id, kind }) => (kind === wanted ? id : []));
    return {
      ...family,
      executions: few?.filter(({ id }) => members.has(id)) ?? this.#executions.withIds(family.ids),
      deleted: kinds.flatMap(({ id, isDeleted }) => (isDeleted === 1 ? id : [])),
      swallowing: idsOf("swallowing"),
      unjudged: idsOf("unjudged"),
    };
  }

  /** For a family with too many links to load at once. */
  #links(): LinkLookup {
    const ids = (query: string, id: string): string[] => this.#database.ids(query, id);
    return {
      isKnown: (id) => this.#database.executionIds("WHERE id = ?", id).length > 0,
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

const callRow = z.object({ callerId: z.string(), childId: z.string(), isNamed: z.literal([0, 1]) });
export type RememberedCall = Readonly<z.infer<typeof callRow>>;

const kindRow = z.object({
  id: z.string(),
  isDeleted: z.number(),
  kind: z.enum(["swallowing", "unjudged"]).nullable(),
});

const KINDS = `SELECT * FROM (
  SELECT CAST(executions.id AS TEXT) AS id, is_deleted AS isDeleted, CASE
    WHEN status <> 'success' THEN NULL
    WHEN handled_errors > 0 OR is_wrong = 1 THEN 'swallowing'
    WHEN is_deleted = 0 AND handled_errors = 0 AND is_wrong IS NULL THEN 'unjudged' END AS kind
  FROM executions LEFT JOIN judgements USING (id) WHERE executions.id IN (SELECT value FROM json_each(?)))
  WHERE isDeleted = 1 OR kind IS NOT NULL`;

/** All executions that `familyOf` may reach from the given ids. workerd allows five terms in a compound statement. */
const LINKED = `WITH RECURSIVE linked(id, way) AS (
    SELECT CAST(asked.value AS INTEGER), ways.value FROM json_each(?1) AS asked, json_each('["down", "up"]') AS ways
    UNION SELECT next.value, 'down' FROM linked, json_each((SELECT json_group_array(id) FROM (
      SELECT id FROM executions WHERE parent_id = linked.id AND retry_of IS NULL
      UNION ALL SELECT child_id FROM calls WHERE caller_id = linked.id
      UNION ALL SELECT id FROM executions WHERE retry_of = linked.id
      UNION ALL SELECT retry_success_id FROM executions WHERE executions.id = linked.id))) AS next
    WHERE way = 'down' AND next.value IS NOT NULL
    UNION SELECT COALESCE(retry_of, parent_id, (SELECT MIN(caller_id) FROM calls WHERE child_id = linked.id)) AS cause, 'up'
    FROM linked LEFT JOIN executions ON executions.id = linked.id WHERE way = 'up' AND cause IS NOT NULL
    UNION SELECT next.value, 'beside' FROM linked, json_each((SELECT json_group_array(id) FROM (
      SELECT id FROM executions WHERE way = 'up' AND parent_id = linked.id AND retry_of IS NULL AND mode = 'error'
      UNION ALL SELECT child_id FROM calls JOIN executions ON executions.id = child_id
        WHERE way = 'up' AND caller_id = linked.id AND mode = 'error'
      UNION ALL SELECT id FROM executions WHERE retry_of = linked.id
      UNION ALL SELECT retry_success_id FROM executions WHERE executions.id = linked.id))) AS next
    WHERE way <> 'down' AND next.value IS NOT NULL
    LIMIT ${4 * MAX_FAMILY})
  SELECT DISTINCT CAST(id AS TEXT) AS id FROM linked`;

/** Failures last, because the last one is followed first if there are too many. */
const CHILDREN = `SELECT CAST(child.id AS TEXT) AS id FROM (
    SELECT id FROM executions WHERE parent_id = ?1 AND retry_of IS NULL
    UNION SELECT child_id FROM calls WHERE caller_id = ?1) AS child
  LEFT JOIN executions USING (id) ORDER BY ${RANK} DESC, child.id DESC`;

const HANDLERS = `SELECT CAST(id AS TEXT) AS id FROM executions
  WHERE mode = 'error' AND (parent_id = ?1 AND retry_of IS NULL
    OR id IN (SELECT child_id FROM calls WHERE caller_id = ?1))`;

const RETRIES = `SELECT CAST(id AS TEXT) AS id FROM executions WHERE retry_of = ?1
  UNION SELECT CAST(retry_success_id AS TEXT) AS id FROM executions
  WHERE id = ?1 AND retry_success_id IS NOT NULL`;

const CALLER =
  "SELECT CAST(caller_id AS TEXT) AS id FROM calls WHERE child_id = ? ORDER BY caller_id LIMIT 1";
