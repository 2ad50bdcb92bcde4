/** Which values are ids, as the Worker decides by default. */
import { type ComparableIds, createComparableIds } from "../../src/history/request-ids/comparable-ids.ts";
import { compileRequestIdPaths } from "../../src/history/request-ids/request-id-paths.ts";
import { createRedactor } from "../../src/redaction/redact.ts";
import { readRequestIdPaths } from "../../src/settings/index.ts";

export const createLocalIds = (paths: readonly string[] = readRequestIdPaths({})): ComparableIds =>
  createComparableIds(compileRequestIdPaths(paths), createRedactor([]));
