/**
 * Recall over every kind of secret in every place, and precision over ordinary data, generated and recorded.
 * `npm run tools bench:redaction` prints the figures.
 */
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/redaction/redact.ts";
import { casesOf, inBothLanes } from "../support/lane.ts";
import { createCases, measureOrdinary, measureRecall, measureRecorded } from "./corpus/measure.ts";

const cases = createCases();
const namesOf = (cases: readonly { kind: string; carrier: string }[]): string[] =>
  cases.map(({ kind, carrier }) => `${kind} in ${carrier}`);

describe("recall", () => {
  test("the corpus holds every kind of secret in every carrier, legible before redaction", () => {
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

  test("every secret known by its name is redacted", inBothLanes, () => {
    const { missed } = measureRecall(casesOf(cases).filter(({ isStructural }) => isStructural));
    expect(namesOf(missed)).toEqual([]);
  });

  test("at least 98 % of all secrets are redacted", inBothLanes, () => {
    const recall = measureRecall(casesOf(cases));
    expect(namesOf(recall.missed).slice(0, 10)).toEqual([]);
    expect(1 - recall.missed.length / recall.cases).toBeGreaterThanOrEqual(0.98);
  });

  test("redacting the corpus again changes nothing", inBothLanes, () => {
    const redact = createRedactor([]);
    const changed = casesOf(cases).filter(({ value }) => {
      const once = redact(value).value;
      return JSON.stringify(redact(once).value) !== JSON.stringify(once);
    });
    expect(namesOf(changed)).toEqual([]);
  });

  test("an answer with many secrets at once shows none of them", () => {
    const some = cases.filter((_, index) => index % 10 === 0);
    const text = JSON.stringify(createRedactor([])(some.map(({ value }) => value)).value);
    const visible = some.filter(
      // `access_tok` begins both a parameter's name and a token.
      ({ secrets: [first = ""] }) => first.length > 9 && first !== "access_tok" && text.includes(first),
    );
    expect(namesOf(visible)).toEqual([]);
  });
});

describe("at most one field in a thousand is redacted wrongly", () => {
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
