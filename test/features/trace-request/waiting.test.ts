/** Waiting for a request: how often it is looked, when it ends, and what is said. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Caller, createCaller } from "../../support/call-recorded.ts";
import { createFakeN8n, type FakeN8n, fakeExecution, isList } from "../../support/fake-n8n.ts";
import { createLocalHistory } from "../../support/local-history.ts";

const SETTINGS = { N8N_BASE_URL: "http://localhost:1", N8N_API_KEY: "a-key-for-these-tests" };
const BEGIN = Date.UTC(2026, 0, 2);

interface World {
  readonly caller: Caller;
  readonly n8n: FakeN8n;
  /** When each look at n8n's list of new executions came, in milliseconds since the beginning. */
  readonly looks: number[];
  readonly elapsed: () => number;
}

/** Time passes while somebody sleeps, and no otherwise. @param events what happens in n8n, by the time */
function worldOf(events: Readonly<Record<number, (n8n: FakeN8n) => void>>): World {
  const n8n = createFakeN8n([fakeExecution(1, "another")]);
  const looks: number[] = [];
  let now = BEGIN;
  n8n.intercept = (url) => {
    if (url.pathname.endsWith("/executions") && !url.searchParams.has("status")) looks.push(now - BEGIN);
    return undefined;
  };
  const sleep = async (milliseconds: number): Promise<void> => {
    const until = now + milliseconds;
    for (const [at, happen] of Object.entries(events)) {
      const time = BEGIN + Number(at);
      if (time > now && time <= until) happen(n8n);
    }
    now = until;
  };
  const caller = createCaller({ settings: SETTINGS, fetch: n8n.fetch, now: () => now, sleep });
  return { caller, n8n, looks, elapsed: () => now - BEGIN };
}

const come = (status: string) => (n8n: FakeN8n) => {
  const stoppedAt = status === "success" ? new Date(BEGIN + 1_000).toISOString() : null;
  const startedAt = new Date(BEGIN).toISOString();
  const others = n8n.executions.filter(({ id }) => id !== "2");
  n8n.executions = [fakeExecution(2, "awaited", { status, startedAt, stoppedAt }), ...others];
};

describe("trace_request with waitMs", () => {
  test("ends as soon as what has come has ended", async () => {
    const { caller, elapsed } = worldOf({ 3000: come("running"), 9000: come("success") });
    const answer = await caller.call("trace_request", { requestId: "awaited", waitMs: 55_000 });
    expect(answer.data).toMatchObject({ found: true, outcome: "success", waitedMs: elapsed() });
    expect(answer.message).toMatch(/ Waited 10 seconds for its end\.$/);
    expect(elapsed()).toBe(10_000);
    expect(caller.progress).toContain("Waiting for the request to arrive");
    expect(caller.progress).toContain("Waiting for the end of 1 execution (2: running)");
  });

  test("of an id that carries its time, looks around it alone until its end", async () => {
    const hex = BEGIN.toString(16).padStart(12, "0");
    const requestId = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
    const sent = (status: string) => (n8n: FakeN8n) => {
      const times = { startedAt: new Date(BEGIN).toISOString(), stoppedAt: null };
      n8n.executions = [
        fakeExecution(2, requestId, { status, ...times }),
        ...n8n.executions.filter(({ id }) => id !== "2"),
      ];
    };
    const { caller, n8n } = worldOf({ 9000: sent("success") });
    n8n.dates = "filtered";
    sent("running")(n8n);
    const answer = await caller.call("trace_request", { requestId, waitMs: 55_000 });
    expect(answer.data).toMatchObject({ outcome: "success", coverage: { stoppedBy: "id_time" } });
    expect(n8n.sent).toContain("2");
    expect(n8n.sent).not.toContain("1");
  });

  test("looks no oftener than every two seconds, and ever more seldom", async () => {
    const { caller, looks, elapsed } = worldOf({});
    const answer = await caller.call("trace_request", { requestId: "awaited", waitMs: 55_000 });
    expect(answer.data).toMatchObject({ found: false });
    expect(answer.message).toMatch(/ The request did not arrive within \d+ seconds\.$/);
    expect(elapsed()).toBeLessThanOrEqual(55_000);
    const times = [...new Set(looks)];
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(2_000);
    expect(gaps).toEqual(gaps.toSorted((a, b) => a - b));
    expect(times.length).toBeLessThanOrEqual(11);
  });

  test("says what did not happen while it waited", async () => {
    const { caller } = worldOf({ 1000: come("running") });
    const answer = await caller.call("trace_request", { requestId: "awaited", waitMs: 10_000 });
    expect(answer.message).toMatch(/ 1 execution \(2: running\) did not end within \d+ seconds?\.$/);
  });

  test("does not wait where all has ended, nor without waitMs", async () => {
    const { caller, n8n, elapsed } = worldOf({});
    await caller.call("trace_request", { requestId: "awaited" });
    come("success")(n8n);
    const answer = await caller.call("trace_request", { requestId: "awaited", waitMs: 55_000 });
    expect(answer.data).not.toHaveProperty("waitedMs");
    expect(elapsed()).toBe(0);
  });
});

