/**
 * Each form in the table compiles to a matcher that finds it wherever it stands, and no look-alike. The values are
 * generated from the table itself, so they prove only that it compiles; other material checks whether it is right.
 */
import { describe, expect, test } from "vitest";
import { credentials } from "../../scripts/reference/n8n-credentials.ts";
import { BESIDE_FACTS, FORMS, stepsOf } from "../../src/redaction/forms/forms.ts";
import { isRun } from "../../src/redaction/forms/notation.ts";
import { createRedactor } from "../../src/redaction/redact.ts";
import { casesOf, inBothLanes } from "../support/lane.ts";
import { valueOfForm, valueOfNotation } from "./corpus/form-values.ts";
import { createRandom } from "./corpus/random.ts";

const redact = createRedactor([]);
const shown = (value: unknown): string => JSON.stringify(redact(value).value);

/** Where tokens stand. The text before one may end in half an escape sequence. */
const PLACES: readonly (readonly [name: string, place: (token: string) => unknown])[] = [
  ["alone", (token) => ({ note: token })],
  ["in a sentence", (token) => ({ note: `It was (${token}), they said.` })],
  ["after a literal line end", (token) => ({ raw: `b'first\\n${token}\\nlast'` })],
  ["after a literal tab", (token) => ({ raw: `a\\t${token}\\tb` })],
  ["after a literal quote", (token) => ({ raw: `note=\\u0022${token}\\u0022` })],
  ["in truncated JSON", (token) => ({ raw: `{"log":"first\\n${token}\\nlast","pad":"pppp… [9 more]` })],
  ["in an environment file", (token) => ({ conf: `A=1\nNOTE=${token}\nB=2` })],
];

const standaloneForms = FORMS.filter(({ beside }) => beside.length === 0);
/** Whether the middle part of the secret stands in the text. */
function isVisible(text: string, secret: string): boolean {
  const part = secret.slice(Math.floor(secret.length / 4), Math.ceil(secret.length * 0.8));
  return text.includes(part) || text.includes(JSON.stringify(part).slice(1, -1));
}

/** In the shape of a public scanner's test cases, with other characters. */
test.each([
  `AVNS_${"a1B2c3D4e5F6g7h"}`,
  `DDRCM_${"ABCD2345".repeat(12)}`,
  `dvc_server_${"1a2b3c4d_5e6f_4a7b_8c9d_0e1f2a3b4c5d_6e7f8a9"}`,
  `dos_v1_${"0123456789abcdef".repeat(4)}`,
  `dt0a01.${"ab12cd34"}.${"0123456789abcdef".repeat(4)}`,
  `PRD-${"0a1b2c3d4e5f"}-6a7b-8c9d-0e1f-2a3b`,
  `AAAABX4G4Ew:APA91b${"aB3_dE-f".repeat(17)}`,
  `gcntfy-a-service-${"00000000-1111-4222-8333-444444444444-55555555-6666-4777-8888-999999999999"}`,
  `shpmkt_${"0a1b2c3d"}_${"0123456789abcdef".repeat(2)}`,
  `dict.1.1.20260101T000000Z.${"0123456789abcdef"}.${"0123456789abcdef".repeat(2)}01234567`,
  `zpka_${"0123456789abcdef".repeat(2)}_${"0a1b2c3d"}`,
])("%s is redacted", (token) => {
  expect(shown({ note: token })).toMatch(/^\{"note":"\[REDACTED:provider-key#1\]"\}$/);
});

