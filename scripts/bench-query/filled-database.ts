/** A history index of made-up executions in a file, written by the code of the index itself. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ExecutionStore } from "../../src/history/store/execution-store.ts";
import type { ExecutionStatus } from "../../src/n8n/schemas.ts";
import type { Sql } from "../../src/platform/sql.ts";
import { memorableExecution, tracedExecution } from "../../test/builders/known-executions.ts";
import { NO_FACTS } from "../../test/support/facts-of-executions.ts";
import { createLocalSql } from "../../test/support/local-history.ts";

export const ENDS = Date.UTC(2026, 10, 26);
export const BEGINS = ENDS - 14 * 24 * 60 * 60_000;
const WRITTEN_AT_ONCE = 1_000;
const WORKFLOWS = 60;
const LONGEST_MS = 20_000;
/** Tokens of an execution that asks a model. */
const TOKENS = { prompt: 500, completion: 100 };
const NO_TOKENS = { prompt: 0, completion: 0 };

/** Random numbers that are the same in each run. */
class Dice {
  #seed = 1;

  roll(sides: number): number {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647;
    return this.#seed % sides;
  }

  pick<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[this.roll(values.length)] ?? values[0];
  }
}

function madeUp(id: number, startMs: number, dice: Dice) {
  const hasFailed = dice.roll(100) < 8;
  const status = hasFailed
    ? dice.pick<ExecutionStatus>(["error", "error", "error", "crashed", "canceled"])
    : "success";
  const workflow = Math.min(dice.roll(WORKFLOWS), dice.roll(WORKFLOWS));
  const execution = tracedExecution(id, {
    workflowId: `workflow${String(workflow).padStart(8, "0")}`,
    workflowName: `Workflow number ${workflow}`,
    mode: dice.pick(["webhook", "webhook", "trigger", "integrated", "manual"]),
    status,
    startedAt: new Date(startMs).toISOString(),
    stoppedAt: new Date(startMs + dice.roll(LONGEST_MS)).toISOString(),
  });
  const asksModel = dice.roll(10) === 0;
  const model = dice.pick(["gpt-5", "gpt-5-mini", "claude-5-sonnet"]);
  const failure = {
    failingNode: `Call service ${dice.roll(20)}`,
    errorClass: dice.pick(["NodeApiError", "NodeOperationError", "WorkflowOperationError"]),
    httpStatus: dice.pick([404, 500, 503, null]),
    errorHost: `host${dice.roll(30)}`,
  };
  const used = { model, llmCalls: 2, tokens: TOKENS, estimatedTokens: NO_TOKENS };
  const asked = {
    ...{ llmCalls: 2, toolCalls: 1, promptTokens: TOKENS.prompt, completionTokens: TOKENS.completion },
    models: [used],
  };
  const facts = { ...NO_FACTS, nodes: 6, runs: 7, items: dice.roll(50), version: "version8" };
  return memorableExecution(execution, {
    facts: { ...facts, ...(hasFailed ? failure : {}), ...(asksModel ? asked : {}) },
    correlations: [
      { digest: String(id).padStart(22, "d"), needsData: false, nodeName: "Webhook", path: "body.requestId" },
    ],
  });
}

function fill(sql: Sql, executions: number): void {
  const { rows } = new ExecutionStore(sql);
  const dice = new Dice();
  const every = (ENDS - BEGINS) / executions;
  for (let first = 1; first <= executions; first += WRITTEN_AT_ONCE) {
    const count = Math.min(WRITTEN_AT_ONCE, executions - first + 1);
    const ids = Array.from({ length: count }, (_one, index) => first + index);
    rows.remember(
      ids.map((id) => madeUp(id, BEGINS + Math.floor((id - 1) * every), dice)),
      ENDS,
    );
  }
}

export async function filledDatabase(executions: number): Promise<AsyncDisposable & { readonly sql: Sql }> {
  const directory = await mkdtemp(join(tmpdir(), "query-"));
  const sql = createLocalSql(join(directory, "index.sqlite"));
  for (const pragma of ["journal_mode = OFF", "synchronous = OFF"]) sql.exec(`PRAGMA ${pragma}`);
  sql.exec("BEGIN");
  fill(sql, executions);
  sql.exec("COMMIT");
  return {
    sql,
    [Symbol.asyncDispose]: async () => await rm(directory, { recursive: true }),
  };
}
