/** The history as it keeps itself up to date, step by step, while nobody asks and while somebody does. */
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { BackgroundResult, BackgroundSettings } from "../../src/history/background-sync.ts";
import { createN8nClient } from "../../src/n8n/client.ts";
import { ObserverError } from "../../src/platform/errors.ts";
import type { Sql } from "../../src/platform/sql.ts";
import {
  createFakeN8n,
  dataPagesOf,
  type FakeN8n,
  failure,
  fakeExecution,
  fakeHistory,
  forgetRequests,
  isDataPage,
  listsOf,
  singlesOf,
} from "../support/fake-n8n.ts";
import { createLocalCapabilities, N8N_2 } from "../support/local-capabilities.ts";
import { createLocalHistory, createLocalSql } from "../support/local-history.ts";
import { createTestTraces, type TestTraces } from "../support/test-traces.ts";

const MINUTE_MS = 60_000;
const SETTINGS: BackgroundSettings = { intervalMs: MINUTE_MS, days: 30, maxExecutions: 500_000 };
const DAY_MS = 24 * 60 * MINUTE_MS;

let traces: TestTraces;
beforeEach(() => {
  traces = createTestTraces();
});

const step = async (n8n: FakeN8n, settings: Partial<BackgroundSettings> = {}): Promise<BackgroundResult> =>
  await traces.history.instance.step(traces.sourcesOf(n8n), { ...SETTINGS, ...settings });

const countOf = (): number => traces.history.instance.store.counts.all;

