/** The redactor of one request: the baseline, our own secrets, and what the settings add. */
import { ObserverError } from "../errors.ts";
import { createRedactor, type Redacted, type RedactionSettings } from "../redaction/redact.ts";

/**
 * With malformed settings it is the baseline alone. Then the context gives no n8n to read from, so that the
 * only thing there is to say is what is wrong with the settings.
 */
export function createRequestRedactor(
  secrets: readonly string[],
  readSettings: () => RedactionSettings,
): (value: unknown) => Redacted {
  try {
    return createRedactor(secrets, readSettings());
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    return createRedactor(secrets);
  }
}
