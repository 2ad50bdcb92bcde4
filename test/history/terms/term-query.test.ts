/** Which executions a term query lets pass, compared with what the real search finds. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SearchedFor } from "../../../src/history/payload/search-target.ts";
import { createTermKey } from "../../../src/history/request-ids/correlation-digest.ts";
import { TermMaker } from "../../../src/history/terms/execution-terms.ts";
import type { TermFilter } from "../../../src/history/terms/term-filter.ts";
import { TermHasher } from "../../../src/history/terms/term-hasher.ts";
import { createTermQuery } from "../../../src/history/terms/term-query.ts";
import { inBothLanes, runs } from "../../support/lane.ts";
import { filterOf, isFoundIn, type Payload, payload, question } from "./executions.ts";

const maker = new TermMaker(new TermHasher(createTermKey("a secret", "default")));

/** Null when terms cannot answer. */
function passes(filter: TermFilter, asked: SearchedFor): boolean | null {
  const query = createTermQuery(asked, maker);
  return "unanswerable" in query ? null : query.candidates(filter);
}

const mayBeIn = async (items: Payload, asked: SearchedFor): Promise<boolean | null> =>
  passes(await filterOf(items, maker), asked);

test("nothing that the real search finds is ruled out", inBothLanes, async () => {
  const seen = { found: 0, passed: 0, ruledOut: 0, unanswerable: 0 };
  await fc.assert(
    fc.asyncProperty(
      payload,
      fc.array(question, { minLength: 5, maxLength: 12 }),
      async (items, questions) => {
        for (const asked of questions) {
          const isFound = await isFoundIn(items, asked);
          const mayBe = await mayBeIn(items, asked);
          if (mayBe === null) seen.unanswerable += 1;
          else if (isFound) seen.found += 1;
          else if (mayBe) seen.passed += 1;
          else seen.ruledOut += 1;
          expect([asked, isFound && mayBe === false]).toEqual([asked, false]);
        }
      },
    ),
    { numRuns: runs(2_000) },
  );
  // Otherwise the test would have tried nothing.
  expect(seen.found).toBeGreaterThan(runs(2_000) / 50);
  expect(seen.ruledOut).toBeGreaterThan(seen.found);
});

const order = {
  body: { customer: { email: "ada@example.com", id: 20417 }, note: "Order C-20417 (paid) for ada_l" },
  list: [{ state: "paid" }, { state: "open" }],
  code: "AB-C-20418-D",
  quoted: String.raw`"sent\nstock is low"`,
  raw: JSON.stringify({ inner: { email: "eve@example.com", text: 'said "h\u00e9llo"' } }),
  flat: { "customer.name": "Ada", "lines[0][sku]": "A-1", "Order number": "77", "a.b": { c: "deep" } },
  odd: { "": "nothing", 'say "hi"': "quoted", "a\nb": "lines", 0: { x: "digit" } },
};

describe("in an order", () => {
  test.each<SearchedFor>([
    { path: "customer.email", value: "ada@example.com" },
    { path: "email", value: "ada@example.com" },
    { path: "Body.Customer.EMAIL", value: "ada@example.com" },
    { path: "customer.id", value: "20417" },
    { path: "list.state", value: "open" },
    { path: "raw.inner.email", value: "eve@example.com" },
    { path: "customer.name", value: "Ada" },
    { path: "flat.customer.name", value: "Ada" },
    { path: "flat.lines[0][sku]", value: "A-1" },
    { path: "order number", value: "77" },
    { path: "flat.a.b.c", value: "deep" },
    { path: "list[1].state", value: "open" },
    { path: "list[*].state", value: "open" },
    { path: "$json.list[1].state", value: "open" },
    { path: '$json["flat"]["Order number"]', value: "77" },
    { path: "$.body['customer'].email", value: "ada@example.com" },
    { path: "$JSON.List[1].State", value: "open" },
    { path: '$("Set a").first().json.list[1].state', value: "open" },
    { path: "$input.item.json?.list?.[1]?.state", value: "open" },
    { path: "json.list.1.state", value: "open" },
    { path: "list.*.state", value: "open" },
    { path: 'odd[""]', value: "nothing" },
    { path: String.raw`odd["say \"hi\""]`, value: "quoted" },
    { path: String.raw`odd["a\nb"]`, value: "lines" },
    { path: "odd[0].x", value: "digit" },
    { path: "odd.0.x", value: "digit" },
    { words: "20417" },
    { words: "C-20418" },
    { words: "C-20417 (paid) for ada" },
    { words: "héllo" },
    { text: "der C-20417 (pa" },
  ])("%j passes, and is found", async (asked) => {
    expect(await isFoundIn([order], asked)).toBe(true);
    expect(await mayBeIn([order], asked)).toBe(true);
  });

  test.each<SearchedFor>([
    { path: "customer.email", value: "eve@example.com" },
    { path: "inner.id", value: "20417" },
    { path: "name.customer", value: "Ada" },
    { path: "b.c", value: "deep" },
    { path: "state", value: "Paid" },
    { path: "email", value: "ada" },
    { words: "C-2041" },
    { words: "2041" },
    { words: "order C-20417" },
    { text: "er C-20419 (p" },
    { words: "stock" },
    { words: "[REDACTED:key]" },
  ])("%j is ruled out", async (asked) => {
    expect(await isFoundIn([order], asked)).toBe(false);
    expect(await mayBeIn([order], asked)).toBe(false);
  });

  test.each<[SearchedFor, string]>([
    [{ text: "20417" }, "the text may be part of a word, and the index knows only whole words"],
    [{ text: "20417 paid" }, "the text may be part of a word, and the index knows only whole words"],
    [{ text: "x" }, "it contains no word of 2 to 128 characters"],
    [{ words: "7" }, "it contains no word of 2 to 128 characters"],
    [{ words: "…" }, "it contains no word of 2 to 128 characters"],
    [{ text: "\udcb3yes no" }, "the text may be part of a word, and the index knows only whole words"],
    [{ path: "a", value: "" }, "the index does not know empty values"],
    [{ path: "a", value: "w".repeat(129) }, "it contains no word of 2 to 128 characters"],
  ])("%j cannot be answered", (asked, unanswerable) => {
    expect(createTermQuery(asked, maker)).toEqual({ unanswerable });
  });
});

