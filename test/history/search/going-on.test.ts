/**
 * Executions that change between two calls of a search, or during one. Other callers read them first, so their rows
 * alone do not show that the search has not.
 */
import { expect, test } from "vitest";
import { MAX_TRACES } from "../../../src/history/resuming/trace-states.ts";
import { type Capabilities, NOTHING_KNOWN } from "../../../src/n8n/capabilities/capabilities.ts";
import { readExecutionCursor } from "../../../src/n8n/execution-cursor.ts";
import { ObserverError } from "../../../src/platform/errors.ts";
import { ContinuedSearch } from "../../support/continued-search.ts";
import {
  createFakeN8n,
  type FakeN8n,
  failure,
  fakeExecution,
  fakeHistory,
  isDataPage,
  N8N_1_100,
  queuedExecution,
} from "../../support/fake-n8n.ts";
import { createLocalCapabilities, N8N_2 } from "../../support/local-capabilities.ts";
import { createTestTraces, type TestTraces, WINDOW } from "../../support/test-traces.ts";

const START = Date.UTC(2026, 0, 1);
const at = (second: number): string => new Date(START + second * 1_000).toISOString();
const needle = { text: "needle" };

interface Known {
  readonly n8n: FakeN8n;
  readonly traces: TestTraces;
  /** Another user's trace, which looks at what is new. */
  readonly traceOfBert: () => Promise<unknown>;
  readonly put: (id: number, requestId: string, facts?: Record<string, unknown>) => void;
}

/** @param count executions of n8n, one a second @param second the present time, in seconds since the first */
function createKnown(
  count: number,
  second: number,
  queues = false,
  present: Capabilities = { ...N8N_2, queues },
): Known {
  const n8n = createFakeN8n(fakeHistory(count));
  const traces = createTestTraces(undefined, createLocalCapabilities(present));
  traces.clock.time = START + second * 1_000;
  return {
    n8n,
    traces,
    traceOfBert: async () => {
      traces.clock.time += 1_000;
      return await traces.ask(n8n, { requestId: "nothing of this kind" }, "bert");
    },
    put: (id, requestId, facts = {}) => {
      const others = n8n.executions.filter((one) => one.id !== String(id));
      n8n.executions = [...others, fakeExecution(id, requestId, facts)];
    },
  };
}

test("an execution that ended before a call's lists but is written late is read as it ended", async () => {
  const known = createKnown(60, 61);
  known.put(58, "early", { status: "running", stoppedAt: null });
  await known.traceOfBert();
  const search = new ContinuedSearch(known, needle);
  expect((await search.call(20))?.coverage.stoppedBy).toBe("limit");
  known.put(58, "needle", { stoppedAt: at(58.5) });
  await known.traceOfBert();
  await search.call(100);
  expect([...search.found]).toEqual(["58"]);
});

test("an ended execution older than everything n8n had listed is searched", async () => {
  const known = createKnown(600, 1_000);
  known.put(1, "early", { status: "running", stoppedAt: null });
  await known.traceOfBert();
  known.put(1, "needle", { stoppedAt: at(1_010) });
  await known.traceOfBert();
  const search = new ContinuedSearch(known, { words: "needle" });
  expect((await search.call(2_000))?.coverage).toMatchObject({ complete: true, scannedExecutions: 600 });
  expect([...search.found]).toEqual(["1"]);
});

test("an ended execution that an older n8n lists only now is searched", async () => {
  const known = createKnown(600, 1_000, false, NOTHING_KNOWN);
  known.n8n.old = N8N_1_100;
  known.put(1, "early", { status: "running", stoppedAt: null });
  for (let looks = 0; looks < 2; looks += 1) await known.traceOfBert();
  known.put(1, "needle", { stoppedAt: at(1_010) });
  await known.traceOfBert();
  const search = new ContinuedSearch(known, { words: "needle" });
  expect((await search.call(2_000))?.coverage).toMatchObject({ complete: true });
  expect([...search.found]).toEqual(["1"]);
});

