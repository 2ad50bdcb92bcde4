/** Which object holds the history of an n8n instance. Pure, but for the settings that it reads. */
import { createCorrelationDigest } from "../history/request-ids/correlation-digest.ts";
import { type N8nInstance, readRequestIdPaths } from "../settings/index.ts";

/** Counted up when other values of an execution are stored than before: what was read then lacks them. */
const STORED = 1;

/**
 * The name of the object: of the instance, and of all that decides what its rows hold. Another set is another object.
 * @throws ObserverError `CONFIGURATION_ERROR`
 */
export function historyIndexName(env: Env, { name, apiKey, baseUrl, apiPath }: N8nInstance): string {
  const paths = [...readRequestIdPaths(env)].sort();
  const digest = createCorrelationDigest(apiKey, "name of a history index");
  return `${name}/${digest(JSON.stringify([STORED, baseUrl, apiPath, paths]))}`;
}

/** The name of the n8n whose history an object has, by the object's own name. */
export const instanceOfIndex = (name: string): string => name.slice(0, Math.max(0, name.indexOf("/")));