describe("every form of the table", () => {
  test("has a provider, a form and a source, and no two are alike", () => {
    expect(FORMS.length).toBeGreaterThan(400);
    for (const { provider, source, parts } of FORMS) {
      expect([provider, source, parts.length > 0]).toEqual([
        provider,
        expect.stringMatching(/^[\w.-]+$/),
        true,
      ]);
    }
    const written = FORMS.map(({ provider, notation, beside }) => `${provider} ${notation} ${beside}`);
    expect(written.filter((each, index) => written.indexOf(each) !== index)).toEqual([]);
  });

  test.each(PLACES)("is found %s", (_name, place) => {
    const random = createRandom(11);
    const missed = standaloneForms.filter((form) => {
      const { text, secret } = valueOfForm(form, random);
      return isVisible(shown(place(text)), secret);
    });
    expect(missed.map(({ provider, notation }) => `${provider} ${notation}`)).toEqual([]);
  });

  test("that needs a word beside it is found beside that word", () => {
    const random = createRandom(12);
    const missed = FORMS.filter(({ beside }) => beside.length > 0).filter((form) => {
      const { text, secret } = valueOfForm(form, random);
      return isVisible(shown({ note: `the ${form.beside[0]} of it: ${text} end` }), secret);
    });
    expect(missed.map(({ provider, notation }) => `${provider} ${notation}`)).toEqual([]);
  });

  test("without a prefix of its own is found beside its provider's name", () => {
    const random = createRandom(13);
    const missed = BESIDE_FACTS.flatMap(({ notation, names }) =>
      names.map((name) => ({ name, notation, value: valueOfNotation(notation, random) })),
    ).filter(({ name, value }) => isVisible(shown({ note: `used ${name} TOKEN ${value} today` }), value));
    expect(missed.map(({ name, notation }) => `${name} ${notation}`)).toEqual([]);
  });

  test("that was cut off is found if enough of it is left", () => {
    const token = `ghp_${"aB3".repeat(12)}`;
    expect(shown({ log: `the value ${token.slice(0, 28)}` })).toContain("[REDACTED:provider-key");
    expect(shown({ log: `the value ${token.slice(0, 28)}… [12 more]` })).toContain("[REDACTED:provider-key");
    expect(shown({ log: "the prefix ghp_abc is GitHub's" })).not.toContain("REDACTED");
  });
});

test.each([
  ["UUID", "f47ac10b-58cc-4372-a567-0e02b2c3d479"],
  ["commit", "3ae120d0a45c95e36c59c9ac8286483938781f30"],
  [
    "commit of a provider's repository",
    "https://github.com/mapbox/x/commit/3ae120d0a45c95e36c59c9ac8286483938781f30",
  ],
  ["ETag", 'W/"5d8c72a5edda8d6a-3f"'],
  [
    "digest",
    "sha512-s9KZI0WFv+AQECFFc7xPnyaDLQFtFcKE9PSS9JORokHIdVTZMD1u+uTNYUf3iH3ZI+01zflNgVW882DEzZAWTQ==",
  ],
  ["event of Stripe", "evt_1Pgc6i2eZvKYlo2C0q5fhFxT"],
  ["customer of Stripe", "cus_QXg1mZ0yHqD3Jq"],
  ["payment of Stripe", "pi_3MtwBwLkdIwHu7ix28a3tqPa"],
  ["publishable key of Stripe", "pk_live_2wFLrCx7U40mdlbMI6oClkJJ"],
  ["id beside a provider's name", "intercom conversation f47ac10b-58cc-4372-a567-0e02b2c3d479"],
  ["name in code", "azure DefaultAzureCredential createDefaultAzureCliCredential"],
])("%s stays", (_name, text) => {
  expect(shown({ note: text })).toBe(JSON.stringify({ note: text }));
});

describe("the number of steps is proportional to the text's length", () => {
  const SIZE = 5_000;
  const STEPS_PER_CHARACTER = 40;
  const anchors = FORMS.flatMap(({ parts }) =>
    parts.flatMap((part) => (isRun(part) ? [] : part.texts.slice(0, 1))),
  );
  const names = BESIDE_FACTS.flatMap(({ names: [first = ""] }) => `${first} key `);
  const stretches = [
    ...new Set([...anchors, ...names, anchors.join(""), names.join(""), "A", "0", "a.", "\\n0", "eyJ"]),
  ].filter((each) => each !== "");

  test("even in texts made of the beginnings of forms", inBothLanes, () => {
    const slow = casesOf(stretches)
      .flatMap((stretch) =>
        ["", "A", "0", "-"].map((end) => (stretch + end).repeat(Math.ceil(SIZE / stretch.length))),
      )
      .filter((text) => stepsOf(text) > STEPS_PER_CHARACTER * text.length);
    expect(slow.map((text) => text.slice(0, 60))).toEqual([]);
  });
});

test("every n8n credential type recognized by form refers to a form that exists", () => {
  const providers = new Set([...FORMS.map(({ provider }) => provider), "PEM", "Bearer", "Basic"]);
  const names = new Set(BESIDE_FACTS.flatMap((fact) => fact.names));
  const all = credentials();
  expect(all.length).toBeGreaterThan(400);
  expect(all.filter(({ recognizedBy, what }) => recognizedBy === "form" && !providers.has(what))).toEqual([]);
  expect(all.filter(({ recognizedBy, what }) => recognizedBy === "beside" && !names.has(what))).toEqual([]);
});
