/** A search: its hits and excerpts, what it never reveals, and how it continues. */
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { renderAnswer } from "../../../src/mcp/rendering/render-answer.ts";
import { canaries } from "../../real-n8n/canaries.ts";
import { startRecordedN8n } from "../../recorded-n8n/server.ts";
import { type Caller, createCaller, FAKE_SETTINGS, settingsFor } from "../../support/call-recorded.ts";
import { dataOf, errorOf } from "../../support/envelopes.ts";
import { createFakeN8n, fakeExecution, webhookData } from "../../support/fake-n8n.ts";
import { createLocalHistory } from "../../support/local-history.ts";
import { countTokens } from "../../support/token-counts.ts";

const n8n = await startRecordedN8n();
let caller: Caller;

beforeEach(() => {
  caller = createCaller({ settings: settingsFor(n8n) });
  n8n.requests.length = 0;
});
afterAll(async () => await n8n.close());

const answer = z.looseObject({
  hits: z.array(
    z.looseObject({
      executionId: z.string(),
      places: z.array(
        z.looseObject({
          output: z.array(z.string()).optional(),
          input: z.array(z.string()).optional(),
          path: z.string(),
          excerpt: z.string().optional(),
        }),
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
  test("for a value at a path have the execution, node, path and excerpt", async () => {
    const { hits, coverage } = await search({ path: "requestId", value: REQUEST_ID });
    expect(hits.map(({ executionId }) => executionId).sort()).toEqual(EXPECTED);
    for (const place of hits.flatMap(({ places }) => places)) {
      expect(place.path).toMatch(/requestId$/);
      expect(place.excerpt ?? REQUEST_ID).toBe(REQUEST_ID);
      expect(place.output ?? place.input).toEqual(expect.arrayContaining([expect.any(String)]));
    }
    expect(coverage).toMatchObject({ complete: true, skipped: [] });
  });

  test("of one execution are one row, which tells a node's input from its output", async () => {
    const [newest] = (await search({ path: "requestId", value: "req-deep-failure" })).hits;
    expect(newest?.places).toEqual([
      { path: "requestId", excerpt: "req-deep-failure", output: ["Start"], input: ["Fetch Rate"] },
    ]);
  });

  test("of 20 executions cost at most 1,500 tokens", async () => {
    const found = await caller.call("search_executions", { words: "req", maxHits: 20 });
    const { hits } = dataOf(found, answer);
    expect(hits.length).toBeGreaterThanOrEqual(20);
    const shown = { ...found, data: { ...dataOf(found, answer), hits: hits.slice(0, 20) } };
    expect(countTokens(renderAnswer(shown))).toBeLessThanOrEqual(1_500);
  });

  test("include a part of a text, but not a part of a value at a path", async () => {
    const part = REQUEST_ID.slice(0, -1);
    expect((await search({ text: part })).hits.length).toBeGreaterThan(0);
    expect((await search({ path: "requestId", value: part })).hits).toEqual([]);
  });

  test("do not include the value at another path", async () => {
    expect((await search({ path: "customer.requestId", value: REQUEST_ID })).hits).toEqual([]);
  });

  test("lead to an explanation of the newest that failed, not of the error workflow's run after it", async () => {
    const { data } = await caller.call("search_executions", { words: "unknown" });
    const hit = z.looseObject({ executionId: z.string(), status: z.string() });
    const { hits } = z.looseObject({ hits: z.array(hit) }).parse(data);
    const failed = hits.find(({ status }) => status === "error");
    expect(hits[0]?.status).toBe("success");
    expect(data).toMatchObject({
      _guidance: { example: `explain_failure({"executionId":"${failed?.executionId}"})` },
    });
  });

  test("come newest first", async () => {
    const ids = (await search({ text: "requestId", maxHits: 50 })).hits.map(({ executionId }) =>
      Number(executionId),
    );
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
  });
});

test.each(Object.entries(canaries))(
  "a redacted value is not a hit, not even in a count: %s",
  async (_name, canary) => {
    // A guess at a part of it: the end, without what is known anyway.
    const guess = canary.slice(Math.floor(canary.length / 2), -3);
    const found = await caller.call("search_executions", { text: guess, maxHits: 1 });
    const text = JSON.stringify([found, caller.progress]);
    expect(dataOf(found, answer)).toMatchObject({
      hits: [],
      coverage: { complete: true, stoppedBy: "complete", skipped: [] },
    });
    expect(text).not.toContain(canary);
    const messages = caller.progress.filter((message) => !message.endsWith("; 0 with hits"));
    expect(messages).toEqual(["Reading executions, newest first"]);
  },
);

describe("an item that the caller wrote", () => {
  const FIRST = "8Fk2mQ9xLw4T";
  const SECOND = "3Zr7vN1cYp6H";

  async function searchIn(
    items: readonly unknown[],
    args: Record<string, unknown>,
    settings: Record<string, string> = {},
  ) {
    const fake = createFakeN8n([fakeExecution(1, "r-1", { data: webhookData(...items) })]);
    const { call, progress } = createCaller({
      settings: { ...FAKE_SETTINGS, ...settings },
      fetch: fake.fetch,
    });
    const found = await call("search_executions", args);
    const { hits, coverage } = dataOf(found, answer);
    expect(coverage).toMatchObject({ complete: true, skipped: [] });
    const count = hits.length === 0 ? /; 0 with hits$/ : /; 1 with hits$/;
    expect(progress.at(-1)).toMatch(count);
    return { excerpts: hits.flatMap(({ places }) => places.map((place) => place.excerpt)), meta: found.meta };
  }

  test("is no hit for a text of the mark that was also in the secret", async () => {
    const json = { note: `Authorization: Bearer REDACTED-key-100000-jwt-bearer-${FIRST}` };
    for (const text of ["REDACTED", "key", "jwt", "bearer", "00"])
      expect((await searchIn([json], { text })).excerpts).toEqual([]);
  });

  test("is a hit beside a secret, whose mark in the excerpt has the answer's number", async () => {
    const json = {
      password: SECOND,
      note: `${"x ".repeat(20)}password=${FIRST}; ${"y ".repeat(20)}order 4711`,
    };
    const { excerpts, meta } = await searchIn([json], { text: "order 4711" });
    expect(excerpts).toEqual([expect.stringMatching(/^….*\[REDACTED:key#1\]; (y )+order 4711$/)]);
    expect(meta.redactions).toEqual({ key: 1 });
  });

  test("has equal marks for equal secrets in all excerpts, and each counts once", async () => {
    const items = [FIRST, SECOND, FIRST].map((secret) => ({ note: `order 4711 password=${secret}` }));
    const { excerpts, meta } = await searchIn(items, { text: "order 4711" });
    expect(excerpts).toEqual([1, 2, 1].map((number) => `order 4711 password=[REDACTED:key#${number}]`));
    expect(meta.redactions).toEqual({ key: 3 });
  });

  test("leaves no trace of hidden values in numbers, counts or the places shown", async () => {
    const visible = { note: `order 4711 password=${FIRST}` };
    const hidden = { apiKey: `4711${SECOND}`, headers: { authorization: `Bearer 4711${SECOND}` } };
    const alone = await searchIn([visible], { text: "4711" });
    const among = await searchIn([hidden, hidden, hidden, visible], { text: "4711" });
    expect(alone.excerpts).toHaveLength(1);
    expect({ ...among, meta: among.meta.redactions }).toEqual({ ...alone, meta: alone.meta.redactions });
  });

  test("cannot imitate a mark", async () => {
    const json = { note: `order 4711 password=${FIRST} [REDACTED:a#100000000] [REDACTED:a#7]` };
    const { excerpts, meta } = await searchIn([json], { text: "order 4711" });
    expect(excerpts[0]).toMatch(/#1\] \[REDACTED:a#100000000\] \[REDACTED:a#7\]$/);
    expect(meta.redactions).toEqual({ key: 1 });
  });

  test.each<[string, string, unknown, string, string]>([
    ["REDACT_PII", "on", { customer: { email: "ada@example.com" } }, "ada@example.com", "customer.email"],
    ["REDACT_KEYS", "customerNumber", { customerNumber: "C-20417" }, "C-20417", "customerNumber"],
    ["REDACT_PATTERNS", "ACME-[0-9]{6}", { ref: "ACME-204171" }, "ACME-204171", "ref"],
  ])("is no hit for what %s=%s redacts", async (name, set, json, value, path) => {
    for (const args of [{ text: value }, { text: value.slice(1, -1) }, { path, value }]) {
      expect((await searchIn([json], args)).excerpts).toEqual([value]);
      expect((await searchIn([json], args, { [name]: set })).excerpts).toEqual([]);
    }
  });
});

describe("a search that continues", () => {
  test("returns the next hits, each once", async () => {
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

  test("belongs to its user", async () => {
    const { searchId } = await search({ text: REQUEST_ID, limit: 5 });
    const other = createCaller({ settings: settingsFor(n8n) });
    errorOf(await other.call("search_executions", { text: REQUEST_ID, searchId }), "TRACE_NOT_FOUND");
  });

  test("does not store what was searched for", async () => {
    const history = createLocalHistory();
    caller = createCaller({ settings: settingsFor(n8n), history });
    await search({ text: "a-customer-number-4711", limit: 5 });
    const tables = ["traces", "executions", "correlations", "facts", "stretches", "calls"];
    const kept = tables.flatMap((table) => [...history.sql.exec(`SELECT * FROM ${table}`)]);
    expect(kept.length).toBeGreaterThan(0);
    expect(JSON.stringify(kept)).not.toContain("4711");
  });
});

test("a text or words, or a path with its value, is required", async () => {
  for (const args of [{}, { path: "a" }, { value: "x" }, { text: "ab", path: "a", value: "x" }])
    errorOf(await caller.call("search_executions", args), "VALIDATION_ERROR");
});

test("a search is case-sensitive", async () => {
  const other = REQUEST_ID.toUpperCase();
  expect(other).not.toBe(REQUEST_ID);
  expect((await search({ text: other })).hits).toEqual([]);
});