/** Until there is nothing left to read. */
async function stepToTheEnd(n8n: FakeN8n, settings: Partial<BackgroundSettings> = {}): Promise<number> {
  for (let steps = 1; ; steps += 1) {
    const { nextMs, failure: failed } = await step(n8n, settings);
    expect(failed).toBeNull();
    if (nextMs >= MINUTE_MS) return steps;
    if (steps > 50) throw new Error("It never comes to an end.");
    // A step that is far enough leaves pages that are still worked on.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("while nobody asks", () => {
  test("a history of which nothing can be taken as known yet is read once, and then looked at in intervals", async () => {
    const startOf = (id: number): string => new Date(Date.UTC(2026, 0, 2) - id * MINUTE_MS).toISOString();
    const executions = Array.from({ length: 10 }, (_one, index) =>
      fakeExecution(index + 1, "", { startedAt: startOf(index), stoppedAt: startOf(index) }),
    );
    const n8n = createFakeN8n(executions);
    expect(await stepToTheEnd(n8n)).toBe(11);
    expect(traces.history.instance.store.stretches.of("listed")).toEqual([]);
    expect(countOf()).toBe(10);
  });

  test("n8n is asked for two more pages while one is worked on, and for no more", async () => {
    const n8n = createFakeN8n(fakeHistory(1_500));
    const work = Promise.withResolvers<void>();
    const redactLarge = async (value: unknown): Promise<unknown> => {
      await work.promise;
      return value;
    };
    const reading = traces.history.instance.step({ ...traces.sourcesOf(n8n), redactLarge }, SETTINGS);
    await vi.waitFor(() => expect(dataPagesOf(n8n).length).toBeGreaterThanOrEqual(3));
    for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(dataPagesOf(n8n)).toHaveLength(3);
    expect(n8n.mostAtOnce).toBeLessThanOrEqual(2);
    work.resolve();
    await reading;
  });

  test("all is read, step by step and nothing twice; then a trace asks for what is new alone", async () => {
    const n8n = createFakeN8n(fakeHistory(4_500));
    expect(await stepToTheEnd(n8n)).toBeGreaterThan(2);
    expect(countOf()).toBe(4_500);
    expect(n8n.sent).toHaveLength(4_500);
    forgetRequests(n8n);
    expect(await traces.ask(n8n, { requestId: "r-3" })).toMatchObject({
      found: true,
      coverage: { readNow: 0, complete: true },
    });
    expect(n8n.requests).toHaveLength(2);
  });

  test("learns while n8n is busy that it does not queue, so that no trace has to ask", async () => {
    traces = createTestTraces(undefined, createLocalCapabilities({ ...N8N_2, queues: null }));
    const n8n = createFakeN8n(fakeHistory(600));
    await stepToTheEnd(n8n);
    forgetRequests(n8n);
    await step(n8n);
    expect(singlesOf(n8n)).toEqual([]);
    for (let begun = 601; begun <= 620; begun += 1) {
      expect(traces.capabilities.known.queues).toBeNull();
      n8n.executions.push(fakeExecution(begun, `r-${begun}`));
      await step(n8n);
    }
    expect(traces.capabilities.known.queues).toBe(false);
    forgetRequests(n8n);
    expect(await traces.ask(n8n, { requestId: "r-3" })).toMatchObject({ found: true });
    expect(singlesOf(n8n)).toEqual([]);
  });

  test("is not kept from reading by an n8n that fails at the executions above its newest", async () => {
    traces = createTestTraces(undefined, createLocalCapabilities({ ...N8N_2, queues: null }));
    const n8n = createFakeN8n(fakeHistory(600));
    await stepToTheEnd(n8n);
    n8n.executions.push(fakeExecution(601, "r-601"));
    n8n.intercept = ({ pathname }) => (/executions\/\d+$/.test(pathname) ? failure(403) : undefined);
    expect(await step(n8n)).toMatchObject({ failure: null });
    expect(countOf()).toBe(601);
  });

  test("no farther back than it should", async () => {
    const now = traces.clock.time;
    const daysAgo = (days: number): string => new Date(now - days * DAY_MS).toISOString();
    const n8n = createFakeN8n(
      fakeHistory(1_000).map((one) => ({ ...one, startedAt: daysAgo((1_000 - Number(one.id)) / 10) })),
    );
    await stepToTheEnd(n8n, { days: 30 });
    expect(countOf()).toBeGreaterThanOrEqual(300);
    // Two pages of 250 may be on their way when it is far enough.
    expect(countOf()).toBeLessThan(850);
    forgetRequests(n8n);
    await stepToTheEnd(n8n, { days: 30 });
    expect(n8n.sent).toEqual([]);
  });

  test("the oldest make room, and are not read again", async () => {
    const n8n = createFakeN8n(fakeHistory(2_600));
    await stepToTheEnd(n8n, { maxExecutions: 1_000 });
    await step(n8n, { maxExecutions: 1_000 });
    expect(countOf()).toBe(1_000);
    forgetRequests(n8n);
    await step(n8n, { maxExecutions: 1_000 });
    expect(n8n.sent).toEqual([]);
  });

  test("the limit raised, what had made room is read again, and then no more", async () => {
    const n8n = createFakeN8n(fakeHistory(4_500));
    await stepToTheEnd(n8n, { maxExecutions: 1_000 });
    await step(n8n, { maxExecutions: 500 });
    // No room for a whole step.
    forgetRequests(n8n);
    await stepToTheEnd(n8n, { maxExecutions: 2_000 });
    expect(n8n.sent).toEqual([]);
    expect(await stepToTheEnd(n8n, { maxExecutions: 10_000 })).toBeLessThan(6);
    expect(countOf()).toBe(4_500);
    forgetRequests(n8n);
    expect(await traces.ask(n8n, { requestId: "r-7" })).toMatchObject({
      ...{ found: true, coverage: { readNow: 0, complete: true } },
    });
  });

  test("whoever read what has made room since does not make it known", async () => {
    const n8n = createFakeN8n(fakeHistory(3_000));
    const deep = { requestId: "r-none", deep: true };
    const { traceId } = await traces.ask(n8n, { ...deep, limit: 2_000 });
    await step(n8n, { maxExecutions: 500 });
    // It reads little of it again.
    traces.history.instance.store.step = { executions: 50, isOver: true };
    await step(n8n, { maxExecutions: 10_000 });
    await traces.ask(n8n, { ...deep, traceId, limit: 500 });
    expect(await traces.ask(n8n, { requestId: "r-1400" })).toMatchObject({ found: true });
    await stepToTheEnd(n8n, { maxExecutions: 10_000 });
    expect(countOf()).toBe(3_000);
  });

  test("it looks for what is new each minute, less often when nothing happens, and soon again when something does", async () => {
    const n8n = createFakeN8n(fakeHistory(50));
    await stepToTheEnd(n8n);
    const pauses: number[] = [];
    for (let looks = 0; looks < 6; looks += 1) pauses.push((await step(n8n)).nextMs / MINUTE_MS);
    expect(pauses).toEqual([1, 2, 4, 5, 5, 5]);
    n8n.executions.push(fakeExecution(51, "r-51"));
    expect((await step(n8n)).nextMs).toBe(MINUTE_MS);
    expect(countOf()).toBe(51);
    for (let looks = 0; looks < 4; looks += 1) await step(n8n);
    await traces.ask(n8n, { requestId: "r-51" });
    expect((await step(n8n)).nextMs).toBe(MINUTE_MS);
  });

  test("that it gets no slot while people ask is no failure of n8n, and it soon tries again", async () => {
    const n8n = createFakeN8n(fakeHistory(50));
    await traces.ask(n8n, { requestId: "never sent" });
    const takeSlot = async (): Promise<never> => {
      throw new ObserverError("RATE_LIMITED", "Others are there.", { retryAfter: 1, solution: "Wait." });
    };
    const access = { baseUrl: "http://localhost:1", apiKey: "fake-key-of-the-tests" };
    const client = createN8nClient(access, { fetch: n8n.fetch, takeSlot });
    for (let steps = 0; steps < 24; steps += 1)
      expect(await step({ ...n8n, client })).toEqual({ nextMs: 5_000, failure: null });
    expect(traces.history.instance.store.lastFailure).toBeNull();
    // For two minutes: the limiter or n8n does not answer.
    expect(await step({ ...n8n, client })).toMatchObject({ failure: { code: "RATE_LIMITED" } });
    expect(traces.history.instance.store.lastFailure).toMatchObject({ isOver: false });
  });

  test("while much more is known than may be, room is made step after step", async () => {
    const n8n = createFakeN8n(fakeHistory(50));
    await stepToTheEnd(n8n);
    const { sql } = traces.history;
    sql.exec(
      `WITH RECURSIVE ids (id) AS (SELECT 1001 UNION ALL SELECT id + 1 FROM ids LIMIT 25000)
       INSERT INTO executions (id, workflow_id, mode, status, started_at, is_read, is_deleted)
       SELECT id, 'w1', 'webhook', 'success', '2026-01-01T00:30:00.000Z', 1, 0 FROM ids`,
    );
    sql.exec("DELETE FROM counts");
    sql.exec("INSERT INTO counts SELECT id / 1024, COUNT(*) FROM executions GROUP BY 1");
    const pauses: number[] = [];
    for (let steps = 0; steps < 4; steps += 1)
      pauses.push((await step(n8n, { maxExecutions: 1_000 })).nextMs);
    expect(countOf()).toBeLessThanOrEqual(1_050);
    expect(pauses.map((pause) => pause < MINUTE_MS)).toEqual([true, true, false, false]);
  });

  test("what n8n prunes stays, and is told as deleted", async () => {
    const n8n = createFakeN8n(fakeHistory(300));
    await stepToTheEnd(n8n);
    n8n.executions = n8n.executions.filter(({ id }) => Number(id) > 250);
    await step(n8n);
    expect(countOf()).toBe(300);
    const answer = await traces.ask(n8n, { requestId: "r-260" });
    expect(answer).toMatchObject({ found: true, deletedIds: [] });
    expect(await traces.ask(n8n, { requestId: "r-7" })).toMatchObject({ found: true, deletedIds: ["7"] });
  });
});

