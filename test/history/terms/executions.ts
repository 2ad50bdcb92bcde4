/** Random payloads, queries, and what the real search finds in them, for the tests of terms. */
import fc from "fast-check";
import { PayloadItem } from "../../../src/history/payload/payload-items.ts";
import { PayloadSearch } from "../../../src/history/payload/payload-search.ts";
import { type SearchedFor, searchTargetOf } from "../../../src/history/payload/search-target.ts";
import type { TermMaker } from "../../../src/history/terms/execution-terms.ts";
import type { TermFilter } from "../../../src/history/terms/term-filter.ts";
import { createRedactor } from "../../../src/redaction/redact.ts";
import { readFilter } from "../../support/read-filter.ts";

const redactor = createRedactor([]);
const redact = async (value: unknown): Promise<unknown> => redactor(value).value;

/** The items of an execution, each as redaction sees it: together with its key, if it has one. */
export type Payload = readonly unknown[];

export async function filterOf(payload: Payload, maker: TermMaker): Promise<TermFilter> {
  const terms = maker.begin();
  for (const item of payload) terms.add(await redact(item));
  return readFilter(terms.filter({ isPartial: false }));
}

/** True if the real search finds it. */
export async function isFoundIn(payload: Payload, question: SearchedFor): Promise<boolean> {
  const target = searchTargetOf(question);
  const search = new PayloadSearch({ searchTargets: () => [target], maxBytes: Number.POSITIVE_INFINITY });
  const inExecution = search.begin();
  const run = { nodeName: "Node", index: 0, order: 0 };
  const place = { connectionType: "main", output: 0, index: 0, direction: "output" } as const;
  for (const item of payload) {
    const json = PayloadItem.ofJson(new TextEncoder().encode(JSON.stringify(item)), [], redact);
    await inExecution.see(json, () => ({ run, item: place, path: [] }))?.();
  }
  return inExecution.result().hitsOf(target).length > 0;
}

const NAMES = [..."id email customer Customer body a.b note password Ünï x[0]".split(" "), "", "Order no."];
const WORDS = [
  ..."C-20417 req-100 req-1001 20417 ada lovelace example com paid order x 7 é".split(" "),
  ..."東京 geschäft_id 𝒳y e\u0301t 2026-01-10T09:00:00Z ada@example.com 12.50 under_score".split(" "),
  "Bearer abcDEF123456ghijkl",
  "sk-ant-abcdefghijklmnopqrstu12345",
  "-----BEGIN PRIVATE KEY-----\nabc",
  "https://x.test/p?token=8VrKH7V4QPYpneZa&n=2",
  ...["[REDACTED:key]", "[REDACTED:x", "\\u0041", "\ud835", "-", "_", ""],
  "w".repeat(128),
  "w".repeat(129),
  "long word ".repeat(20),
];
const SIGNS = [" ", " ", "-", "_", ".", ",", ":", "", "", "\n", '"', "\\", "{", "(", "é", "]", "\t"];

const someText = fc
  .array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...SIGNS)), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.flat().join(""));
const scalar = fc.oneof(
  fc.constantFrom(...WORDS),
  someText,
  fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(7, 20417, 1e21, -5),
  ),
  fc.constantFrom(null, true),
);

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { arbitrary: scalar, weight: 5 },
    { arbitrary: fc.array(tie("value"), { maxLength: 3 }), weight: 1 },
    { arbitrary: fc.dictionary(fc.constantFrom(...NAMES), tie("value"), { maxKeys: 4 }), weight: 3 },
    { arbitrary: tie("value").map((inside) => JSON.stringify(inside)), weight: 1 },
    {
      arbitrary: tie("value").map((inside) =>
        JSON.stringify(inside).replace(/[a-z]/, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
      ),
      weight: 1,
    },
  ),
}));

export const payload: fc.Arbitrary<Payload> = fc.array(
  fc.oneof(
    fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 4 }),
    fc.array(value, { maxLength: 3 }),
    value.map((message) => ({ error: { message } })),
  ),
  { minLength: 1, maxLength: 4 },
);

/** A part of a text, which may begin or end inside a word. */
const part = fc
  .tuple(someText, fc.nat(30), fc.nat(30))
  .map(([text, from, length]) => text.slice(Math.min(from, text.length - 1), from + 1 + length));
const searched = fc.oneof(fc.constantFrom(...WORDS), someText, part).filter((text) => text !== "");
const path = fc
  .array(fc.constantFrom(...NAMES, ...NAMES.map((name) => `${name}[1]`)), { minLength: 1, maxLength: 3 })
  .map((names) => names.join("."))
  .filter((joined) => joined !== "");

export const question: fc.Arbitrary<SearchedFor> = fc.oneof(
  searched.map((text) => ({ text })),
  searched.map((words) => ({ words })),
  fc
    .tuple(path, fc.oneof(searched, fc.constantFrom("7", "20417", "1e+21", "-5", "")))
    .map(([at, expected]) => ({ path: at, value: expected })),
);