test("of several n8n instances, those that have nothing do not wait longer than the one that has it", async () => {
  const { n8n } = worldOf({});
  come("success")(n8n);
  let now = BEGIN;
  const instances = JSON.stringify({
    one: { baseUrl: "http://localhost:1", apiKey: "a-key-for-these-tests" },
    two: { baseUrl: "http://localhost:2", apiKey: "another-key-for-tests" },
  });
  const empty = createFakeN8n([fakeExecution(1, "another")]);
  const caller = createCaller({
    settings: { N8N_INSTANCES: instances },
    fetch: async (input, init) =>
      String(input).startsWith("http://localhost:1")
        ? await n8n.fetch(input, init)
        : await empty.fetch(input, init),
    now: () => now,
    sleep: async (milliseconds) => {
      now += milliseconds;
    },
  });
  const answer = await caller.call("trace_request", { requestId: "awaited", waitMs: 55_000 });
  expect(answer.data, JSON.stringify(answer)).toMatchObject({ found: true, instance: "one" });
  expect(now - BEGIN).toBeLessThanOrEqual(4_000);
});

describe("fifty who wait for the same request", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  interface Looks {
    /** When n8n was looked at, in seconds. */
    readonly looks: readonly number[];
    /** All that was asked of it. */
    readonly requests: number;
  }

  /** So many callers, who come within so many milliseconds. */
  async function looksOf(callers: number, withinMs: number): Promise<Looks> {
    vi.useFakeTimers({ now: BEGIN });
    const n8n = createFakeN8n([fakeExecution(1, "another")]);
    // One that answers at once has always answered one before the next asks.
    n8n.latencyMs = 20;
    const looks: number[] = [];
    n8n.intercept = (url) => {
      if (isList(url)) looks.push((Date.now() - BEGIN) / 1_000);
      return undefined;
    };
    const history = createLocalHistory();
    const sleep = async (milliseconds: number): Promise<void> =>
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
    const answers = Array.from({ length: callers }, async (_caller, index) => {
      await sleep((index * withinMs) / callers);
      // No two have the same clock, nor timers that are on time.
      const late = withinMs === 0 ? 0 : (index * 13) % 80;
      const sleepLate = async (milliseconds: number): Promise<void> => await sleep(milliseconds + late);
      const clock = { now: Date.now, sleep: sleepLate };
      const caller = createCaller({ settings: SETTINGS, fetch: n8n.fetch, history, ...clock });
      return await caller.call("trace_request", { requestId: "awaited", waitMs: 55_000 });
    });
    await vi.advanceTimersByTimeAsync(40_000);
    come("success")(n8n);
    await vi.advanceTimersByTimeAsync(60_000);
    for (const { data } of await Promise.all(answers)) expect(data).toMatchObject({ found: true });
    vi.useRealTimers();
    return { looks, requests: n8n.requests.length };
  }

  test("look no more often than one does", async () => {
    const alone = await looksOf(1, 0);
    expect(alone.looks.length).toBeGreaterThan(5);
    const many = await looksOf(50, 0);
    expect(many.looks).toHaveLength(alone.looks.length);
    // Each asks once whether n8n is the one that it was, before it says that there is nothing, and once of what it found.
    expect(many.requests - alone.requests).toBeLessThanOrEqual(2 * 49);
  });

  test("who come one after the other look at the same full seconds, once each", async () => {
    const { looks } = await looksOf(50, 3_000);
    const later = looks.filter((at) => at > 4);
    expect(new Set(later.map(Math.floor)).size, String(later)).toBe(later.length);
  });
});