test("a write that fails makes nothing count as known that was not kept", async () => {
  for (let failing = 1; ; failing += 1) {
    const kept = createLocalSql();
    let writes = 0;
    const sql: Sql = {
      get databaseSize() {
        return kept.databaseSize;
      },
      exec: (query, ...bindings) => {
        if (/^INSERT|^UPDATE|^DELETE|^WITH given/.test(query)) writes += 1;
        if (writes === failing) throw new Error("The storage failed.");
        return kept.exec(query, ...bindings);
      },
    };
    const n8n = createFakeN8n(fakeHistory(3));
    // The tables are made, and then it fails.
    createLocalHistory(kept);
    traces = createTestTraces(createLocalHistory(sql));
    const hasFailed = await step(n8n).then(
      () => false,
      () => true,
    );
    if (!hasFailed) break;
    traces = createTestTraces(createLocalHistory(kept));
    await stepToTheEnd(n8n);
    for (const requestId of ["r-1", "r-2", "r-3"])
      expect(await traces.ask(n8n, { requestId }), `write ${failing}`).toMatchObject({ found: true });
  }
});

test("of an n8n that was restored from a backup all is listed anew once, not with each id that is used again", async () => {
  const n8n = createFakeN8n(fakeHistory(2_000));
  await stepToTheEnd(n8n);
  n8n.executions = n8n.executions.filter(({ id }) => Number(id) <= 1_950);
  const listed: number[] = [];
  for (let id = 1_951; id <= 1_956; id += 1) {
    const startedAt = new Date(traces.clock.time).toISOString();
    n8n.executions.push(fakeExecution(id, `again-${id}`, { startedAt, stoppedAt: startedAt }));
    forgetRequests(n8n);
    await step(n8n);
    listed.push(listsOf(n8n).length);
    traces.clock.time += MINUTE_MS;
    expect(await traces.ask(n8n, { requestId: `again-${id}` })).toMatchObject({
      found: true,
      deletedIds: [],
    });
  }
  expect(listed[0]).toBeGreaterThan(8);
  expect(listed.slice(1)).toEqual([1, 1, 1, 1, 1]);
  expect(await traces.ask(n8n, { requestId: "r-1990" })).toMatchObject({ found: true, deletedIds: ["1990"] });

  // And once more, from the same backup.
  n8n.executions = n8n.executions.filter(({ id }) => Number(id) <= 1_950);
  n8n.executions.push(
    fakeExecution(1_951, "third", { startedAt: new Date(traces.clock.time).toISOString() }),
  );
  forgetRequests(n8n);
  await step(n8n);
  expect(listsOf(n8n).length).toBeGreaterThan(8);
  expect(await traces.ask(n8n, { requestId: "third" })).toMatchObject({ found: true, deletedIds: [] });
  expect(await traces.ask(n8n, { requestId: "again-1951" })).toMatchObject({ found: false });
  expect(await traces.ask(n8n, { requestId: "again-1953" })).toMatchObject({ deletedIds: ["1953"] });
});

