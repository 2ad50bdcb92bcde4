/** The trace engine as the Worker runs it, in this process, with a history index that is empty at first. */

import { type TraceAnswer, traceRequest } from "../../src/features/trace-request/trace.ts";
import { createCorrelationDigest } from "../../src/history/request-ids/correlation-digest.ts";
import type { ScanSources } from "../../src/history/scan/shared-scans.ts";
import { KnownCapabilities } from "../../src/n8n/capabilities/store.ts";
import { createN8nClient } from "../../src/n8n/client.ts";
import type { Fetch } from "../../src/n8n/requests.ts";
import { View } from "../../src/n8n/view.ts";
import { VisibleN8n } from "../../src/n8n/visible-n8n.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createPreviewingRedactor } from "../../src/redaction/redact.ts";
import { createLocalCapabilities, N8N_2 } from "../../test/support/local-capabilities.ts";
import { createLocalHistory, queriesOf } from "../../test/support/local-history.ts";
import { createLocalIds } from "../../test/support/local-ids.ts";
import { createLocalTerms } from "../../test/support/local-terms.ts";
import type { N8nAccess } from "./n8n-access.ts";

/** More than any history here holds, so that no trace stops early. */
const LIMIT = 20_000;
/** Long enough for a slow machine. */
const TIME_BUDGET_MS = 600_000;
const BACKGROUND = { intervalMs: 60_000, days: 3_650, maxExecutions: 1_000_000 };

export interface EngineOptions {
  readonly fetch?: Fetch;
  /** Called at each progress message of a trace. */
  readonly onProgress?: () => void;
}

/** Number of the first redaction mark; nobody sees them. */
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
    clock: systemClock,
  };
}

/**
 * Fills an index as its alarm does, until it knows everything that n8n has.
 * @throws Error if n8n fails, or if the filled index does not know exactly this number of executions
 */
export async function fillIndex(n8n: N8nAccess, fetch: Fetch, executions: number): Promise<void> {
  const { instance } = createLocalHistory();
  const sources = sourcesOf(n8n, fetch);
  for (;;) {
    const { nextMs, failure } = await instance.step(sources, BACKGROUND);
    if (failure !== null) throw new Error(`n8n failed: ${failure.message}`);
    if (nextMs >= BACKGROUND.intervalMs) break;
  }
  const now = systemClock.now();
  const { executions: known } = await instance.status(sources.capabilities, View.everything, BACKGROUND, now);
  if (known !== executions) throw new Error(`The index knows ${known} of ${executions} executions.`);
}

export function createEngine(n8n: N8nAccess, { fetch, onProgress = () => {} }: EngineOptions) {
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
  const settings = {
    window: { workflowId: null, startedAfter: null, startedBefore: null },
    limit: LIMIT,
    traceId: undefined,
    deep: false,
    timeBudgetMs: TIME_BUDGET_MS,
    mayReadData: true,
  };
  return { trace: async (requestId: string) => await traceRequest({ requestId, ...settings }, dependencies) };
}

/** What a trace must answer for its time to count. */
export interface ExpectedTrace {
  readonly requestId: string;
  readonly executionIds: readonly string[];
}

/** @throws Error if the answer is wrong, so that its time does not count */
export function requireRight(
  answer: Pick<TraceAnswer, "executions" | "coverage">,
  expected: ExpectedTrace,
): void {
  const family = answer.executions.filter(({ role }) => role !== "related").map(({ id }) => id);
  const missing = expected.executionIds.filter((id) => !family.includes(id));
  const { complete, skipped } = answer.coverage;
  const isFamily = missing.length === 0 && family.length === expected.executionIds.length;
  if (isFamily && complete && skipped.length === 0) return;
  throw new Error(
    `The trace of ${expected.requestId} is wrong: ${JSON.stringify({ family, expected, coverage: answer.coverage })}`,
  );
}
