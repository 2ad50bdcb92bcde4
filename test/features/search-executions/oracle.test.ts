/**
 * A search finds what reading everything finds, for any history, window, limit and order of calls. The expected hits
 * come from n8n's own JSON by the simplest code, which shares nothing with the search.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { createCaller } from "../../support/call-recorded.ts";
import { dataOf } from "../../support/envelopes.ts";
import { createFakeN8n, type FakeExecution, fakeExecution, webhookData } from "../../support/fake-n8n.ts";
import { inBothLanes, runs } from "../../support/lane.ts";
import { createLocalHistory } from "../../support/local-history.ts";

const SECRET = "open-sesame-1";

const answer = z.looseObject({
  hits: z.array(z.looseObject({ executionId: z.string() })),
  coverage: z.looseObject({ complete: z.boolean(), stoppedBy: z.string(), skipped: z.array(z.unknown()) }),
  searchId: z.string(),
});

type Question =
  | { readonly text: string }
  | { readonly words: string }
  | { readonly path: string; readonly value: string };

interface Scalar {
  readonly text: string;
  readonly names: readonly string[];
}

/** All texts and numbers, and those of JSON in texts. Values under `password` are redacted. */
function scalarsOf(value: unknown, names: readonly string[] = [], nested = 0): Scalar[] {
  if (names.at(-1)?.toLowerCase() === "password") return [];
  if (typeof value === "number") return [{ text: String(value), names }];
  if (Array.isArray(value)) return value.flatMap((item) => scalarsOf(item, names, nested));
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([name, item]) => scalarsOf(item, [...names, name], nested));
  if (typeof value !== "string") return [];
  const own = [{ text: value, names }];
  if (nested === 3 || !/^\s*[[{]/.test(value)) return own;
  try {
    return [...own, ...scalarsOf(JSON.parse(value), names, nested + 1)];
  } catch {
    return own;
  }
}

function isHit({ text, names }: Scalar, question: Question): boolean {
  if ("text" in question) return text.includes(question.text);
  if ("path" in question)
    return (
      text === question.value &&
      `.${names.join(".")}`.toLowerCase().endsWith(`.${question.path}`.toLowerCase())
    );
  for (let at = text.indexOf(question.words); at !== -1; at = text.indexOf(question.words, at + 1)) {
    const [before, after] = [text.slice(0, at), text.slice(at + question.words.length)];
    if (!/[\p{L}\p{N}]$/u.test(before) && !/^[\p{L}\p{N}]/u.test(after)) return true;
  }
  return false;
}

const NAMES = ["id", "customer", "Email", "body", "structuredContent", "result", "größe"];
const WORDS = [
  "C-20417",
  "C-204178",
  "ada",
  "ada@example.com",
  "東京",
  "paid",
  "order 7",
  "x_y-z",
  "7",
  "20417",
];
const word = fc.constantFrom(...WORDS);
const sentence = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(" "));
const long = fc.tuple(sentence, fc.constantFrom("", " and so on".repeat(20))).map((parts) => parts.join(""));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    { weight: 5, arbitrary: fc.oneof(word, long, fc.constantFrom<unknown>(7, 20417, -1.5, true, null)) },
    { weight: 2, arbitrary: fc.array(tie("value"), { maxLength: 3 }) },
    { weight: 3, arbitrary: fc.dictionary(fc.constantFrom(...NAMES), tie("value"), { maxKeys: 3 }) },
    { weight: 1, arbitrary: tie("value").map((inside) => JSON.stringify(inside)) },
  ),
}));
const item = fc
  .tuple(fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 4 }), fc.boolean())
  .map(([json, hasSecret]) => (hasSecret ? { ...json, password: SECRET } : json));

const execution = fc.record({
  items: fc.array(item, { minLength: 1, maxLength: 3 }),
  gap: fc.constantFrom(1, 1, 1, 2, 60),
  status: fc.constantFrom("success", "success", "success", "error", "waiting", "running"),
  workflowId: fc.constantFrom("w1", "w2"),
});

const question: fc.Arbitrary<Question> = fc
  .oneof(
    fc.constantFrom(...WORDS, "20", "da", "-2", SECRET).map((text) => ({ text })),
    fc.constantFrom(...WORDS, "20417", "example", "C-20417 paid", SECRET).map((words) => ({ words })),
    fc
      .tuple(fc.array(fc.constantFrom(...NAMES, "email"), { minLength: 1, maxLength: 2 }), word)
      .map(([names, expected]) => ({ path: names.join("."), value: expected })),
  )
  .filter((one) => !("text" in one || "words" in one) || ("text" in one ? one.text : one.words).length >= 2);

const asked = fc.record({
  question,
  maxHits: fc.constantFrom(1, 3, 50),
  limit: fc.constantFrom(1, 7, 2_000),
  window: fc.option(fc.tuple(fc.nat(99), fc.nat(99)), { nil: null }),
});

test("a search finds what reading everything finds", inBothLanes, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(execution, { minLength: 1, maxLength: 60 }),
      fc.array(asked, { minLength: 1, maxLength: 5 }),
      fc.boolean(),
      async (executions, questions, isKnown) => {
        let id = 0;
        const made: FakeExecution[] = executions.map(({ items, gap, status, workflowId }) => {
          id += gap;
          const facts = { status, workflowId, data: webhookData(...items) };
          return fakeExecution(id, "", status === "running" ? { ...facts, stoppedAt: null } : facts);
        });
        const itemsOf = new Map(made.map((one, index) => [one.id, executions[index]?.items ?? []]));
        const n8n = createFakeN8n(made);
        const history = createLocalHistory();
        const search = async (args: Record<string, unknown>) =>
          dataOf(await createCaller({ fetch: n8n.fetch, history }).call("search_executions", args), answer);
        if (isKnown) await search({ text: "nothing of this kind" });
        for (const { question, window, ...most } of questions) {
          const starts = made.map(({ startedAt }) => String(startedAt)).sort();
          const at = (place: number) => starts[Math.floor((place * starts.length) / 100)] ?? "";
          const bounds =
            window === null
              ? {}
              : { startedAfter: at(Math.min(...window)), startedBefore: at(Math.max(...window)) };
          const found: string[] = [];
          let more = {};
          for (let calls = 0; ; calls += 1) {
            if (calls > 400) throw new Error("The search never became complete.");
            const one = await search({ ...question, ...bounds, ...most, ...more });
            found.push(...one.hits.map(({ executionId }) => executionId));
            if (one.coverage.stoppedBy === "complete") break;
            more = { searchId: one.searchId };
          }
          const expected = made
            .filter(({ startedAt }) => String(startedAt) >= (bounds.startedAfter ?? ""))
            .filter(({ startedAt }) => String(startedAt) <= (bounds.startedBefore ?? "9"))
            .filter((one) =>
              (itemsOf.get(one.id) ?? []).some((json) =>
                scalarsOf(json).some((scalar) => isHit(scalar, question)),
              ),
            )
            .map((one) => one.id);
          expect([...new Set(found)].sort(), JSON.stringify(question)).toEqual(expected.sort());
        }
      },
    ),
    { numRuns: runs(300) },
  );
});
