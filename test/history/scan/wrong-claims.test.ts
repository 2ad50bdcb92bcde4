/** What changes between two requests of a scan: an answer that calls itself complete misses none of it. */
import { describe, expect, test } from "vitest";
import { readExecutionCursor } from "../../../src/n8n/execution-cursor.ts";
import {
  createFakeN8n,
  type FakeExecution,
  type FakeN8n,
  failure,
  fakeExecution,
  fakeHistory,
  isDataPage,
  isList,
  jsonAnswer,
  N8N_1_100,
  webhookData,
} from "../../support/fake-n8n.ts";
import { N8N_2 } from "../../support/local-capabilities.ts";
import { createTestTraces, type TestTraces, WINDOW } from "../../support/test-traces.ts";
import { claimedButUnknown, claimsOf, rowsOf } from "../night/naive-reading.ts";
import { iso, passTurns, runningExecution } from "./set-up.ts";

const hasCursor = (url: URL): boolean =>
  readExecutionCursor(url.searchParams.get("cursor") ?? "") !== undefined;

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_one, index) => from + index);

const usual = (from: number, to: number): FakeExecution[] =>
  range(from, to).map((id) => fakeExecution(id, `r-${id}`));

/** As an n8n of another version lists executions. */
const listedByAnother = (ids: readonly number[]): Response =>
  jsonAnswer({
    data: ids.map((id) => {
      const { status: _status, data: _data, ...listed } = fakeExecution(id, "");
      return { ...listed, finished: true };
    }),
    nextCursor: null,
  });

interface HeldPage {
  readonly hold: () => Promise<void>;
  readonly isUnderWay: Promise<void>;
  readonly end: () => void;
}

/** The next page with data waits. */
function holdDataPage(): HeldPage {
  const isUnderWay = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  let isHeld = false;
  const hold = async (): Promise<void> => {
    if (isHeld) return;
    isHeld = true;
    isUnderWay.resolve();
    await mayEnd.promise;
  };
  return { hold, isUnderWay: isUnderWay.promise, end: mayEnd.resolve };
}

/** What n8n shows among all others: it hides what runs. */
const shownPage = (n8n: FakeN8n, limit = Number.POSITIVE_INFINITY): Response => {
  const shown = n8n.executions.filter(({ status }) => status !== "running");
  return jsonAnswer({ data: shown.reverse().slice(0, limit), nextCursor: null });
};

/** Somebody joins a scan whose page is held. @returns what they are told */
async function joinHeld(
  traces: TestTraces,
  n8n: FakeN8n,
  page: HeldPage,
  first: Promise<unknown>,
  requestId: string,
) {
  traces.clock.time += 5_000;
  const second = traces.ask(n8n, { requestId }, "carl");
  await passTurns(300);
  page.end();
  await first;
  return await second;
}

const isRight = ({ found, coverage }: Awaited<ReturnType<TestTraces["ask"]>>): boolean =>
  found || !coverage.complete;

test("one that begins while nothing on the first page has begun", async () => {
  const traces = createTestTraces();
  const notBegun = (from: number, to: number): FakeExecution[] =>
    range(from, to).map((id) =>
      fakeExecution(id, `r-${id}`, { status: "new", startedAt: null, stoppedAt: null }),
    );
  const n8n = createFakeN8n([...fakeHistory(100), ...notBegun(101, 250)]);
  let hasBegun = false;
  n8n.intercept = (url) => {
    if (!isList(url) || hasBegun) return undefined;
    hasBegun = true;
    n8n.executions.push(runningExecution(251, "wanted", { startedAt: iso(5_000) }), ...notBegun(252, 255));
    return undefined;
  };
  await traces.ask(n8n, { requestId: "never" });
  const ended = fakeExecution(251, "wanted", { startedAt: iso(5_000), stoppedAt: iso(5_001) });
  n8n.executions = n8n.executions.map((one) => (one.id === "251" ? ended : one));
  n8n.executions.push(...notBegun(256, 279));
  traces.clock.time += 60_000;
  await traces.ask(n8n, { requestId: "wanted" });
  expect(claimedButUnknown(n8n.executions, traces.history.sql)).toEqual([]);
});

