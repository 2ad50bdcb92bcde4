/** Determines from the settings which values count as request ids: the paths, and what redaction hides there. */
import { type ComparableIds, createComparableIds } from "../history/request-ids/comparable-ids.ts";
import { compileRequestIdPaths } from "../history/request-ids/request-id-paths.ts";
import { createRequestRedactor } from "../mcp/request-redactor.ts";
import { memoizeBySettings, readRedactionSettings, readRequestIdPaths } from "../settings/index.ts";

/** @throws ObserverError `CONFIGURATION_ERROR` */
export const comparableIdsOf = memoizeBySettings((settings): ComparableIds => {
  // Without our own secrets: an answer must not reveal whether a text is one of them.
  const { redact } = createRequestRedactor([], () => readRedactionSettings(settings));
  return createComparableIds(compileRequestIdPaths(readRequestIdPaths(settings)), redact);
});
