/** Waiting for a request: how often n8n is asked, when the waiting ends, and what the answer says. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Caller, createCaller } from "../../support/call-recorded.ts";
import { createFakeN8n, type FakeN8n, fakeExecution, isList } from "../../support/fake-n8n.ts";
import { createLocalHistory } from "../../support/local-history.ts";

const BEGIN = Date.UTC(2026, 0, 2);

interface World {
  readonly caller: Caller;
  readonly n8n: FakeN8n;
  /** When each request for n8n's list of new executions was sent, in milliseconds since the start. */
  readonly looks: number[];
  readonly elapsed: () => number;
}

/** A caller whose time passes only while it sleeps. @param events what happens in n8n, by time */
function createWorld(events: Readonly<Record<number, (n8n: FakeN8n) => void>>): World {
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
  const caller = createCaller({ fetch: n8n.fetch, now: () => now, sleep });
  return { caller, n8n, looks, elapsed: () => now - BEGIN };
}

const arrive = (status: string) => (n8n: FakeN8n) => {
  const stoppedAt = status === "success" ? new Date(BEGIN + 1_000).toISOString() : null;
  const startedAt = new Date(BEGIN).toISOString();
  const others = n8n.executions.filter(({ id }) => id !== "2");
  n8n.executions = [fakeExecution(2, "awaited", { status, startedAt, stoppedAt }), ...others];
};

describe("trace_request with waitMs", () => {
  test("ends as soon as the request that arrived has ended", async () => {
    const { caller, elapsed } = createWorld({ 3000: arrive("running"), 9000: arrive("success") });
    const answer = await caller.call("trace_request", { requestId: "awaited", waitMs: 55_000 });
    expect(answer.data).toMatchObject({ found: true, outcome: "success", waitedMs: elapsed() });
    expect(answer.message).toMatch(/ Waited 10 seconds for its end\.$/);
    expect(elapsed()).toBe(10_000);
    expect(caller.progress).toContain("Waiting for the request to arrive");
    expect(caller.progress).toContain("Waiting for the end of 1 execution (2: running)");
  });

  test("looks only around the time that an id carries, until the request ends", async () => {
    const hex = BEGIN.toString(16).padStart(12, "0");
    const requestId = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
    const sent = (status: string) => (n8n: FakeN8n) => {
      const times = { startedAt: new Date(BEGIN).toISOString(), stoppedAt: null };
      n8n.executions = [
        fakeExecution(2, requestId, { status, ...times }),
        ...n8n.executions.filter(({ id }) => id !== "2"),
      ];
    };
    const { caller, n8n } = createWorld({ 9000: sent("success") });
    n8n.dates = "filtered";
    sent("running")(n8n);
    const answer = await caller.call("trace_request", { requestId, waitMs: 55_000 });
    expect(answer.data).toMatchObject({ outcome: "success", coverage: { stoppedBy: "id_time" } });
    expect(n8n.sent).toContain("2");
    expect(n8n.sent).not.toContain("1");
  });

  test("looks at most every two seconds, then less and less often", async () => {
    const { caller, looks, elapsed } = createWorld({});
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
    const { caller } = createWorld({ 1000: arrive("running") });
    const answer = await caller.call("trace_request", { requestId: "awaited", waitMs: 10_000 });
    expect(answer.message).toMatch(/ 1 execution \(2: running\) did not end within \d+ seconds?\.$/);
  });

  test("does not wait where all has ended, nor without waitMs", async () => {
    const { caller, n8n, elapsed } = createWorld({});
    await caller.call("trace_request", { requestId: "awaited" });
    arrive("success")(n8n);
    const answer = await caller.call("trace_request", { requestId: "awaited", waitMs: 55_000 });
    expect(answer.data).not.toHaveProperty("waitedMs");
    expect(elapsed()).toBe(0);
  });
});

test("n8n instances without the request do not wait longer than the one that has it", async () => {
  const { n8n } = createWorld({});
  arrive("success")(n8n);
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

describe("fifty callers who wait for the same request", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  interface Looks {
    /** When n8n was asked, in seconds. */
    readonly looks: readonly number[];
    /** The number of all requests to it. */
    readonly requests: number;
  }

  /** Starts so many callers within so many milliseconds. */
  async function looksOf(callers: number, withinMs: number): Promise<Looks> {
    vi.useFakeTimers({ now: BEGIN });
    const n8n = createFakeN8n([fakeExecution(1, "another")]);
    // An n8n without latency would always have answered one caller before the next one asks.
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
      // No two callers have the same clock, nor timers that are on time.
      const late = withinMs === 0 ? 0 : (index * 13) % 80;
      const sleepLate = async (milliseconds: number): Promise<void> => await sleep(milliseconds + late);
      const clock = { now: Date.now, sleep: sleepLate };
      const caller = createCaller({ fetch: n8n.fetch, history, ...clock });
      return await caller.call("trace_request", { requestId: "awaited", waitMs: 55_000 });
    });
    await vi.advanceTimersByTimeAsync(40_000);
    arrive("success")(n8n);
    await vi.advanceTimersByTimeAsync(60_000);
    for (const { data } of await Promise.all(answers)) expect(data).toMatchObject({ found: true });
    vi.useRealTimers();
    return { looks, requests: n8n.requests.length };
  }

  test("ask n8n no more often than a single caller does", async () => {
    const alone = await looksOf(1, 0);
    expect(alone.looks.length).toBeGreaterThan(5);
    const many = await looksOf(50, 0);
    expect(many.looks).toHaveLength(alone.looks.length);
    // Each caller checks once that n8n is still the same before it reports nothing, and reads once what was found.
    expect(many.requests - alone.requests).toBeLessThanOrEqual(2 * 49);
  });

  test("who start one after the other ask at the same full seconds, once each", async () => {
    const { looks } = await looksOf(50, 3_000);
    const later = looks.filter((at) => at > 4);
    expect(new Set(later.map(Math.floor)).size, String(later)).toBe(later.length);
  });
});
