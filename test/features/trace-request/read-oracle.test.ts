/**
 * A caller with `n8n:read` alone learns no text, whatever they ask and whatever they post themselves.
 *
 * Two n8n instances get the same calls: one holds texts and secrets, the other has different ones of the same lengths
 * in their places. As long as both answer alike, send n8n the same requests and do the same work, no question has
 * revealed anything. Guesses are extended as an attacker would extend them: by a character, and by a word.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { hasIdentifierForm } from "../../../src/history/request-ids/identifier-form.ts";
import type { Envelope } from "../../../src/mcp/envelope.ts";
import { createRedactor } from "../../../src/redaction/redact.ts";
import { createRandom, HEX, WORD } from "../../redaction/corpus/random.ts";
import { formedSecrets, tableSecrets } from "../../redaction/corpus/secrets.ts";
import { type Caller, createCaller } from "../../support/call-recorded.ts";
import { createFakeN8n, type FakeExecution, type FakeN8n, fakeExecution } from "../../support/fake-n8n.ts";
import { casesOf, inBothLanes } from "../../support/lane.ts";
import { ordinaryTexts } from "../../support/ordinary-texts.ts";

const TEXTS = ordinaryTexts(500);

/** Places of a text: at known request-id paths, at others, in an error. */
const PLACES: readonly ((text: string) => unknown)[] = [
  (requestId) => ({ requestId }),
  (requestId) => ({ body: { context: { requestId } } }),
  (id) => ({ headers: { "x-request-id": id } }),
  (sessionId) => ({ sessionId }),
  (chatId) => ({ message: { chatId } }),
  (requestId) => ({ body: JSON.stringify({ requestId }) }),
  (note) => ({ note }),
  (customer) => ({ customer, list: [customer] }),
];

/** Places in which a value at a known path is a secret, whatever it is. */
const SECRET_PLACES: readonly ((secret: string) => unknown)[] = [
  (sessionId) => ({ auth: { sessionId } }),
  (requestId) => ({ body: { otp: { requestId } } }),
  (requestId) => ({ password: { requestId } }),
  (sessionId) => ({ cookies: { sessionId } }),
  (requestId) => ({ headers: { cookie: JSON.stringify({ requestId }) } }),
  (requestId) => ({ headers: { authorization: JSON.stringify({ requestId }) } }),
  (requestId) => ({ headers: [{ name: "Authorization", value: { requestId } }] }),
  (requestId) => ({ credentials: [{ data: { requestId } }] }),
  (requestId) => ({ headers: [["Authorization", { requestId }]] }),
  (sessionId) => ({ rawHeaders: ["Cookie", JSON.stringify({ sessionId })] }),
  (requestId) => ({ name: "otp", values: [{ requestId }] }),
  (requestId) => ({ name: "password", defaultValue: { requestId } }),
  (requestId) => ({ name: "password", value: [{ requestId }] }),
  (requestId) => ({ name: "password", value: JSON.stringify([{ requestId }]) }),
];

const redact = createRedactor([]);
/** True when redaction recognizes the text by its form. */
const isKnown = (text: string): boolean => JSON.stringify(redact(text).value) !== JSON.stringify(text);

interface Planted {
  readonly secret: string;
  readonly place: (secret: string) => unknown;
}

/** 100 secrets of any form, each in a place for secrets, and 100 that redaction recognizes by their form. */
function plantedSecrets(): Planted[] {
  const random = createRandom(11);
  const kinds = [
    () => random.text("0123456789", 6),
    () => random.pick(TEXTS),
    () => [8, 4, 4, 4, 12].map((length) => random.text(HEX, length)).join("-"),
    () => `order-2024-${random.text("0123456789", 6)}`,
    () => random.text(WORD, 21),
  ];
  const inPlaces = Array.from({ length: 100 }, (_one, index) => ({
    secret: kinds[index % kinds.length]?.() ?? "",
    place: SECRET_PLACES[index % SECRET_PLACES.length] ?? ((text) => text),
  }));
  const formed = [...formedSecrets(random), ...tableSecrets(random)]
    .map(({ text }) => text)
    .filter((text) => text.length <= 512 && isKnown(text))
    .slice(0, 100)
    .map((secret, index) => ({ secret, place: PLACES[index % 5] ?? ((text: string) => text) }));
  return [...inPlaces, ...formed];
}

const SECRETS = plantedSecrets();

