/** Creates the redactor of one request from the baseline, our own secrets, and the settings. */
import { readOr } from "../platform/errors.ts";
import { memoizeByObject } from "../platform/memoize.ts";
import {
  createPreviewingRedactor,
  createRedactor,
  type PreviewingRedactor,
  type Redacted,
  type RedactionSettings,
} from "../redaction/redact.ts";
import { SOURCES_DIGEST } from "../redaction/sources-digest.ts";

/** Preview marks are numbered from a random number of nine digits (`PreviewMarks`). */
const SMALLEST_NUMBER = 100_000_000;
const NUMBERS = 800_000_000;

/** @param secrets our own: the same array each time @param secretsOfCaller such as their token */
export function createRequestRedactor(
  secrets: readonly string[],
  readSettings: () => RedactionSettings,
  secretsOfCaller: readonly string[] = [],
): PreviewingRedactor {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return createPreviewingRedactor(
    secrets,
    settingsOrNone(readSettings),
    SMALLEST_NUMBER + (random % NUMBERS),
    secretsOfCaller,
  );
}

/** Leaves out secrets in the arguments, which answers repeat: redacting a correct guess there would confirm it. */
export function secretsNotIn(args: unknown, secrets: readonly string[]): readonly string[] {
  const isIn = (redact: (value: unknown) => Redacted): boolean =>
    redact(args).counts["own-secret"] !== undefined;
  if (!isIn(redactorOf(secrets))) return secrets;
  return secrets.filter((secret) => !isIn(createRedactor([secret])));
}

/** The settings return the same array until they change. */
const redactorOf = memoizeByObject((secrets: readonly string[]) => createRedactor(secrets));

/** Serializes all redaction rules, secrets included; a digest of the text shows whether they have changed. */
export function serializeRules(secrets: readonly string[], readSettings: () => RedactionSettings): string {
  const { keys, allow, patterns, personalData } = settingsOrNone(readSettings);
  return JSON.stringify([SOURCES_DIGEST, secrets, keys, allow, patterns?.map(String), personalData]);
}

/** Redacts by the baseline if the settings are malformed: then calls cannot read n8n, only report the problem. */
const settingsOrNone = (readSettings: () => RedactionSettings): RedactionSettings => readOr(readSettings, {});
