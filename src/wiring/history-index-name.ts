/** The name of the object that holds the history of an n8n instance. Pure, except that it reads settings. */
import { createCorrelationDigest } from "../history/request-ids/correlation-digest.ts";
import { memoizeByObject } from "../platform/memoize.ts";
import {
  memoizeBySettings,
  type N8nInstance,
  readRequestIdPaths,
  type SettingsSource,
} from "../settings/index.ts";

/** Increment it when different values of an execution are stored: older rows lack them. */
const ROWS_VERSION = 2;

/** The instance, and a digest of all settings on which its rows depend. @throws ObserverError `CONFIGURATION_ERROR` */
export const historyIndexName = (source: SettingsSource, instance: N8nInstance): string =>
  namesIn(source)(instance);

const namesIn = memoizeBySettings((source) => {
  const paths = [...readRequestIdPaths(source)].sort();
  return memoizeByObject(({ name, apiKey, baseUrl, apiPath }: N8nInstance): string => {
    const digest = createCorrelationDigest(apiKey, "name of a history index");
    return `${name}/${digest(JSON.stringify([ROWS_VERSION, baseUrl, apiPath, paths]))}`;
  });
});

/** The instance name in an object's name. */
export const instanceOfIndex = (name: string): string => name.slice(0, Math.max(0, name.indexOf("/")));
