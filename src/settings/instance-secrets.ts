/** The secrets in `N8N_INSTANCES` that redaction hides: keys and headers of all n8n instances. */
import { ObserverError } from "../platform/errors.ts";
import { INSTANCES } from "./instance-words.ts";
import { hasNamedInstances, readInstances } from "./instances.ts";
import { secretsInHeaderValues } from "./n8n-headers.ts";
import { type SettingsSource, text } from "./source.ts";

/** Names of members have a colon behind them: messages name those. */
const TEXT = /"((?:[^"\\]|\\.)*)"(\s*:)?/gs;

/** Never throws: while the setting is malformed, each value in it is a secret. */
export function secretsInInstances(source: SettingsSource): string[] {
  if (!hasNamedInstances(source)) return [];
  try {
    return [...readInstances(source).values()].flatMap(({ apiKey, headers }) => [
      apiKey,
      ...secretsInHeaderValues(Object.values(headers)),
    ]);
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    return valuesIn(text(source, INSTANCES) ?? "");
  }
}

/** Nothing is sent to an n8n while it is malformed, and nothing of it may come out. */
function valuesIn(raw: string): string[] {
  const values = [...raw.matchAll(TEXT)].flatMap(([, text = "", colon]) =>
    colon === undefined ? [text] : [],
  );
  return [raw, ...secretsInHeaderValues(values)];
}
