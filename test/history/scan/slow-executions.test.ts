/** Executions that time out, or are too many and large: reading is slower, reported, and always ends. */
import { beforeEach, describe, expect, test } from "vitest";
import { readExecutionCursor } from "../../../src/n8n/execution-cursor.ts";
import {
  createFakeN8n,
  dataPagesOf,
  type FakeN8n,
  failure,
  fakeExecution,
  fakeHistory,
  forgetRequests,
  isDataPage,
  isList,
  singlesOf,
  webhookData,
} from "../../support/fake-n8n.ts";
import { createTestTraces, type TestTraces } from "../../support/test-traces.ts";
import { iso } from "./set-up.ts";

const TIME_OUT_MS = 25_000;

let traces: TestTraces;
beforeEach(() => {
  traces = createTestTraces();
});

/** True if the request is for data of one of these executions. */
function asksForDataOf(url: URL, ids: ReadonlySet<number>, newest: number): boolean {
  if (url.searchParams.get("includeData") !== "true") return false;
  const single = /\/executions\/(\d+)$/.exec(url.pathname)?.[1];
  if (single !== undefined) return ids.has(Number(single));
  if (!isDataPage(url)) return false;
  const given = url.searchParams.get("cursor") ?? "";
  const cursor = readExecutionCursor(given.startsWith("opaque ") ? atob(given.slice(7)) : given);
  const high = Number(cursor?.lastId ?? newest + 1) - 1;
  const limit = cursor?.limit ?? Number(url.searchParams.get("limit"));
  return [...ids].some((id) => id <= high && id > high - limit);
}

function neverSends(n8n: FakeN8n, id: number, newest: number): void {
  n8n.intercept = (url) => {
    if (!asksForDataOf(url, new Set([id]), newest)) return undefined;
    traces.clock.time += TIME_OUT_MS;
    throw new DOMException("Time is over.", "TimeoutError");
  };
}

describe.each([false, true])("one execution that always times out (opaque cursors: %s)", (isOpaque) => {
  test.each([50, 150, 300, 399])("%d: older ones are read all the same", async (slow) => {
    const n8n = createFakeN8n(fakeHistory(400));
    n8n.hasOpaqueCursors = isOpaque;
    neverSends(n8n, slow, 400);
    for (let calls = 0; calls < 20; calls += 1) await traces.ask(n8n, { requestId: "r-20" });
    const { found, coverage } = await traces.ask(n8n, { requestId: "r-20" });
    expect(found).toBe(true);
    const reason = "n8n failed to return it (N8N_TIMEOUT)";
    expect(coverage).toMatchObject({ scannedExecutions: 400, complete: false, stoppedBy: "complete" });
    expect(coverage.skipped).toEqual([{ executionId: String(slow), reason }]);
  });

  test("is requested again only after a pause", async () => {
    const n8n = createFakeN8n(fakeHistory(400));
    n8n.hasOpaqueCursors = isOpaque;
    neverSends(n8n, 300, 400);
    for (let calls = 0; calls < 20; calls += 1) await traces.ask(n8n, { requestId: "r-20" });
    forgetRequests(n8n);
    for (let calls = 0; calls < 5; calls += 1) await traces.ask(n8n, { requestId: "r-20" });
    expect(singlesOf(n8n)).toEqual([]);
    traces.clock.time += 24 * 60 * 60 * 1_000;
    n8n.intercept = () => undefined;
    expect(await traces.ask(n8n, { requestId: "r-300" })).toMatchObject({
      found: true,
      coverage: { complete: true },
    });
  });
});

test("a page that timed out in a short rest of a call is requested whole by the next", async () => {
  const n8n = createFakeN8n(fakeHistory(300));
  n8n.intercept = (url) => {
    if (isList(url)) traces.clock.time += 19_700;
    if (!isDataPage(url)) return undefined;
    traces.clock.time += 400;
    throw new DOMException("Time is over.", "TimeoutError");
  };
  expect(await traces.ask(n8n, { requestId: "r-1" })).toMatchObject({ coverage: { stoppedBy: "time" } });
  n8n.intercept = () => undefined;
  forgetRequests(n8n);
  expect(await traces.ask(n8n, { requestId: "r-1" })).toMatchObject({
    found: true,
    coverage: { scannedExecutions: 300, complete: true },
  });
  expect(dataPagesOf(n8n).length).toBeLessThanOrEqual(3);
});

test("an ended execution that timed out in a short rest of a call is requested by the next", async () => {
  const facts = { status: "waiting", startedAt: iso(50), stoppedAt: iso(60), waitTill: iso(90_000) };
  const n8n = createFakeN8n(fakeHistory(300).with(49, fakeExecution(50, "early", facts)));
  await traces.ask(n8n, { requestId: "never" });
  n8n.executions = fakeHistory(300).with(
    49,
    fakeExecution(50, "late", { startedAt: iso(50), stoppedAt: iso(400) }),
  );
  n8n.intercept = (url) => {
    if (isList(url)) traces.clock.time += 18_400;
    if (!url.pathname.endsWith("/50")) return undefined;
    traces.clock.time += 1_500;
    throw new DOMException("Time is over.", "TimeoutError");
  };
  expect((await traces.ask(n8n, { requestId: "late" })).coverage.complete).toBe(false);
  n8n.intercept = () => undefined;
  expect(await traces.ask(n8n, { requestId: "late" })).toMatchObject({
    found: true,
    coverage: { complete: true },
  });
});

