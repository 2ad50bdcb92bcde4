/** Pages that are requested by computed ids: fewer lists, and no claim about executions that were not seen. */
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
import { answerOnce, expectNothingTwice, iso, passTurns, placesOf } from "./set-up.ts";

let traces: TestTraces;
beforeEach(() => {
  traces = createTestTraces();
});

const below = (url: URL): string | undefined =>
  readExecutionCursor(url.searchParams.get("cursor") ?? "")?.lastId;

/** Expects that each request is found without reading any page. */
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

describe("a dense unknown history", () => {
  test("is read without lists below the first page, except at its end", async () => {
    const n8n = createFakeN8n(fakeHistory(700));
    const answer = await traces.ask(n8n, { requestId: "r-1" });
    expect(answer).toMatchObject({ found: true, coverage: { complete: true, readNow: 700 } });
    expect(placesOf(listsOf(n8n))).toEqual(["newest", "below 151: 150"]);
    expect(placesOf(dataPagesOf(n8n))).toEqual([
      "below 701: 100",
      "below 601: 100",
      "below 501: 100",
      "below 401: 250",
      "below 151: 150",
    ]);
    await expectAllKnown(n8n, ["r-1", "r-250", "r-251", "r-600", "r-700"]);
  });

  test("is listed at its end while n8n sends the last page", async () => {
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

  test("is read once, and claimed except for the newest", async () => {
    const n8n = createFakeN8n(fakeHistory(633));
    await traces.ask(n8n, { requestId: "r-1" });
    expectNothingTwice(n8n);
    expect(traces.history.instance.store.stretches.of("listed")).toMatchObject([
      { high: "630", low: "1", isBottom: true },
    ]);
  });

  test("is read with at most two requests at a time", async () => {
    const n8n = createFakeN8n(fakeHistory(1_500));
    n8n.latencyMs = 1;
    await traces.ask(n8n, { requestId: "r-1" });
    expect(n8n.mostAtOnce).toBe(2);
  });

  test("continues where the limit stopped it", async () => {
    const n8n = createFakeN8n(fakeHistory(900));
    const first = await traces.ask(n8n, { requestId: "r-1", limit: 300 });
    expect(first.coverage).toMatchObject({ complete: false, stoppedBy: "limit", readNow: 300 });
    const second = await traces.ask(n8n, { traceId: first.traceId, requestId: "r-1" });
    expect(second).toMatchObject({ found: true, coverage: { complete: true, readNow: 600 } });
    expectNothingTwice(n8n);
  });
});

describe("gaps between the ids", () => {
  test("a few missing ids cost no extra reading", async () => {
    const executions = fakeHistory(800).filter(({ id }) => Number(id) % 40 !== 7);
    const n8n = createFakeN8n(executions);
    await traces.ask(n8n, { requestId: "r-1" });
    expect(listsOf(n8n).length).toBeLessThan(4);
    await expectAllKnown(n8n, requestIdsOf(executions.filter((_one, index) => index % 60 === 0)));
  });

  test("all executions are listed where many ids are missing", async () => {
    const executions = fakeHistory(800).filter(({ id }) => Number(id) % 3 !== 0);
    const n8n = createFakeN8n(executions);
    await traces.ask(n8n, { requestId: "r-1" });
    expect(listsOf(n8n).length).toBe(3);
    expectNothingTwice(n8n);
    await expectAllKnown(n8n, ["r-1", "r-799"]);
  });

  test("listing starts where ids begin to be missing", async () => {
    const executions = fakeHistory(1_500).filter(({ id }) => Number(id) > 900 || Number(id) % 3 === 0);
    const n8n = createFakeN8n(executions);
    await traces.ask(n8n, { requestId: "r-3" });
    expect(n8n.sent.length - new Set(n8n.sent).size).toBeLessThan(500);
    await expectAllKnown(n8n, requestIdsOf(executions.filter((_one, index) => index % 80 === 0)));
  });

  test.each([550, 600])("the end of a history pruned up to %d is recognized", async (gone) => {
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

describe("a page that cannot be used", () => {
  const answers: readonly (readonly [string, (url: URL) => Response])[] = [
    ["fails", () => failure(500)],
    ["breaks off", () => jsonAnswer('{"data":[{"id":"500","da')],
    ["is empty", () => jsonAnswer({ data: [], nextCursor: null })],
    ["lacks an execution", (url) => pageOf(url, (id) => id !== 480)],
    ["holds an execution of an unknown shape", (url) => pageOf(url, () => true, 480)],
    ["holds other executions", () => jsonAnswer({ data: fakeHistory(250), nextCursor: null })],
  ];

  /** n8n's answer, without some executions or with a broken one. */
  function pageOf(url: URL, has: (id: number) => boolean, broken?: number): Response {
    const cursor = readExecutionCursor(url.searchParams.get("cursor") ?? "");
    const [high, limit] = [Number(cursor?.lastId), cursor?.limit ?? 0];
    const data = Array.from({ length: limit }, (_one, index) => high - 1 - index)
      .filter(has)
      .map((id) => (id === broken ? { id: String(id), workflowId: 7 } : fakeExecution(id, `r-${id}`)));
    return jsonAnswer({ data, nextCursor: null });
  }

  test.each(answers)("is replaced by lists when it %s", async (_how, answer) => {
    const n8n = createFakeN8n(fakeHistory(1_200));
    const failed = answerOnce(n8n, (url) => isDataPage(url) && below(url) === "1001", answer);
    const first = await traces.ask(n8n, { requestId: "r-1" });
    expect(failed()).toBe(1);
    expect(first).toMatchObject({ found: true, coverage: { complete: true, skipped: [] } });
    await expectAllKnown(n8n, ["r-480", "r-700", "r-751", "r-999", "r-1000", "r-1001", "r-1100"]);
  });

  test("is replaced by lists when the only page fails", async () => {
    const n8n = createFakeN8n(fakeHistory(108));
    const failed = answerOnce(
      n8n,
      (url) => isDataPage(url) && below(url) === "9",
      () => failure(500),
    );
    const answer = await traces.ask(n8n, { requestId: "r-7" });
    expect(failed()).toBe(1);
    expect(answer).toMatchObject({ found: true, coverage: { complete: true, scannedExecutions: 108 } });
    await expectAllKnown(n8n, ["r-1", "r-8", "r-9"]);
  });

  test("is read again when the last page lacks a listed execution", async () => {
    const n8n = createFakeN8n(fakeHistory(700));
    const failed = answerOnce(
      n8n,
      (url) => isDataPage(url) && below(url) === "151",
      (url) => pageOf(url, (id) => id !== 80),
    );
    await traces.ask(n8n, { requestId: "r-1" });
    expect(failed()).toBe(1);
    await expectAllKnown(n8n, ["r-80", "r-1", "r-79"]);
  });

  test("claims neither its own executions nor those below", async () => {
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

  test("is not claimed while another scan reads a part of it", async () => {
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
      // The page below the partly read one has been read.
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

describe("direct pages are not tried", () => {
  test("with an n8n whose cursors cannot be made by hand", async () => {
    const n8n = createFakeN8n(fakeHistory(600));
    n8n.hasOpaqueCursors = true;
    await traces.ask(n8n, { requestId: "r-1" });
    expect(listsOf(n8n)).toHaveLength(6);
  });

  test("with an n8n that leaves executions out of its lists", async () => {
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
