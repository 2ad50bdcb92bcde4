/** The trace engine as the Worker runs it, in this process, with a memory that is empty at first. */

import { type TraceAnswer, traceRequest } from "../../src/features/trace-request/trace.ts";
import { createCorrelationDigest } from "../../src/history/request-ids/correlation-digest.ts";
import type { ScanSources } from "../../src/history/scan/shared-scans.ts";
import { KnownCapabilities } from "../../src/n8n/capabilities/store.ts";
import { createN8nClient } from "../../src/n8n/client.ts";
import type { Fetch } from "../../src/n8n/requests.ts";
import { View } from "../../src/n8n/view.ts";
import { VisibleN8n } from "../../src/n8n/visible-n8n.ts";
import { createPreviewingRedactor } from "../../src/redaction/redact.ts";
import { createLocalCapabilities, N8N_2 } from "../../test/support/local-capabilities.ts";
import { createLocalHistory, queriesOf } from "../../test/support/local-history.ts";
import { createLocalIds } from "../../test/support/local-ids.ts";
import { createLocalTerms } from "../../test/support/local-terms.ts";
import type { N8nAccess } from "./n8n-access.ts";

/** More than any history here holds, so that no trace ends before it has read all. */
const LIMIT = 20_000;
/** Long enough that a slow machine cuts nothing off. */
const TIME_BUDGET_MS = 600_000;
const BACKGROUND = { intervalMs: 60_000, days: 3_650, maxExecutions: 1_000_000 };

export interface Engine {
  trace(requestId: string): Promise<TraceAnswer>;
}

export interface EngineOptions {
  readonly fetch?: Fetch;
  /** Told whenever the trace tells its progress. */
  readonly onProgress?: () => void;
}

/** The first number of its marks, which nobody sees. */
const FIRST_NUMBER = 100_000_000;
const redactor = createPreviewingRedactor([], {}, FIRST_NUMBER);

function sourcesOf(n8n: N8nAccess, fetch: Fetch | undefined): ScanSources {
  return {
    client: createN8nClient(n8n, { fetch }),
    capabilities: new KnownCapabilities(createLocalCapabilities(N8N_2)),
    digest: createCorrelationDigest("a key for benchmarks", "an n8n"),
    paths: createLocalIds(),
    redactLarge: async (value: unknown) => await redactor.unnumbered(value, async () => {}),
    terms: createLocalTerms(),
    clock: {
      now: Date.now,
      sleep: async (milliseconds: number) =>
        await new Promise<void>((resolve) => setTimeout(resolve, milliseconds)),
    },
  };
}

/**
 * Fills an index as its alarm does, until it knows all that n8n has.
 * @throws Error when n8n fails, or the index knows another number of executions than this in the end
 */
export async function fillIndex(n8n: N8nAccess, fetch: Fetch, executions: number): Promise<void> {
  const { instance } = createLocalHistory();
  const sources = sourcesOf(n8n, fetch);
  for (;;) {
    const { nextMs, failure } = await instance.step(sources, BACKGROUND);
    if (failure !== null) throw new Error(`n8n failed: ${failure.message}`);
    if (nextMs >= BACKGROUND.intervalMs) break;
  }
  const known = (await instance.status(sources.capabilities, View.everything)).executions;
  if (known !== executions) throw new Error(`The index knows ${known} of ${executions} executions.`);
}

export function createEngine(n8n: N8nAccess, { fetch, onProgress = () => {} }: EngineOptions = {}): Engine {
  const sources = sourcesOf(n8n, fetch);
  const { client, paths } = sources;
  const history = queriesOf(createLocalHistory(), {
    userId: "a user",
    view: View.everything,
    sources,
    newId: () => crypto.randomUUID(),
  });
  const dependencies = {
    history,
    client: VisibleN8n.whole(client),
    paths,
    progress: async () => onProgress(),
  };
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
    `The trace of ${expected.requestId} is wrong: ${JSON.stringify({ family, expected, coverage: answer.coverage })}`,
  );
}