describe("while n8n fails", () => {
  test("it says why, tries less and less often, and goes on where it stopped", async () => {
    const n8n = createFakeN8n(fakeHistory(500));
    await step(n8n);
    n8n.executions.push(...fakeHistory(520).slice(500));
    n8n.intercept = () => failure(401);
    const pauses: number[] = [];
    for (let tries = 0; tries < 4; tries += 1) {
      const { nextMs, failure: failed } = await step(n8n);
      expect(failed?.code).toBe("N8N_UNAUTHORIZED");
      pauses.push(nextMs / MINUTE_MS);
    }
    expect(pauses).toEqual([1, 2, 4, 5]);
    expect(await traces.ask(n8n, { requestId: "r-9" })).toMatchObject({
      found: true,
      stop: { reason: "n8n", error: { code: "N8N_UNAUTHORIZED" } },
      asOf: expect.stringContaining("2026-01-02"),
    });
    await expect(traces.ask(n8n, { requestId: "never" })).rejects.toMatchObject({ code: "N8N_UNAUTHORIZED" });
    n8n.intercept = () => undefined;
    await stepToTheEnd(n8n);
    expect(countOf()).toBe(520);
  });
});

test.each([
  ["a look takes the time of a step", 7_000, 600],
  ["no step has time to read", 60_000, 100],
])("while n8n is so slow that %s, every other step looks at what is new", async (_how, ms, known) => {
  const n8n = createFakeN8n(fakeHistory(600));
  const takes = (latencyMs: number) => () => {
    traces.clock.time += latencyMs;
    return undefined;
  };
  n8n.intercept = takes(7_000);
  await step(n8n);
  n8n.intercept = takes(ms);
  const isLook = (request: string): boolean => request.includes("status=running");
  let looks = 0;
  for (let steps = 0; steps < 12; steps += 1) {
    forgetRequests(n8n);
    await step(n8n);
    if (isLook(n8n.requests[0] ?? "")) looks += 1;
  }
  expect(countOf()).toBe(known);
  expect(looks).toBeGreaterThanOrEqual(6);
});

describe("an alarm that is always cut off", () => {
  /** As when the object has used up its processor: it is gone, with all that it had in memory. */
  async function cutOff(n8n: FakeN8n, requests: number): Promise<void> {
    const { sql } = traces.history;
    let left = requests;
    n8n.intercept = () => {
      left -= 1;
      return undefined;
    };
    const cut: Sql = {
      databaseSize: sql.databaseSize,
      exec(query, ...bindings) {
        if (left < 0) throw new Error("Durable Object exceeded its CPU time limit and was reset.");
        return sql.exec(query, ...bindings);
      },
    };
    traces = createTestTraces(createLocalHistory(cut));
    await expect(step(n8n)).rejects.toThrow("was reset");
    n8n.intercept = () => undefined;
    traces = createTestTraces(createLocalHistory(sql));
  }

  test("reads less in each step, loses nothing, and says so", async () => {
    const n8n = createFakeN8n(fakeHistory(6_000));
    const known: number[] = [];
    const steps: number[] = [];
    for (let step = 0; step < 4; step += 1) {
      await cutOff(n8n, 8);
      known.push(countOf());
      steps.push(traces.history.instance.store.step.executions);
    }
    expect(steps).toEqual([2_000, 1_000, 500, 250]);
    expect(known).toEqual(known.toSorted((a, b) => a - b));
    expect(known.at(-1)).toBeGreaterThan(0);
    const before = countOf();
    await step(n8n);
    expect(countOf() - before).toBeGreaterThan(0);
    expect(countOf() - before).toBeLessThanOrEqual(250);
    await stepToTheEnd(n8n);
    expect(countOf()).toBe(6_000);
    expect(await traces.ask(n8n, { requestId: "r-3" })).toMatchObject({ coverage: { complete: true } });
  });

  test("is overtaken by a trace, which reads all that the alarm never reaches", async () => {
    const n8n = createFakeN8n(fakeHistory(1_900));
    for (let step = 0; step < 8; step += 1) await cutOff(n8n, 2);
    expect(countOf()).toBeLessThan(500);
    expect(traces.history.instance.store.step.executions).toBe(50);
    const answer = await traces.ask(n8n, { requestId: "r-3" });
    expect(answer).toMatchObject({ found: true, coverage: { complete: true, scannedExecutions: 1_900 } });
  });
});

