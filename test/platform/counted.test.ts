/** Nouns agree with their numbers: in the helper, and in every text of `src`. */
import { describe, expect, test } from "vitest";
import { counted } from "../../src/platform/counted.ts";
import { readSourceFiles } from "../architecture/source-imports.ts";

test.each([
  [counted(0, "run"), "0 runs"],
  [counted(1, "run"), "1 run"],
  [counted(2, "run"), "2 runs"],
  [counted(1, "retry", "retries"), "1 retry"],
  [counted(3, "retry", "retries"), "3 retries"],
  [counted(1, "id is", "ids are"), "1 id is"],
])("%s", (text, expected) => {
  expect(text).toBe(expected);
});

const NOUNS = [
  ..."second minute hour day time item member execution run node workflow call".split(" "),
  ..."character byte entry token value id tool user page line request hit".split(" "),
  ..."finding rule error warning remark fault check change place output input".split(" "),
  ..."connection name version server client match reason problem".split(" "),
].map((noun) => (noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : noun === "match" ? "matches" : `${noun}s`));
/** An interpolated number, then such a noun with at most one word between. Constants in capitals are never 1. */
const UNCOUNTED = new RegExp(
  String.raw`\$\{(?!counted\(|[A-Z_]+\})[^{}]*\} (?:(?!with )[a-z-]+ )?(?:${NOUNS.join("|")})\b`,
  "g",
);
/** Not numbers, except in texts that other code parses and in a module that may import nothing. */
const OTHERS = [
  "executions/causes/wording/clauses.ts: $quoted(about) makes items",
  "executions/causes/wording/items-sentences.ts: $quoted(fact.from) sent items",
  "executions/causes/wording/items-sentences.ts: $quoted(fact.node) sends items",
  "executions/causes/wording/items-sentences.ts: $quoted(fact.node) tells items",
  "executions/causes/wording/items-sentences.ts: $quoted(fact.node) tells items",
  "executions/causes/wording/items-sentences.ts: $quoted(node) puts items",
  "executions/causes/wording/sentences.ts: $fact.given.at(-1) ?? 0 items",
  "executions/causes/wording/sentences.ts: $quoted(node) puts items",
  "features/trace-request/outcome-sentence.ts: $keeps executions",
  "json/omitted.ts: $bytes more bytes",
];

describe("every text of src", () => {
  test("uses the helper", async () => {
    const found = (await readSourceFiles()).flatMap(({ path, text }) =>
      [...text.matchAll(UNCOUNTED)].map(([match]) => `${path}: ${match.replace(/[{}]/g, "")}`),
    );
    expect(found.sort()).toEqual(OTHERS);
  });
});
