/** How a trace scans n8n's executions: limits, continuation, windows, failures of n8n and obstacles. */
import { beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { MAX_CORRELATIONS } from "../../../src/history/payload/id-collector.ts";
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
  singlesOf,
  webhookData,
} from "../../support/fake-n8n.ts";
import { createLocalCapabilities, N8N_2 } from "../../support/local-capabilities.ts";
import { createTestTraces, type TestTraces, WINDOW } from "../../support/test-traces.ts";
import { expectNothingTwice, iso, isSingle, letAnswersTake, placesOf } from "./set-up.ts";

const listedPage = z.object({ data: z.array(z.looseObject({ id: z.string() })), nextCursor: z.unknown() });
type Listed = z.infer<typeof listedPage>["data"];

let traces: TestTraces;
beforeEach(() => {
  traces = createTestTraces();
});

describe("requests to n8n", () => {
  test("list the newest without data, and then read everything in pages", async () => {
    const n8n = createFakeN8n(fakeHistory(450));
    const answer = await traces.ask(n8n, { requestId: "r-10" });
    expect(answer).toMatchObject({ found: true, coverage: { scannedExecutions: 450, complete: true } });
    expect(placesOf(listsOf(n8n))).toEqual(["newest", "below 151: 150"]);
    const begins = placesOf(dataPagesOf(n8n));
    expect(begins).toEqual(["below 451: 100", "below 351: 100", "below 251: 100", "below 151: 150"]);
    expectNothingTwice(n8n);
  });

  test("list everything without data where ids are missing, and then read it in pages", async () => {
    const n8n = createFakeN8n(fakeHistory(900).filter(({ id }) => Number(id) % 2 === 0));
    const answer = await traces.ask(n8n, { requestId: "r-10" });
    expect(answer).toMatchObject({ found: true, coverage: { scannedExecutions: 450, complete: true } });
    expect(placesOf(listsOf(n8n))).toEqual(["newest", "below 702: 250", "below 202: 250"]);
    const begins = placesOf(dataPagesOf(n8n));
    expect(begins).toEqual([
      "below 901: 100",
      "below 701: 100",
      "below 501: 100",
      "below 301: 50",
      "below 201: 100",
    ]);
    expectNothingTwice(n8n);
  });

  test("number at most two at a time, also while links are followed", async () => {
    const child = (id: number) => ({
      data: {
        ...Object(webhookData({ body: { requestId: "family" } })),
        parentExecution: { executionId: String(id - 500), workflowId: "w1" },
      },
    });
    const executions = Array.from({ length: 30 }, (_one, index) =>
      fakeExecution(501 + index, "", { mode: "integrated", ...child(501 + index) }),
    );
    const n8n = createFakeN8n([...fakeHistory(420), ...executions]);
    n8n.latencyMs = 1;
    const window = { ...WINDOW, startedAfter: iso(100) };
    const answer = await traces.ask(n8n, { requestId: "family", window });
    expect(answer.executions.length).toBeGreaterThan(30);
    expect(singlesOf(n8n).length).toBeGreaterThan(10);
    expect(n8n.mostAtOnce).toBe(2);
  });

  test("number at most two at a time when n8n fails at a list while pages are read", async () => {
    const n8n = createFakeN8n(fakeHistory(700));
    n8n.latencyMs = 2;
    n8n.intercept = (url) => (isList(url) && url.searchParams.has("cursor") ? failure(401) : undefined);
    await traces.ask(n8n, { requestId: "r-650" });
    const asked = n8n.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(n8n.mostAtOnce).toBeLessThanOrEqual(2);
    expect(n8n.requests).toHaveLength(asked);
  });
});

