/** A search: where hits are, with what excerpt, what it never tells, and how it goes on. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { canaries } from "../real-n8n/canaries.ts";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { type Caller, createCaller, settingsFor } from "../support/call-recorded.ts";
import { dataOf, errorOf } from "../support/envelopes.ts";
import { createLocalTraceMemory } from "../support/local-trace-memory.ts";

let n8n: RecordedN8n;
let caller: Caller;

beforeAll(async () => {
  n8n = await startRecordedN8n();
});
beforeEach(() => {
  caller = createCaller({ settings: settingsFor(n8n) });
  n8n.requests.length = 0;
});
afterAll(async () => {
  await n8n.close();
});

const answer = z.looseObject({
  hits: z.array(
    z.looseObject({
      executionId: z.string(),
      places: z.array(
        z.looseObject({ nodeName: z.string().nullable(), path: z.string(), excerpt: z.string() }),
      ),
    }),
  ),
  coverage: z.looseObject({
    scannedExecutions: z.number(),
    readNow: z.number(),
    complete: z.boolean(),
    stoppedBy: z.string(),
    skipped: z.array(z.unknown()),
  }),
  searchId: z.string(),
});

const search = async (args: Record<string, unknown>): Promise<z.infer<typeof answer>> =>
  dataOf(await caller.call("search_executions", args), answer);

const [scenario] = await startRecordedN8n().then(async (server) => {
  await server.close();
  return server.scenarios;
});
const REQUEST_ID = scenario?.requestId ?? "";
const EXPECTED = [...(scenario?.expected.executionIds ?? [])].sort();

describe("hits", () => {
  test("of a value at a path: the executions that hold it, each with its node, path and excerpt", async () => {
    const { hits, coverage } = await search({ path: "requestId", value: REQUEST_ID });
    expect(hits.map(({ executionId }) => executionId).sort()).toEqual(EXPECTED);
    for (const place of hits.flatMap(({ places }) => places)) {
      expect(place.path).toMatch(/requestId$/);
      expect(place.excerpt).toBe(REQUEST_ID);
      expect(place.nodeName).not.toBeNull();
    }
    expect(coverage).toMatchObject({ complete: true, skipped: [] });
  });

  test("of a part of a text are hits too, of a part of a value at a path not", async () => {
    const part = REQUEST_ID.slice(0, -1);
    expect((await search({ text: part })).hits.length).toBeGreaterThan(0);
    expect((await search({ path: "requestId", value: part })).hits).toEqual([]);
  });

  test("of the value at another path are none", async () => {
    expect((await search({ path: "customer.requestId", value: REQUEST_ID })).hits).toEqual([]);
  });

  test("come newest first", async () => {
    const ids = (await search({ text: "requestId", maxHits: 50 })).hits.map(({ executionId }) =>
      Number(executionId),
    );
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
  });
});

describe("what redaction hides", () => {
  test.each(Object.entries(canaries))("is no hit, not even in a count: %s", async (_name, canary) => {
    // A part of it, as one would guess it: the end, less what is known anyway.
    const guess = canary.slice(Math.floor(canary.length / 2), -3);
    const found = await caller.call("search_executions", { text: guess, maxHits: 1 });
    const text = JSON.stringify([found, caller.progress]);
    expect(dataOf(found, answer)).toMatchObject({
      hits: [],
      coverage: { complete: true, stoppedBy: "complete", skipped: [] },
    });
    expect(text).not.toContain(canary);
    expect(caller.progress.filter((message) => !message.endsWith("; 0 with hits"))).toEqual([]);
  });
});

describe("going on", () => {
  test("after enough hits, at the next ones; each is told once", async () => {
    const all = (await search({ text: REQUEST_ID })).hits.map(({ executionId }) => executionId);
    expect(all.length).toBeGreaterThan(1);
    const seen: string[] = [];
    let args: Record<string, unknown> = { text: REQUEST_ID, limit: 5 };
    for (let calls = 0; calls < 40; calls += 1) {
      const { hits, coverage, searchId } = await search(args);
      seen.push(...hits.map(({ executionId }) => executionId));
      args = { text: REQUEST_ID, limit: 5, searchId };
      if (coverage.complete) break;
    }
    expect(seen.sort()).toEqual([...all].sort());
  });

  test("needs the same query", async () => {
    const { searchId } = await search({ text: REQUEST_ID, limit: 5 });
    const error = errorOf(
      await caller.call("search_executions", { text: "another", searchId }),
      "VALIDATION_ERROR",
    );
    expect(error.details.field).toBe("searchId");
  });

  test("is not for another user, nor with the id of a trace", async () => {
    const { searchId } = await search({ text: REQUEST_ID, limit: 5 });
    const other = createCaller({ settings: settingsFor(n8n) });
    errorOf(await other.call("search_executions", { text: REQUEST_ID, searchId }), "TRACE_NOT_FOUND");
  });

  test("what was searched for is kept nowhere", async () => {
    const memory = createLocalTraceMemory();
    caller = createCaller({ settings: settingsFor(n8n), memory });
    await search({ text: "a-customer-number-4711", limit: 5 });
    const tables = ["traces", "executions", "correlations", "facts", "stretches", "calls"];
    const kept = tables.flatMap((table) => [...memory.sql.exec(`SELECT * FROM ${table}`)]);
    expect(kept.length).toBeGreaterThan(0);
    expect(JSON.stringify(kept)).not.toContain("4711");
  });
});

test("either a text or a path with its value is needed", async () => {
  for (const args of [{}, { path: "a" }, { value: "x" }, { text: "ab", path: "a", value: "x" }])
    errorOf(await caller.call("search_executions", args), "VALIDATION_ERROR");
});

test("upper and lower case matter", async () => {
  const other = REQUEST_ID.toUpperCase();
  expect(other).not.toBe(REQUEST_ID);
  expect((await search({ text: other })).hits).toEqual([]);
});