test.each([
  ["ends", ["5"]],
  ["is deleted", []],
])("an execution dropped from the index before it %s is requested once more", async (end, found) => {
  const known = createKnown(170, 171);
  const { n8n, traces, put } = known;
  put(5, "early", { status: "waiting", waitTill: at(9_999) });
  const search = new ContinuedSearch(known, needle);
  expect((await search.call(2_000))?.coverage).toMatchObject({ complete: true });
  if (end === "ends") put(5, "needle", { stoppedAt: at(172) });
  else n8n.executions = n8n.executions.filter(({ id }) => id !== "5");
  traces.history.instance.store.makeRoom(100);
  expect((await search.call(2_000))?.coverage).toMatchObject({ complete: true });
  expect([...search.found]).toEqual(found);
  n8n.requests.length = 0;
  await search.call(2_000);
  expect(n8n.requests.filter((path) => path.includes("/executions/5?"))).toEqual([]);
});

test.each(["waiting", "queued"])(
  "an execution that was %s and continues during the search is read separately",
  async (was) => {
    const known = createKnown(1_400, 1_400, was === "queued");
    const { n8n, put, traceOfBert } = known;
    const id = was === "queued" ? 1_401 : 20;
    if (was === "queued") n8n.executions = [...n8n.executions, queuedExecution(id, "needle")];
    else put(id, "needle", { status: "waiting", waitTill: at(9_999) });
    await traceOfBert();
    let isOver = false;
    n8n.intercept = async (url) => {
      if (isOver || !isDataPage(url)) return undefined;
      isOver = true;
      put(id, "needle", { status: "running", startedAt: at(1_402), stoppedAt: null });
      await traceOfBert();
      return undefined;
    };
    const search = new ContinuedSearch(known, needle);
    expect((await search.call(2_000))?.coverage).toMatchObject({ complete: true });
    expect([...search.found]).toEqual([String(id)]);
  },
);

test("executions queued behind many, which began in a past window, are all read", async () => {
  const known = createKnown(100, 110, true);
  const early = known.n8n.executions.slice(10, 30).map(({ id }) => Number(id));
  known.n8n.executions = known.n8n.executions.map((one) =>
    early.includes(Number(one.id)) ? queuedExecution(Number(one.id), "early") : one,
  );
  for (let looks = 0; looks < 5; looks += 1) await known.traceOfBert();
  for (const id of early) known.put(id, "needle", { startedAt: at(130), stoppedAt: at(131) });
  known.traces.clock.time = START + 320_000;
  const search = new ContinuedSearch(known, needle, { ...WINDOW, startedBefore: at(300) });
  for (let calls = 0; calls < 4; calls += 1) if ((await search.call(2_000))?.coverage.complete) break;
  expect([...search.found].map(Number).toSorted((a, b) => a - b)).toEqual(early);
});

test("broken executions do not use up the limit of later calls, and are read once they recover", async () => {
  const known = createKnown(100, 101);
  known.n8n.intercept = ({ pathname, searchParams }) => {
    if (!searchParams.has("includeData")) return undefined;
    const [, id] = /\/executions\/(\d+)$/.exec(pathname) ?? [];
    // A page begins below the id of its cursor.
    const below = Number(readExecutionCursor(searchParams.get("cursor") ?? "")?.lastId ?? 101);
    return (id === undefined ? below - 1 : Number(id)) > 95 ? failure(500) : undefined;
  };
  const search = new ContinuedSearch(known, { text: "r-9" });
  for (let calls = 0; calls < 6; calls += 1) await search.call(5);
  const found = [...search.found].map(Number);
  expect(found.some((id) => id < 95)).toBe(true);
  expect(found.every((id) => id <= 95)).toBe(true);
  known.n8n.intercept = () => undefined;
  // Another user reads them first.
  await known.traceOfBert();
  expect((await search.call(200))?.coverage).toMatchObject({ complete: true });
  for (const id of ["96", "97", "98", "99"]) expect([...search.found]).toContain(id);
});

test("a search gets past any number of broken executions, and reads them once they recover", async () => {
  const known = createKnown(130, 131);
  for (let id = 61; id <= 130; id += 1) known.n8n.broken.add(String(id));
  const search = new ContinuedSearch(known, { text: "r-5" });
  for (let calls = 0; calls < 5; calls += 1) expect(await search.call(2_000)).not.toBeNull();
  expect(search.found.size).toBe(11);
  known.n8n.broken.clear();
  let complete = false;
  for (let calls = 0; calls < 3 && !complete; calls += 1)
    complete = (await search.call(2_000))?.coverage.complete === true;
  expect(complete).toBe(true);
});

