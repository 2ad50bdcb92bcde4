/**
 * The history of an n8n outside workerd: the same SQL as in the Durable Object, in an in-memory SQLite. Arguments and
 * results are cloned, as on the way to a real one.
 */
import { DatabaseSync } from "node:sqlite";
import { lookCloser } from "../../src/features/closer-look.ts";
import type { BackgroundSettings } from "../../src/history/background-sync.ts";
import type { HistoryQueries } from "../../src/history/history-queries.ts";
import { type Caller, InstanceHistory } from "../../src/history/instance-history.ts";
import { readPublishedWorkflows, unsavedWorkflows } from "../../src/n8n/unsaved-workflows.ts";
import { VisibleN8n } from "../../src/n8n/visible-n8n.ts";
import type { Sql } from "../../src/platform/sql.ts";

/** The limits of a deployed Durable Object; a local one allows more. https://developers.cloudflare.com/durable-objects/platform/limits/ */
const LIMITS = {
  /** Bytes of a text, a blob or a row. */
  length: 2_000_000,
  sqlLength: 100_000,
  variableNumber: 100,
  column: 100,
  functionArg: 32,
  likePatternLength: 50,
};

/**
 * SQLite with the interface and the limits of a Durable Object's.
 * @param path a file, for a test that examines its bytes; in memory without one
 */
export function createLocalSql(path = ":memory:"): Required<Sql> {
  const database = new DatabaseSync(path, { limits: LIMITS });
  const prepared = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  const pages = database.prepare(
    "SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
  );
  return {
    transaction(write) {
      database.exec("SAVEPOINT one");
      try {
        const result = write();
        database.exec("RELEASE one");
        return result;
      } catch (error) {
        database.exec("ROLLBACK TO one; RELEASE one");
        throw error;
      }
    },
    get databaseSize() {
      return Number(pages.get()?.bytes);
    },
    exec(query, ...bindings) {
      const statement = prepared.get(query) ?? database.prepare(query);
      prepared.set(query, statement);
      // Here numbered parameters are named ones.
      const isNumbered = /\?\d/.test(query);
      const named = Object.fromEntries(bindings.map((binding, index) => [`?${index + 1}`, binding]));
      return isNumbered ? statement.all(named) : statement.all(...bindings);
    },
  };
}

/** The default settings of the background sync. */
export const BACKGROUND: BackgroundSettings = { intervalMs: 60_000, days: 30, maxExecutions: 500_000 };

export interface LocalHistory {
  readonly sql: Sql;
  readonly instance: InstanceHistory;
}

/** @param maxBytes the largest size of the index */
export function createLocalHistory(sql: Sql = createLocalSql(), maxBytes?: number): LocalHistory {
  return { sql, instance: new InstanceHistory(sql, maxBytes) };
}

/** The closer look at a success in which nothing is wrong. */
export const NOTHING_SEEN = {
  status: "success" as const,
  failure: null,
  ownText: null,
  reason: null,
  observed: null,
  retrySuccessId: null,
  traceparent: undefined,
};

/** The same, but each success counts as judged, as a closer look takes a request to n8n. */
export const withoutLooks = (queries: HistoryQueries): HistoryQueries => ({
  ...queries,
  trace: async (query, progress) => ({ ...(await queries.trace(query, progress)), unjudged: [] }),
});

/** The history as a caller sees it. */
export function queriesOf({ instance }: LocalHistory, caller: Omit<Caller, "progress">): HistoryQueries {
  return {
    status: async () =>
      structuredClone(
        await instance.status(
          caller.sources.capabilities,
          caller.view,
          BACKGROUND,
          caller.sources.clock.now(),
        ),
      ),
    lookCloser: async (executionId, waitingSince) => {
      const { view, sources } = caller;
      const { clock } = sources;
      const client = new VisibleN8n(sources.client.retrying({ clock }), async () => view);
      const look = async () => await lookCloser(client, executionId);
      return structuredClone(
        await instance.lookCloser(executionId, view, sources.clock.now(), look, waitingSince),
      );
    },
    judge: async (executionId, isWrong) => instance.judge(executionId, caller.view, isWrong),
    familyOf: async (executionId) => structuredClone(instance.familyOf(executionId, caller.view)),
    unsavedWorkflows: async () => {
      const { client, clock } = caller.sources;
      const read = () => instance.publishedWorkflows(clock.now(), () => readPublishedWorkflows(client));
      return structuredClone(await unsavedWorkflows(caller.view, read));
    },
    callsOf: async (workflowId) => structuredClone(instance.callsOf(workflowId, caller.view)),
    trace: async (query, progress) => structuredClone(await instance.trace(query, { ...caller, progress })),
    failures: async (query, progress) =>
      structuredClone(
        await instance.failures(query, { ...caller, progress }, () =>
          readPublishedWorkflows(caller.sources.client),
        ),
      ),
    query: async (query, progress) => structuredClone(await instance.query(query, { ...caller, progress })),
    search: async (query, progress, redactShown) =>
      structuredClone(await instance.search(query, { ...caller, progress }, redactShown)),
  };
}
