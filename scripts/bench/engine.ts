/** The trace engine as the Worker runs it, in this process, with a memory that is empty at first. */

import { type TraceAnswer, traceRequest } from "../../src/features/trace-request/trace.ts";
import { createCorrelationDigest } from "../../src/history/correlation-digest.ts";
import { compileRequestIdPaths } from "../../src/history/request-id-paths.ts";
import { KnownCapabilities } from "../../src/n8n/capabilities/store.ts";
import { type Fetch, N8nClient } from "../../src/n8n/client.ts";
import { createRedactor } from "../../src/redaction/redact.ts";
import { DEFAULT_REQUEST_ID_PATHS } from "../../src/settings/index.ts";
import { createLocalCapabilities, N8N_2 } from "../../test/support/local-capabilities.ts";
import { createLocalHistory, queriesOf } from "../../test/support/local-history.ts";
import type { N8nAccess } from "./n8n-access.ts";

/** The most that a call may ask for. */
const LIMIT = 10_000;
/** How long it takes is what is measured: a slow machine cuts nothing. */
const TIME_BUDGET_MS = 600_000;

export interface Engine {
  trace(requestId: string): Promise<TraceAnswer>;
}

export interface EngineOptions {
  readonly fetch?: Fetch;
  /** Told whenever the trace tells its progress. */
  readonly onProgress?: () => void;
}

const redactor = createRedactor([]);

export function createEngine(n8n: N8nAccess, { fetch, onProgress = () => {} }: EngineOptions = {}): Engine {
  const client = new N8nClient(n8n, fetch);
  const paths = compileRequestIdPaths(DEFAULT_REQUEST_ID_PATHS);
  const history = queriesOf(createLocalHistory(), {
    userId: "a user",
    sources: {
      client,
      capabilities: new KnownCapabilities(createLocalCapabilities(N8N_2)),
      digest: createCorrelationDigest("a key for benchmarks", "an n8n"),
      paths,
      redactLarge: async (value: unknown) => redactor(value).value,
      clock: {
        now: Date.now,
        sleep: async (milliseconds: number) =>
          await new Promise<void>((resolve) => setTimeout(resolve, milliseconds)),
      },
    },
    newId: () => crypto.randomUUID(),
  });
  const dependencies = { history, client, paths, progress: async () => onProgress() };
  const window = { workflowId: null, startedAfter: null, startedBefore: null };
  const settings = {
    window,
    limit: LIMIT,
    traceId: undefined,
    deep: false,
    timeBudgetMs: TIME_BUDGET_MS,
    mayReadData: true,
  };
  return { trace: async (requestId) => await traceRequest({ requestId, ...settings }, dependencies) };
}

/** What a trace must answer for its time to count. */
export interface ExpectedTrace {
  readonly requestId: string;
  /** Of the whole family. */
  readonly executionIds: readonly string[];
}

/** @throws Error when the answer is not the right one: a wrong answer in no time is no result */
export function requireRight(
  answer: Pick<TraceAnswer, "executions" | "coverage">,
  expected: ExpectedTrace,
): void {
  const family = answer.executions.filter(({ role }) => role !== "related").map(({ id }) => id);
  const missing = expected.executionIds.filter((id) => !family.includes(id));
  const { complete, skipped } = answer.coverage;
  if (
    missing.length === 0 &&
    family.length === expected.executionIds.length &&
    complete &&
    skipped.length === 0
  )
    return;
  throw new Error(
    `The trace of ${expected.requestId} is wrong: ${JSON.stringify({ family, expected, complete, skipped })}`,
  );
}
