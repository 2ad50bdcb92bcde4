/** Which answers are remembered, and that none outlives its data. */
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { RememberingSql } from "../../src/platform/remembering-sql.ts";
import type { Sql, SqlBinding } from "../../src/platform/sql.ts";
import { createLocalSql } from "../support/local-history.ts";

const asked: string[] = [];
let sql: RememberingSql;

beforeEach(() => {
  const local = createLocalSql();
  const counting: Sql = {
    databaseSize: 0,
    exec: (query, ...bindings) => {
      asked.push(query);
      return local.exec(query, ...bindings);
    },
    transaction: local.transaction,
  };
  sql = new RememberingSql(counting);
  add(1, 2);
  asked.length = 0;
});

const ALL = "SELECT id FROM runs ORDER BY id";
const ids = (query = ALL, ...bindings: SqlBinding[]) => [...sql.exec(query, ...bindings)].map(({ id }) => id);
function add(...added: number[]): void {
  sql.exec("CREATE TABLE IF NOT EXISTS runs (id INTEGER PRIMARY KEY)");
  for (const id of added) sql.exec("INSERT INTO runs VALUES (?)", id);
}

test("the same query is run once", () => {
  expect([ids(), ids()]).toEqual([
    [1, 2],
    [1, 2],
  ]);
  expect(asked).toEqual([ALL]);
});

test("other bindings, or the same in another order, are another query", () => {
  const [one, between] = ["SELECT id FROM runs WHERE id = ?", "SELECT id FROM runs WHERE id BETWEEN ? AND ?"];
  expect([ids(one, 1), ids(one, 2), ids(one, "1")]).toEqual([[1], [2], [1]]);
  expect([ids(between, 1, 2), ids(between, 2, 1)]).toEqual([[1, 2], []]);
});

test.each([
  "INSERT INTO runs VALUES (3)",
  "DELETE FROM runs WHERE id = 1 RETURNING id",
  "UPDATE runs SET id = 9 WHERE id = 1",
  "WITH given (id) AS (SELECT 4) INSERT INTO runs SELECT id FROM given",
  "INSERT OR REPLACE INTO runs VALUES (3)",
  "DROP TABLE runs; CREATE TABLE runs (id INTEGER)",
])("after %s the query is run again", (write) => {
  const before = ids();
  for (const statement of write.split("; ")) for (const _row of sql.exec(statement));
  expect(ids()).not.toEqual(before);
});

test("what was read in a failed transaction is read again", () => {
  const write = () => {
    add(3);
    expect(ids()).toEqual([1, 2, 3]);
    throw new Error("full");
  };
  expect(() => sql.transaction(write)).toThrow("full");
  expect(ids()).toEqual([1, 2]);
});

test("a transaction without writes keeps the answers", () => {
  expect(ids()).toEqual([1, 2]);
  expect(sql.transaction(() => ids())).toEqual([1, 2]);
  expect(ids()).toEqual([1, 2]);
  expect(asked).toEqual([ALL]);
});

test("rows still being read during a write are not remembered", () => {
  const rows = sql.exec(ALL)[Symbol.iterator]();
  rows.next();
  add(3);
  while (rows.next().done !== true);
  expect(ids()).toEqual([1, 2, 3]);
});

test("an answer that was not read to its end is not remembered", () => {
  for (const _row of sql.exec(ALL)) break;
  expect(ids()).toEqual([1, 2]);
});

test("answers are remembered up to 2 MiB in all, until a write", () => {
  const long = "SELECT printf('%7000c', 'x') AS id, ? AS other";
  const askAll = (): number => {
    asked.length = 0;
    for (let other = 0; other < 400; other += 1) ids(long, other);
    return asked.length;
  };
  expect(askAll()).toBe(400);
  const askedAgain = askAll();
  expect(askedAgain).toBeGreaterThan(80);
  expect(askedAgain).toBeLessThan(130);
  add(3);
  expect(askAll()).toBe(400);
});

test("many rows are read again, with the same result", () => {
  add(...Array.from({ length: 40 }, (_, index) => index + 3));
  asked.length = 0;
  expect(ids()).toEqual(ids());
  expect(asked).toEqual([ALL, ALL]);
});

test.each(["SELECT printf('%9000c', 'x') AS id", "SELECT zeroblob(9000) AS id"])(
  "%s is read again, with the same result",
  (long) => {
    expect(ids(long)).toEqual(ids(long));
    expect(asked).toEqual([long, long]);
  },
);

type Step =
  | { readonly read: string; readonly bindings: readonly SqlBinding[] }
  /** Reads only the first row at once, and the others after later steps. */
  | { readonly begin: string }
  | { readonly write: string; readonly bindings: readonly SqlBinding[] }
  | { readonly within: readonly Step[]; readonly fails: boolean };

const id = fc.integer({ min: 1, max: 4 });
const reads = fc.oneof(
  fc.record({ read: fc.constant(ALL), bindings: fc.constant([]) }),
  fc.record({ read: fc.constant("SELECT id FROM runs WHERE id >= ? ORDER BY id"), bindings: fc.tuple(id) }),
  fc.record({
    read: fc.constant(
      "WITH given AS (SELECT ?1 AS low) SELECT COUNT(*) AS id FROM runs, given WHERE id > low",
    ),
    bindings: fc.tuple(id),
  }),
);
const writes = fc.oneof(
  fc.record({ write: fc.constant("INSERT INTO runs VALUES (?)"), bindings: fc.tuple(id) }),
  fc.record({ write: fc.constant("DELETE FROM runs WHERE id = ? RETURNING id"), bindings: fc.tuple(id) }),
  fc.record({ write: fc.constant("UPDATE OR IGNORE runs SET id = id + ?"), bindings: fc.tuple(id) }),
);
const { steps } = fc.letrec<{ steps: readonly Step[]; step: Step }>((tie) => ({
  steps: fc.array(tie("step"), { maxLength: 8 }),
  step: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    reads,
    fc.record({ begin: fc.constant(ALL) }),
    writes,
    fc.record({ within: tie("steps"), fails: fc.boolean() }),
  ),
}));

test("after any reads and writes the answers are those of SQLite alone", () => {
  const rowsOf = (asking: Sql, query: string, bindings: readonly SqlBinding[] = []) => {
    try {
      return Array.from(asking.exec(query, ...bindings), ({ id }) => id);
    } catch {
      return "refused";
    }
  };
  fc.assert(
    fc.property(steps, (all) => {
      const [bare, remembering] = [createLocalSql(), new RememberingSql(createLocalSql())];
      for (const each of [bare, remembering]) each.exec("CREATE TABLE runs (id INTEGER PRIMARY KEY)");
      const begun: Iterator<unknown>[] = [];
      const take = (step: Step): void => {
        if ("begin" in step) {
          const rows = remembering.exec(step.begin)[Symbol.iterator]();
          rows.next();
          begun.push(rows);
        } else if ("within" in step) {
          const write = () => {
            step.within.forEach(take);
            if (step.fails) throw new Error("taken back");
          };
          try {
            bare.transaction(() => remembering.transaction(write));
          } catch {
            // Both have rolled back.
          }
        } else {
          const query = "read" in step ? step.read : step.write;
          expect(rowsOf(remembering, query, step.bindings)).toEqual(rowsOf(bare, query, step.bindings));
        }
        if (!("begin" in step || "read" in step))
          for (const rows of begun.splice(0)) while (rows.next().done !== true);
      };
      all.forEach(take);
      expect(rowsOf(remembering, ALL)).toEqual(rowsOf(bare, ALL));
    }),
  );
});
