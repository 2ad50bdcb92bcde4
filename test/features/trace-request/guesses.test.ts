/**
 * A guess of a secret confirms nothing, by what is found, counted or how much it costs: a right guess and a wrong
 * one cause the same requests to n8n, the same answer and the same amount of work.
 */
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Envelope } from "../../../src/mcp/envelope.ts";
import type { Case } from "../../redaction/corpus/carriers.ts";
import { createCases } from "../../redaction/corpus/measure.ts";
import { type Caller, createCaller } from "../../support/call-recorded.ts";
import { createFakeN8n, type FakeExecution, fakeExecution, webhookData } from "../../support/fake-n8n.ts";
import { casesOf, inBothLanes, runs } from "../../support/lane.ts";
import { createLocalHistory } from "../../support/local-history.ts";

/** All that a caller could see or measure, except milliseconds. */
interface Observed {
  readonly answers: readonly string[];
  readonly progress: readonly string[];
  readonly requests: readonly string[];
  /** Size of each value that was redacted, in order. */
  readonly steps: readonly number[];
}

type Arguments = Readonly<Record<string, unknown>>;

/** Calls the tool until its answer is complete, at most `calls` times. */
async function observe(
  executions: readonly FakeExecution[],
  tool: string,
  args: Arguments,
  {
    scopes = ["n8n:read", "n8n:data"],
    calls = 1,
    tickMs = 0,
    isKnown = false,
    termKey = "a key of terms",
  } = {},
): Promise<Observed> {
  const n8n = createFakeN8n([...executions]);
  let time = Date.UTC(2026, 0, 2);
  const steps: number[] = [];
  const caller = createCaller({
    fetch: n8n.fetch,
    scopes,
    termKey,
    now: () => {
      time += tickMs;
      return time;
    },
    onRedact: (value) => steps.push(JSON.stringify(value).length),
  });
  if (isKnown) await learn(caller);
  for (const seen of [n8n.requests, steps, caller.progress]) seen.length = 0;
  const answers: string[] = [];
  let next: Arguments = args;
  for (let call = 0; call < calls; call += 1) {
    const answer = await caller.call(tool, next);
    answers.push(comparable(answer));
    const [id] = /(search|trace)_[0-9a-z]{16}/.exec(JSON.stringify(answer)) ?? [];
    if (id === undefined || !JSON.stringify(answer).includes('"complete":false')) break;
    next = { ...args, [tool === "trace_request" ? "traceId" : "searchId"]: id };
  }
  // Digits are also looked up as the id of an execution.
  const requests = n8n.requests.map((path) => path.replace(/(?<=\/executions\/)\d+(?=\?)/, "<guess>"));
  return { answers, progress: caller.progress, requests, steps };
}

/** Fills the index, terms included, before anybody guesses. */
const learn = async (caller: Caller): Promise<Envelope> =>
  await caller.call("search_executions", { text: "nothing-of-this-kind" });

/** The answer without times, and without what only repeats the guess. */
function comparable(answer: Envelope): string {
  return JSON.stringify(answer, (key, value: unknown) => {
    if (key === "requestId") return "<guess>";
    if (typeof value !== "string") return value;
    return value
      .replace(/^Request ".*?" was/, 'Request "<guess>" was')
      .replace(/Nor is there an execution \d+/, "Nor is there an execution <guess>")
      .replace(/ As a JSON number, n8n keeps it as [\d.]+\./, "");
  })
    .replaceAll(/(search|trace)_[0-9a-z]{16}/g, "<id>")
    .replaceAll(/"timestamp":"[^"]*"/g, '"timestamp":"<time>"');
}

/** A guess of the same length that occurs nowhere: it differs in its last letter or digit. */
function wrongFor(guess: string, payload: string): string {
  const at = guess.search(/[\p{L}\p{N}][^\p{L}\p{N}]*$/u);
  // Digits are replaced by a digit: the form of a guess is known to whoever makes it.
  const letters = /\p{N}/u.test(guess[at] ?? "") ? "0123456789" : "qzjxkwabcdefghilmnoprstuvy";
  const candidates = [...letters].map((letter) => guess.slice(0, at) + letter + guess.slice(at + 1));
  const wrong = candidates.find((candidate) => !payload.includes(candidate));
  if (wrong === undefined) throw new Error("every guess occurs somewhere");
  return wrong;
}

interface Guess {
  readonly right: string;
  readonly wrong: string;
}

