/** Pages that are asked for by the ids they should have: fewer lists, and nothing claimed that was not seen. */
import { beforeEach, describe, expect, test } from "vitest";
import { readExecutionCursor } from "../../../src/n8n/execution-cursor.ts";
import {
  createFakeN8n,
  dataPagesOf,
  type FakeExecution,
  type FakeN8n,
  failure,
  fakeExecution,
  fakeHistory,
  forgetRequests,
  isDataPage,
  isList,
  jsonAnswer,
  listsOf,
  N8N_1_123,
} from "../../support/fake-n8n.ts";
import { createTestTraces, type TestTraces } from "../../support/test-traces.ts";
import { claimedButUnknown } from "../night/naive-reading.ts";
import { expectNothingTwice, iso, passTurns, placesOf } from "./set-up.ts";

let traces: TestTraces;
beforeEach(() => {
  traces = createTestTraces();
});

const below = (url: URL): string | undefined =>
  readExecutionCursor(url.searchParams.get("cursor") ?? "")?.lastId;

/** What a second trace finds without reading any page, and what is known of n8n then. */
async function expectAllKnown(n8n: FakeN8n, requestIds: readonly string[]): Promise<void> {
  forgetRequests(n8n);
  for (const requestId of requestIds)
    expect(await traces.ask(n8n, { requestId }), requestId).toMatchObject({
      found: true,
      coverage: { complete: true, scannedExecutions: n8n.executions.length, readNow: 0 },
    });
  expect(dataPagesOf(n8n)).toEqual([]);
}

const requestIdsOf = (executions: readonly FakeExecution[]): string[] =>
  executions.map(({ id }) => `r-${id}`);

describe("a dense history of which nothing is known", () => {
  test("is read without lists of what lies below the first, but for its end", async () => {
    const n8n = createFakeN8n(fakeHistory(700));
    const answer = await traces.ask(n8n, { requestId: "r-1" });
    expect(answer).toMatchObject({ found: true, coverage: { complete: true, readNow: 700 } });
    expect(placesOf(listsOf(n8n))).toEqual(["newest", "below 151: 150"]);
    expect(placesOf(dataPagesOf(n8n))).toEqual([
      ...["below 701: 100", "below 601: 100", "below 501: 100", "below 401: 250", "below 151: 150"],
    ]);
    await expectAllKnown(n8n, ["r-1", "r-250", "r-251", "r-600", "r-700"]);
  });

  test("its end is listed once n8n sends the last page", async () => {
    const n8n = createFakeN8n(fakeHistory(700));
    const listedMeanwhile: string[][] = [];
    n8n.intercept = async ({ searchParams }) => {
      if (searchParams.get("includeData") !== "true" || searchParams.get("limit") !== "150") return undefined;
      await passTurns(20);
      listedMeanwhile.push(placesOf(listsOf(n8n)));
      return undefined;
    };
    await traces.ask(n8n, { requestId: "r-1" });
    expect(listedMeanwhile).toEqual([["newest"]]);
    expect(placesOf(listsOf(n8n))).toEqual(["newest", "below 151: 150"]);
  });

  test("reads none of it twice, and claims all of it but the newest", async () => {
    const n8n = createFakeN8n(fakeHistory(633));
    await traces.ask(n8n, { requestId: "r-1" });
    expectNothingTwice(n8n);
    expect(traces.history.instance.store.stretches.of("listed")).toMatchObject([
      { high: "630", low: "1", isBottom: true },
    ]);
  });

  test("asks for two pages at a time, and no more", async () => {
    const n8n = createFakeN8n(fakeHistory(1_500));
    n8n.latencyMs = 1;
    await traces.ask(n8n, { requestId: "r-1" });
    expect(n8n.mostAtOnce).toBe(2);
  });

  test("is gone on with from where the limit cut it", async () => {
    const n8n = createFakeN8n(fakeHistory(900));
    const first = await traces.ask(n8n, { requestId: "r-1", limit: 300 });
    expect(first.coverage).toMatchObject({ complete: false, stoppedBy: "limit", readNow: 300 });
    const second = await traces.ask(n8n, { traceId: first.traceId, requestId: "r-1" });
    expect(second).toMatchObject({ found: true, coverage: { complete: true, readNow: 600 } });
    expectNothingTwice(n8n);
  });
});