describe("while somebody asks", () => {
  test("it stops for whoever has to read, who waits for none of it", async () => {
    const n8n = createFakeN8n(fakeHistory(1_900));
    n8n.latencyMs = 2;
    const countAtPause = step(n8n).then(countOf);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const answer = await traces.ask(n8n, { requestId: "r-1800" });
    expect(answer).toMatchObject({ found: true, coverage: { complete: true } });
    expect(await countAtPause).toBeLessThan(1_000);
    expect(countOf()).toBe(1_900);
    // The two pages that it was reading are given up, and asked for again.
    expect(n8n.sent.length - new Set(n8n.sent).size).toBeLessThanOrEqual(200);
  });

  test("in the first fill it stops for a trace of what is known, which reads nothing", async () => {
    const n8n = createFakeN8n(fakeHistory(9_000));
    await step(n8n);
    await step(n8n);
    n8n.latencyMs = 2;
    const countAtPause = step(n8n).then(countOf);
    while (countOf() <= 4_000) await new Promise((resolve) => setTimeout(resolve, 1));
    const { startedAt: startedAfter = null } = fakeExecution(8_950, "r-8950");
    const window = { workflowId: null, startedAfter, startedBefore: null };
    const answer = await traces.ask(n8n, { requestId: "r-8990", window });
    expect(answer).toMatchObject({ found: true, coverage: { complete: true, readNow: 0 } });
    expect(await countAtPause).toBeLessThan(6_000);
    expect((await step(n8n)).nextMs).toBeLessThan(MINUTE_MS);
  });

  test.each([
    ["a look that gets no slot", () => true],
    ["what such a look reads", isDataPage],
  ])("nobody waits for %s", async (_what, isHeld: (url: URL) => boolean) => {
    const n8n = createFakeN8n(fakeHistory(50));
    await stepToTheEnd(n8n);
    n8n.executions.unshift(fakeExecution(51, "r-51"));
    // As where a search takes the slots that it would leave free.
    const starved = createFakeN8n(n8n.executions);
    const held = Promise.withResolvers<undefined>();
    const hasAsked = Promise.withResolvers<void>();
    starved.intercept = (url) => {
      if (!isHeld(url)) return undefined;
      hasAsked.resolve();
      return held.promise;
    };
    const looking = step(starved);
    await hasAsked.promise;
    expect(await traces.ask(n8n, { requestId: "r-51" })).toMatchObject({ found: true });
    held.resolve(undefined);
    await looking;
  });

  test("nobody waits for what a step that reads back has asked for", async () => {
    const n8n = createFakeN8n(fakeHistory(900));
    const starved = createFakeN8n(n8n.executions);
    const held = Promise.withResolvers<undefined>();
    const hasAsked = Promise.withResolvers<void>();
    starved.intercept = (url) => {
      if (!isDataPage(url)) return undefined;
      hasAsked.resolve();
      return held.promise;
    };
    const reading = step(starved);
    await hasAsked.promise;
    expect(await traces.ask(n8n, { requestId: "r-850" })).toMatchObject({ found: true });
    held.resolve(undefined);
    await reading;
  });

  test("a step does nothing where others are at it", async () => {
    const n8n = createFakeN8n(fakeHistory(900));
    n8n.latencyMs = 2;
    const asked = traces.ask(n8n, { requestId: "r-5" });
    await new Promise((resolve) => setTimeout(resolve, 5));
    const lists = listsOf(n8n).length;
    expect((await step(n8n)).nextMs).toBe(5_000);
    expect(listsOf(n8n).length - lists).toBeLessThanOrEqual(1);
    await asked;
  });
});
