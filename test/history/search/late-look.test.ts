/** A search on an n8n that is too slow for the search's look at what is new. */
import { expect, test } from "vitest";
import type { ScanResult } from "../../../src/history/scan/scan-options.ts";
import { SharedScans } from "../../../src/history/scan/shared-scans.ts";
import { searchInHistory } from "../../../src/history/search/search-query.ts";
import type { ExecutionStore } from "../../../src/history/store/execution-store.ts";
import { View } from "../../../src/n8n/view.ts";
import { ObserverError } from "../../../src/platform/errors.ts";
import { createFakeN8n, fakeHistory } from "../../support/fake-n8n.ts";
import { createTestTraces, type TestTraces, WINDOW } from "../../support/test-traces.ts";

const rateLimited = new ObserverError("RATE_LIMITED", "n8n is slow.", { solution: "Wait." });

/** Scans whose looks get no slot. */
class LateScans extends SharedScans {
  readonly #meanwhile: () => void;

  constructor(store: ExecutionStore, meanwhile: () => void) {
    super(store);
    this.#meanwhile = meanwhile;
  }

  override async cover(): Promise<ScanResult> {
    this.#meanwhile();
    const nothing = {
      downTo: "1",
      current: new Set<string>(),
      read: 0,
      skipped: [],
      leftRunning: new Set<string>(),
      settles: null,
    };
    return { ...nothing, stop: { reason: "n8n", error: rateLimited } };
  }
}

const n8n = createFakeN8n(fakeHistory(20));

async function knownHistory(): Promise<TestTraces> {
  const traces = createTestTraces();
  await traces.ask(n8n, { requestId: "nothing of this kind" });
  return traces;
}

/** @param meanwhile runs while the search waits for its look */
async function search(traces: TestTraces, meanwhile: () => void) {
  const { store } = traces.history.instance;
  const sources = traces.sourcesOf(n8n);
  const query = { text: "r-17" };
  const args = { query, window: WINDOW, limit: 100, maxHits: 10, searchId: undefined, timeBudgetMs: 20_000 };
  const dependencies = {
    store,
    known: store.visibleTo(View.everything),
    scans: new LateScans(store, meanwhile),
    sources,
    progress: async () => {},
    thread: { isShared: false, giveWay: async () => {} },
    searches: { load: () => null, save: () => {} },
    newSearchId: () => "search_1",
    askReadable: null,
    redactShown: sources.redactLarge,
  };
  return await searchInHistory(args, dependencies);
}

test("the search can be continued while n8n answers others, and reports that nothing was searched", async () => {
  const traces = await knownHistory();
  const { store } = traces.history.instance;
  const { stop, coverage, searchId } = await search(traces, () =>
    store.lookTimes.note(traces.clock.now() + 1, null),
  );
  expect(searchId).toBe("search_1");
  expect(stop).toEqual({ reason: "time" });
  expect(coverage).toMatchObject({ complete: false, stoppedBy: "time", scannedExecutions: 0, readNow: 0 });
});

test("otherwise the search fails with n8n's failure", async () => {
  const traces = await knownHistory();
  traces.clock.time += 1_000;
  await expect(search(traces, () => {})).rejects.toBe(rateLimited);
});
