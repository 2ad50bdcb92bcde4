/** An n8n that takes seconds for each answer: calls take longer, each makes progress, and nothing is skipped. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { TraceAnswer } from "../../../src/features/trace-request/trace.ts";
import { readExecutionCursor } from "../../../src/n8n/execution-cursor.ts";
import type { Fetch } from "../../../src/n8n/requests.ts";
import type { TakeTurn } from "../../../src/n8n/slot.ts";
import { ObserverError } from "../../../src/platform/errors.ts";
import { clientOf, createFakeN8n, type FakeN8n, fakeExecution, fakeHistory } from "../../support/fake-n8n.ts";
import { passing, sleep, tracesInPassingTime } from "../../support/passing-time.ts";
import { type TestTraces, WINDOW } from "../../support/test-traces.ts";

const CLIENT_PATIENCE_MS = 60_000;
const slot = { pause: async () => {}, end: () => {} };

let traces: TestTraces;
let n8n: FakeN8n;
beforeEach(() => {
  traces = tracesInPassingTime();
  n8n = createFakeN8n(fakeHistory(600));
});
afterEach(() => {
  vi.useRealTimers();
});

/** @throws if the call fails or takes longer than its client waits */
async function ask(requestId: string): Promise<TraceAnswer> {
  const { result, tookMs } = await passing(traces.ask(n8n, { requestId }));
  expect(tookMs).toBeLessThan(CLIENT_PATIENCE_MS);
  return result;
}

const NOTHING_LEFT = { outcome: "not_found", coverage: { complete: true, skipped: [] } };

describe.each([2_000, 3_000, 5_000, 8_000])("with %d ms an answer", (latencyMs) => {
  test("each call reads further, and a few reach the end", async () => {
    n8n.latencyMs = latencyMs;
    const read: number[] = [0];
    for (let calls = 0; calls < 6; calls += 1) {
      const { coverage } = await ask("never");
      expect(coverage.skipped).toEqual([]);
      expect(coverage.scannedExecutions).toBeGreaterThan(read.at(-1) ?? 0);
      read.push(coverage.scannedExecutions);
      if (coverage.complete) break;
    }
    expect(read.at(-1)).toBe(600);
    expect(await ask("never")).toMatchObject(NOTHING_LEFT);
    expect(await ask("r-3")).toMatchObject({ found: true });
  });
});

test("at 12 s an answer, the background sync reads what calls have no time for", async () => {
  n8n.latencyMs = 12_000;
  for (let steps = 0; steps < 20 && traces.history.instance.store.counts.all < 600; steps += 1)
    await passing(traces.step(n8n));
  expect(await ask("never")).toMatchObject(NOTHING_LEFT);
  expect(await ask("r-3")).toMatchObject({ found: true });
});

test("the end of a pruned history is recognized at 5 s an answer", async () => {
  n8n.executions = fakeHistory(1_600).slice(1_000);
  n8n.latencyMs = 5_000;
  for (let calls = 0; calls < 6; calls += 1) if ((await ask("never")).coverage.complete) break;
  expect(await ask("never")).toMatchObject(NOTHING_LEFT);
});

test("waiting for a slot does not count as a slow n8n", async () => {
  const takeSlot = async () => {
    vi.setSystemTime(Date.now() + 1_000);
    return slot;
  };
  const waiting = { ...n8n, client: clientOf(n8n, { takeSlot }) };
  await passing(traces.ask(waiting, { requestId: "never" }));
  expect(traces.history.instance.scans.slowReads.answerMs).toBeLessThan(500);
});

test("a short call that is refused a slot late has run out of time, not failed", async () => {
  n8n.latencyMs = 100;
  await ask("never");
  let turns = 0;
  const takeTurn: TakeTurn = async (_waitMs, requests) => {
    turns += 1;
    if (turns === 1) return { slots: [slot, slot], requests };
    await sleep(6_000);
    throw new ObserverError("RATE_LIMITED", "Too many.", { solution: "Wait." });
  };
  const client = clientOf(n8n, { takeTurn });
  n8n.executions = [
    ...fakeHistory(600).slice(0, 599),
    fakeExecution(601, "w", { status: "waiting", stoppedAt: null }),
  ];
  const { result } = await passing(
    traces.ask({ ...n8n, client }, { requestId: "never", timeBudgetMs: 2_000 }),
  );
  expect(result).toMatchObject({ coverage: { stoppedBy: "time" } });
});

test.each([7_000, 9_000])(
  "at %d ms an answer, the longest call ends before its client gives up",
  async (ms) => {
    n8n.executions = fakeHistory(1_100);
    n8n.latencyMs = ms;
    const { tookMs } = await passing(traces.ask(n8n, { requestId: "never", timeBudgetMs: 55_000 }));
    expect(tookMs).toBeLessThan(CLIENT_PATIENCE_MS);
  },
);

test.each([1_000, 6_000, 8_000])(
  "at %d ms an answer, an execution that never comes is skipped",
  async (ms) => {
    n8n = createFakeN8n(fakeHistory(30));
    const asksForIt = (request: string): boolean => {
      const { pathname, searchParams } = new URL(request, "http://n8n");
      if (!searchParams.has("includeData")) return false;
      const cursor = readExecutionCursor(searchParams.get("cursor") ?? "");
      const high = Number(cursor?.lastId ?? 31) - 1;
      const limit = cursor?.limit ?? Number(searchParams.get("limit"));
      return (
        pathname.endsWith("/20") || (high >= 20 && high - limit < 20 && pathname.endsWith("/executions"))
      );
    };
    const fetch: Fetch = async (url, init) => {
      n8n.latencyMs = asksForIt(url) ? 600_000 : ms;
      return await n8n.fetch(url, init);
    };
    const hanging = { ...n8n, client: clientOf({ fetch }) };
    for (let calls = 0; calls < 40; calls += 1) {
      const { result } = await passing(traces.ask(hanging, { requestId: "never" }));
      if (result.coverage.stoppedBy !== "complete") continue;
      expect(result.coverage).toMatchObject({ scannedExecutions: 30, skipped: [{ executionId: "20" }] });
      return;
    }
    throw new Error("Every call requests it again.");
  },
);

test("a call about a known workflow ends in its time", async () => {
  n8n.executions = fakeHistory(12_000);
  const call = { requestId: "never", limit: 50_000, window: { ...WINDOW, workflowId: "w1" } };
  await passing(traces.ask(n8n, { ...call, timeBudgetMs: 55_000 }));
  n8n.latencyMs = 1_500;
  expect((await passing(traces.ask(n8n, { ...call, timeBudgetMs: 5_000 }))).tookMs).toBeLessThan(40_000);
});