test("one that begins between the lists, for somebody who joins the scan later", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n(fakeHistory(100));
  n8n.dates = "filtered";
  const page = holdDataPage();
  let hasBegun = false;
  n8n.intercept = async (url) => {
    if (!hasBegun && isList(url)) {
      hasBegun = true;
      n8n.executions.push(runningExecution(101, "wanted"), ...usual(102, 103));
    }
    if (!isDataPage(url)) return undefined;
    const answer = shownPage(n8n, Number(url.searchParams.get("limit")));
    await page.hold();
    return answer;
  };
  const first = traces.ask(n8n, { requestId: "never" });
  await page.isUnderWay;
  const ended = n8n.executions.map((one) => (one.id === "101" ? fakeExecution(101, "wanted") : one));
  n8n.executions = [...ended, ...usual(104, 127)];
  await traces.ask(n8n, { requestId: "never", window: { ...WINDOW, startedAfter: iso(104) } });
  expect(isRight(await joinHeld(traces, n8n, page, first, "wanted"))).toBe(true);
});

test("one that a scan has read while it ran, for somebody who joins that scan once it has ended", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n(fakeHistory(100).with(49, runningExecution(50, "early")));
  n8n.dates = "filtered";
  // The newest are known, so that a look goes no further down than these.
  await traces.ask(n8n, { requestId: "never", window: { ...WINDOW, startedAfter: iso(60) } });
  const page = holdDataPage();
  n8n.intercept = async (url) => {
    if (!isDataPage(url)) return undefined;
    const answer = shownPage(n8n);
    await page.hold();
    return answer;
  };
  const first = traces.ask(n8n, { requestId: "never" });
  await page.isUnderWay;
  n8n.executions = n8n.executions.with(49, fakeExecution(50, "late"));
  expect(isRight(await joinHeld(traces, n8n, page, first, "late"))).toBe(true);
});

/** The first page with data comes in parts, the second of which waits. */
function inParts(page: HeldPage) {
  let parts = 0;
  return async (url: URL): Promise<Response | undefined> => {
    if (!isDataPage(url)) return undefined;
    if (parts === 0 && Number(url.searchParams.get("limit")) > 12) return failure(500);
    parts += 1;
    if (parts === 2) await page.hold();
    return undefined;
  };
}

test("one whose end another scan has read, while a page with an older state of it came in parts", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n(fakeHistory(100).with(94, fakeExecution(95, "early", { status: "waiting" })));
  const page = holdDataPage();
  n8n.intercept = inParts(page);
  const first = traces.ask(n8n, { requestId: "never" });
  await page.isUnderWay;
  n8n.executions = n8n.executions.with(94, fakeExecution(95, "late", { stoppedAt: iso(9_000) }));
  n8n.executions.push(...usual(101, 140));
  traces.clock.time += 10_000;
  await traces.ask(n8n, { requestId: "never", deep: true }, "ben");
  expect(rowsOf(traces.history.sql).get("95")?.status).toBe("success");
  page.end();
  await first;
  expect(rowsOf(traces.history.sql).get("95")?.status).toBe("success");
});

test.each([0, 300])(
  "those of a restored n8n, which another scan has read, while a page came in parts, with %d known",
  async (known) => {
    const traces = createTestTraces();
    const n8n = createFakeN8n(fakeHistory(known));
    if (known > 0) await traces.ask(n8n, { requestId: "never" });
    n8n.executions = fakeHistory(318);
    traces.clock.time += 60_000;
    const page = holdDataPage();
    n8n.intercept = inParts(page);
    const first = traces.ask(n8n, { requestId: "never", limit: 100 });
    await page.isUnderWay;
    const again = (id: number): FakeExecution =>
      fakeExecution(id, `again-${id}`, { startedAt: iso(2_000 + id), stoppedAt: iso(2_001 + id) });
    n8n.executions = [...fakeHistory(200), ...range(201, 900).map(again)];
    traces.clock.time += 10_000;
    await traces.ask(n8n, { requestId: "never", deep: true }, "ben");
    page.end();
    await first;
    const rows = rowsOf(traces.history.sql);
    const claims = claimsOf(traces.history.sql);
    const stale = n8n.executions.filter(
      ({ id, startedAt }) =>
        claims.some(({ high, low }) => Number(id) <= high && Number(id) >= low) &&
        rows.get(id)?.startedAt !== startedAt,
    );
    expect(stale).toEqual([]);
    traces.clock.time += 60_000;
    expect(await traces.ask(n8n, { requestId: "again-310" })).toMatchObject({ found: true });
  },
);

