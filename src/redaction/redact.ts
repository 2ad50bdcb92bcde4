/**
 * The only redactor. Every outgoing value passes through it: results, errors, guidance and progress.
 *
 * Promises: it replaces values that are secret by structure (keys, `{ name, value }` pairs, URLs, n8n's own state), by
 * their form, or because they are our own, also inside JSON in strings, base64 and `Buffer` shapes. The result is
 * plain JSON, and redacting it again changes nothing. The input is never changed. Time is linear in the size of the
 * input. Pure; fails closed (the caller withholds the answer if it throws).
 *
 * The mark is `[REDACTED:kind]`, with `#n` where the secret has an identity.
 */
import type { JsonValue } from "./json-reader.ts";
import { type MarkSecret, Marks, markOfKind, PreviewMarks } from "./marks.ts";
import { PrintedJson } from "./printed-json.ts";
import { createRules, type RedactionSettings, type Rules } from "./rules.ts";
import { PausableTraversal } from "./traversal.ts";
import { type Run, ValueRedaction } from "./value-redaction.ts";
import { Work } from "./work.ts";

export type { JsonValue } from "./json-reader.ts";
export type { RedactionSettings } from "./rules.ts";

export interface Redacted {
  readonly value: JsonValue;
  /** How many values were redacted, by kind. */
  readonly counts: Readonly<Record<string, number>>;
}

const BASELINE: RedactionSettings = {};

/** Makes a redactor. @param ownSecrets secrets of the deployment, found by their value */
export function createRedactor(
  ownSecrets: readonly string[],
  settings: RedactionSettings = BASELINE,
): (value: unknown) => Redacted {
  const rules = createRules(ownSecrets, settings);
  return (value) => redactWith(rules, value);
}

export type Pause = () => Promise<void>;

/** Redacts answers, and previews what redaction leaves of a value. */
export interface PreviewingRedactor {
  readonly redact: (value: unknown) => Redacted;
  /** Like `redact`, but pauses after every few milliseconds of work. */
  readonly redactWithPauses: (value: unknown, pause: Pause) => Promise<Redacted>;
  /** Parts of the result may appear in an answer; marks are numbered and counted only there. */
  readonly preview: (value: unknown) => JsonValue;
  /** Marks show only their kind, so the same value always gives the same result, whatever else is shown. */
  readonly unnumbered: (value: unknown, pause: Pause) => Promise<JsonValue>;
  /** The result of `unnumbered` as text, which answers may show page by page. */
  readonly print: (value: unknown, pause: Pause) => Promise<PrintedJson>;
}

/**
 * @param firstNumber first number of the preview marks: nine digits, unguessable
 * @param secretsOfCaller secrets of one call besides our own; the list must not change
 */
export function createPreviewingRedactor(
  ownSecrets: readonly string[],
  settings: RedactionSettings,
  firstNumber: number,
  secretsOfCaller: readonly string[] = [],
): PreviewingRedactor {
  const rules = createRules(ownSecrets, settings, secretsOfCaller);
  const previews = new PreviewMarks(firstNumber);
  const redactValue = (value: unknown, mark: MarkSecret, run?: Run): JsonValue =>
    new ValueRedaction(rules, mark, run).value(value, { depth: 0 });
  const unnumbered = async (value: unknown, pause: Pause): Promise<JsonValue> =>
    await withPauses(pause, (run) => redactValue(value, markOfKind, run));
  return {
    redact: (value) => redactWith(rules, value, previews),
    async redactWithPauses(value, pause) {
      const marks = new Marks();
      const clean = await withPauses(pause, (run) => redactValue(value, marks.of, { previews, ...run }));
      return { value: clean, counts: marks.counts };
    },
    preview: (value) => redactValue(value, previews.of),
    unnumbered,
    print: async (value, pause) => PrintedJson.of(await unnumbered(value, pause)),
  };
}

function redactWith(rules: Rules, value: unknown, previews?: PreviewMarks): Redacted {
  const marks = new Marks();
  const clean = new ValueRedaction(rules, marks.of, { previews }).value(value, { depth: 0 });
  return { value: clean, counts: marks.counts };
}

/** Characters of work between two pauses: five milliseconds at the slowest. */
const WORK_UNTIL_PAUSE = 32_000;

/** @param begin queues the work in the traversal; its result is complete once that work is done */
async function withPauses(pause: Pause, begin: (run: Run) => JsonValue): Promise<JsonValue> {
  const work = new Work();
  const traversal = new PausableTraversal();
  const result = begin({ work, traversal });
  let pauseAt = WORK_UNTIL_PAUSE;
  while (!traversal.advance(() => work.spent >= pauseAt)) {
    await pause();
    pauseAt = work.spent + WORK_UNTIL_PAUSE;
  }
  return result;
}
