/** Requests to n8n are counted cheaply: counts are written together with other facts, and only if they changed. */
import { expect, test } from "vitest";
import { CountedCosts } from "../../../src/history/report/index-costs.ts";
import type { Sql } from "../../../src/platform/sql.ts";
import { createFakeN8n, fakeHistory } from "../../support/fake-n8n.ts";
import { createLocalHistory, createLocalSql } from "../../support/local-history.ts";
import { createTestTraces } from "../../support/test-traces.ts";

const NOW = Date.UTC(2026, 0, 1);
const nothing = { requests: 0, bytes: 0, executions: 0 };

test("counts continue from what was stored", () => {
  const written: string[] = [];
  const write = (text: string): void => void written.push(text);
  const before = new CountedCosts(undefined, write);
  expect(before.all).toBeNull();
  const { countRequest, countBytes, countExecution } = before.countersOf("background", NOW);
  countRequest();
  countBytes(700);
  countBytes(300);
  countExecution();
  before.keep();
  before.keep();
  expect(written).toHaveLength(1);
  const after = new CountedCosts(written[0], write);
  after.countersOf("people", NOW + 1).countRequest();
  expect(after.all).toEqual({
    since: "2026-01-01T00:00:00.000Z",
    background: { requests: 1, bytes: 1_000, executions: 1 },
    people: { ...nothing, requests: 1 },
  });
});

test("counts are written together with the time of a look, seconds apart, and only if new", async () => {
  const facts: unknown[] = [];
  const inner = createLocalSql();
  const sql: Sql = {
    databaseSize: 0,
    exec(query, ...bindings) {
      if (query.startsWith("INSERT OR REPLACE INTO facts")) facts.push(bindings[0]);
      return inner.exec(query, ...bindings);
    },
  };
  const traces = createTestTraces(createLocalHistory(sql));
  const { costs } = traces.history.instance.store;
  const n8n = createFakeN8n(fakeHistory(300));
  const counters = costs.countersOf("people", traces.clock.time);
  await traces.ask(n8n, { requestId: "never" });
  for (const [asked, later, writes] of [
    [3, 5_000, ["synced at", "costs"]],
    [3, 500, []],
    [0, 5_000, ["synced at", "costs"]],
    [0, 5_000, ["synced at"]],
  ] as const) {
    facts.length = 0;
    traces.clock.time += later;
    for (let request = 0; request < asked; request += 1) counters.countRequest();
    await traces.ask(n8n, { requestId: "r-7" });
    expect(facts.filter((name) => name !== "settled")).toEqual(writes);
  }
});