describe("what lies between the ids", () => {
  test("a few that are missing cost no execution, and none is missed", async () => {
    const executions = fakeHistory(800).filter(({ id }) => Number(id) % 40 !== 7);
    const n8n = createFakeN8n(executions);
    await traces.ask(n8n, { requestId: "r-1" });
    expect(listsOf(n8n).length).toBeLessThan(4);
    await expectAllKnown(n8n, requestIdsOf(executions.filter((_one, index) => index % 60 === 0)));
  });

  test("where many are missing, all is listed", async () => {
    const executions = fakeHistory(800).filter(({ id }) => Number(id) % 3 !== 0);
    const n8n = createFakeN8n(executions);
    await traces.ask(n8n, { requestId: "r-1" });
    expect(listsOf(n8n).length).toBe(3);
    expectNothingTwice(n8n);
    await expectAllKnown(n8n, ["r-1", "r-799"]);
  });

  test("where they begin to be missing further down, it lists from there on", async () => {
    const executions = fakeHistory(1_500).filter(({ id }) => Number(id) > 900 || Number(id) % 3 === 0);
    const n8n = createFakeN8n(executions);
    await traces.ask(n8n, { requestId: "r-3" });
    expect(n8n.sent.length - new Set(n8n.sent).size).toBeLessThan(500);
    await expectAllKnown(n8n, requestIdsOf(executions.filter((_one, index) => index % 80 === 0)));
  });

  test.each([550, 600])("what n8n has pruned (up to %d) is no end that is missed", async (gone) => {
    const n8n = createFakeN8n(fakeHistory(1_000).filter(({ id }) => Number(id) > gone));
    const lowest = String(gone + 1);
    expect(await traces.ask(n8n, { requestId: `r-${lowest}` })).toMatchObject({
      coverage: { scannedExecutions: 1_000 - gone, oldestId: lowest, complete: true },
    });
    expect(traces.history.instance.store.stretches.of("listed")).toMatchObject([
      { low: lowest, isBottom: true },
    ]);
    await expectAllKnown(n8n, [`r-${lowest}`, "r-1000"]);
  });
});

