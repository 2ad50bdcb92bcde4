/**
 * How much of what is secret goes, and how much of what is not stays: over every kind of secret in every
 * place, and over ordinary data, generated and recorded. `npm run tools bench:redaction` prints the figures.
 */
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redaction/redact.ts";
import { casesOf, inBothLanes } from "../support/lane.ts";
import { createCases, measureOrdinary, measureRecall, measureRecorded } from "./corpus/measure.ts";

const cases = createCases();
const shown = (missed: readonly { kind: string; carrier: string }[]): string[] =>
  missed.map(({ kind, carrier }) => `${kind} in ${carrier}`);

describe("recall", () => {
  test("the corpus shows its secrets before, and holds every kind in every carrier", () => {
    const visible = cases.filter(({ value, secrets }) => {
      const text = JSON.stringify(value);
      const plain = text.replaceAll('\\"', '"').replaceAll("\\\\", "\\");
      return secrets.some((secret) => text.includes(secret) || plain.includes(secret));
    });
    expect(visible.length / cases.length).toBeGreaterThan(0.97);
    expect(cases.length).toBeGreaterThan(15_000);
    expect(new Set(cases.map(({ carrier }) => carrier)).size).toBeGreaterThanOrEqual(14);
    expect(new Set(cases.map(({ kind }) => kind)).size).toBeGreaterThan(400);
  });

  test("of the structural kinds all are found", inBothLanes, () => {
    const { missed } = measureRecall(casesOf(cases).filter(({ isStructural }) => isStructural));
    expect(shown(missed)).toEqual([]);
  });

  test("of all kinds at least 98 of 100 are found", inBothLanes, () => {
    const recall = measureRecall(casesOf(cases));
    expect(shown(recall.missed).slice(0, 10)).toEqual([]);
    expect(1 - recall.missed.length / recall.cases).toBeGreaterThanOrEqual(0.98);
  });

  test("redacting again changes nothing, on the whole corpus", inBothLanes, () => {
    const redact = createRedactor([]);
    const changed = casesOf(cases).filter(({ value }) => {
      const once = redact(value).value;
      return JSON.stringify(redact(once).value) !== JSON.stringify(once);
    });
    expect(shown(changed)).toEqual([]);
  });

  test("an answer with all of them at once holds none", () => {
    const some = cases.filter((_, index) => index % 10 === 0);
    const text = JSON.stringify(createRedactor([])(some.map(({ value }) => value)).value);
    const seen = some.filter(
      // The name of a parameter, and the beginning of a token.
      ({ secrets: [first = ""] }) => first.length > 9 && first !== "access_tok" && text.includes(first),
    );
    expect(shown(seen)).toEqual([]);
  });
});

describe("precision: at most one field of a thousand is redacted for nothing", () => {
  test("in ordinary data", () => {
    const { fields, wrong } = measureOrdinary(200);
    expect(wrong.slice(0, 10)).toEqual([]);
    expect(wrong.length / fields).toBeLessThanOrEqual(0.001);
  });

  test("in the recorded n8n", async () => {
    const { fields, wrong } = await measureRecorded();
    expect(fields).toBeGreaterThan(10_000);
    expect(wrong.map(({ path }) => path).filter((path) => !path.includes(".resources.credential."))).toEqual(
      [],
    );
    expect(wrong.length / fields).toBeLessThanOrEqual(0.001);
  });
});
