/** What the fuzzer slows down: each rule for texts by itself, and the whole redactor. */
import { createRedactor } from "../../src/redaction/redact.ts";
import { createRules } from "../../src/redaction/rules.ts";
import { makeText, makeValue, type SlowText } from "../../test/redaction/slow-texts.ts";

export interface Target {
  readonly name: string;
  /** Milliseconds that this thread computes for a text of this description and of about so many characters. */
  readonly cost: (described: SlowText, size: number, runs: number) => Cost;
}

export interface Cost {
  readonly milliseconds: number;
  /** Of what was given. */
  readonly characters: number;
}

const SETTINGS = { personalData: true, patterns: [/ACME-[A-Z0-9]{8,32}/, /[a-z]{1,8}_[0-9]{1,8}!/] };
const OWN_SECRETS = ["a-secret-of-this-fuzzer", "n8n_api_of_this_fuzzer"];

/** The fastest of some runs: others on the machine only make it slower. */
function fastest(runs: number, run: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let count = 0; count < runs; count += 1) {
    const before = process.threadCpuUsage();
    run();
    const { user, system } = process.threadCpuUsage(before);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

export const WHOLE = "redactor";

export function createTargets(): Target[] {
  const { kindOfKey, text } = createRules(OWN_SECRETS, SETTINGS);
  const context = {
    kindOfKey,
    mark: (kind: string) => `[REDACTED:${kind}]`,
    spend: () => {},
    charge: () => {},
  };
  const rules = text.map(
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
      // Made anew each time: what it remembers of one answer helps nobody who posts another.
      const milliseconds = fastest(runs, () => createRedactor(OWN_SECRETS, SETTINGS)(value));
      return { milliseconds, characters };
    },
  };
  return [redactor, ...rules];
}
