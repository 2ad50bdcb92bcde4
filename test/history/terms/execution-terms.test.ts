/** Which terms an execution has; nothing that redaction removes is among them. */
import { describe, expect, test } from "vitest";
import { ExecutionTerms, TermMaker } from "../../../src/history/terms/execution-terms.ts";
import { MAX_TERMS, type TermFilter } from "../../../src/history/terms/term-filter.ts";
import { TermHasher } from "../../../src/history/terms/term-hasher.ts";
import { createRedactor } from "../../../src/redaction/redact.ts";
import { createCases } from "../../redaction/corpus/measure.ts";
import { casesOf, inBothLanes } from "../../support/lane.ts";
import { readFilter } from "../../support/read-filter.ts";

/** Records everything it hashes. The first text is the name that stands for all long ones. */
class NotingHasher extends TermHasher {
  texts: string[] = [];

  constructor() {
    super(new Uint8Array(16));
  }

  override text(text: string, from = 0, to = text.length): void {
    this.texts.push(text.slice(from, to));
    super.text(text, from, to);
  }
}

/** The texts that have terms, including names of members. */
function textsOf(...values: readonly unknown[]): { texts: string[]; filter: TermFilter } {
  const hasher = new NotingHasher();
  const terms = new TermMaker(hasher).begin();
  hasher.texts = [];
  for (const value of values) terms.add(value);
  return { texts: hasher.texts, filter: readFilter(terms.filter({ isPartial: false })) };
}

const NAMES = ["a", "list"];
const valuesOf = (...values: readonly unknown[]): string[] =>
  textsOf(...values.map((value) => ({ a: value }))).texts.filter((text) => !NAMES.includes(text));

describe("the terms", () => {
  test.each<[unknown, string[]]>([
    ["paid", ["paid"]],
    ["C-20417", ["C-20417", "20417"]],
    ["Paid Order", ["Paid Order", "Paid", "Order"]],
    [20417, ["20417"]],
    [-1.5, ["-1.5", "-1"]],
    [{ list: ["x", "yy"] }, ["x", "yy"]],
    ["", []],
    [true, []],
    [null, []],
    ["w".repeat(129), []],
    [`${"long ".repeat(30)}a end`, [...Array.from({ length: 30 }, () => "long"), "end"]],
    ["[1] no JSON", ["[1] no JSON", "no", "JSON"]],
  ])("of %j", (value, terms) => {
    expect(valuesOf(value)).toEqual(terms);
  });

  test("of JSON in a text are its words and its values", () => {
    const text = JSON.stringify({ list: ["H\u00e9\nllo", 7] });
    expect(valuesOf(`  ${text}\n`)).toEqual(
      [`  ${text}\n`, "list", "Hé", "nllo", "Hé\nllo", "Hé", "llo", "7"].filter(
        (each) => !NAMES.includes(each),
      ),
    );
  });

  test("of JSON nested in texts reach three levels deep", () => {
    const nest = (depth: number): string =>
      depth === 0 ? JSON.stringify(["a\tb c"]) : JSON.stringify([nest(depth - 1)]);
    expect(valuesOf(nest(2))).toContain("a\tb c");
    expect(valuesOf(nest(3))).not.toContain("a\tb c");
  });

  test("do not include redaction marks, nor words that touch one", () => {
    const { texts, filter } = textsOf([
      "see [REDACTED:key#1]x y[REDACTED:jwt] end",
      "[REDACTED:key]",
      "a-[REDACTED:card#2]…1111",
    ]);
    expect(texts).toEqual(["see", "end", "1111"]);
    expect(filter.hasCutWords).toBe(true);
    expect(textsOf(["see [REDACTED:key#1] end"]).filter.hasCutWords).toBe(false);
    expect(textsOf(["[REDACTED:no mark"]).texts).toEqual(["[REDACTED:no mark", "REDACTED", "no", "mark"]);
  });

  test("of names are hashed once for all executions, and not for very long names", () => {
    const hasher = new NotingHasher();
    const maker = new TermMaker(hasher);
    for (let round = 0; round < 3; round += 1)
      maker.begin().add({ Email: [{ ["n".repeat(129)]: 1 }, { email: 1 }] });
    expect(hasher.texts.filter((text) => text !== "1")).toEqual(["", "email", "email"]);
  });

  test("are not collected beyond the maximum", () => {
    const terms = new TermMaker(new NotingHasher()).begin();
    terms.add(Array.from({ length: MAX_TERMS }, (_, index) => index));
    expect(terms.isFull).toBe(false);
    terms.add([MAX_TERMS]);
    expect(terms.isFull).toBe(true);
    expect(readFilter(terms.filter({ isPartial: false })).isConclusive).toBe(false);
  });

  test("of a very deep value are collected", () => {
    let value: unknown = "deep down";
    for (let depth = 0; depth < 100_000; depth += 1) value = [value];
    expect(textsOf(value).texts).toContain("deep down");
    expect(ExecutionTerms.length).toBe(1);
  });
});

describe("a redacted value", inBothLanes, () => {
  const redact = createRedactor([]);

  test("has no term, wherever a secret is", () => {
    const leaking = casesOf(createCases()).flatMap(({ kind, carrier, value, secrets }) => {
      const { texts } = textsOf(redact(value).value);
      const leaked = texts.find((text) => secrets.some((secret) => text.includes(secret)));
      return leaked === undefined ? [] : [`${kind} in ${carrier}: ${leaked}`];
    });
    expect(leaking).toEqual([]);
  });

  test("would have terms without redaction", () => {
    const some = casesOf(createCases()).filter((_case, index) => index % 20 === 0);
    const seen = some.filter(({ value, secrets }) =>
      textsOf(value).texts.some((text) => secrets.some((secret) => text.includes(secret))),
    );
    expect(seen.length).toBeGreaterThan(some.length / 3);
  });
});
