/** Clients give up after a minute: a trace ends before, even if n8n takes seconds for each answer. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withDeadline } from "../../../src/features/trace-request/history-deadline.ts";
import { traceRequest } from "../../../src/features/trace-request/trace.ts";
import { ObserverError } from "../../../src/platform/errors.ts";
import { failedChild, failedEntry } from "../../support/called-workflows.ts";
import { createFakeN8n, type FakeN8n, fakeExecution, fakeHistory } from "../../support/fake-n8n.ts";
import { NOTHING_SEEN, queriesOf } from "../../support/local-history.ts";
import { createLocalIds } from "../../support/local-ids.ts";
import { passing, sleep, tracesInPassingTime } from "../../support/passing-time.ts";
import { type TestTraces, WINDOW } from "../../support/test-traces.ts";

const PATIENCE_MS = 60_000;

let traces: TestTraces;
beforeEach(() => {
  traces = tracesInPassingTime();
});
afterEach(() => {
  vi.useRealTimers();
});

const queries = (n8n: FakeN8n) => {
  const { view } = traces;
  return queriesOf(traces.history, {
    userId: "anna",
    view,
    sources: traces.sourcesOf(n8n),
    newId: () => "1",
  });
};

async function ask(n8n: FakeN8n, requestId: string, waitMs = 0) {
  const { clock } = traces;
  const wait = {
    waitMs,
    clock,
    pause: async (ms: number) => await clock.sleep(ms),
    shared: { isFound: false },
  };
  const rest = { limit: 2_000, traceId: undefined, deep: false, timeBudgetMs: 55_000, mayReadData: true };
  return await passing(
    traceRequest(
      { requestId, window: WINDOW, ...rest },
      {
        history: withDeadline(queries(n8n), () => clock.now()),
        paths: createLocalIds(),
        progress: async () => {},
        wait,
      },
    ),
  );
}

test.each([7_000, 9_000])(
  "a trace with the failed execution to read ends in time, at %d ms a request",
  async (ms) => {
    const n8n = createFakeN8n([
      ...fakeHistory(600),
      failedEntry(601, "req-1", 602, "Call"),
      failedChild(602, 601),
    ]);
    n8n.latencyMs = ms;
    const { result, tookMs } = await ask(n8n, "req-1");
    expect(tookMs).toBeLessThan(PATIENCE_MS);
    expect(result).toMatchObject({ outcome: "error", failure: { executionId: "602" } });
    const again = await ask(n8n, "req-1");
    expect(again.result.failure).toMatchObject({ nodeName: "Work" });
  },
);

test.each([2_000, 6_000, 9_000])(
  "a trace that waits for an end ends in time, at %d ms a request",
  async (ms) => {
    const running = fakeExecution(61, "req-1", { status: "running", stoppedAt: null });
    const n8n = createFakeN8n([...fakeHistory(10), running]);
    n8n.latencyMs = ms;
    const { tookMs } = await ask(n8n, "req-1", 55_000);
    expect(tookMs).toBeLessThan(PATIENCE_MS);
    expect((await ask(n8n, "req-1", 55_000)).tookMs).toBeLessThan(PATIENCE_MS);
  },
);

test("a look that fails in time says why", async () => {
  const { clock } = traces;
  const failing = withDeadline(
    {
      ...queries(createFakeN8n([])),
      lookCloser: async () => {
        await sleep(5_000);
        throw new ObserverError("N8N_BAD_RESPONSE", "n8n failed.", { solution: "Call again." });
      },
    },
    () => clock.now(),
  );
  const { result } = await passing(failing.lookCloser("1").catch((error: unknown) => error));
  expect(result).toMatchObject({ code: "N8N_BAD_RESPONSE" });
});

test("a result that has arrived is returned, however late the call is", async () => {
  const { clock } = traces;
  const limited = withDeadline({ ...queries(createFakeN8n([])), lookCloser: async () => NOTHING_SEEN }, () =>
    clock.now(),
  );
  await passing(sleep(PATIENCE_MS));
  expect((await passing(limited.lookCloser("1"))).result).toEqual(NOTHING_SEEN);
});