test("a broken execution in the queue does not keep others from being read", async () => {
  const known = createKnown(100, 101, true);
  const queued = Array.from({ length: 8 }, (_one, index) => queuedExecution(101 + index, "needle"));
  known.n8n.executions = [...known.n8n.executions, ...queued];
  known.n8n.broken.add("101").add("108");
  const search = new ContinuedSearch(known, needle);
  for (let calls = 0; calls < 3; calls += 1) await search.call(2_000);
  expect([...search.found].toSorted()).toEqual(["102", "103", "104", "105", "106", "107"]);
});

test("a queued execution at which n8n was slow to fail is requested again by the next call", async () => {
  const known = createKnown(100, 101, true);
  known.n8n.executions = [...known.n8n.executions, queuedExecution(101, "needle")];
  known.n8n.broken.add("101");
  known.n8n.intercept = ({ pathname }) => {
    if (pathname.endsWith("/101")) known.traces.clock.time += 2_000;
    return undefined;
  };
  const search = new ContinuedSearch(known, needle);
  await search.call(2_000);
  known.n8n.broken.clear();
  await search.call(2_000);
  expect([...search.found]).toEqual(["101"]);
});

test("an ended execution behind many unrequested ids is searched, though an older n8n never listed it", async () => {
  const known = createKnown(700, 701, false, NOTHING_KNOWN);
  const { n8n, put, traceOfBert } = known;
  n8n.old = N8N_1_100;
  const isKept = ({ id }: { readonly id: string }): boolean => Number(id) <= 100 || Number(id) % 2 === 1;
  n8n.executions = n8n.executions.filter(isKept);
  put(50, "early", { status: "running", stoppedAt: null });
  await traceOfBert();
  put(50, "needle", { stoppedAt: at(690) });
  const search = new ContinuedSearch(known, { path: "body.requestId", value: "needle" });
  expect((await search.call(2_000))?.coverage.complete).toBe(false);
  for (let looks = 0; looks < 4; looks += 1) await traceOfBert();
  expect((await search.call(2_000))?.coverage).toMatchObject({ complete: true });
  expect([...search.found]).toEqual(["50"]);
});

test("the hits of an interrupted call are returned by the next", async () => {
  const known = createKnown(600, 601);
  await known.traceOfBert();
  const search = new ContinuedSearch(known, { text: "r-5" });
  await search.call(5);
  let pages = 0;
  known.n8n.intercept = (url) => {
    if (isDataPage(url)) pages += 1;
    if (pages > 1)
      throw new ObserverError("INTERRUPTED", "The server was moved.", { solution: "Call again." });
    return undefined;
  };
  expect(await search.call(500)).toBeNull();
  known.n8n.intercept = () => undefined;
  expect((await search.call(2_000))?.coverage).toMatchObject({ complete: true });
  const expected = known.n8n.executions.map(({ id }) => id).filter((id) => id.startsWith("5"));
  expect([...search.found].toSorted()).toEqual(expected.toSorted());
});

test("complete traces and searches of the same user do not end an unfinished search", async () => {
  const traces = createTestTraces();
  const there = { traces, n8n: createFakeN8n(fakeHistory(300)) };
  await traces.ask(there.n8n, { requestId: "never" });
  const search = new ContinuedSearch(there, { text: "r-1" });
  expect((await search.call(100))?.coverage.complete).toBe(false);
  for (let count = 0; count <= MAX_TRACES; count += 1) {
    traces.clock.time += 1_000;
    expect((await traces.ask(there.n8n, { requestId: `r-${count + 1}` })).coverage.complete).toBe(true);
  }
  for (let count = 0; count <= MAX_TRACES; count += 1) {
    traces.clock.time += 1_000;
    const other = new ContinuedSearch(there, { path: "body.requestId", value: `r-${count + 1}` });
    expect((await other.call(2_000))?.coverage.complete).toBe(true);
  }
  // An unfinished search is written at once, together with all others.
  expect((await new ContinuedSearch(there, { text: "r-2" }).call(1))?.coverage.complete).toBe(false);
  expect(await search.call(100)).not.toBeNull();
});
