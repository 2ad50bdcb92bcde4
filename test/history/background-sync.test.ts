/** The background sync, step by step, with and without callers at the same time. */
import { beforeEach, describe, expect, test, vi } from "vitest";
import type { BackgroundResult, BackgroundSettings } from "../../src/history/background-sync.ts";
import { ObserverError } from "../../src/platform/errors.ts";
import type { Sql } from "../../src/platform/sql.ts";
import {
  clientOf,
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
import { createLocalHistory, createLocalSql } from "../support/local-history.ts";
import { BACKGROUND, createTestTraces, type TestTraces } from "../support/test-traces.ts";
import { tracesOf } from "./scan/queue-set-up.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let traces: TestTraces;
beforeEach(() => {
  traces = createTestTraces();
});

const step = async (n8n: FakeN8n, settings?: Partial<BackgroundSettings>): Promise<BackgroundResult> =>
  await traces.step(n8n, settings);

const countOf = (): number => traces.history.instance.store.counts.all;

/** Repeats steps until there is nothing left to read, and counts them. */
async function stepToTheEnd(n8n: FakeN8n, settings: Partial<BackgroundSettings> = {}): Promise<number> {
  for (let steps = 1; ; steps += 1) {
    const { nextMs, failure: failed } = await step(n8n, settings);
    expect(failed).toBeNull();
    if (nextMs >= MINUTE_MS) return steps;
    if (steps > 50) throw new Error("The sync does not finish.");
    // The last step may leave pages in flight.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("while nobody asks", () => {
  test("a history with no settled stretch is read once and then checked at intervals", async () => {
    const startOf = (id: number): string => new Date(Date.UTC(2026, 0, 2) - id * MINUTE_MS).toISOString();
    const executions = Array.from({ length: 10 }, (_one, index) =>
      fakeExecution(index + 1, "", { startedAt: startOf(index), stoppedAt: startOf(index) }),
    );
    const n8n = createFakeN8n(executions);
    expect(await stepToTheEnd(n8n)).toBe(11);
    expect(traces.history.instance.store.stretches.of("listed")).toEqual([]);
    expect(countOf()).toBe(10);
  });

  test("at most two further pages are requested while one is being processed", async () => {
    const n8n = createFakeN8n(fakeHistory(1_500));
    const work = Promise.withResolvers<void>();
    const redactLarge = async (value: unknown): Promise<unknown> => {
      await work.promise;
      return value;
    };
    const reading = traces.history.instance.step({ ...traces.sourcesOf(n8n), redactLarge }, BACKGROUND);
    await vi.waitFor(() => expect(dataPagesOf(n8n).length).toBeGreaterThanOrEqual(3));
    for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(dataPagesOf(n8n)).toHaveLength(3);
    expect(n8n.mostAtOnce).toBeLessThanOrEqual(2);
    work.resolve();
    await reading;
  });

  test("every execution is read once, and a later trace asks only for what is new", async () => {
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

  test("the sync learns that an n8n does not queue, so no trace has to ask", async () => {
    traces = tracesOf(null);
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

  test("an n8n that fails for ids above its newest does not stop the sync", async () => {
    traces = tracesOf(null);
    const n8n = createFakeN8n(fakeHistory(600));
    await stepToTheEnd(n8n);
    n8n.executions.push(fakeExecution(601, "r-601"));
    n8n.intercept = ({ pathname }) => (/executions\/\d+$/.test(pathname) ? failure(403) : undefined);
    expect(await step(n8n)).toMatchObject({ failure: null });
    expect(countOf()).toBe(601);
  });

  test("executions older than the configured days are not read", async () => {
    const now = traces.clock.time;
    const daysAgo = (days: number): string => new Date(now - days * DAY_MS).toISOString();
    const n8n = createFakeN8n(
      fakeHistory(1_000).map((one) => ({ ...one, startedAt: daysAgo((1_000 - Number(one.id)) / 10) })),
    );
    await stepToTheEnd(n8n, { days: 30 });
    expect(countOf()).toBeGreaterThanOrEqual(300);
    // Two pages of 250 may be in flight when the limit is reached.
    expect(countOf()).toBeLessThan(850);
    forgetRequests(n8n);
    await stepToTheEnd(n8n, { days: 30 });
    expect(n8n.sent).toEqual([]);
  });

  test("the oldest executions are dropped at the limit and not read again", async () => {
    const n8n = createFakeN8n(fakeHistory(2_600));
    await stepToTheEnd(n8n, { maxExecutions: 1_000 });
    await step(n8n, { maxExecutions: 1_000 });
    expect(countOf()).toBe(1_000);
    forgetRequests(n8n);
    await step(n8n, { maxExecutions: 1_000 });
    expect(n8n.sent).toEqual([]);
  });

  test("dropped executions are read again once the limit is raised", async () => {
    const n8n = createFakeN8n(fakeHistory(4_500));
    await stepToTheEnd(n8n, { maxExecutions: 1_000 });
    await step(n8n, { maxExecutions: 500 });
    // The raised limit has no room for a whole step.
    forgetRequests(n8n);
    await stepToTheEnd(n8n, { maxExecutions: 2_000 });
    expect(n8n.sent).toEqual([]);
    expect(await stepToTheEnd(n8n, { maxExecutions: 10_000 })).toBeLessThan(6);
    expect(countOf()).toBe(4_500);
    forgetRequests(n8n);
    expect(await traces.ask(n8n, { requestId: "r-7" })).toMatchObject({
      found: true,
      coverage: { readNow: 0, complete: true },
    });
  });

  test("executions dropped since a deep trace read them do not count as known", async () => {
    const n8n = createFakeN8n(fakeHistory(3_000));
    const deep = { requestId: "r-none", deep: true };
    const { traceId } = await traces.ask(n8n, { ...deep, limit: 2_000 });
    await step(n8n, { maxExecutions: 500 });
    // A small step reads only a part again.
    traces.history.instance.store.step = { executions: 50, isOver: true };
    await step(n8n, { maxExecutions: 10_000 });
    await traces.ask(n8n, { ...deep, traceId, limit: 500 });
    expect(await traces.ask(n8n, { requestId: "r-1400" })).toMatchObject({ found: true });
    await stepToTheEnd(n8n, { maxExecutions: 10_000 });
    expect(countOf()).toBe(3_000);
  });

  test("the interval grows while nothing is new, and shrinks again after news or a trace", async () => {
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

  test("getting no slot while callers are served is no failure of n8n, and is soon retried", async () => {
    const n8n = createFakeN8n(fakeHistory(50));
    await traces.ask(n8n, { requestId: "never sent" });
    const takeSlot = async (): Promise<never> => {
      throw new ObserverError("RATE_LIMITED", "Others are there.", { retryAfter: 1, solution: "Wait." });
    };
    const client = clientOf(n8n, { takeSlot });
    for (let steps = 0; steps < 24; steps += 1)
      expect(await step({ ...n8n, client })).toEqual({ nextMs: 5_000, failure: null });
    expect(traces.history.instance.store.lastFailure).toBeNull();
    // After two minutes without a slot, the limiter or n8n itself has a problem.
    expect(await step({ ...n8n, client })).toMatchObject({ failure: { code: "RATE_LIMITED" } });
    expect(traces.history.instance.store.lastFailure).toMatchObject({ isOver: false });
  });

  test("far above the limit, executions are dropped over several steps", async () => {
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

  test("an execution that n8n prunes stays known and is reported as deleted", async () => {
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

test("a failed write never leaves executions claimed as known but not stored", async () => {
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
    // The tables exist before the writes start to fail.
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

test("a restored n8n is listed anew once, not again for each reused id", async () => {
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

  // A second restore from the same backup.
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
  test("a failing sync gives the error, backs off, and resumes where it stopped", async () => {
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
  /** Simulates an object reset at its CPU limit: everything in memory is lost. */
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

  test("each step gets smaller, and nothing is lost", async () => {
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

  test("a trace reads everything that the alarm never reaches", async () => {
    const n8n = createFakeN8n(fakeHistory(1_900));
    for (let step = 0; step < 8; step += 1) await cutOff(n8n, 2);
    expect(countOf()).toBeLessThan(500);
    expect(traces.history.instance.store.step.executions).toBe(50);
    const answer = await traces.ask(n8n, { requestId: "r-3" });
    expect(answer).toMatchObject({ found: true, coverage: { complete: true, scannedExecutions: 1_900 } });
  });
});

describe("while callers are served", () => {
  test("a step stops at once for a trace that has to read", async () => {
    const n8n = createFakeN8n(fakeHistory(1_900));
    n8n.latencyMs = 2;
    const countAtPause = step(n8n).then(countOf);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const answer = await traces.ask(n8n, { requestId: "r-1800" });
    expect(answer).toMatchObject({ found: true, coverage: { complete: true } });
    expect(await countAtPause).toBeLessThan(1_000);
    expect(countOf()).toBe(1_900);
    // Up to two pages in flight are dropped and requested again.
    expect(n8n.sent.length - new Set(n8n.sent).size).toBeLessThanOrEqual(200);
  });

  test("during the first fill a step stops for a trace of known executions, which reads nothing", async () => {
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

  /** A sync step whose matching requests get no answer until `release`, as when a search takes all free slots. */
  async function holdStep(n8n: FakeN8n, isHeld: (url: URL) => boolean): Promise<() => Promise<void>> {
    const starved = createFakeN8n(n8n.executions);
    const held = Promise.withResolvers<undefined>();
    const hasAsked = Promise.withResolvers<void>();
    starved.intercept = (url) => {
      if (!isHeld(url)) return undefined;
      hasAsked.resolve();
      return held.promise;
    };
    const stepping = step(starved);
    await hasAsked.promise;
    return async () => {
      held.resolve(undefined);
      await stepping;
    };
  }

  test.each([
    ["a look that gets no slot", () => true],
    ["a page that a look requested", isDataPage],
  ])("a trace does not wait for %s", async (_what, isHeld: (url: URL) => boolean) => {
    const n8n = createFakeN8n(fakeHistory(50));
    await stepToTheEnd(n8n);
    n8n.executions.unshift(fakeExecution(51, "r-51"));
    const release = await holdStep(n8n, isHeld);
    expect(await traces.ask(n8n, { requestId: "r-51" })).toMatchObject({ found: true });
    await release();
  });

  test("a trace does not wait for pages that a backfill requested", async () => {
    const n8n = createFakeN8n(fakeHistory(900));
    const release = await holdStep(n8n, isDataPage);
    expect(await traces.ask(n8n, { requestId: "r-850" })).toMatchObject({ found: true });
    await release();
  });

  test("a step does nothing while a trace is reading", async () => {
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
