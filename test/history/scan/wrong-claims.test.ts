/** Changes between two requests of a scan: no answer that calls itself complete misses one. */
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
import { each, ended } from "./queue-set-up.ts";
import { answerOnce, iso, passTurns, runningExecution } from "./set-up.ts";

const hasCursor = (url: URL): boolean =>
  readExecutionCursor(url.searchParams.get("cursor") ?? "") !== undefined;

const range = (from: number, to: number): number[] => each(from, to, (id) => id);
/** A list as an n8n of another version answers it. */
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

/** Holds back the next data page. */
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

/** A data page as n8n answers it, which leaves out running executions. */
const shownPage = (n8n: FakeN8n, limit = Number.POSITIVE_INFINITY): Response => {
  const shown = n8n.executions.filter(({ status }) => status !== "running");
  return jsonAnswer({ data: shown.reverse().slice(0, limit), nextCursor: null });
};

/** A second caller joins a scan whose page is held. @returns their answer */
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

test("an execution that begins while nothing on the first page has begun", async () => {
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
  const stopped = fakeExecution(251, "wanted", { startedAt: iso(5_000), stoppedAt: iso(5_001) });
  n8n.executions = n8n.executions.map((one) => (one.id === "251" ? stopped : one));
  n8n.executions.push(...notBegun(256, 279));
  traces.clock.time += 60_000;
  await traces.ask(n8n, { requestId: "wanted" });
  expect(claimedButUnknown(n8n.executions, traces.history.sql)).toEqual([]);
});

test("an execution that begins between the lists, for a caller who joins the scan later", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n(fakeHistory(100));
  n8n.dates = "filtered";
  const page = holdDataPage();
  let hasBegun = false;
  n8n.intercept = async (url) => {
    if (!hasBegun && isList(url)) {
      hasBegun = true;
      n8n.executions.push(runningExecution(101, "wanted"), ...ended(102, 103));
    }
    if (!isDataPage(url)) return undefined;
    const answer = shownPage(n8n, Number(url.searchParams.get("limit")));
    await page.hold();
    return answer;
  };
  const first = traces.ask(n8n, { requestId: "never" });
  await page.isUnderWay;
  const withEnded = n8n.executions.map((one) => (one.id === "101" ? fakeExecution(101, "wanted") : one));
  n8n.executions = [...withEnded, ...ended(104, 127)];
  await traces.ask(n8n, { requestId: "never", window: { ...WINDOW, startedAfter: iso(104) } });
  expect(isRight(await joinHeld(traces, n8n, page, first, "wanted"))).toBe(true);
});

test("an execution that a scan read while it ran, for a caller who joins once it has ended", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n(fakeHistory(100).with(49, runningExecution(50, "early")));
  n8n.dates = "filtered";
  // The newest are known, so a look goes no further down.
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

/** Delivers the first data page in parts, and holds back the second part. */
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

test("an execution whose end another scan read while an older state of it arrived in parts", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n(fakeHistory(100).with(94, fakeExecution(95, "early", { status: "waiting" })));
  const page = holdDataPage();
  n8n.intercept = inParts(page);
  const first = traces.ask(n8n, { requestId: "never" });
  await page.isUnderWay;
  n8n.executions = n8n.executions.with(94, fakeExecution(95, "late", { stoppedAt: iso(9_000) }));
  n8n.executions.push(...ended(101, 140));
  traces.clock.time += 10_000;
  await traces.ask(n8n, { requestId: "never", deep: true }, "ben");
  expect(rowsOf(traces.history.sql).get("95")?.status).toBe("success");
  page.end();
  await first;
  expect(rowsOf(traces.history.sql).get("95")?.status).toBe("success");
});

test.each([0, 300])(
  "executions of a restored n8n, read by another scan while a page arrived in parts (%d known)",
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

test("an execution that is dropped after it was read, before its trace is answered", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n(fakeHistory(700).with(4, fakeExecution(5, "wanted")));
  const reported = Promise.withResolvers<void>();
  traces.onProgress = async () => await reported.promise;
  const asked = traces.ask(n8n, { requestId: "wanted" });
  const { instance } = traces.history;
  await passTurns(1);
  while (instance.scans.isBusy) await passTurns(1);
  await traces.step(n8n, { days: 3_000, maxExecutions: 300 });
  reported.resolve();
  expect(isRight(await asked)).toBe(true);
});

test("a hidden running execution that another scan has read since, for a deep trace", async () => {
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
  "executions of a window in which execution %d began far later than its neighbors",
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
    const others = answerOnce(
      n8n,
      (url) => isList(url) && hasCursor(url),
      () =>
        listedByAnother(each(1, 12, (place) => 1_300 - 100 * place).filter((id) => id < executions.length)),
    );
    let answer = await traces.ask(n8n, { requestId, deep });
    expect(others()).toBe(1);
    expect(isRight(answer)).toBe(true);
    for (let calls = 0; calls < 2; calls += 1) {
      traces.clock.time += 60_000;
      answer = await traces.ask(n8n, { traceId: answer.traceId });
      expect(isRight(answer)).toBe(true);
    }
    expect(isRight(await traces.ask(n8n, { requestId }))).toBe(true);
    expect(claimedButUnknown(n8n.executions, traces.history.sql)).toEqual([]);
  });

  test("a look, which does not mark known executions as deleted", async () => {
    const traces = createTestTraces();
    const n8n = createFakeN8n(fakeHistory(700));
    await traces.ask(n8n, { requestId: "never" });
    const others = answerOnce(n8n, isList, () => listedByAnother(each(0, 24, (place) => 695 - 10 * place)));
    traces.clock.time += 60_000;
    await traces.ask(n8n, { requestId: "never" });
    expect(others()).toBe(1);
    const deleted = [...rowsOf(traces.history.sql).values()].filter(({ isDeleted }) => isDeleted === 1);
    expect(deleted).toEqual([]);
  });
});
