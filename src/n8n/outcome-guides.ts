/**
 * Where the outcome of an execution stands in n8n's answer: errors, what nodes do on one, tokens. Whoever walks over
 * an execution enters these, and tells an `OutcomeCollector` what passes by.
 */
import type { Guide } from "../json/json-walker.ts";

export const membersOf = (members: Record<string, Guide>): ReadonlyMap<string, Guide> =>
  new Map(Object.entries(members));

/** Only the scalars under these keys. */
export const named = (place: string, ...keys: readonly string[]): Guide => ({
  place,
  scalars: "named",
  named: new Set(keys),
});

/** Of an error, all that says what it is; never its stack. */
function errorGuide(place: string, ...more: readonly string[]): Guide {
  return {
    ...named(place, "message", "name", "description", "code", "httpCode", "lineNumber", ...more),
    isReported: true,
    members: membersOf({
      context: named(`${place} context`, "type"),
      failure: named(`${place} failure`, "cause"),
      node: named(`${place} node`, "name"),
    }),
  };
}

/** Of a run. A call that failed names the called execution here. */
export const RUN_ERROR = errorGuide("error", "executionId");
/** Of the whole execution. */
export const RESULT_ERROR = errorGuide("resultError");
/** What n8n's redaction policy leaves of it. */
export const REDACTED_ERROR: Guide = named("redactedError", "type", "httpCode");

/** The workflow's nodes as they were when it ran. Read only where their types or settings are asked for. */
export const NODES: Guide = {
  place: "nodes",
  isOptional: true,
  items: {
    ...named("node", "name", "type", "onError", "continueOnFail"),
    isReported: true,
  },
};
