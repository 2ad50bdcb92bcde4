/** Traces of users on a fake n8n, with a fake clock. */

import { type TraceAnswer, traceRequest } from "../../src/features/trace-request/trace.ts";
import type { BackgroundResult, BackgroundSettings } from "../../src/history/background-sync.ts";
import { createCorrelationDigest } from "../../src/history/request-ids/correlation-digest.ts";
import type { ScanSources } from "../../src/history/scan/shared-scans.ts";
import type { TraceQuery } from "../../src/history/trace/history-trace.ts";
import { KnownCapabilities } from "../../src/n8n/capabilities/store.ts";
import { View } from "../../src/n8n/view.ts";
import type { Clock } from "../../src/platform/clock.ts";
import { createPreviewingRedactor } from "../../src/redaction/redact.ts";
import type { FakeN8n } from "./fake-n8n.ts";
import { createLocalCapabilities, type LocalCapabilities, N8N_2 } from "./local-capabilities.ts";
import {
  BACKGROUND,
  createLocalHistory,
  type LocalHistory,
  queriesOf,
  withoutLooks,
} from "./local-history.ts";
import { createLocalIds } from "./local-ids.ts";
import { createLocalTerms } from "./local-terms.ts";

export const WINDOW = { workflowId: null, startedAfter: null, startedBefore: null };

/** The wait until the states of traces are written. */
export const UNTIL_STATES_ARE_WRITTEN_MS = 1_100;

export { BACKGROUND } from "./local-history.ts";

export interface TestClock extends Clock {
  /** Epoch ms. */
  time: number;
  /** The duration of each wait, in milliseconds. */
  readonly waits: number[];
}

function createTestClock(): TestClock {
  const clock: TestClock = {
    time: Date.UTC(2026, 0, 2),
    waits: [],
    now: () => clock.time,
    sleep: async (milliseconds) => {
      clock.waits.push(milliseconds);
      clock.time += milliseconds;
    },
  };
  return clock;
}

/** An n8n, with a separate client for reads on behalf of everybody, if any. */
type SharedN8n = FakeN8n & Pick<ScanSources, "clientOfAll">;

export interface TestTraces {
  readonly history: LocalHistory;
  readonly capabilities: LocalCapabilities;
  readonly clock: TestClock;
  /** The view of the user who asks. */
  view: View;
  /** The progress messages of all traces. */
  readonly messages: string[];
  /** Called before each message is stored. */
  onProgress: () => Promise<void>;
  /** The approximate number of bytes of running executions per look; undefined for the default. */
  maxRunningBytes: number | undefined;
  /** The sources for reading n8n. */
  sourcesOf(n8n: SharedN8n): ScanSources;
  /** One step of the background sync. */
  step(n8n: SharedN8n, settings?: Partial<BackgroundSettings>): Promise<BackgroundResult>;
  /** @param userId by default the same for all @param told receives each message of this call */
  ask(
    n8n: SharedN8n,
    args: Partial<TraceQuery>,
    userId?: string,
    told?: (message: string) => void,
  ): Promise<TraceAnswer>;
}

const redactor = createPreviewingRedactor([], {}, 500_000_000);

export const digest = createCorrelationDigest("key", "user");

/** Trace ids are `trace_1`, `trace_2`, … */
export function createTestTraces(
  history = createLocalHistory(),
  capabilities = createLocalCapabilities(N8N_2),
): TestTraces {
  let begun = 0;
  const paths = createLocalIds();
  const terms = createLocalTerms();
  const redactLarge = async (value: unknown) =>
    await redactor.unnumbered(value, async () => await traces.clock.sleep(0));
  const traces: TestTraces = {
    history,
    capabilities,
    clock: createTestClock(),
    view: View.everything,
    messages: [],
    onProgress: async () => {},
    maxRunningBytes: undefined,
    sourcesOf: ({ client, clientOfAll }) => {
      const known = new KnownCapabilities(traces.capabilities);
      const { clock, maxRunningBytes } = traces;
      const clients = { client, clientOfAll };
      return { ...clients, capabilities: known, digest, paths, redactLarge, terms, clock, maxRunningBytes };
    },
    step: async (n8n, settings) =>
      await traces.history.instance.step(traces.sourcesOf(n8n), { ...BACKGROUND, ...settings }),
    ask: async (n8n, args, userId = "anna", told) => {
      const queries = queriesOf(history, {
        userId,
        view: traces.view,
        sources: traces.sourcesOf(n8n),
        newId: () => {
          begun += 1;
          return String(begun);
        },
      });
      return await traceRequest(
        {
          requestId: undefined,
          window: WINDOW,
          limit: 2_000,
          traceId: undefined,
          deep: false,
          timeBudgetMs: 20_000,
          mayReadData: true,
          ...args,
        },
        {
          history: withoutLooks(queries),
          paths,
          progress: async (_scanned, message) => {
            await traces.onProgress();
            traces.messages.push(message);
            told?.(message);
          },
        },
      );
    },
  };
  return traces;
}
