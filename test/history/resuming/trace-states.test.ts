/** Trace states are visible at once, to their user only, and written together a moment later. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { beginTrace } from "../../../src/history/resuming/trace-state.ts";
import { MAX_TRACES, TRACE_LIFETIME_MS, TraceStates } from "../../../src/history/resuming/trace-states.ts";
import type { Clock } from "../../../src/platform/clock.ts";
import type { Sql } from "../../../src/platform/sql.ts";
import { createFakeN8n } from "../../support/fake-n8n.ts";
import { createLocalSql } from "../../support/local-history.ts";
import { createTestTraces, WINDOW } from "../../support/test-traces.ts";

const WRITTEN_AFTER_MS = 1_000;
const state = beginTrace("r-1", WINDOW, false);
const clock: Clock = { now: () => Date.now(), sleep: async () => {} };

const written = (sql: Sql): unknown[] => [...sql.exec("SELECT id FROM traces ORDER BY id")];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a state can be loaded before it is written, only by its user", () => {
  const sql = createLocalSql();
  const states = new TraceStates(sql);
  states.of("anna", clock).save("trace_1", state);
  expect(states.of("anna", clock).load("trace_1")).toEqual(state);
  expect(states.of("bert", clock).load("trace_1")).toBeNull();
  expect(written(sql)).toEqual([]);
});

test("states of all users are written together and survive a restart", () => {
  const sql = createLocalSql();
  const states = new TraceStates(sql);
  states.of("anna", clock).save("trace_1", state);
  vi.advanceTimersByTime(WRITTEN_AFTER_MS / 2);
  states.of("bert", clock).save("trace_2", state);
  vi.advanceTimersByTime(WRITTEN_AFTER_MS / 2);
  expect(written(sql)).toEqual([{ id: "trace_1" }, { id: "trace_2" }]);
  const restarted = new TraceStates(sql);
  expect(restarted.of("bert", clock).load("trace_2")).toEqual(state);
  expect(restarted.of("anna", clock).load("trace_2")).toBeNull();
});

test("a state saved after a write is written too", () => {
  const sql = createLocalSql();
  const anna = new TraceStates(sql).of("anna", clock);
  for (const id of ["trace_1", "trace_2"]) {
    anna.save(id, state);
    vi.advanceTimersByTime(WRITTEN_AFTER_MS);
  }
  expect(written(sql)).toEqual([{ id: "trace_1" }, { id: "trace_2" }]);
});

test("expired states are found without a scan", () => {
  const sql = createLocalSql();
  new TraceStates(sql);
  const plan = [...sql.exec("EXPLAIN QUERY PLAN DELETE FROM traces WHERE expires_at <= 1")];
  expect(plan).toEqual([expect.objectContaining({ detail: expect.stringContaining("USING") })]);
});

test("complete states do not displace an unfinished one", () => {
  const states = new TraceStates(createLocalSql());
  const { save, load } = states.of("anna", clock);
  save("unfinished", state);
  for (let index = 0; index <= MAX_TRACES; index += 1) {
    save(`complete_${index}`, { ...state, isComplete: true });
    vi.advanceTimersByTime(1);
  }
  states.write();
  expect(["unfinished", "complete_0", "complete_1"].map((id) => load(id) !== null)).toEqual([
    true,
    false,
    true,
  ]);
});

test("a user's oldest states are displaced by newer ones", () => {
  const sql = createLocalSql();
  const states = new TraceStates(sql);
  states.of("bert", clock).save("of bert", state);
  for (let index = 0; index <= MAX_TRACES; index += 1) {
    states.of("anna", clock).save(`trace_${index}`, state);
    vi.advanceTimersByTime(1);
  }
  vi.advanceTimersByTime(WRITTEN_AFTER_MS);
  expect(written(sql)).toHaveLength(MAX_TRACES + 1);
  expect(states.of("anna", clock).load("trace_0")).toBeNull();
  expect(states.of("anna", clock).load("trace_1")).toEqual(state);
});

test("a state that could not be written is kept and written with the next", () => {
  const sql = createLocalSql();
  let isBroken = true;
  const exec: Sql["exec"] = (query, ...bindings) => {
    if (isBroken && query.startsWith("INSERT")) throw new Error("the disk is full");
    return sql.exec(query, ...bindings);
  };
  const states = new TraceStates({ exec, databaseSize: 0 });
  const anna = states.of("anna", clock);
  anna.save("trace_1", state);
  vi.advanceTimersByTime(WRITTEN_AFTER_MS);
  expect(anna.load("trace_1")).toEqual(state);
  expect(() => states.write()).toThrow("the disk is full");
  isBroken = false;
  anna.save("trace_2", state);
  vi.advanceTimersByTime(WRITTEN_AFTER_MS);
  expect(written(sql)).toEqual([{ id: "trace_1" }, { id: "trace_2" }]);
});

test("an index dropped meanwhile causes no error", () => {
  const sql = createLocalSql();
  const states = new TraceStates(sql);
  states.of("anna", clock).save("trace_1", state);
  sql.exec("DROP TABLE traces");
  expect(() => vi.advanceTimersByTime(WRITTEN_AFTER_MS)).not.toThrow();
});

test("a state expires after a day, and the next sync step deletes it", async () => {
  const traces = createTestTraces();
  const { sql } = traces.history;
  const states = new TraceStates(sql);
  states.of("anna", traces.clock).save("trace_1", state);
  vi.advanceTimersByTime(WRITTEN_AFTER_MS);
  const step = async () => await traces.step(createFakeN8n([]));
  traces.clock.time += TRACE_LIFETIME_MS - 1;
  await step();
  expect(states.of("anna", traces.clock).load("trace_1")).toEqual(state);
  traces.clock.time += 1;
  expect(states.of("anna", traces.clock).load("trace_1")).toBeNull();
  await step();
  expect(written(sql)).toEqual([]);
});