test("executions iso which n8n always fails do not keep others from being requested again", async () => {
  const n8n = createFakeN8n(fakeHistory(100));
  const broken = new Set([10, 90, 91, 92, 93, 94, 95]);
  n8n.intercept = (url) => (asksForDataOf(url, broken, 100) ? failure(500) : undefined);
  for (let calls = 0; calls < 3; calls += 1) await traces.ask(n8n, { requestId: "r-10" });
  broken.delete(10);
  const answers = [
    await traces.ask(n8n, { requestId: "r-10" }),
    await traces.ask(n8n, { requestId: "r-10" }),
  ];
  expect(answers.map(({ found }) => found)).toContain(true);
});

test("a broken execution costs less than three seconds of pauses", async () => {
  const n8n = createFakeN8n(fakeHistory(2_000));
  n8n.intercept = (url) => (asksForDataOf(url, new Set([1_900]), 2_000) ? failure(500) : undefined);
  const began = traces.clock.now();
  const { outcome, coverage } = await traces.ask(n8n, { requestId: "never" });
  expect({ outcome, skipped: coverage.skipped }).toEqual({
    outcome: "not_found",
    skipped: [{ executionId: "1900", reason: "n8n failed to return it (N8N_UNREACHABLE)" }],
  });
  expect(traces.clock.now() - began).toBeLessThan(3_000);
});

test("running out of time iso many broken executions is reported as time, and the next call continues", async () => {
  const n8n = createFakeN8n(fakeHistory(2_000));
  const broken = new Set(Array.from({ length: 19 }, (_one, index) => 1_900 - 77 * index));
  n8n.intercept = (url) => {
    traces.clock.time += 10;
    return asksForDataOf(url, broken, 2_000) ? failure(500) : undefined;
  };
  let answer = await traces.ask(n8n, { requestId: "never" });
  expect(answer).toMatchObject({ outcome: "not_found_yet", coverage: { stoppedBy: "time" } });
  for (let calls = 0; calls < 4 && answer.coverage.stoppedBy !== "complete"; calls += 1)
    answer = await traces.ask(n8n, { traceId: answer.traceId });
  expect(answer.coverage.skipped).toHaveLength(broken.size);
});

test("each call gets farther though n8n is slow to fail iso one execution", async () => {
  const n8n = createFakeN8n(fakeHistory(400));
  n8n.intercept = (url) => {
    if (!asksForDataOf(url, new Set([300]), 400)) return undefined;
    traces.clock.time += 2_900;
    return failure(502);
  };
  const ask = async () => await traces.ask(n8n, { requestId: "never" }).catch(() => null);
  for (let calls = 0; calls < 4; calls += 1) await ask();
  expect(await ask()).toMatchObject({
    outcome: "not_found",
    coverage: { stoppedBy: "complete", scannedExecutions: 400 },
  });
});

test.each([500, 1_000, 1_500])("a failure of all data requests for %d ms is waited out", async (blip) => {
  const n8n = createFakeN8n(fakeHistory(400));
  const until = traces.clock.now() + blip;
  n8n.intercept = (url) =>
    url.searchParams.get("includeData") === "true" && traces.clock.now() < until ? failure(503) : undefined;
  expect(await traces.ask(n8n, { requestId: "r-350" })).toMatchObject({
    outcome: "success",
    coverage: { complete: true, skipped: [] },
  });
});

test("each look reads a few of many large running executions, also without hand-made cursors", async () => {
  const running = Array.from({ length: 100 }, (_one, index) => {
    const requestId = `r-${index + 101}`;
    const data = webhookData({ body: { requestId, large: "x".repeat(1_000_000) } });
    return fakeExecution(index + 101, requestId, { status: "running", stoppedAt: null, data });
  });
  const n8n = createFakeN8n([...fakeHistory(100), ...running]);
  n8n.hasOpaqueCursors = true;
  const answer = await traces.ask(n8n, { requestId: "r-100" });
  expect(answer).toMatchObject({ found: true, coverage: { stoppedBy: "running" } });
  const pages = n8n.requests.filter((request) => /status=running.*includeData/.test(request));
  const singles = singlesOf(n8n).filter((id) => Number(id) > 100);
  // 25 of them come in one page, and there is room for few more.
  expect(pages.length + singles.length).toBeLessThanOrEqual(18);
  expect(await traces.ask(n8n, { requestId: "r-101" })).toMatchObject({ found: true });
});

test("a page of executions in an unknown form hides no older ones, and few are requested again", async () => {
  const unknown = (id: string): boolean => Number(id) > 150 && Number(id) <= 450;
  const n8n = createFakeN8n(
    fakeHistory(700).map((one) => (unknown(one.id) ? { id: one.id, other: true } : one)),
  );
  const answer = await traces.ask(n8n, { requestId: "r-5" });
  expect(answer).toMatchObject({ found: true, coverage: { complete: false, stoppedBy: "complete" } });
  forgetRequests(n8n);
  const later = await traces.ask(n8n, { requestId: "r-600" });
  expect(later).toMatchObject({ found: true, coverage: { complete: false, scannedExecutions: 700 } });
  expect(n8n.requests.length).toBeLessThan(12);
  n8n.executions = fakeHistory(700);
  const ids = new Set<string>();
  for (let looks = 0; looks < 5; looks += 1) {
    const { executions } = await traces.ask(n8n, { requestId: "r-449" });
    for (const { id } of executions) ids.add(id);
  }
  expect(ids).toEqual(new Set(["449"]));
});