describe("limits", () => {
  test("a trace stops at its limit, and its traceId continues without reading anything twice", async () => {
    const n8n = createFakeN8n(fakeHistory(450));
    const first = await traces.ask(n8n, { requestId: "r-10", limit: 150 });
    expect(first).toMatchObject({
      found: false,
      coverage: { scannedExecutions: 150, readNow: 150, complete: false, stoppedBy: "limit" },
    });
    expect(first.sentence).toMatch(/was not found yet.*the rest of the window was not read yet/);
    expect(new Set(n8n.sent).size).toBe(150);

    const second = await traces.ask(n8n, { traceId: first.traceId });
    expect(second).toMatchObject({
      requestId: "r-10",
      found: true,
      outcome: "success",
      coverage: { scannedExecutions: 450, readNow: 300, complete: true },
    });
    expectNothingTwice(n8n);
  });

  test("a limit is kept exactly", async () => {
    const n8n = createFakeN8n(fakeHistory(500));
    const first = await traces.ask(n8n, { requestId: "never", limit: 150 });
    for (const [limit, scanned] of [
      [7, 157],
      [1, 158],
      [300, 458],
    ] as const) {
      const answer = await traces.ask(n8n, { traceId: first.traceId, limit });
      expect(answer).toMatchObject({ coverage: { scannedExecutions: scanned, readNow: limit } });
    }
    expectNothingTwice(n8n);
  });

  test("a limit equal to the number of executions gives a complete answer", async () => {
    const n8n = createFakeN8n(fakeHistory(250));
    const answer = await traces.ask(n8n, { requestId: "never", limit: 250 });
    expect(answer.coverage).toMatchObject({ complete: true, stoppedBy: "complete" });
  });

  test("a trace stops when its time is up, and continues from what it read", async () => {
    const n8n = createFakeN8n(fakeHistory(800));
    letAnswersTake(n8n, traces, 4_000);
    const first = await traces.ask(n8n, { requestId: "r-1", timeBudgetMs: 20_000 });
    expect(first).toMatchObject({ found: false, coverage: { complete: false, stoppedBy: "time" } });
    expect(first.coverage.scannedExecutions).toBeGreaterThan(0);
    expect(first.coverage.scannedExecutions).toBeLessThan(800);
    n8n.intercept = () => undefined;
    expect(await traces.ask(n8n, { traceId: first.traceId })).toMatchObject({
      found: true,
      coverage: { complete: true, scannedExecutions: 800 },
    });
    expectNothingTwice(n8n);
  });

  test("each call reads a page, however slow n8n is", async () => {
    const n8n = createFakeN8n(fakeHistory(500));
    letAnswersTake(n8n, traces, 800);
    const scanned: number[] = [];
    let answer = await traces.ask(n8n, { requestId: "r-1", timeBudgetMs: 1_000 });
    while (!answer.coverage.complete && scanned.length < 6) {
      scanned.push(answer.coverage.scannedExecutions);
      answer = await traces.ask(n8n, { traceId: answer.traceId, timeBudgetMs: 1_000 });
    }
    expect(answer).toMatchObject({ found: true, coverage: { complete: true, scannedExecutions: 500 } });
    expect(scanned).toEqual(scanned.toSorted((a, b) => a - b));
    expect(new Set(scanned).size).toBe(scanned.length);
    expectNothingTwice(n8n);
  });

  test("the time budget comes from the arguments", async () => {
    const n8n = createFakeN8n(fakeHistory(800));
    letAnswersTake(n8n, traces, 3_600);
    const answer = await traces.ask(n8n, { requestId: "r-1", timeBudgetMs: 55_000 });
    expect(answer.coverage).toMatchObject({ complete: true });
  });
});