test("one that makes room after it was read, before its trace is answered", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n(fakeHistory(700).with(4, fakeExecution(5, "wanted")));
  const told = Promise.withResolvers<void>();
  traces.onProgress = async () => await told.promise;
  const asked = traces.ask(n8n, { requestId: "wanted" });
  const { instance } = traces.history;
  await passTurns(1);
  while (instance.scans.isBusy) await passTurns(1);
  const settings = { intervalMs: 60_000, days: 3_000, maxExecutions: 300 };
  await instance.step(traces.sourcesOf(n8n), settings);
  told.resolve();
  expect(isRight(await asked)).toBe(true);
});

test("one that ran where n8n does not show it, and that another scan has read since, for a deep trace", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n(fakeHistory(60).with(39, runningExecution(40, "other")));
  n8n.old = N8N_1_100;
  traces.capabilities.known = { ...N8N_2, statuses: ["error", "success", "waiting"], listsStatus: false };
  const page = holdDataPage();
  n8n.intercept = async (url) => {
    if (!isDataPage(url)) return undefined;
    const answer = shownPage(n8n);
    await page.hold();
    return answer;
  };
  const deep = traces.ask(n8n, { requestId: "q-40", deep: true });
  await page.isUnderWay;
  n8n.intercept = () => undefined;
  const data = webhookData({ body: { note: "for q-40" } });
  n8n.executions = n8n.executions.with(39, fakeExecution(40, "", { data }));
  await traces.ask(n8n, { requestId: "never" }, "ben");
  expect(rowsOf(traces.history.sql).get("40")?.status).toBe("success");
  page.end();
  const { executions, coverage } = await deep;
  expect(coverage).toMatchObject({ complete: true, searchedForMentions: 60 });
  expect(executions.map(({ id }) => id)).toEqual(["40"]);
});

test.each([499, 749])(
  "those of a window, where execution %d began far later than its neighbours",
  async (late) => {
    const traces = createTestTraces();
    const begunLate = fakeExecution(late, `r-${late}`, { startedAt: iso(5_000), stoppedAt: iso(5_001) });
    const n8n = createFakeN8n(fakeHistory(1_000).with(late - 1, begunLate));
    const window = { workflowId: null, startedAfter: iso(450), startedBefore: iso(800) };
    expect(await traces.ask(n8n, { requestId: "r-790", window })).toMatchObject({ found: true });
  },
);

describe("another n8n answers one list of", () => {
  test.each([
    [
      "a deep trace",
      true,
      fakeHistory(700).filter(({ id }) => Number(id) > 500 || Number(id) % 2 === 0),
      "r-256",
    ],
    ["a trace", false, fakeHistory(1_400).filter(({ id }) => Number(id) % 2 === 0), "r-1102"],
  ] as const)("%s", async (_what, deep, executions, requestId) => {
    const traces = createTestTraces();
    const n8n = createFakeN8n([...executions]);
    let others = 0;
    n8n.intercept = (url) => {
      if (!isList(url) || !hasCursor(url) || others > 0) return undefined;
      others += 1;
      return listedByAnother(
        range(1, 12)
          .map((place) => 1_300 - 100 * place)
          .filter((id) => id < executions.length),
      );
    };
    let answer = await traces.ask(n8n, { requestId, deep });
    expect(others).toBe(1);
    expect(isRight(answer)).toBe(true);
    for (let calls = 0; calls < 2; calls += 1) {
      traces.clock.time += 60_000;
      answer = await traces.ask(n8n, { traceId: answer.traceId });
      expect(isRight(answer)).toBe(true);
    }
    expect(isRight(await traces.ask(n8n, { requestId }))).toBe(true);
    expect(claimedButUnknown(n8n.executions, traces.history.sql)).toEqual([]);
  });

  test("a look, which deletes nothing of what is known", async () => {
    const traces = createTestTraces();
    const n8n = createFakeN8n(fakeHistory(700));
    await traces.ask(n8n, { requestId: "never" });
    let others = 0;
    n8n.intercept = (url) => {
      if (!isList(url) || others > 0) return undefined;
      others += 1;
      return listedByAnother(range(0, 24).map((place) => 695 - 10 * place));
    };
    traces.clock.time += 60_000;
    await traces.ask(n8n, { requestId: "never" });
    expect(others).toBe(1);
    const deleted = [...rowsOf(traces.history.sql).values()].filter(({ isDeleted }) => isDeleted === 1);
    expect(deleted).toEqual([]);
  });
});
