/** What the fuzzer measures: each rule for texts by itself, the rules for names, and the whole redactor. */
import { createRedactor } from "../../src/redaction/redact.ts";
import { createRules } from "../../src/redaction/rules.ts";
import { contextOfRules } from "../../test/redaction/rule-context.ts";
import { makeText, makeValue, type SlowText } from "../../test/redaction/slow-texts.ts";
import { type Cost, fastest } from "./measure.ts";

export interface Target {
  readonly name: string;
  /** Cost of a text of this description and of about `size` characters, the best of two runs. */
  readonly cost: (described: SlowText, size: number) => Cost;
}

const SETTINGS = { personalData: true, patterns: [/ACME-[A-Z0-9]{8,32}/, /[a-z]{1,8}_[0-9]{1,8}!/] };
const OWN_SECRETS = ["a-secret-of-this-fuzzer", "n8n_api_of_this_fuzzer"];

const RUNS = 2;

/** The longest names that are read, which are too long to be cached. */
const NAMES = /[\s\S]{1,256}/g;

export const WHOLE = "redactor";

/** @param prepare returns the run to measure */
const textTarget = (name: string, prepare: (text: string) => () => unknown): Target => ({
  name,
  cost(described, size) {
    const text = makeText(described, size);
    return { milliseconds: fastest(RUNS, prepare(text)), characters: text.length };
  },
});

export function createTargets(): Target[] {
  const { kindOfKey, onText } = createRules(OWN_SECRETS, SETTINGS);
  const context = contextOfRules(kindOfKey);
  const rules = onText.map(({ name, apply }) => textTarget(name, (text) => () => apply(text, context)));
  const redactor: Target = {
    name: WHOLE,
    cost(described, size) {
      const value = makeValue(described, size);
      const characters = JSON.stringify(value).length;
      // Created anew for each run: a redactor's cache does not help with another answer.
      const milliseconds = fastest(RUNS, () => createRedactor(OWN_SECRETS, SETTINGS)(value));
      return { milliseconds, characters };
    },
  };
  const names = textTarget("names", (text) => {
    const pieces = text.match(NAMES) ?? [];
    return () => {
      for (const piece of pieces) kindOfKey(piece);
    };
  });
  return [redactor, names, ...rules];
}