const CLASSES = [/\p{Lu}/u, /\p{Ll}/u, /\p{L}/u, /\p{N}/u];

/** The next character of the same class that takes as many bytes. */
function nextOf(character: string): string {
  const isAlike = (other: string): boolean =>
    Buffer.byteLength(other) === Buffer.byteLength(character) &&
    CLASSES.every((each) => each.test(other) === each.test(character));
  const code = character.codePointAt(0) ?? 0;
  const near = Array.from({ length: 60 }, (_one, index) =>
    String.fromCodePoint(Math.max(1, code + 1 + index)),
  );
  const before = Array.from({ length: 60 }, (_one, index) =>
    String.fromCodePoint(Math.max(1, code - 60 + index)),
  );
  return [...near, ...before].find(isAlike) ?? character;
}

/** A different text of the same length and form: all of it differs, or only its last letter or digit. */
function otherThan(text: string): string {
  const other = [
    /[\p{L}\p{N}]/gu,
    /[\p{L}\p{N}](?=[^\p{L}\p{N}]*$)/gu,
    /\p{N}(?=\P{N}*$)/gu,
    /\p{L}(?=\P{L}*$)/gu,
  ]
    .map((which) => text.replaceAll(which, nextOf))
    .find(
      (changed) =>
        changed !== text &&
        hasIdentifierForm(changed) === hasIdentifierForm(text) &&
        isKnown(changed) === isKnown(text),
    );
  if (other === undefined) throw new Error(`There is no other text like ${text}.`);
  return other;
}

/** An execution in which the text is also in an error and in the name of a member. */
function executionWith(id: number, items: readonly unknown[], text: string): FakeExecution {
  const run = {
    startTime: 1,
    executionTime: 1,
    executionIndex: 0,
    executionStatus: "error",
    source: [],
    data: { main: [[{ balances: { [text]: 1 } }, ...items].map((json) => ({ json }))] },
    error: { name: "NodeApiError", httpCode: "404", message: `There is no account of ${text} here` },
  };
  const data = { resultData: { runData: { Webhook: [run] }, lastNodeExecuted: "Webhook", error: run.error } };
  return fakeExecution(id, "", { status: "error", data, customData: { customer: text } });
}

const PER_EXECUTION = 10;

/** The executions of an n8n that holds all texts and secrets, each of them changed. */
function executionsWith(change: (text: string) => string): FakeExecution[] {
  const items = [
    ...TEXTS.map((text, index) => PLACES[index % PLACES.length]?.(change(text))),
    ...SECRETS.map(({ secret, place }) => place(change(secret))),
  ];
  return Array.from({ length: items.length / PER_EXECUTION }, (_one, index) =>
    executionWith(
      index + 1,
      items.slice(index * PER_EXECUTION, (index + 1) * PER_EXECUTION),
      change(TEXTS[index] ?? ""),
    ),
  );
}

interface World {
  readonly n8n: FakeN8n;
  readonly caller: Caller;
  readonly steps: number[];
}

async function createWorld(executions: readonly FakeExecution[]): Promise<World> {
  const n8n = createFakeN8n([...executions]);
  const steps: number[] = [];
  const caller = createCaller({
    fetch: n8n.fetch,
    scopes: ["n8n:read"],
    now: () => Date.UTC(2026, 0, 2),
    onRedact: (value) => steps.push(JSON.stringify(value).length),
  });
  const world = { n8n, caller, steps };
  await caller.call("trace_request", { requestId: "req-of-nobody" });
  return world;
}

/** All that a caller could see or measure, except milliseconds and new ids. */
async function observe({ n8n, caller, steps }: World, tool: string, args: object) {
  for (const seen of [n8n.requests, steps, caller.progress]) seen.length = 0;
  const answer: Envelope = await caller.call(tool, args);
  return {
    answer: JSON.stringify(answer).replaceAll(/trace_[0-9a-z]{16}/g, "<id>"),
    requests: [...n8n.requests],
    progress: [...caller.progress],
    steps: [...steps],
  };
}

let holding: World;
let other: World;
beforeAll(async () => {
  holding = await createWorld(executionsWith((text) => text));
  other = await createWorld(executionsWith(otherThan));
});

/** The calls whose answers differ between the two n8n instances. */
async function differingCalls(questions: Iterable<readonly [string, object]>): Promise<string[]> {
  const differing: string[] = [];
  for (const [tool, args] of questions) {
    const [one, two] = [await observe(holding, tool, args), await observe(other, tool, args)];
    if (JSON.stringify(one) !== JSON.stringify(two)) differing.push(`${tool} ${JSON.stringify(args)}`);
  }
  return differing;
}

