/** Which executions a search may rule out by their filters, after any change and any interrupted write. */
import { beforeEach, describe, expect, test } from "vitest";
import { ExecutionStore } from "../../../src/history/store/execution-store.ts";
import type { MemorableExecution } from "../../../src/history/store/memorable-execution.ts";
import type { TracedExecution } from "../../../src/history/store/traced-execution.ts";
import { IDS_OF_BLOCK } from "../../../src/history/terms/filter-block.ts";
import { writeFilter } from "../../../src/history/terms/term-filter.ts";
import type { Sql } from "../../../src/platform/sql.ts";
import { memorableExecution, tracedExecution } from "../../builders/known-executions.ts";
import { createLocalSql } from "../../support/local-history.ts";
import { WINDOW } from "../../support/test-traces.ts";

const NOW = Date.UTC(2026, 5, 1);
/** Two terms whose filters differ. */
const RED = { high: 0x1e3779b9, low: 0x7f4a7c15 };
const BLUE = { high: 0x6a09e667, low: 0x3bcc908b };
const filterOf = (term: typeof RED): Uint8Array =>
  writeFilter({ terms: [term], count: 1, hasCutWords: false, isPartial: false });

/** An execution whose mode tells which term it contains, so that a row shows its reading. */
const read = (id: number, term: typeof RED | null, changes: Partial<TracedExecution> = {}) =>
  memorableExecution(
    tracedExecution(id, { mode: term === BLUE ? "blue" : "red", stoppedAt: null, ...changes }),
    { termFilter: term === null ? null : filterOf(term) },
  );
const unread = (id: number, facts: Partial<TracedExecution> = {}): MemorableExecution => ({
  ...read(id, null, facts),
  problem: "n8n fails",
  facts: null,
});

let sql: Sql;
let store: ExecutionStore;
beforeEach(() => {
  sql = createLocalSql();
  store = new ExecutionStore(sql);
});

/** Ids of executions that are not ruled out: their filter has the term, or there is none. */
const candidates = (of: ExecutionStore, term: typeof RED): string[] => {
  const { filters } = of.filters.page("1000000", "0", (filter) => filter.mayHold(term)) ?? {};
  return of.executions
    .listedIn(WINDOW, [{ high: "1000000", low: "0" }])
    .map(({ id }) => id)
    .filter((id) => filters?.has(id));
};

describe("the filter of an execution", () => {
  test("that was read again is the latest", () => {
    store.rows.remember([read(1, RED), read(2, RED), read(3, RED)], NOW);
    store.rows.remember([read(2, BLUE)], NOW);
    expect(candidates(store, RED)).toEqual(["3", "1"]);
    expect(candidates(store, BLUE)).toEqual(["2"]);
  });

  test("that n8n now fails to return rules nothing out", () => {
    store.rows.remember([read(1, RED), read(2, RED)], NOW);
    store.rows.remember([unread(2)], NOW);
    expect(candidates(store, BLUE)).toEqual(["2"]);
    store.rows.remember([read(2, RED)], NOW);
    expect(candidates(store, BLUE)).toEqual([]);
  });

  test("whose id belongs to another execution now rules nothing out", () => {
    store.rows.remember([read(1, RED), read(2, RED)], NOW);
    store.rows.remember([unread(1, { workflowId: "w2" })], NOW);
    expect(candidates(store, BLUE)).toEqual(["1"]);
    store.rows.remember([read(2, BLUE, { workflowId: "w2" })], NOW);
    expect(candidates(store, RED)).toEqual(["1"]);
  });

  test("of a former history counts again once n8n lists it", () => {
    store.rows.remember([read(1, RED), read(2, RED), read(3, RED)], NOW);
    const other = { ...read(3, BLUE).execution, startedAt: "2026-03-03T00:00:00.000Z" };
    expect(store.listed.unknownOf([other]).isOtherHistory).toBe(true);
    expect(candidates(store, RED)).toEqual([]);
    store.rows.remember([{ ...read(3, BLUE), execution: other }], NOW);
    store.listed.unknownOf([read(2, RED).execution]);
    expect(candidates(store, RED)).toEqual(["2"]);
    expect(candidates(store, BLUE)).toEqual(["3"]);
  });

  test("that was deleted and forgotten is gone, and its neighbors' filters stay", () => {
    store.rows.remember([read(1, RED), read(2, RED, { status: "waiting" }), read(3, RED), read(4, RED)], NOW);
    store.rows.markDeleted(["2", "3"]);
    expect(candidates(store, RED)).toEqual(["4", "1"]);
    expect([...store.filters.of(["1", "2", "3", "4"]).keys()]).toEqual(["1", "3", "4"]);
  });
});