/** The first half of the secret, and the whole. */
function guessesAt(secret: string, json: unknown): Guess[] {
  const payload = JSON.stringify(json);
  return [secret.slice(0, Math.max(3, Math.ceil(secret.length / 2))), secret].map((right) => ({
    right,
    wrong: wrongFor(right, payload),
  }));
}

const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** One secret of each kind, each in another kind of place. */
const EACH_KIND: readonly Case[] = [...Map.groupBy(createCases(7), ({ kind }) => kind).values()].flatMap(
  (cases, index) => cases[index % cases.length] ?? [],
);

const holding = (json: unknown): FakeExecution[] => [
  fakeExecution(2, "r-2", { data: webhookData({ order: 4711 }, isObject(json) ? json : { data: json }) }),
  fakeExecution(1, "r-1"),
];

const QUESTIONS: readonly [string, string, (guess: string) => Arguments][] = [
  ["a search", "search_executions", (text) => ({ text, maxHits: 1 })],
  ["a search for words", "search_executions", (words) => ({ words, maxHits: 1 })],
  ["a trace", "trace_request", (requestId) => ({ requestId })],
  ["a deep trace", "trace_request", (requestId) => ({ requestId, deep: true })],
];

/** Expects a right and a wrong guess to be indistinguishable. */
async function expectSame(
  executions: readonly FakeExecution[],
  tool: string,
  argsOf: (guess: string) => Arguments,
  { right, wrong }: Guess,
  options: Parameters<typeof observe>[3] = {},
): Promise<Observed> {
  const ofRight = await observe(executions, tool, argsOf(right), options);
  const ofWrong = await observe(executions, tool, argsOf(wrong), options);
  expect(ofRight, `${right}, ${wrong}`).toEqual(ofWrong);
  return ofRight;
}

test.each(QUESTIONS)("no kind of secret is confirmed by %s", inBothLanes, async (name, tool, argsOf) => {
  // All of these queries search through the same code, so each trace gets only a part of the cases.
  const cases = casesOf(EACH_KIND, 40).filter(
    (_case, index) => name === "a search" || index % 5 === name.length % 5,
  );
  expect(cases.length).toBeGreaterThan(0);
  for (const { value, secrets } of cases)
    for (const guess of guessesAt(secrets[0] ?? "", value)) {
      const { steps } = await expectSame(holding(value), tool, argsOf, guess);
      expect(steps.length).toBeGreaterThan(0);
    }
});

/** The name of the member that contains the secret, as a caller would give it. */
function nameBeside(value: unknown, secret: string): string {
  let found = "data";
  JSON.stringify(value, (key, member: unknown) => {
    const isName = /^[^.[\]\s]+$/.test(key) && !/^\d+$/.test(key);
    if (isName && JSON.stringify(member)?.includes(JSON.stringify(secret).slice(1, -1)) === true) found = key;
    return member;
  });
  return found;
}

/** Ways to query the index for a guess, with the member's name. */
const INDEX_QUERIES: readonly [string, (guess: string, path: string) => Arguments][] = [
  ["at a path", (guess, path) => ({ path, value: guess.slice(0, 500) })],
  ["as words", (guess) => ({ words: guess.slice(0, 400) })],
  // Words around the guess make the index look for its terms.
  ["amid a text", (guess) => ({ text: `a ${guess.slice(0, 400)} z` })],
];

describe("no kind of secret is confirmed by the index's terms", inBothLanes, () => {
  test.each(INDEX_QUERIES)("when it is queried %s", async (_how, argsOf) => {
    const cases = casesOf(EACH_KIND, 40);
    for (const { kind, carrier, value, secrets } of cases) {
      const path = nameBeside(value, secrets[0] ?? "");
      for (const { right, wrong } of guessesAt(secrets[0] ?? "", value)) {
        const observeBoth = async (termKey: string): Promise<[Observed, Observed]> => [
          await observe(holding(value), "search_executions", argsOf(right, path), { isKnown: true, termKey }),
          await observe(holding(value), "search_executions", argsOf(wrong, path), { isKnown: true, termKey }),
        ];
        const underOneKey = await observeBoth("a key of terms");
        // A filter reports 3 of 1,000 absent terms as present; a term that is present is so under every key.
        const [ofRight, ofWrong] = isDeepStrictEqual(...underOneKey)
          ? underOneKey
          : await observeBoth("another key of terms");
        expect(ofRight.requests.length).toBeGreaterThan(0);
        expect(ofRight, `${kind} in ${carrier}: ${right}, ${wrong}`).toEqual(ofWrong);
      }
    }
  });
});

