/** A digest reads all rows of its window, and no others. */
import { beforeEach, expect, test } from "vitest";
import { IdBounds } from "../../../src/history/digest/id-bounds.ts";
import { RunRows } from "../../../src/history/digest/run-rows.ts";
import { ExecutionStore } from "../../../src/history/store/execution-store.ts";
import { View } from "../../../src/n8n/view.ts";
import { HOUR_MS } from "../../../src/platform/durations.ts";
import type { Sql } from "../../../src/platform/sql.ts";
import { createLocalSql } from "../../support/local-history.ts";

const NOW = Date.UTC(2026, 10, 18, 15);
const STEP_S = 10;
/** More than one page of rows. */
const COUNT = 8_000;
const BEGIN = NOW - COUNT * STEP_S * 1_000;

/** Rows of runs that were read. */
let read: number;
let sql: Sql;
let ids: IdBounds;
let runs: RunRows;
beforeEach(() => {
  sql = createLocalSql();
  read = 0;
  const counting: Sql = {
    databaseSize: 0,
    *exec(query, ...bindings) {
      for (const row of sql.exec(query, ...bindings)) {
        if ("startedAt" in row && "workflowId" in row) read += 1;
        yield row;
      }
    },
  };
  const narrowed = new ExecutionStore(counting).visibleTo(View.everything).sql;
  ids = new IdBounds(narrowed, false);
  runs = new RunRows(narrowed, ids);
  // One execution every ten seconds until now, with ids from 1,001.
  sql.exec(
    `INSERT INTO executions (id, workflow_id, workflow_name, mode, status, started_at, stopped_at, is_read, is_deleted,
       nodes, runs, items, handled_errors, llm_calls, tool_calls)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     SELECT 1000 + i, 'orders', 'Orders', 'webhook', 'success',
       strftime('%Y-%m-%dT%H:%M:%S.000Z', ?2 + i * ?3, 'unixepoch'),
       strftime('%Y-%m-%dT%H:%M:%S.000Z', ?2 + i * ?3 + 1, 'unixepoch'), 1, 0, 3, 3, 5, 0, 0, 0 FROM n`,
    ...[COUNT, BEGIN / 1_000, STEP_S],
  );
});

test("runs after the window are not read", async () => {
  const window = { from: BEGIN + HOUR_MS, to: BEGIN + 2 * HOUR_MS };
  const { workflows, cutAt } = await runs.newest(
    { workflowId: null, window },
    window.from,
    true,
    async () => {},
  );
  expect(workflows.map(({ runs }) => runs.length)).toEqual([HOUR_MS / 1_000 / STEP_S]);
  expect(cutAt).toBeNull();
  expect(read).toBe(HOUR_MS / 1_000 / STEP_S);
});

test("an execution that resumed or left the queue thousands of ids later is found where it begins", () => {
  // An n8n before 2.14 resets the start of a resumed execution.
  const startedAt = new Date(NOW - HOUR_MS / 2).toISOString();
  sql.exec(
    `INSERT INTO executions (id, workflow_id, mode, status, started_at, is_read, is_deleted)
     VALUES (50, 'approval', 'webhook', 'error', ?, 1, 0)`,
    startedAt,
  );
  expect(ids.lowestId(NOW - HOUR_MS)).toBe("50");
});
