/** Makes the redactor of one request: the baseline, our own secrets, and what the settings add. */
import { ObserverError } from "../platform/errors.ts";
import {
  createPreviewingRedactor,
  createRedactor,
  type PreviewingRedactor,
  type RedactionSettings,
} from "../redaction/redact.ts";
import { SOURCES_DIGEST } from "../redaction/sources-digest.ts";

/** Preview marks are numbered from a random number of nine digits on (`PreviewMarks`). */
const SMALLEST_NUMBER = 100_000_000;
const NUMBERS = 800_000_000;

export function createRequestRedactor(
  secrets: readonly string[],
  readSettings: () => RedactionSettings,
): PreviewingRedactor {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return createPreviewingRedactor(
    secrets,
    settingsOrNone(readSettings),
    SMALLEST_NUMBER + (random % NUMBERS),
  );
}

/**
 * The secrets that a call's arguments do not hold. An answer repeats its arguments, so a mark in place of a right guess
 * would confirm it, without the lock-out of the sign-in: what the caller sent comes back as it was sent.
 */
export function secretsNotIn(args: unknown, secrets: readonly string[]): readonly string[] {
  const isIn = (some: readonly string[]): boolean =>
    createRedactor(some, {})(args).counts["own-secret"] !== undefined;
  return isIn(secrets) ? secrets.filter((secret) => !isIn([secret])) : secrets;
}

/** All that decides what is redacted, as one text that holds secrets: a digest of it shows whether anything has changed. */
export function serializeRules(secrets: readonly string[], readSettings: () => RedactionSettings): string {
  const { keys, allow, patterns, personalData } = settingsOrNone(readSettings);
  return JSON.stringify([SOURCES_DIGEST, secrets, keys, allow, patterns?.map(String), personalData]);
}

/**
 * With malformed settings, redaction is the baseline alone. Then the context gives no n8n to read from, so that the only
 * thing there is to say is what is wrong with the settings.
 */
function settingsOrNone(readSettings: () => RedactionSettings): RedactionSettings {
  try {
    return readSettings();
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    return {};
  }
}
