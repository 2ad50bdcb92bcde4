/** Each caller waits until their own time is up, not until another's is. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { TraceAnswer } from "../../../src/features/trace-request/trace.ts";
import { OVERTIME_MS } from "../../../src/platform/time-limits.ts";
import { createFakeN8n, type FakeN8n, fakeHistory, isDataPage, listsOf } from "../../support/fake-n8n.ts";
import { passing, sleep, tracesInPassingTime } from "../../support/passing-time.ts";
import { type TestTraces, WINDOW } from "../../support/test-traces.ts";
import { iso } from "./set-up.ts";

/** Allowance for messages, and for reading what has arrived. */
const SOME_MS = 1_000;
const { late, firstPage } = OVERTIME_MS;

let traces: TestTraces;
beforeEach(() => {
  traces = tracesInPassingTime();
});
afterEach(() => {
  vi.useRealTimers();
});

/** The next data page takes almost as long as a request may. */
function delayPage(n8n: FakeN8n): void {
  let pages = 0;
  n8n.intercept = async (url) => {
    if (isDataPage(url)) pages += 1;
    if (isDataPage(url) && pages === 1) await sleep(24_000);
    return undefined;
  };
}

test("a caller who needs what another scan is reading is answered in their own time", async () => {
  const n8n = createFakeN8n(fakeHistory(600));
  n8n.dates = "filtered";
  delayPage(n8n);
  const ofWindow = { ...WINDOW, startedAfter: iso(300) };
  const first = traces.ask(n8n, { requestId: "never", window: ofWindow, timeBudgetMs: 55_000 }, "anna");
  await vi.advanceTimersByTimeAsync(500);
  const second = traces.ask(n8n, { requestId: "r-3", timeBudgetMs: 1_000 }, "ben");
  const { result, tookMs } = await passing(second);
  expect(result.coverage.stoppedBy).toBe("time");
  expect(tookMs).toBeLessThan(1_000 + late.least + firstPage.least + SOME_MS);
  expect((await passing(first)).result.coverage.complete).toBe(true);
});

describe("a caller during another's long look", () => {
  let n8n: FakeN8n;
  let first: Promise<TraceAnswer>;
  beforeEach(async () => {
    n8n = createFakeN8n(fakeHistory(50));
    await passing(traces.ask(n8n, { requestId: "never" }));
    n8n.executions = fakeHistory(60);
    delayPage(n8n);
    first = traces.ask(n8n, { requestId: "never", timeBudgetMs: 55_000 }, "anna");
    await vi.advanceTimersByTimeAsync(500);
  });

  test("is answered in their own time, and no look is made for them afterwards", async () => {
    const second = traces.ask(n8n, { requestId: "r-3", timeBudgetMs: 1_000 }, "ben");
    const { result, tookMs } = await passing(second);
    expect(result).toMatchObject({ found: true, coverage: { stoppedBy: "time" } });
    expect(tookMs).toBeLessThan(1_000 + late.least + firstPage.least + SOME_MS);
    const { length } = listsOf(n8n);
    expect((await passing(first)).result.coverage.complete).toBe(true);
    expect(listsOf(n8n)).toHaveLength(length);
    expect(traces.history.instance.scans.isBusy).toBe(false);
  });

  test("gets the next look, even if another who waits for it leaves early", async () => {
    const second = traces.ask(n8n, { requestId: "r-3", timeBudgetMs: 1_000 }, "ben");
    const third = traces.ask(n8n, { requestId: "r-61", timeBudgetMs: 30_000 }, "carl");
    await passing(second);
    n8n.executions = fakeHistory(61);
    expect((await passing(third)).result).toMatchObject({ found: true, coverage: { complete: true } });
    await passing(first);
  });
});
