/** Each caller waits until their own time is up, not until another's is. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { OVERTIME_MS } from "../../../src/platform/time-limits.ts";
import { createFakeN8n, fakeHistory, isDataPage } from "../../support/fake-n8n.ts";
import { passing, sleep, tracesInPassingTime } from "../../support/passing-time.ts";
import { type TestTraces, WINDOW } from "../../support/test-traces.ts";
import { iso } from "./set-up.ts";

/** For messages, and for reading what has come. */
const SOME_MS = 1_000;
const { late, firstPage } = OVERTIME_MS;

let traces: TestTraces;
beforeEach(() => {
  traces = tracesInPassingTime();
});
afterEach(() => {
  vi.useRealTimers();
});

test("who needs what another scan is reading is answered in their own time", async () => {
  const n8n = createFakeN8n(fakeHistory(600));
  n8n.dates = "filtered";
  let pages = 0;
  n8n.intercept = async (url) => {
    if (isDataPage(url)) pages += 1;
    if (isDataPage(url) && pages === 1) await sleep(24_000);
    return undefined;
  };
  const ofWindow = { ...WINDOW, startedAfter: iso(300) };
  const first = traces.ask(n8n, { requestId: "never", window: ofWindow, timeBudgetMs: 55_000 }, "anna");
  await vi.advanceTimersByTimeAsync(500);
  const second = traces.ask(n8n, { requestId: "r-3", timeBudgetMs: 1_000 }, "ben");
  const { result, tookMs } = await passing(second);
  expect(result.coverage.stoppedBy).toBe("time");
  expect(tookMs).toBeLessThan(1_000 + late.least + firstPage.least + SOME_MS);
  expect((await passing(first)).result.coverage.complete).toBe(true);
});
