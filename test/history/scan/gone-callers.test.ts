/** A caller who leaves before their scan begins causes no requests to n8n. */
import { expect, test } from "vitest";
import { NO_PROGRESS } from "../../../src/mcp/progress.ts";
import type { CapabilityStore } from "../../../src/n8n/capabilities/store.ts";
import { createFakeN8n, dataPagesOf, type FakeN8n, fakeHistory, listsOf } from "../../support/fake-n8n.ts";
import { queriesOf } from "../../support/local-history.ts";
import { createTestTraces, type TestTraces, WINDOW } from "../../support/test-traces.ts";
import { passTurns } from "./set-up.ts";

const QUERY = {
  requestId: "never",
  window: WINDOW,
  limit: 50_000,
  traceId: undefined,
  deep: false,
  timeBudgetMs: 20_000,
  mayReadData: true,
};

/** The error code that the call ends with; null for an answer. */
async function outcomeOf(traces: TestTraces, n8n: FakeN8n, gone: AbortSignal): Promise<string | null> {
  const { history, view } = traces;
  const caller = {
    userId: "gone",
    view,
    sources: traces.sourcesOf(n8n),
    newId: () => "gone",
    disconnected: gone,
  };
  return await queriesOf(history, caller)
    .trace(QUERY, NO_PROGRESS)
    .then(
      () => null,
      ({ code }: { readonly code: string }) => code,
    );
}

test("an unknown history is not read for a caller who left before the scan began", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n(fakeHistory(3_000));
  const recalled = Promise.withResolvers<void>();
  const { recall }: CapabilityStore = traces.capabilities;
  traces.capabilities.recall = async () => {
    await recalled.promise;
    return await recall();
  };
  const going = new AbortController();
  const outcome = outcomeOf(traces, n8n, going.signal);
  await passTurns(5);
  going.abort();
  recalled.resolve();
  expect(await outcome).toBe("INTERRUPTED");
  expect(dataPagesOf(n8n)).toEqual([]);
  expect(traces.history.instance.scans.isBusy).toBe(false);
});

test("no look is made for a caller who left while waiting for another's", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n(fakeHistory(50));
  await traces.ask(n8n, { requestId: "never" });
  const gate = Promise.withResolvers<undefined>();
  n8n.intercept = () => gate.promise;
  const first = traces.ask(n8n, { requestId: "never" });
  await passTurns(20);
  const { length } = listsOf(n8n);
  traces.clock.time += 1_000;
  const going = new AbortController();
  const outcome = outcomeOf(traces, n8n, going.signal);
  await passTurns(20);
  going.abort();
  gate.resolve(undefined);
  await first;
  expect(await outcome).toBe("INTERRUPTED");
  expect(listsOf(n8n)).toHaveLength(length);
  expect(traces.history.instance.scans.isBusy).toBe(false);
});