test("a path of many dots costs one lookup, and is not ruled out", async () => {
  const path = Array.from({ length: 128 }, () => "a").join(".");
  const deep = path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), "here");
  expect(await isFoundIn([deep], { path, value: "here" })).toBe(true);
  expect(await mayBeIn([deep], { path, value: "here" })).toBe(true);
  expect(await mayBeIn([deep], { path, value: "there" })).toBe(false);
  const asked: unknown[] = [];
  const query = createTermQuery({ path, value: "here" }, maker);
  const filter = await filterOf([deep], maker);
  const counting = new Proxy(filter, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        asked.push(name);
        return Reflect.apply(member, target, args);
      };
    },
  });
  if (!("unanswerable" in query)) query.candidates(counting);
  expect(asked.length).toBe(1);
});

test("a text of a megabyte is queried like any other", async () => {
  const long = "lorem C-20417 ipsum ".repeat(50_000);
  expect(await mayBeIn([{ long }], { path: "long", value: long })).toBe(true);
  expect(await mayBeIn([order], { path: "long", value: long })).toBe(false);
});

describe("a query passes", () => {
  const secret = "sk-ant-abcdefghijklmnopqrstu12345";

  test("everything if there are too many terms", async () => {
    const many = Array.from({ length: 6_000 }, (_, index) => `word${index}`);
    expect(await mayBeIn([many], { words: "no-such-id" })).toBe(true);
    expect(await mayBeIn([many.slice(0, 1_000)], { words: "no-such-id" })).toBe(false);
  });

  test("any word, but not any value, next to a redaction mark", async () => {
    const cut = [{ note: `before ${secret}é after` }];
    expect(await isFoundIn(cut, { words: "before" })).toBe(true);
    expect(await mayBeIn(cut, { words: "nowhere" })).toBe(true);
    expect(await mayBeIn(cut, { path: "note", value: "nowhere" })).toBe(false);
    const whole = [{ note: `before ${secret} after` }];
    expect(await mayBeIn(whole, { words: "nowhere" })).toBe(false);
    expect(await mayBeIn(whole, { words: "before" })).toBe(true);
  });
});

/** Similar to the executions of one workflow: each has its own values among many common ones. */
const executionAt = (index: number): Payload =>
  Array.from({ length: 8 }, (_, item) => ({
    requestId: `req-${index}`,
    customer: {
      id: 10_000 + index,
      email: `customer${index}@example.com`,
      state: index % 2 ? "open" : "paid",
    },
    note: `Order ${item} of customer ${index} was sent at 2026-01-10T09:${String(index % 60).padStart(2, "0")}:00Z`,
    lines: Array.from({ length: 5 }, (_line, line) => ({ sku: `SKU-${index}-${item}-${line}`, count: line })),
  }));

test("over a history, hardly more passes than is found", async () => {
  const filters = await Promise.all(
    Array.from({ length: 600 }, (_, index) => filterOf(executionAt(index), maker)),
  );
  const ids = Array.from({ length: 300 }, (_, index) => index * 2);
  const passed = (asked: SearchedFor): number[] => {
    const query = createTermQuery(asked, maker);
    if ("unanswerable" in query) throw new Error(query.unanswerable);
    return filters.flatMap((filter, index) => (query.candidates(filter) ? [index] : []));
  };
  let others = 0;
  for (const id of ids) {
    for (const asked of [
      { path: "requestId", value: `req-${id}` },
      { path: "customer.email", value: `customer${id}@example.com` },
      { path: "lines.sku", value: `SKU-${id}-3-2` },
    ]) {
      const found = passed(asked);
      expect(found).toContain(id);
      others += found.length - 1;
    }
  }
  const asked = ids.length * 3 * (filters.length - 1);
  expect(others / asked).toBeLessThan(0.005);
});
