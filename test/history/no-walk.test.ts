/** Frequent SQL statements scan no table that has a row per execution. */
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { TABLES } from "../../src/history/store/tables.ts";
import { View } from "../../src/n8n/view.ts";
import type { Sql } from "../../src/platform/sql.ts";
import { createFakeN8n, fakeHistory } from "../support/fake-n8n.ts";
import { createLocalHistory, createLocalSql } from "../support/local-history.ts";
import { BACKGROUND, createTestTraces } from "../support/test-traces.ts";

const step = z.object({ detail: z.string() });
/** A partial index has few entries, and a scan that ends at the first match is short. */
const isWalk = (detail: string): boolean =>
  /^SCAN (main\.)?(executions|correlations|calls|filter_blocks)\b(?!.* INDEX (crowded|problems|unread|unfinished))/.test(
    detail,
  );
/** Under access rules an open-ended range is a scan, too: the first rows may all be hidden. */
const isOpenEnded = (detail: string): boolean =>
  /^SEARCH main\.executions USING INTEGER PRIMARY KEY \(rowid[<>]\?\)/.test(detail);
const ENDS_EARLY = /ORDER BY executions\.id DESC LIMIT 1$/;

function walksOf(queries: Iterable<string>): string[] {
  const database = new DatabaseSync(":memory:");
  for (const table of TABLES) database.exec(table);
  return [...queries].filter((query) => {
    if (!/^\s*(SELECT|WITH)\b/.test(query) || ENDS_EARLY.test(query)) return false;
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${query}`).all();
    return plan.some((row) => [isWalk, isOpenEnded].some((is) => is(step.parse(row).detail)));
  });
}

function watchedSql(): { sql: Sql; asked: Set<string> } {
  const local = createLocalSql();
  const asked = new Set<string>();
  const sql: Sql = {
    get databaseSize() {
      return local.databaseSize;
    },
    exec(query, ...bindings) {
      asked.add(query);
      return local.exec(query, ...bindings);
    },
  };
  return { sql, asked };
}

async function askedWith(view: View): Promise<Set<string>> {
  const { sql, asked } = watchedSql();
  const traces = createTestTraces(createLocalHistory(sql));
  const { instance } = traces.history;
  const n8n = createFakeN8n(fakeHistory(300));
  const step = async () => await traces.step(n8n, { maxExecutions: 200 });
  while ((await step()).nextMs < BACKGROUND.intervalMs);
  await step();
  traces.view = view;
  await traces.ask(n8n, { requestId: "r-280" });
  await traces.ask(n8n, { requestId: "never" });
  await instance.status(traces.sourcesOf(n8n).capabilities, view, BACKGROUND, traces.clock.now());
  expect(asked.size).toBeGreaterThan(20);
  return asked;
}

/** Runs once, for the first call under access rules in an object's lifetime. */
const COUNTS_BY_WORKFLOW =
  /^SELECT workflow_id AS workflowId, COUNT\(\*\) AS count, [^()]*\(MIN[^?]* FROM executions GROUP BY 1$/;

describe("no statement of a trace, a sync step or a status scans all executions", () => {
  test("for a caller who sees everything", async () => {
    const asked = await askedWith(View.everything);
    expect(walksOf([...asked].filter((query) => !query.includes("traces")))).toEqual([]);
  });

  test("under access rules, except for the first count", async () => {
    const asked = await askedWith(View.from({ seen: ["w1"], data: ["w1"] }));
    const narrowed = [...asked].filter((query) => query.includes("main.executions"));
    expect(narrowed.length).toBeGreaterThan(10);
    const walks = walksOf([...asked].filter((query) => !query.includes("traces")));
    expect(walks.filter((query) => !COUNTS_BY_WORKFLOW.test(query))).toEqual([]);
    expect(walks).toHaveLength(1);
  });
});

test("a scan would be noticed", () => {
  expect(walksOf(["SELECT id FROM executions WHERE status = 'new' ORDER BY id"])).toHaveLength(1);
});