test("the index tells values apart that redaction leaves", async () => {
  const ask = async (value: string): Promise<Observed> =>
    await observe(
      holding({ order: "C-20417", password: "grenadine" }),
      "search_executions",
      { path: "order", value },
      { isKnown: true },
    );
  expect((await ask("C-20417")).steps.length).toBeGreaterThan(0);
  expect((await ask("C-20418")).steps).toEqual([]);
});

/** Secrets that no form reveals: a word under a secret's key, or beside a secret's name. */
const BY_CONTEXT: readonly [string, unknown][] = [
  ["under a key", { password: "grenadine" }],
  ["as a number", { secret: 90210445 }],
  ["deep under a key", { credentials: { any: [{ thing: "grenadine" }] } }],
  ["in a pair", { parameters: [{ name: "Authorization", value: "grenadine" }] }],
  ["in a list of two", { entries: [["authorization", "grenadine"]] }],
  ["among raw headers", { rawHeaders: ["Authorization", "grenadine"] }],
  ["behind a flag", { args: ["--token", "grenadine"] }],
  ["in a text", { note: "login failed, password=grenadine at noon" }],
  ["in a URL", { url: "https://x.test/?api_key=grenadine&a=1" }],
  ["in JSON in a string", { body: JSON.stringify({ inner: JSON.stringify({ apiKey: "grenadine" }) }) }],
  ["in base64", { raw: btoa("password=grenadine and more") }],
  ["in an error", {}],
  ["in custom data", {}],
  ["in a pair of custom data", {}],
];

const CUSTOM_DATA: Readonly<Record<string, unknown>> = {
  "in custom data": { password: "grenadine" },
  "in a pair of custom data": { name: "Authorization", value: "grenadine" },
};

function executionsWith(name: string, json: unknown): FakeExecution[] {
  const failed = { error: { message: "no login with password=grenadine" }, executionIndex: 0 };
  const data =
    name === "in an error" ? { resultData: { runData: { Http: [failed] } } } : webhookData({ n: 1 }, json);
  const customData = CUSTOM_DATA[name] ?? {};
  return Array.from({ length: 12 }, (_one, index) =>
    fakeExecution(index + 1, `r-${index + 1}`, { data, customData }),
  );
}

const secretOf = (name: string): string => (name === "as a number" ? "90210445" : "grenadine");

describe.each(BY_CONTEXT)("a secret that only its context reveals, %s", (name, json) => {
  const secret = secretOf(name);
  const executions = executionsWith(name, json);

  test.each(QUESTIONS)("is not confirmed by %s", async (_question, tool, argsOf) => {
    for (const guess of guessesAt(secret, executions)) await expectSame(executions, tool, argsOf, guess);
  });
});

describe.each(casesOf(BY_CONTEXT, 3))(
  "a secret that only its context reveals, %s,",
  inBothLanes,
  (name, json) => {
    const secret = secretOf(name);
    const executions = executionsWith(name, json);

    test.each([
      ["a search at its path", {}],
      ["the index's terms", { isKnown: true }],
    ])("is not confirmed by %s", async (_how, options) => {
      for (const path of ["password", "secret", "value", "thing", "apiKey", "raw", "message"])
        for (const guess of guessesAt(secret, executions))
          await expectSame(executions, "search_executions", (value) => ({ path, value }), guess, options);
    });

    test.each([
      ["in steps of few executions", { limit: 5 }, {}],
      ["by the clock, which stops it early", { timeBudgetMs: 1_000 }, { tickMs: 130 }],
      ["without the scope for data", {}, { scopes: ["n8n:read"] }],
    ])("is not confirmed %s", async (_how, more, options) => {
      for (const [, tool, argsOf] of QUESTIONS)
        for (const guess of guessesAt(secret, executions)) {
          const argsWithMore = (value: string) => ({ ...argsOf(value), ...more });
          await expectSame(executions, tool, argsWithMore, guess, { ...options, calls: 6 });
        }
    });
  },
);

const large = (text: string): unknown => ({ rows: ["x".repeat(1_200_000)], text, password: "grenadine" });

