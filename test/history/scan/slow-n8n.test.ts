/** An n8n that takes seconds for each answer: calls take longer, each makes progress, and nothing is passed over. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { TraceAnswer } from "../../../src/features/trace-request/trace.ts";
import { createN8nClient } from "../../../src/n8n/client.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import { createFakeN8n, type FakeN8n, fakeHistory } from "../../support/fake-n8n.ts";
import { createTestTraces, type TestTraces } from "../../support/test-traces.ts";

const STEP_MS = 100;
const CLIENT_PATIENCE_MS = 60_000;
const BACKGROUND = { intervalMs: 60_000, days: 30, maxExecutions: 500_000 };

let traces: TestTraces;
let n8n: FakeN8n;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], now: Date.UTC(2026, 0, 2) });
  traces = createTestTraces();
  Object.assign(traces.clock, systemClock);
  n8n = createFakeN8n(fakeHistory(600));
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets time pass until it has ended. */
async function passing<Result>(call: Promise<Result>): Promise<{ result: Result; tookMs: number }> {
  const began = Date.now();
  let hasEnded = false;
  const end = (): void => {
    hasEnded = true;
  };
  call.then(end, end);
  while (!hasEnded) {
    await vi.advanceTimersByTimeAsync(STEP_MS);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return { result: await call, tookMs: Date.now() - began };
}

/** @throws Error if the call fails, or takes longer than its client waits */
async function ask(requestId: string): Promise<TraceAnswer> {
  const { result, tookMs } = await passing(traces.ask(n8n, { requestId }));
  expect(tookMs).toBeLessThan(CLIENT_PATIENCE_MS);
  return result;
}

const NOTHING_LEFT = { outcome: "not_found", coverage: { complete: true, skipped: [] } };

describe.each([2_000, 3_000, 5_000, 8_000])("an answer takes %d ms", (latencyMs) => {
  test("each call reads on, and the end is reached in a few", async () => {
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

test("where an answer takes 12 s, the background reads what calls have no time for", async () => {
  n8n.latencyMs = 12_000;
  for (let steps = 0; steps < 20 && traces.history.instance.store.counts.all < 600; steps += 1)
    await passing(traces.history.instance.step(traces.sourcesOf(n8n), BACKGROUND));
  expect(await ask("never")).toMatchObject(NOTHING_LEFT);
  expect(await ask("r-3")).toMatchObject({ found: true });
});

test("the end of a history that was pruned shows where an answer takes 5 s", async () => {
  n8n.executions = fakeHistory(1_600).slice(1_000);
  n8n.latencyMs = 5_000;
  for (let calls = 0; calls < 6; calls += 1) if ((await ask("never")).coverage.complete) break;
  expect(await ask("never")).toMatchObject(NOTHING_LEFT);
});

test("the wait for a slot is no slowness of n8n", async () => {
  const takeSlot = async () => {
    vi.setSystemTime(Date.now() + 1_000);
    return { pause: async () => {}, end: () => {} };
  };
  const access = { baseUrl: "http://localhost:1", apiKey: "fake-key-of-the-tests" };
  const waiting = { ...n8n, client: createN8nClient(access, { fetch: n8n.fetch, takeSlot }) };
  await passing(traces.ask(waiting, { requestId: "never" }));
  expect(traces.history.instance.scans.slowReads.answerMs).toBeLessThan(500);
});