describe("a failure of n8n", () => {
  const failsAtPage = (n8n: FakeN8n, count: number, status = 502): void => {
    let pages = 0;
    n8n.intercept = (url) => {
      if (!isDataPage(url)) return isList(url) && pages >= count ? failure(status) : undefined;
      pages += 1;
      return pages > count ? failure(status) : undefined;
    };
  };

  test("at once is the only result", async () => {
    const n8n = createFakeN8n(fakeHistory(10));
    n8n.intercept = () => failure(401);
    await expect(traces.ask(n8n, { requestId: "r-1" })).rejects.toMatchObject({ code: "N8N_UNAUTHORIZED" });
    expect(n8n.requests.length).toBeLessThanOrEqual(2);
  });

  test("before the request was found gives an error with the traceId, which continues", async () => {
    const n8n = createFakeN8n(fakeHistory(300));
    failsAtPage(n8n, 1);
    const error = await traces.ask(n8n, { requestId: "r-7" }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "N8N_UNREACHABLE",
      details: { traceId: "trace_1", scannedExecutions: 100 },
    });
    n8n.intercept = () => undefined;
    expect(await traces.ask(n8n, { traceId: "trace_1" })).toMatchObject({
      found: true,
      coverage: { scannedExecutions: 300, readNow: 200, complete: true },
    });
    expectNothingTwice(n8n);
  });

  test("after the request was found gives an incomplete answer", async () => {
    const n8n = createFakeN8n(fakeHistory(300));
    failsAtPage(n8n, 1);
    const answer = await traces.ask(n8n, { requestId: "r-299" });
    expect(answer).toMatchObject({
      found: true,
      outcome: "success",
      coverage: { complete: false, stoppedBy: "n8n" },
    });
    expect(answer.stop).toMatchObject({ reason: "n8n", error: { code: "N8N_UNREACHABLE" } });
  });

  test("in the middle of a page keeps what came before, which is not read again", async () => {
    const n8n = createFakeN8n(fakeHistory(100));
    const whole = JSON.stringify({ data: fakeHistory(100).reverse(), nextCursor: null });
    let pages = 0;
    n8n.intercept = (url) => {
      if (!isDataPage(url)) return undefined;
      pages += 1;
      return pages === 1 ? jsonAnswer(whole.slice(0, whole.length / 2)) : failure(401);
    };
    const error = await traces.ask(n8n, { requestId: "r-1" }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "N8N_UNAUTHORIZED" });
    n8n.intercept = () => undefined;
    forgetRequests(n8n);
    const answer = await traces.ask(n8n, { requestId: "r-1" });
    expect(answer).toMatchObject({ found: true, coverage: { scannedExecutions: 100, complete: true } });
    expect(n8n.sent.length).toBeLessThan(60);
    expect(n8n.sent.length).toBeGreaterThan(40);
  });

  test("for a moment is retried", async () => {
    const n8n = createFakeN8n(fakeHistory(250));
    let asked = 0;
    n8n.intercept = () => {
      asked += 1;
      return asked % 3 === 0 ? failure(503) : undefined;
    };
    expect(await traces.ask(n8n, { requestId: "r-1" })).toMatchObject({
      found: true,
      coverage: { complete: true, scannedExecutions: 250, skipped: [] },
    });
    expectNothingTwice(n8n);
  });
});

describe("the window", () => {
  const window = { workflowId: "w1", startedAfter: iso(150), startedBefore: iso(250) };

  test.each(["ignored", "filtered", "refused"] as const)(
    "is kept where n8n's date filter is %s",
    async (dates) => {
      const n8n = createFakeN8n(fakeHistory(300));
      n8n.dates = dates;
      const answer = await traces.ask(n8n, { requestId: "r-120", window });
      expect(answer.found).toBe(false);
      expect(answer.coverage).toMatchObject({ from: iso(150), to: iso(250), complete: true });
      expect(answer.coverage.scannedExecutions).toBe(101);
      const [first] = listsOf(n8n);
      expect(first?.get("workflowId")).toBe("w1");
      expect(first?.get("startedAfter")).toBe(iso(150));
      expect(await traces.ask(n8n, { requestId: "r-200", window })).toMatchObject({ found: true });
      expectNothingTwice(n8n);
    },
  );

  test.each(["ignored", "refused"] as const)(
    "an n8n whose date filter is %s is asked with dates only once",
    async (dates) => {
      const n8n = createFakeN8n(fakeHistory(300));
      n8n.dates = dates;
      const before = { ...WINDOW, startedBefore: iso(160) };
      expect(await traces.ask(n8n, { requestId: "r-120", window: before })).toMatchObject({
        found: true,
        coverage: { complete: true, scannedExecutions: 160 },
      });
      const withDates = () => listsOf(n8n).filter((query) => query.has("startedBefore"));
      expect(withDates()).toHaveLength(1);
      forgetRequests(n8n);
      expect(await traces.ask(n8n, { requestId: "r-130", window })).toMatchObject({ found: false });
      expect(withDates()).toHaveLength(0);
    },
  );

  test("far back in a history without date filter is found by bisection", async () => {
    const n8n = createFakeN8n(fakeHistory(20_000));
    n8n.dates = "refused";
    const old = { ...WINDOW, startedAfter: iso(40), startedBefore: iso(60) };
    const answer = await traces.ask(n8n, { requestId: "r-50", window: old });
    expect(answer).toMatchObject({ found: true, coverage: { complete: true, scannedExecutions: 21 } });
    expect(listsOf(n8n).length).toBeLessThan(20);
    expect(n8n.sent.length).toBeLessThan(200);
  });
});

test("once a page cannot be stored, no further pages are requested", async () => {
  const failing = createTestTraces();
  const { store } = failing.history.instance;
  const keep = store.keep.bind(store);
  let kept = 0;
  vi.spyOn(store, "keep").mockImplementation((...checkpoint) => {
    kept += 1;
    if (kept === 2) throw new Error("The storage is full.");
    keep(...checkpoint);
  });
  const n8n = createFakeN8n(fakeHistory(2_000));
  n8n.latencyMs = 1;
  await expect(failing.ask(n8n, { requestId: "r-1" })).rejects.toThrow("The storage is full.");
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(dataPagesOf(n8n).length).toBeLessThanOrEqual(6);
});

