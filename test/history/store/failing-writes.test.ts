/** SQLite fails at any one statement: nothing that counts as known is missing. */
import { expect, test } from "vitest";
import * as z from "zod";
import type { Sql } from "../../../src/platform/sql.ts";
import { createFakeN8n, fakeExecution, fakeHistory } from "../../support/fake-n8n.ts";
import { createLocalHistory, createLocalSql } from "../../support/local-history.ts";
import { createTestTraces } from "../../support/test-traces.ts";

const countRow = z.object({ count: z.number() });

/** Fails once, at the statement of this number; `asked` counts the statements. */
function failingSql() {
  const local = createLocalSql();
  const sql = {
    failsAt: Number.POSITIVE_INFINITY,
    asked: 0,
    get databaseSize() {
      return local.databaseSize;
    },
    transaction: local.transaction,
    exec(query, ...bindings) {
      sql.asked += 1;
      if (sql.asked === sql.failsAt) throw new Error("database or disk is full");
      return local.exec(query, ...bindings);
    },
  } satisfies Sql & { failsAt: number; asked: number };
  return sql;
}

/** The second trace has to write much: running ones have ended, one was deleted, others are new. */
async function failAt(statement: number): Promise<boolean> {
  const sql = failingSql();
  const traces = createTestTraces(createLocalHistory(sql));
  const running = [40, 41].map((id) => fakeExecution(id, `r-${id}`, { status: "running", stoppedAt: null }));
  const ended = fakeHistory(60).filter(({ id }) => id !== "40" && id !== "41");
  const n8n = createFakeN8n([...ended, ...running]);
  await traces.ask(n8n, { requestId: "never" });
  n8n.executions = [...fakeHistory(70).filter(({ id }) => id !== "59"), fakeExecution(71, "r-40")];
  sql.asked = 0;
  sql.failsAt = statement;
  const isFailing = await traces.ask(n8n, { requestId: "r-40" }).then(
    () => false,
    () => true,
  );
  const hasFailed = isFailing || sql.asked >= statement;
  sql.failsAt = Number.POSITIVE_INFINITY;
  for (const id of ["40", "41", "65"]) {
    const answer = await traces.ask(n8n, { requestId: `r-${id}` });
    expect(answer.coverage.complete, `statement ${statement}`).toBe(true);
    expect(
      answer.executions.map((one) => one.id),
      `statement ${statement}`,
    ).toContain(id);
  }
  const [rows] = sql.exec("SELECT COUNT(*) AS count FROM executions");
  expect(traces.history.instance.store.counts.all, `statement ${statement}`).toBe(countRow.parse(rows).count);
  return hasFailed;
}

test("whichever statement fails, the next trace finds everything and counts right", async () => {
  let statement = 1;
  while (await failAt(statement)) statement += 1;
  expect(statement).toBeGreaterThan(20);
});
