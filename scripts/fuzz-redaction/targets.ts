/** What the fuzzer measures: each rule for texts by itself, the rules for names, and the whole redactor. */
import { createRedactor } from "../../src/redaction/redact.ts";
import { createRules } from "../../src/redaction/rules.ts";
import { contextOfRules } from "../../test/redaction/rule-context.ts";
import { makeText, makeValue, type SlowText } from "../../test/redaction/slow-texts.ts";
import { type Cost, fastest } from "./measure.ts";

export interface Target {
  readonly name: string;
  /** Cost of a text of this description and of about `size` characters, the best of some runs. */
  readonly cost: (described: SlowText, size: number, runs: number) => Cost;
}

const SETTINGS = { personalData: true, patterns: [/ACME-[A-Z0-9]{8,32}/, /[a-z]{1,8}_[0-9]{1,8}!/] };
const OWN_SECRETS = ["a-secret-of-this-fuzzer", "n8n_api_of_this_fuzzer"];

/** The longest names that are read, which are too long to be cached. */
const NAMES = /[\s\S]{1,256}/g;

export const WHOLE = "redactor";

export function createTargets(): Target[] {
  const { kindOfKey, onText } = createRules(OWN_SECRETS, SETTINGS);
  const context = contextOfRules(kindOfKey);
  const rules = onText.map(
    ({ name, apply }): Target => ({
      name,
      cost(described, size, runs) {
        const made = makeText(described, size);
        return { milliseconds: fastest(runs, () => apply(made, context)), characters: made.length };
      },
    }),
  );
  const redactor: Target = {
    name: WHOLE,
    cost(described, size, runs) {
      const value = makeValue(described, size);
      const characters = JSON.stringify(value).length;
      // Created anew for each run: a redactor's cache does not help with another answer.
      const milliseconds = fastest(runs, () => createRedactor(OWN_SECRETS, SETTINGS)(value));
      return { milliseconds, characters };
    },
  };
  const names: Target = {
    name: "names",
    cost(described, size, runs) {
      const made = makeText(described, size);
      const pieces = made.match(NAMES) ?? [];
      const ask = (): void => {
        for (const piece of pieces) kindOfKey(piece);
      };
      return { milliseconds: fastest(runs, ask), characters: made.length };
    },
  };
  return [redactor, names, ...rules];
}