test("filters of dropped executions are removed from their blocks", () => {
  const count = 2 * IDS_OF_BLOCK;
  store.rows.remember(
    Array.from({ length: count }, (_one, index) => read(index, RED)),
    NOW,
  );
  store.makeRoom(10);
  expect(candidates(store, RED)).toHaveLength(10);
  expect([...sql.exec("SELECT COUNT(*) AS blocks FROM filter_blocks")]).toEqual([{ blocks: 1 }]);
  expect(store.filters.of([String(count - 11)]).size).toBe(0);
});

test("after a change of redaction rules filters count only once read again", () => {
  store.termRules = "one";
  store.rows.remember([read(1, RED), read(2, RED), read(300, RED)], NOW);
  store.termRules = "one";
  expect(candidates(store, BLUE)).toEqual([]);
  store.termRules = "other";
  expect(candidates(store, BLUE)).toEqual(["300", "2", "1"]);
  store.rows.remember([read(2, RED)], NOW);
  expect(candidates(store, BLUE)).toEqual(["300", "1"]);
});

/** SQL that fails from this statement on, as after a reset or on a full disk. */
function failingAfter(statements: number): Sql {
  let left = statements;
  return {
    databaseSize: 0,
    exec(query, ...bindings) {
      left -= 1;
      if (left < 0) throw new Error("database or disk is full: SQLITE_FULL");
      return sql.exec(query, ...bindings);
    },
  };
}

/** Executions stored before, and the changes that are interrupted. */
const BEFORE = [read(126, RED), read(127, RED, { status: "waiting" }), read(128, RED), read(129, null)];
const KEPT: readonly [string, (of: ExecutionStore) => void][] = [
  [
    "executions read again",
    (of) => of.rows.remember([read(126, BLUE), read(128, BLUE), read(129, BLUE)], NOW),
  ],
  ["new executions", (of) => of.rows.remember([read(125, BLUE), read(130, BLUE), read(500, null)], NOW)],
  ["broken executions", (of) => of.rows.remember([unread(126), unread(128), unread(600)], NOW)],
  ["reused ids", (of) => of.rows.remember([unread(126, { workflowId: "w2" })], NOW)],
  ["deleted executions", (of) => of.rows.markDeleted(["126", "127"])],
  ["dropped executions", (of) => void of.makeRoom(2)],
];

test.each(KEPT)("an interrupted write rules out no execution wrongly: %s", (_what, keep) => {
  let broken = 0;
  for (let statements = 0; ; statements += 1) {
    sql = createLocalSql();
    new ExecutionStore(sql).rows.remember(BEFORE, NOW);
    let isWhole = true;
    try {
      const cut = new ExecutionStore(failingAfter(statements));
      keep(cut);
    } catch {
      isWhole = false;
      broken += 1;
    }
    const after = new ExecutionStore(sql);
    for (const { id, mode } of after.executions.listedIn(WINDOW, [{ high: "1000", low: "0" }])) {
      const isCandidate = candidates(after, mode === "blue" ? BLUE : RED).includes(id);
      expect([statements, id, mode, isCandidate]).toEqual([statements, id, mode, true]);
    }
    const entries = after.filters.page("1000", "0", () => true)?.filters;
    const rows = [...sql.exec("SELECT CAST(id AS TEXT) AS id, is_read AS isRead FROM executions")];
    for (const { id, isRead } of rows) {
      expect([statements, id, entries?.has(String(id))]).toEqual([statements, id, true]);
      if (isRead === 0) expect([statements, id, entries?.get(String(id))]).toEqual([statements, id, null]);
    }
    if (isWhole) break;
  }
  expect(broken).toBeGreaterThan(2);
});