describe("a page that does not count", () => {
  const answers: readonly (readonly [string, (url: URL) => Response])[] = [
    ["fails", () => failure(500)],
    ["breaks off", () => jsonAnswer('{"data":[{"id":"500","da')],
    ["is empty", () => jsonAnswer({ data: [], nextCursor: null })],
    ["lacks one", (url) => pageOf(url, (id) => id !== 480)],
    ["holds one of an unknown shape", (url) => pageOf(url, () => true, 480)],
    ["holds others", () => jsonAnswer({ data: fakeHistory(250), nextCursor: null })],
  ];

  /** What n8n would answer, but for one execution. */
  function pageOf(url: URL, has: (id: number) => boolean, broken?: number): Response {
    const cursor = readExecutionCursor(url.searchParams.get("cursor") ?? "");
    const [high, limit] = [Number(cursor?.lastId), cursor?.limit ?? 0];
    const data = Array.from({ length: limit }, (_one, index) => high - 1 - index)
      .filter(has)
      .map((id) => (id === broken ? { id: String(id), workflowId: 7 } : fakeExecution(id, `r-${id}`)));
    return jsonAnswer({ data, nextCursor: null });
  }

  test.each(answers)("is listed after all when it %s", async (_how, answer) => {
    const n8n = createFakeN8n(fakeHistory(1_200));
    let failed = 0;
    n8n.intercept = (url) => {
      if (!isDataPage(url) || below(url) !== "1001" || failed > 0) return undefined;
      failed += 1;
      return answer(url);
    };
    const first = await traces.ask(n8n, { requestId: "r-1" });
    expect(failed).toBe(1);
    expect(first).toMatchObject({ found: true, coverage: { complete: true, skipped: [] } });
    await expectAllKnown(n8n, ["r-480", "r-700", "r-751", "r-999", "r-1000", "r-1001", "r-1100"]);
  });

  test("is listed after all when it is the only one, and fails", async () => {
    const n8n = createFakeN8n(fakeHistory(108));
    let failed = 0;
    n8n.intercept = (url) => {
      if (!isDataPage(url) || below(url) !== "9" || failed > 0) return undefined;
      failed += 1;
      return failure(500);
    };
    const answer = await traces.ask(n8n, { requestId: "r-7" });
    expect(failed).toBe(1);
    expect(answer).toMatchObject({ found: true, coverage: { complete: true, scannedExecutions: 108 } });
    await expectAllKnown(n8n, ["r-1", "r-8", "r-9"]);
  });

  test("is read again when it is the last one, and lacks one that is listed", async () => {
    const n8n = createFakeN8n(fakeHistory(700));
    let failed = 0;
    n8n.intercept = (url) => {
      if (!isDataPage(url) || below(url) !== "151" || failed > 0) return undefined;
      failed += 1;
      return pageOf(url, (id) => id !== 80);
    };
    await traces.ask(n8n, { requestId: "r-1" });
    expect(failed).toBe(1);
    await expectAllKnown(n8n, ["r-80", "r-1", "r-79"]);
  });

  test("claims nothing of itself and of what lies below", async () => {
    const n8n = createFakeN8n(fakeHistory(1_200));
    n8n.intercept = (url) => {
      const isBelow = Number(below(url) ?? "9999") <= 1_001;
      return isBelow && (isDataPage(url) || !url.searchParams.has("status")) ? failure(500) : undefined;
    };
    const answer = await traces.ask(n8n, { requestId: "r-1150" });
    expect(answer.coverage).toMatchObject({ complete: false, stoppedBy: "n8n" });
    expect(traces.history.instance.store.stretches.of("listed")).toMatchObject([
      { high: "1197", low: "1001", isBottom: false },
    ]);
  });

  test("nor where another scan is reading some of it", async () => {
    const n8n = createFakeN8n(fakeHistory(1_200));
    n8n.dates = "filtered";
    const isUnderWay = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const claimed: string[] = [];
    n8n.intercept = async (url) => {
      claimed.push(...claimedButUnknown(n8n.executions, traces.history.sql));
      if (isDataPage(url) && url.searchParams.get("limit") === "11") {
        isUnderWay.resolve();
        await mayEnd.promise;
      }
      // The page below the one of which a part is under way has been read.
      if (isList(url) && below(url) === "1101") mayEnd.resolve();
      return undefined;
    };
    const around = { workflowId: null, startedAfter: iso(1_040), startedBefore: iso(1_050) };
    const other = traces.ask(n8n, { requestId: "r-1045", window: around });
    await isUnderWay.promise;
    await traces.ask(n8n, { requestId: "r-1150" });
    await other;
    expect(placesOf(dataPagesOf(n8n))).toContain("below 1001: 100");
    expect(claimed).toEqual([]);
  });
});

describe("it is not tried", () => {
  test("in an n8n whose cursors cannot be made by hand", async () => {
    const n8n = createFakeN8n(fakeHistory(600));
    n8n.hasOpaqueCursors = true;
    await traces.ask(n8n, { requestId: "r-1" });
    expect(listsOf(n8n)).toHaveLength(6);
  });

  test("in an n8n that leaves executions out of its lists", async () => {
    const n8n = createFakeN8n(fakeHistory(600));
    n8n.old = N8N_1_123;
    await traces.ask(n8n, { requestId: "r-1" });
    expect(listsOf(n8n).length).toBeGreaterThanOrEqual(3);
  });

  test("where executions below are known", async () => {
    const n8n = createFakeN8n(fakeHistory(300));
    await traces.ask(n8n, { requestId: "r-1" });
    n8n.executions = fakeHistory(900);
    await traces.ask(n8n, { requestId: "r-500" });
    expectNothingTwice(n8n);
  });
});
