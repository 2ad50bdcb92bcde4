/**
 * The sparing redactor gives what the thorough one gives: over every secret in every place, ordinary data, what was
 * recorded, and mixtures of all of them. What it passes as untouched is unchanged by the thorough one.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { createPreviewingRedactor, type RedactionSettings } from "../../../src/redaction/redact.ts";
import { createSparingRedactor } from "../../../src/redaction/untouched/sparing-redactor.ts";
import { casesOf, inBothLanes, runs } from "../../support/lane.ts";
import { createCases, ordinaryValue } from "../corpus/measure.ts";
import { createRandom } from "../corpus/random.ts";
import { createMixture, type Mixture } from "./mixtures.ts";
import { recordedValues } from "./recorded-values.ts";

const OWN_SECRETS = ["own-secret-1234567", "s3cr3t passphrase!"];
const pause = async (): Promise<void> => {};

interface Pair {
  readonly thorough: (value: unknown) => Promise<unknown>;
  readonly sparing: (value: unknown) => Promise<unknown>;
}

function createPair(settings: RedactionSettings = {}): Pair {
  const thorough = createPreviewingRedactor(OWN_SECRETS, settings, 123_456_789);
  const sparing = createSparingRedactor(OWN_SECRETS, settings);
  return {
    thorough: async (value) => await thorough.unnumbered(value, pause),
    sparing: async (value) => await sparing(value, pause),
  };
}

/** As it comes from JSON. */
const parsed = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** The values that come out differently, or are changed themselves. */
async function differencesIn({ thorough, sparing }: Pair, values: readonly unknown[]): Promise<unknown[]> {
  const different: unknown[] = [];
  for (const value of values.map(parsed)) {
    const before = JSON.stringify(value);
    const results = [await thorough(value), await sparing(value)].map((result) => JSON.stringify(result));
    if (results[0] !== results[1] || JSON.stringify(value) !== before) different.push([before, ...results]);
  }
  return different;
}

const pair = createPair();

test("every secret in every place", inBothLanes, async () => {
  expect(
    await differencesIn(
      pair,
      casesOf(createCases()).map(({ value }) => value),
    ),
  ).toEqual([]);
});

test("ordinary data", async () => {
  expect(await differencesIn(pair, ordinaryValue(100_000))).toEqual([]);
});

test("all that was recorded", async () => {
  const values = await recordedValues();
  expect(values.length).toBeGreaterThan(400);
  expect(await differencesIn(pair, values)).toEqual([]);
});

describe("mixtures of all of them", inBothLanes, () => {
  let mixture: Mixture;
  beforeAll(async () => {
    mixture = await createMixture(createRandom(7), OWN_SECRETS);
  });

  test.each<[string, RedactionSettings]>([
    ["by default", {}],
    ["with personal data", { personalData: true }],
    [
      "with names and patterns of an operator",
      {
        keys: ["customerNumber", "x-tenant-key"],
        allow: ["deviceToken"],
        patterns: [/ACME-[A-Z0-9]{8,32}/g],
      },
    ],
    ["with a name that no letter tells", { keys: ["客户编号"] }],
  ])("%s", async (_name, settings) => {
    const values = Array.from({ length: runs(5_000) }, () => mixture.value());
    expect(await differencesIn(createPair(settings), values)).toEqual([]);
  });
});

