/**
 * The history index as tools see it: calls of its object, one for each call of a tool. What the object throws comes
 * over as plain data, and is thrown here again.
 */
import { createCorrelationDigest } from "../history/correlation-digest.ts";
import type { ErrorFacts, HistoryQueries } from "../history/history-queries.ts";
import type { ReportProgress } from "../history/trace-query.ts";
import { ObserverError } from "../platform/errors.ts";
import { ObjectCalls } from "../platform/object-calls.ts";
import { readN8nSettings, readRequestIdPaths } from "../settings/index.ts";
import type { HistoryIndex } from "./history-index.ts";
import { type Asker, placementOf } from "./n8n-access.ts";

/** What a call of the object ends with. */
export type Answer<Value> =
  /** With how many bytes n8n has sent for it. */
  { readonly value: Value; readonly bytes: number } | { readonly error: ErrorFacts; readonly bytes: number };

/** Counted up when other values of an execution are stored than before: what was read then lacks them. */
const STORED = 1;

/**
 * The name of the object: of the instance, and of all that decides what its rows hold. Another set is another object.
 * @throws ObserverError `CONFIGURATION_ERROR`
 */
export function historyIndexName(env: Env): string {
  const { apiKey, baseUrl, apiPath } = readN8nSettings(env);
  const paths = [...readRequestIdPaths(env)].sort();
  const digest = createCorrelationDigest(apiKey, "name of a history index");
  return `default/${digest(JSON.stringify([STORED, baseUrl, apiPath, paths]))}`;
}

/** Lets the index begin to keep itself up to date, before anybody asks. @throws ObserverError `CONFIGURATION_ERROR` */
export async function wakeHistoryIndex(env: Env): Promise<void> {
  const index = new ObjectCalls<DurableObjectStub<HistoryIndex>>("HistoryIndex", () =>
    env.HISTORY_INDEX.getByName(historyIndexName(env), placementOf(env)),
  );
  await index.repeatable(async (object) => await object.wake());
}

/** @throws ObserverError `CONFIGURATION_ERROR` */
export function createHistoryQueries(env: Env, { userId, countBytes }: Asker): HistoryQueries {
  const name = historyIndexName(env);
  const index = new ObjectCalls<DurableObjectStub<HistoryIndex>>("HistoryIndex", () =>
    env.HISTORY_INDEX.getByName(name, placementOf(env)),
  );
  const unwrap = <Value>(answer: Answer<Value>): Value => {
    countBytes(answer.bytes);
    if ("value" in answer) return answer.value;
    const { code, message, details } = answer.error;
    throw new ObserverError(code, message, details);
  };
  const callingWith = (report: ReportProgress) => ({ report, isThere: async () => {} });
  return {
    status: async () => unwrap(await index.repeatable(async (object) => await object.status(userId))),
    trace: async (query, progress) =>
      unwrap(
        await index.repeatable(
          async (object) => await object.traceRequest(userId, query, callingWith(progress)),
        ),
      ),
    search: async (query, progress, redactShown) =>
      unwrap(
        await index.repeatable(
          async (object) => await object.searchExecutions(userId, query, callingWith(progress), redactShown),
        ),
      ),
  };
}
