/** A rule that is not asked about a text, for what the text lacks, would not have changed it. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { mayHoldBase64, replaceBase64 } from "../../../src/redaction/encoded-runs.ts";
import { FORMS } from "../../../src/redaction/forms/forms.ts";
import { createNamesInTexts } from "../../../src/redaction/names/names-in-texts.ts";
import { createRules } from "../../../src/redaction/rules.ts";
import { NEEDS } from "../../../src/redaction/untouched/needs.ts";
import { TextLook } from "../../../src/redaction/untouched/text-look.ts";
import { casesOf, inBothLanes, runs } from "../../support/lane.ts";
import { valueOfForm } from "../corpus/form-values.ts";
import { createCases } from "../corpus/measure.ts";
import { createRandom } from "../corpus/random.ts";
import { SHAPES } from "../corpus/shapes.ts";

const { text: rules, kindOfKey } = createRules([], { personalData: true });
const mayName = createNamesInTexts({});
const context = {
  kindOfKey,
  mark: (kind: string) => `[REDACTED:${kind}]`,
  spend: () => {},
  charge: () => {},
};

/** The rules that would not be asked, and would change the text. */
function wronglyPassedOver(text: string): string[] {
  const look = new TextLook(text, mayName);
  return rules
    .filter(({ name, apply }) => NEEDS[name]?.(look) === false && apply(text, context) !== text)
    .map(({ name }) => name);
}

function isClean(text: string): void {
  expect([text, wronglyPassedOver(text)]).toEqual([text, []]);
}

test("each need is of a rule", () => {
  const names = new Set(rules.map(({ name }) => name));
  expect(Object.keys(NEEDS).filter((name) => !names.has(name))).toEqual([]);
  // These read every text that has their signs.
  expect([...names].filter((name) => !(name in NEEDS))).toEqual(["credential-values", "personal-data"]);
});

const random = createRandom(5);
const secrets = FORMS.map((form) => valueOfForm(form, random).text);

const textsIn = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)]);
};

test("every text of the corpus, whole and cut off", inBothLanes, () => {
  const texts = new Set(casesOf(createCases()).flatMap(({ value }) => textsIn(value)));
  for (const { write } of SHAPES) texts.add(write("password", "8VrKH7V4QPYpneZa9URed1yL"));
  expect(texts.size).toBeGreaterThan(1_000);
  for (const text of texts) {
    isClean(text);
    isClean(text.slice(0, -7));
  }
});

test("every form, cut off, in a URL, in other texts", () => {
  for (const secret of secrets) {
    const cut = secret.slice(0, Math.ceil(secret.length * 0.62));
    for (const text of [secret, `${cut}…`, `https://x.test/${secret}?a=1`, `a\\n${secret}`, `é ${secret} 東`])
      isClean(text);
  }
});

test.each([
  "ssn 219-09-1234",
  "LC79QWERTYUIOPASDFGHJKLZXCVBNMQW",
  "Error: x\n    at f (/home/node/app/x.js:1:2)",
  'File "/srv/app.py", line 7',
  "sqlplus scott/tiger@orcl",
  "u:pa55w0rd!@tcp(db:3306)/x",
  "db.example.com:5432:shop:jo:8VrKH7V4QP",
  "requirepass kQ!rTvWx",
  "create user jo identified by 'kQ!rTvWx'",
  "curl -u jo:kQ!rTvWx https://x.test",
  "mysql -pkQ!rTvWx shop",
  "https://x.test/?code=8VrKH7V4QPYp",
  "https://x.test/#8VrKH7V4QPYpneZa9URed1yL",
  "https://jo:kQ!rTvWx@x.test/",
  "?p%61ssword=kQ!rTvWx1",
  "ConvertTo-SecureString kQ!rTvWx1",
  "пароль: kQ!rTvWx1",
  "kennwort：kQ!rTvWx1",
  "Basic dXNlcjpwYXNzd29yZA==",
  "adobe = 0123456789abcdef0123456789abcdef",
])("%j, which has hardly more than a rule needs", (text) => {
  expect(rules.some(({ apply }) => apply(text, context) !== text)).toBe(true);
  isClean(text);
});

const piece = fc.oneof(
  fc.constantFrom(
    ...[
      "password",
      "token",
      "Bearer ",
      "Basic ",
      "key",
      "auth",
      "is",
      " ",
      "\n",
      ":",
      "=",
      '"',
      "'",
      "|",
      ",",
      "\t",
    ],
    ...[
      "<password>",
      "</password>",
      "-u ",
      "--token ",
      "(",
      "https://",
      "@",
      "?",
      "&",
      "#",
      "%41",
      "at ",
      ":1:2",
      "/",
    ],
    ...[
      "DE89 3704 0044 0532 0130 00",
      "4111 1111 1111 1111",
      "…",
      "...",
      "-----BEGIN PRIVATE KEY-----",
      "\u00a0",
    ],
    ...[
      "stripe",
      "adobe_key ",
      "p@ssw0rd",
      "identified by ",
      "-p",
      "key-",
      "sk-",
      "é",
      "：",
      "\\n",
      "\\u0022",
      "%3D",
      "code",
    ],
  ),
  fc.constantFrom(...secrets),
  fc.stringMatching(/^[A-Za-z0-9!$_.-]{1,20}$/),
  fc.stringMatching(/^[0-9a-f]{32}$/),
);

test("whatever stands in a text", inBothLanes, () => {
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
      isClean(pieces.join(""));
    }),
    { numRuns: runs(20_000) },
  );
});

test("what may not be base64 is not decoded", inBothLanes, () => {
  const part = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9+/_-]{12,70}$/),
    fc.string({ maxLength: 60 }).map((text) => Buffer.from(text).toString("base64")),
    fc.constantFrom(" ", "/", "\n", "\\n", "=", ".", "\\u0022"),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
      const text = parts.join("");
      const decoded: string[] = [];
      replaceBase64(text, (inside) => {
        decoded.push(inside);
        return undefined;
      });
      if (!mayHoldBase64(text)) expect([text, decoded]).toEqual([text, []]);
    }),
    { numRuns: runs(20_000) },
  );
});