/** What each rule for structures takes, and hardly anything else. */
const STRUCTURES: readonly unknown[] = [
  { columns: ["user", "password"], rows: [["jo", "hunter2x"]] },
  { left: "password", right: "hunter2x9" },
  { name: "card", value: 4_111_111_111_111_111 },
  { card_number: "4111111111111111" },
  Buffer.from("password=hunter2x").toJSON(),
  { kind: "Secret", data: { a: "hunter2x" } },
  { mimeType: "text/plain", data: "hunter two" },
  Object.fromEntries([..."password=hunter2x"].entries()),
  [..."password=hunter2x"],
  [
    ["user", "password"],
    ["jo", "hunter2x"],
  ],
  [
    { A: "user", B: "password" },
    { A: "jo", B: "hunter2x" },
  ],
  ["-----BEGIN PRIVATE KEY-----", "hunter two", "-----END PRIVATE KEY-----"],
  ["curl", "-u", "jo:hunter2x"],
  ["--token", "hunter2x"],
  { query: { code: "8VrKH7V4QPYp" } },
  { queryParameters: { parameters: [{ name: "code", value: "8VrKH7V4QPYp" }] } },
  { type: "n8n-nodes-base.slack", parameters: {}, credentials: { slackApi: "Slack account" } },
  { type: "@n8n/n8n-nodes-langchain.memoryBufferWindow", parameters: { sessionKey: "chat-7-abcdefg" } },
  { sessionIdType: "customKey", sessionKey: "chat-7-abcdefg" },
  { sessionKey: "chat-7-abcdefg" },
  { components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } } },
  { type: "object", properties: { password: { type: "string", example: "hunter2x" } } },
  { credentials: { slackApi: { id: "7", name: "Slack account" } } },
  { tokens: 7, promptTokens: "hunter2x", auth: "basic", runtimeData: { a: 1 } },
  { "token: hunter2x9": 1 },
  { note: "it is own-secret-1234567." },
  { note: '{"note":"token: a1b2c3d4e5","note":1}' },
  { note: 'see {"user":"jo","password":"hunter2x"} end' },
  { note: ["[REDACTED:key]", "[REDACTED:key] and token: a1b2c3d4e5"] },
  { first: { note: "token: a1b2c3d4e5" }, query: { key: "8VrKH7V4QPYp" }, last: ["--token", "hunter2x"] },
];

describe("each structure", () => {
  test.each(STRUCTURES.map((value) => [JSON.stringify(value).slice(0, 80), value] as const))(
    "%s",
    async (_json, value) => {
      expect(await differencesIn(pair, [value, { inside: { of: value } }, [value, value]])).toEqual([]);
    },
  );

  test("in a word that is too short for any other rule", async () => {
    const own = createPair({ patterns: [/ACME\d{4}/g] });
    expect(await own.sparing(["ACME1234"])).toEqual(["[REDACTED:custom]"]);
    expect(await differencesIn(own, [["ACME1234", "ACME123"]])).toEqual([]);
  });
});

describe("what is untouched", () => {
  test("is the value itself, and not a copy", async () => {
    const value = parsed({ id: 7, customer: { name: "Ada", mail: "ada@example.com" }, lines: ["a b", 1.5] });
    expect(await pair.sparing(value)).toBe(value);
  });

  test("stays itself beside what is not", async () => {
    const value = { order: { id: 7, notes: ["sent today"] }, login: { password: "hunter2x" } };
    const redacted = await pair.sparing(value);
    expect(redacted).toEqual({ order: value.order, login: { password: "[REDACTED:key]" } });
    expect(redacted).toHaveProperty("order", value.order);
    expect(Reflect.get(Object(redacted), "order")).toBe(value.order);
    expect(value.login.password).toBe("hunter2x");
  });

  test("is most of ordinary data", async () => {
    const lines = Array.from({ length: 50 }, (_, index) => ({
      id: `ord_${index}`,
      url: `https://shop.example.com/orders/${index}/lines`,
      note: `Order ${index} was sent to customer ${index * 7} on 2026-01-10 at 09:15, and paid`,
    }));
    expect(await pair.sparing(lines)).toBe(lines);
  });
});

describe("limits", () => {
  test("a value that is too deep goes the other way", async () => {
    let deep: unknown = { password: "hunter2x" };
    for (let depth = 0; depth < 250; depth += 1) deep = depth % 2 === 0 ? { a: deep } : [deep];
    expect(await differencesIn(pair, [deep])).toEqual([]);
  });

  test("so does what would take long, with pauses", async () => {
    let pauses = 0;
    const sparing = createSparingRedactor([], {});
    const texts = Array.from({ length: 400 }, (_, index) => `token: a${index}b, "key" = c\n`.repeat(100));
    const redacted = await sparing(texts, async () => {
      pauses += 1;
    });
    expect(pauses).toBeGreaterThan(10);
    expect(JSON.stringify(redacted)).toBe(JSON.stringify(await pair.thorough(texts)));
  });
});
