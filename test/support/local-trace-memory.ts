/**
 * A user's trace memory outside workerd: the same SQL as in the Durable Object, in a SQLite in memory. What goes
 * in and out is cloned, as on the way to a real one.
 */
import { DatabaseSync } from "node:sqlite";
import { partsOf } from "../../src/history/checkpoint-parts.ts";
import { ExecutionMemory } from "../../src/history/execution-memory.ts";
import type { TraceMemory } from "../../src/history/trace-memory.ts";
import { allScopesOfTrace, traceState } from "../../src/history/trace-state.ts";
import { TraceStates } from "../../src/history/trace-states.ts";
import type { Sql } from "../../src/platform/sql.ts";

/** Of a deployed Durable Object; a local one takes more. https://developers.cloudflare.com/durable-objects/platform/limits/ */
const LIMITS = {
  /** Bytes of a text, a blob or a row. */
  length: 2_000_000,
  sqlLength: 100_000,
  variableNumber: 100,
  column: 100,
  functionArg: 32,
  likePatternLength: 50,
};

/** SQLite with the face and the limits of a Durable Object's. */
export function createLocalSql(): Sql {
  const database = new DatabaseSync(":memory:", { limits: LIMITS });
  const prepared = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  return {
    exec(query, ...bindings) {
      const statement = prepared.get(query) ?? database.prepare(query);
      prepared.set(query, statement);
      // Numbered parameters have names here.
      const isNumbered = /\?\d/.test(query);
      const named = Object.fromEntries(bindings.map((binding, index) => [`?${index + 1}`, binding]));
      return isNumbered ? statement.all(named) : statement.all(...bindings);
    },
  };
}

export interface LocalTraceMemory extends TraceMemory {
  readonly sql: Sql;
}

/** @param now epoch ms, for what is kept */
export function createLocalTraceMemory(
  now: () => number = Date.now,
  sql = createLocalSql(),
): LocalTraceMemory {
  const memory = new ExecutionMemory(sql);
  const states = new TraceStates(sql);
  memory.open("the n8n of the test");
  return {
    sql,
    known: async (...args) => structuredClone(memory.known(...args)),
    unknownOf: async (...args) => structuredClone(memory.unknownOf(...args)),
    gapsIn: async (...args) => structuredClone(memory.gapsIn(...args)),
    matchesOf: async (...args) => structuredClone(memory.matchesOf(...args)),
    correlationsOf: async (...args) => structuredClone(memory.correlationsOf(...args)),
    coverage: async (...args) => structuredClone(memory.coverage(...args)),
    executions: async (...args) => structuredClone(memory.executions(...args)),
    family: async (...args) => structuredClone(memory.family(...args)),
    request: async (...args) => structuredClone(memory.request(...args)),
    async keep(checkpoint) {
      for (const part of partsOf(checkpoint)) memory.keep(structuredClone(part), now());
    },
    async loadTrace(traceId) {
      const text = states.load(traceId, now());
      return text === null ? null : (traceState.safeParse(JSON.parse(text)).data ?? null);
    },
    async saveTrace(traceId, state) {
      const gone = states.save(traceId, JSON.stringify(state), now());
      memory.dropScopes(gone.flatMap(allScopesOfTrace));
    },
  };
}