const ALL = [...TEXTS, ...SECRETS.map(({ secret }) => secret)];

/** The guesses an attacker would make one after the other if an answer said that the last one was right so far. */
const beginningsOf = (text: string): string[] =>
  Array.from(text, (_character, index) => text.slice(0, index + 1));
const wordsOf = (text: string): string[] => {
  const words = text.split(/\s+/);
  return [...words, ...words.map((_word, index) => words.slice(0, index + 1).join(" "))];
};

test("the texts and secrets are many, and the other n8n has none of the texts", () => {
  expect([new Set(TEXTS).size, SECRETS.length]).toEqual([500, 200]);
  for (const text of TEXTS) expect(otherThan(text)).not.toBe(text);
  expect(holding.n8n.executions).toHaveLength(70);
});

const tracing = (guesses: Iterable<string>) =>
  [...new Set([...guesses].map((guess) => guess.trim().slice(0, 512)))]
    .filter((guess) => guess !== "")
    .map((requestId) => ["trace_request", { requestId }] as const);

describe("no text is learnt by", () => {
  test("asking for it, or for it word by word", async () => {
    expect(await differingCalls(tracing([...ALL, ...ALL.flatMap(wordsOf)]))).toEqual([]);
  });

  test("asking for it character by character", inBothLanes, async () => {
    const questions = tracing(casesOf(ALL).flatMap(beginningsOf));
    expect(questions.length).toBeGreaterThan(700);
    expect(await differingCalls(questions)).toEqual([]);
  });

  test("asking for it anywhere in the payload", async () => {
    const questions = TEXTS.map((requestId) => ["trace_request", { requestId, deep: true }] as const);
    expect(await differingCalls(questions)).toEqual([]);
    const { answer, requests } = await observe(holding, "trace_request", { requestId: "req-1", deep: true });
    expect(answer).toMatch(/"INSUFFICIENT_SCOPE".*deep reads payload/);
    expect(requests).toEqual([]);
  });

  test("asking why it failed", async () => {
    expect(await differingCalls(ALL.map((requestId) => ["explain_failure", { requestId }] as const))).toEqual(
      [],
    );
  });

  test("any answer, which is the same for each text, without a request to n8n", async () => {
    const answers = new Set<string>();
    // For a URL, the answer says whether it is this n8n's.
    for (const requestId of TEXTS.filter((text) => !text.includes("://"))) {
      const { answer, requests } = await observe(holding, "trace_request", { requestId });
      expect(requests).toEqual([]);
      answers.add(answer);
    }
    expect(answers.size).toBe(1);
    expect([...answers][0]).toMatch(/does not look like an identifier.*n8n:data/);
  });
});

/** Posts a text as a stranger would, to see whether it is treated like another's. It stays, so each has its own id. */
async function withPosted(
  text: string,
  ask: (world: World, id: string) => Promise<string>,
): Promise<string[]> {
  return await Promise.all(
    [holding, other].map(async (world) => {
      const id = world.n8n.executions.length + 1;
      const items = PLACES.map((place) => place(text));
      world.n8n.executions = [executionWith(id, items, text), ...world.n8n.executions];
      return await ask(world, String(id));
    }),
  );
}

const SOME = TEXTS.filter((_text, index) => index % 5 === 0);
const AND_SECRETS = [...SOME, ...SECRETS.map(({ secret }) => secret)];

test.each([
  [
    "and tracing one's own execution",
    "trace_request",
    (id: string) => ({ requestId: `execution:${id}` }),
    AND_SECRETS,
  ],
  ["and comparing executions", "compare_executions", (id: string) => ({ id, against: "1" }), SOME],
  ["and asking why it failed", "explain_failure", (id: string) => ({ executionId: id }), SOME],
  ["and asking what broke", "summarize_failures", () => ({ hours: 72 }), SOME],
])("no text is learnt by posting it %s", async (_how, tool, argsOf, posted) => {
  const differing: string[] = [];
  for (const text of posted) {
    const [one, two] = await withPosted(text, async (world, id) => {
      const { answer } = await observe(world, tool, argsOf(id));
      return answer;
    });
    if (one !== two) differing.push(text);
  }
  expect(differing).toEqual([]);
});