describe("obstacles", () => {
  test("an execution of many megabytes is searched like any other", async () => {
    const data = webhookData({ body: { requestId: "large" }, blob: "x".repeat(9_000_000) });
    const n8n = createFakeN8n([...fakeHistory(20), fakeExecution(50, "", { data })]);
    const answer = await traces.ask(n8n, { requestId: "large" });
    expect(answer).toMatchObject({
      found: true,
      coverage: { scannedExecutions: 21, complete: true, skipped: [] },
    });
    expectNothingTwice(n8n);
  });

  test("an id in the last of very many items is found", async () => {
    const items = Array.from({ length: 900 }, (_one, index) => ({ i: index, requestId: `r-deep-${index}` }));
    const n8n = createFakeN8n([fakeExecution(9, "", { data: webhookData(...items) })]);
    const answer = await traces.ask(n8n, { requestId: "r-deep-899" });
    expect(answer).toMatchObject({ found: true, coverage: { skipped: [] } });
  });

  test("an execution with more ids than are stored is reported as partly known", async () => {
    const items = Array.from({ length: 1_200 }, (_one, index) => ({ requestId: `r-deep-${index}` }));
    const n8n = createFakeN8n([fakeExecution(9, "", { data: webhookData(...items) })]);
    const answer = await traces.ask(n8n, { requestId: "r-deep-1199" });
    expect(answer.coverage.skipped).toEqual([
      { executionId: "9", reason: expect.stringContaining("too many") },
    ]);
    const later = await traces.ask(n8n, { requestId: "another" });
    expect(later.coverage.skipped).toEqual(answer.coverage.skipped);
  });

  test("a page with more ids than one SQLite value holds is stored completely", async () => {
    const idsOf = (id: number) =>
      Array.from({ length: MAX_CORRELATIONS }, (_one, index) => ({
        order: { customer: { delivery: { context: { requestId: `r-${id}-${index}` } } } },
      }));
    const executions = Array.from({ length: 30 }, (_one, index) =>
      fakeExecution(index + 1, "", { data: webhookData(...idsOf(index + 1)) }),
    );
    const n8n = createFakeN8n(executions);
    expect(await traces.ask(n8n, { requestId: "r-7-999" })).toMatchObject({
      found: true,
      coverage: { complete: true, scannedExecutions: 30, skipped: [] },
    });
    forgetRequests(n8n);
    expect(await traces.ask(n8n, { requestId: "r-30-0" })).toMatchObject({ found: true });
    expect(n8n.sent).toEqual([]);
  });

  test("an execution of unknown shape is reported as skipped, and the rest is read", async () => {
    const n8n = createFakeN8n([...fakeHistory(20), { id: "30", status: "success" }]);
    const answer = await traces.ask(n8n, { requestId: "r-3" });
    expect(answer.found).toBe(true);
    expect(answer.coverage.skipped).toEqual([{ executionId: "30", reason: "its shape is unknown" }]);
  });

  test("an execution of unknown shape stays reported until it can be read", async () => {
    const n8n = createFakeN8n(fakeHistory(60));
    n8n.executions[29] = fakeExecution(30, "r-30", { workflowId: null });
    for (const _look of ["first", "second", "third"])
      expect(await traces.ask(n8n, { requestId: "r-30" })).toMatchObject({
        found: false,
        coverage: { complete: false, skipped: [{ executionId: "30", reason: "its shape is unknown" }] },
      });
    n8n.executions[29] = fakeExecution(30, "r-30");
    expect(await traces.ask(n8n, { requestId: "r-30" })).toMatchObject({
      found: true,
      coverage: { complete: true },
    });
    n8n.executions[39] = fakeExecution(40, "r-40", { workflowId: null });
    const others = createTestTraces();
    await others.ask(n8n, { requestId: "r-40" });
    n8n.executions.splice(39, 1);
    expect((await others.ask(n8n, { requestId: "r-40" })).coverage).toMatchObject({
      complete: true,
      gaps: 1,
    });
  });

  test.each([
    ["the oldest first", (list: Listed) => list.toReversed()],
    ["no order", (list: Listed) => list.toSorted((a, b) => Number(a.id.at(-1)) - Number(b.id.at(-1)))],
  ])("a page with %s is read once", async (_name, reorder) => {
    const n8n = createFakeN8n(fakeHistory(700));
    const { fetch } = createFakeN8n(fakeHistory(700));
    n8n.intercept = async (url) => {
      if (!isList(url)) return undefined;
      const { data, nextCursor } = listedPage.parse(await (await fetch(url.href, {})).json());
      return jsonAnswer({ data: reorder(data), nextCursor });
    };
    expect(await traces.ask(n8n, { requestId: "r-1" })).toMatchObject({
      found: true,
      coverage: { complete: true, scannedExecutions: 700, readNow: 700 },
    });
    expect(n8n.requests.length).toBeLessThan(40);
  });

  describe.each([
    ["429", () => failure(429, { "retry-after": "1" })],
    ["500", () => failure(500)],
    ["an answer that is cut off", () => jsonAnswer('{"data":[')],
  ])("when n8n answers any single request with %s", (_name, answer) => {
    const unknown = { ...N8N_2, queues: null };
    test.each([
      ["to a first trace", "r-3", null, true],
      ["to a trace that finds nothing", "never", null, false],
      ["to a trace over known history", "r-3", N8N_2, true],
      ["to a trace that probes whether n8n queues", "never", unknown, false],
      ["to a trace by execution id", "20", N8N_2, true],
    ])("the answer %s is the same", async (_trace, requestId, capabilities, found) => {
      for (let failing = 1, asked = failing; failing <= asked; failing += 1) {
        const n8n = createFakeN8n(fakeHistory(60));
        const asking = createTestTraces(undefined, createLocalCapabilities(capabilities ?? undefined));
        if (capabilities !== null) await asking.ask(n8n, { requestId: "other" });
        n8n.executions.push(fakeExecution(61, "r-61"));
        forgetRequests(n8n);
        n8n.intercept = () => (n8n.requests.length === failing ? answer() : undefined);
        const traced = await asking.ask(n8n, { requestId });
        expect(traced).toMatchObject({ found, coverage: { complete: true, skipped: [] } });
        asked = n8n.requests.length - 1;
      }
    });
  });

  test("a missing linked execution is reported as skipped", async () => {
    const data = { resultData: { runData: {} }, parentExecution: { executionId: "4", workflowId: "w" } };
    const n8n = createFakeN8n([fakeExecution(9, "r-9", { customData: { requestId: "r-9" }, data })]);
    const answer = await traces.ask(n8n, { requestId: "r-9" });
    expect(answer).toMatchObject({ found: true, executions: [{ id: "9", parentId: "4" }] });
    expect(answer.coverage.skipped).toEqual([
      { executionId: "4", reason: "it is linked, but n8n does not have it: it was deleted, or never saved" },
    ]);
  });

  test("a linked execution outside the window is read by its id", async () => {
    const data = { resultData: { runData: {} }, parentExecution: { executionId: "4", workflowId: "w" } };
    const child = fakeExecution(9, "", { customData: { requestId: "r-9" }, data });
    const n8n = createFakeN8n([fakeExecution(4, "batch"), child]);
    n8n.dates = "filtered";
    const window = { ...WINDOW, startedAfter: iso(8) };
    const answer = await traces.ask(n8n, { requestId: "r-9", window });
    expect(answer.executions.map((node) => `${node.id} ${node.role}`)).toEqual(["4 entry", "9 sub_workflow"]);
  });

  describe("many linked executions outside the window", () => {
    const call = (id: number) => ({
      startTime: 1,
      executionTime: 1,
      executionIndex: id,
      executionStatus: "success",
      source: [],
      metadata: { subExecution: { executionId: String(id), workflowId: "w1" } },
      data: { main: [[{ json: {} }]] },
    });
    const children = fakeHistory(60);
    const runs = children.map(({ id }) => call(Number(id)));
    const data = { resultData: { runData: { Call: runs } } };
    const parent = fakeExecution(90, "", { data, customData: { requestId: "parent" } });
    const asked = { requestId: "parent", window: { ...WINDOW, startedAfter: iso(70) } };
    let n8n: FakeN8n;

    beforeEach(() => {
      n8n = createFakeN8n([...children, parent]);
      n8n.dates = "filtered";
    });

    test("are read until time is up, and the next call continues", async () => {
      letAnswersTake(n8n, traces, 1_000, isSingle);
      const answer = await traces.ask(n8n, asked);
      expect(singlesOf(n8n).length).toBeLessThanOrEqual(21);
      expect(answer.coverage.skipped).toEqual([
        { executionId: null, reason: "time ran out before all linked executions were read" },
      ]);
      await traces.ask(n8n, asked);
      const last = await traces.ask(n8n, asked);
      expect(last.coverage.skipped).toEqual([]);
      expect([...singlesOf(n8n)].sort()).toEqual(children.map(({ id }) => id).sort());
    });

    test("are given up when n8n fails at several of them", async () => {
      n8n.intercept = (url) => (isSingle(url) ? failure(503) : undefined);
      const { coverage } = await traces.ask(n8n, asked);
      expect(singlesOf(n8n).length).toBeLessThanOrEqual(4);
      expect(coverage.skipped.map(({ reason }) => reason)).toContain(
        "n8n failed to return several linked executions: the others were not read",
      );
      n8n.intercept = () => undefined;
      expect((await traces.ask(n8n, asked)).coverage.skipped).toEqual([]);
    });

    test("are not requested again once the key is refused", async () => {
      n8n.intercept = (url) => (isSingle(url) ? failure(403) : undefined);
      await traces.ask(n8n, asked);
      expect(singlesOf(n8n).length).toBeLessThanOrEqual(2);
    });
  });

  test("a running execution is found, though only the list of running ones has it", async () => {
    const n8n = createFakeN8n([
      ...fakeHistory(5),
      fakeExecution(6, "r-6", { status: "running", stoppedAt: null }),
    ]);
    expect(await traces.ask(n8n, { requestId: "r-6" })).toMatchObject({ found: true, outcome: "running" });
  });

  test("an unreadable, endless list of new executions ends", async () => {
    const n8n = createFakeN8n(fakeHistory(5));
    n8n.intercept = (url) =>
      url.searchParams.get("status") === "new"
        ? jsonAnswer({ data: [{ id: "x", status: "new" }], nextCursor: "on" })
        : undefined;
    const { coverage } = await traces.ask(n8n, { requestId: "r-1" });
    expect(coverage.skipped.map(({ reason }) => reason)).toContain(
      "more than 1000 executions have not started",
    );
  });

  test("a waiting execution at which n8n failed is requested again though it still waits", async () => {
    const sleeper = fakeExecution(6, "r-6", { status: "waiting" });
    const n8n = createFakeN8n([...fakeHistory(5), sleeper]);
    const cut = '{"data":[{"id":"6","da';
    n8n.intercept = (url) => (isDataPage(url) || url.pathname.endsWith("/6") ? jsonAnswer(cut) : undefined);
    const failed = await traces.ask(n8n, { requestId: "r-1" });
    expect(failed.coverage.skipped.map(({ executionId }) => executionId)).toContain("6");
    n8n.intercept = () => undefined;
    const { coverage, found } = await traces.ask(n8n, { requestId: "r-6" });
    expect({ found, skipped: coverage.skipped }).toEqual({ found: true, skipped: [] });
  });

  test("an execution that begins and ends while others are read is found", async () => {
    const others = fakeHistory(300).filter(({ id }) => id !== "3");
    const queued = fakeExecution(3, "r-3", { status: "new", startedAt: null, stoppedAt: null });
    const n8n = createFakeN8n([...others, queued]);
    const become = (facts: Partial<FakeExecution>): void => {
      n8n.executions = [...others, { ...queued, ...facts }];
    };
    const startedAt = new Date(Date.UTC(2026, 0, 1, 1)).toISOString();
    n8n.intercept = (url) => {
      if (isList(url)) become({ status: "running", startedAt });
      return undefined;
    };
    await traces.ask(n8n, { requestId: "none" });
    become({ status: "success", startedAt, stoppedAt: startedAt });
    n8n.intercept = () => undefined;
    const answer = await traces.ask(n8n, { requestId: "r-3" });
    expect(answer.executions.map(({ id, status }) => ({ id, status }))).toEqual([
      { id: "3", status: "success" },
    ]);
  });
});

test("a match is reported before the scan ends", async () => {
  await traces.ask(createFakeN8n(fakeHistory(250)), { requestId: "r-249" });
  const { messages } = traces;
  expect(messages.slice(0, 2)).toEqual([
    "Reading executions, newest first",
    'Found: execution 249 of "orders", status success',
  ]);
  const counts = messages.slice(2).map((message) => Number(/^Read (\d+) executions/.exec(message)?.[1]));
  expect(counts[0]).toBeLessThan(250);
  expect(counts.at(-1)).toBe(250);
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
});