test.each([
  ["a secret", large("nothing")],
  ["an ordinary value", large("grenadine")],
])("data too large for redaction is reported as not searched, whether it holds %s", async (_what, json) => {
  const executions = [fakeExecution(2, "r-2", { data: webhookData(json) }), fakeExecution(1, "r-1")];
  for (const [, tool, argsOf] of QUESTIONS.filter(([name]) => name !== "a trace")) {
    const { answers } = await expectSame(executions, tool, argsOf, {
      right: "grenadine",
      wrong: "grenadinx",
    });
    expect(answers[0]).toMatch(
      /"skipped":\[\{"executionId":"2","reason":"(?:part of it is too large|it, or part of it, is too large to search)/,
    );
  }
});

describe("an ordinary value", () => {
  const executions = [
    fakeExecution(3, "r-3", { data: webhookData({ password: "grenadine" }) }),
    fakeExecution(2, "r-2", { data: webhookData({ password: "grenadine", dish: "grenadine, grilled" }) }),
    fakeExecution(1, "r-1"),
  ];

  test.each(QUESTIONS)("is found by %s, but not where it is a secret", async (_name, tool, argsOf) => {
    const { answers } = await observe(executions, tool, argsOf("grenadine"));
    expect(answers[0]).toContain('"path":"dish"');
    expect(answers[0]).not.toMatch(/"(executionId|id)":"3"/);
  });

  test("is found in any text, and in any JSON spelling of it", inBothLanes, async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", minLength: 9, maxLength: 30 }), async (words) => {
        fc.pre(words.trim() === words);
        const json = { a: [{ note: `about ${words}.` }], nested: JSON.stringify({ note: words }) };
        const { answers } = await observe(holding(json), "search_executions", { text: words });
        expect(answers[0]).toMatch(/"executionId":"2"/);
      }),
      { numRuns: runs(100) },
    );
  });
});

describe("without n8n:data", () => {
  const CUSTOM = { pin: "4711", born: "1984-03-17", code: "abc" };
  const executions = [
    fakeExecution(2, "r-2", {
      data: webhookData({ body: { pin: "4711", born: "1984-03-17", code: "abc", order: "ord-20417-b" } }),
      customData: CUSTOM,
    }),
    fakeExecution(1, "4711"),
  ];
  const readOnly = { scopes: ["n8n:read"] };
  const ask = async (requestId: string, how = {}): Promise<Observed> =>
    await observe(executions, "trace_request", { requestId }, how);

  test.each(["1984-03-17", "abc"])("%s is rejected like a wrong guess before n8n is asked", async (value) => {
    const right = await ask(value, readOnly);
    expect(right).toEqual(await ask(wrongFor(value, JSON.stringify(executions)), readOnly));
    expect(right.requests).toEqual([]);
    expect(right.answers[0]).toMatch(/INSUFFICIENT_SCOPE.*n8n:data/);
    expect((await ask(value)).answers[0]).toContain('"foundAs":"customData"');
  });

  test.each(["4711", "ord-20417-b"])("%s is compared only with values at known paths", async (value) => {
    const elsewhere = [executions[0] ?? fakeExecution(2, "r-2")];
    const ofRight = await observe(elsewhere, "trace_request", { requestId: value }, readOnly);
    const wrong = wrongFor(value, JSON.stringify(elsewhere));
    expect(ofRight).toEqual(await observe(elsewhere, "trace_request", { requestId: wrong }, readOnly));
    expect(ofRight.answers[0]).toMatch(/"found":false.*n8n:data.*REQUEST_ID_PATHS/);
  });

  test("an id at a known path is found by its whole, not by its beginning", async () => {
    expect((await ask("4711", readOnly)).answers[0]).toContain('"found":true');
    expect((await ask("471", readOnly)).answers[0]).toContain('"found":false');
  });

  test("what a caller with the scope found before is not shown", async () => {
    const n8n = createFakeN8n(executions);
    const history = createLocalHistory();
    const as = (scopes: string[]): Caller => createCaller({ fetch: n8n.fetch, scopes, history });
    const withData = as(["n8n:read", "n8n:data"]);
    const found = await withData.call("trace_request", { requestId: "ord-20417-b" });
    expect(JSON.stringify(found)).toContain('"kind":"mentioned"');
    const [traceId] = /trace_[0-9a-z]{16}/.exec(JSON.stringify(found)) ?? [];
    const without = await as(["n8n:read"]).call("trace_request", { traceId });
    expect(without).toMatchObject({ status: "success", data: { found: false, executions: [] } });
    const deep = await withData.call("trace_request", { requestId: "ord-20417-b", deep: true });
    const [deepId] = /trace_[0-9a-z]{16}/.exec(JSON.stringify(deep)) ?? [];
    expect(await as(["n8n:read"]).call("trace_request", { traceId: deepId })).toMatchObject({
      data: { code: "INSUFFICIENT_SCOPE" },
    });
  });

  test("a mention is shown to a caller with the scope", async () => {
    const { answers } = await ask("ord-20417-b");
    expect(answers[0]).toContain('"kind":"mentioned","nodeName":"Webhook","path":"body.order"');
  });
});
