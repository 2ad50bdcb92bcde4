/**
 * A look sends its lists at the same time. An execution that still runs when the newest are listed, but has ended when
 * the running ones are, is in none of them: that list was requested again, or n8n answered it later.
 */
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { View } from "../../../src/n8n/view.ts";
import { ContinuedSearch } from "../../support/continued-search.ts";
import {
  createFakeN8n,
  type FakeN8n,
  failure,
  fakeExecution,
  fakeHistory,
  isList,
  singlesOf,
} from "../../support/fake-n8n.ts";
import { type TestTraces, WINDOW } from "../../support/test-traces.ts";
import { tracesOf } from "./queue-set-up.ts";
import { iso } from "./set-up.ts";

const WINDOWS = { whole: WINDOW, dates: { ...WINDOW, startedAfter: iso(5_000) } };
const HOWS = {
  "fails with 502 once": () => failure(502),
  "fails with 500 once": () => failure(500),
  "is refused with 429 once": () => failure(429, { "retry-after": "1" }),
  "is answered with HTML once": () => new Response("<html>", { headers: { "content-type": "text/html" } }),
  "is answered last": () => undefined,
};
type How = keyof typeof HOWS;

async function known(): Promise<{ traces: TestTraces; n8n: FakeN8n }> {
  const traces = tracesOf(false);
  const n8n = createFakeN8n(fakeHistory(300));
  traces.clock.time = Date.parse(iso(301));
  await traces.ask(n8n, { requestId: "never" });
  traces.clock.time = Date.parse(iso(360));
  return { traces, n8n };
}

/** Execution 301 began 3 seconds ago, and ends once n8n has listed the newest. */
function endMeanwhile({ traces, n8n }: { traces: TestTraces; n8n: FakeN8n }, how: How): void {
  n8n.executions.push(
    fakeExecution(301, "wanted", { status: "running", startedAt: iso(357), stoppedAt: null }),
  );
  let isListed = false;
  let asked = 0;
  n8n.intercept = async (url) => {
    if (isList(url)) isListed = true;
    if (url.searchParams.get("status") !== "running") return undefined;
    asked += 1;
    const answer = asked === 1 ? HOWS[how]() : undefined;
    if (answer !== undefined) return answer;
    for (let turn = 0; turn < 200 && !isListed; turn += 1) await setImmediate();
    traces.clock.time += 2_000;
    n8n.executions = n8n.executions.map((one) =>
      one.id === "301" ? fakeExecution(301, "wanted", { startedAt: iso(357), stoppedAt: iso(361) }) : one,
    );
    return undefined;
  };
}

const hows = Object.keys(HOWS) as How[];

test.each(hows.flatMap((how) => (["whole", "dates"] as const).map((kind) => [how, kind] as const)))(
  "a trace finds it or is incomplete if the list of running ones %s (window: %s)",
  async (how, kind) => {
    const at = await known();
    endMeanwhile(at, how);
    const window = kind === "dates" ? { ...WINDOWS.dates, startedAfter: iso(300) } : WINDOW;
    const answer = await at.traces.ask(at.n8n, { requestId: "wanted", window });
    expect(answer.found || !answer.coverage.complete).toBe(true);
  },
);

/** Execution 301 when the newest are listed. */
const BEGINS = { status: "running", startedAt: iso(357), stoppedAt: null };
const BETWEEN: readonly (readonly [string, Record<string, unknown>])[] = [
  ["waits", { status: "waiting", startedAt: iso(357), stoppedAt: iso(358), waitTill: iso(9_000) }],
  ["has not begun", { status: "new", startedAt: null, stoppedAt: null }],
];
const CALLS = ["trace", "search"] as const;

test.each(BETWEEN.flatMap(([what, facts]) => CALLS.map((call) => [call, what, facts] as const)))(
  "a %s finds one that %s when the running ones are listed, and runs when the newest are",
  async (call, _what, facts) => {
    const { traces, n8n } = await known();
    // The two ids between them were not saved.
    n8n.executions.push(fakeExecution(301, "wanted", facts), fakeExecution(304, "r-304"));
    let isRunningListed = false;
    n8n.intercept = async (url) => {
      if (url.searchParams.get("status") === "running") isRunningListed = true;
      if (!isList(url)) return undefined;
      for (let turn = 0; turn < 200 && !isRunningListed; turn += 1) await setImmediate();
      for (let turn = 0; turn < 20; turn += 1) await setImmediate();
      n8n.executions = n8n.executions.with(300, fakeExecution(301, "wanted", BEGINS));
      return undefined;
    };
    if (call === "trace")
      return expect(await traces.ask(n8n, { requestId: "wanted" })).toMatchObject({ outcome: "running" });
    const search = new ContinuedSearch({ traces, n8n }, { path: "body.requestId", value: "wanted" });
    await search.call(2_000);
    expect([...search.found]).toEqual(["301"]);
  },
);

test("an execution that n8n has but lists nowhere makes the outcome provisional", async () => {
  const { traces, n8n } = await known();
  // n8n lists an ended execution only once all work after its end is done.
  n8n.executions.push(fakeExecution(301, "wanted", { isQueued: true }), fakeExecution(302, "r-302"));
  expect(await traces.ask(n8n, { requestId: "wanted" })).toMatchObject({
    outcome: "not_found_yet",
    coverage: { complete: false },
  });
});

test("the outcome is final if the second look finds the execution", async () => {
  const { traces, n8n } = await known();
  const ids = ["301", "302"];
  n8n.executions.push(
    ...ids.map((id) => fakeExecution(Number(id), `w-${id}`, { isQueued: true })),
    fakeExecution(303, "r-303"),
  );
  n8n.intercept = (url) => {
    if (url.pathname.endsWith("/301"))
      n8n.executions = n8n.executions.map((one) => (one.id === "301" ? { ...one, isQueued: false } : one));
    return undefined;
  };
  expect(await traces.ask(n8n, { requestId: "w-301" })).toMatchObject({
    outcome: "success",
    coverage: { complete: true },
  });
});

test.each(["w1", "w2"])(
  "an unlisted execution of a hidden workflow does not affect the answer (workflow: %s)",
  async (workflowId) => {
    const { traces, n8n } = await known();
    traces.view = View.from({ seen: ["w1"], data: ["w1"] });
    n8n.executions.push(
      fakeExecution(301, "r-301", { isQueued: true, workflowId }),
      fakeExecution(302, "r-302", { workflowId }),
    );
    expect(await traces.ask(n8n, { requestId: "wanted" })).toMatchObject({
      coverage: { complete: workflowId === "w2" },
    });
  },
);

test("an n8n that fails at an unlisted id still gives an answer, and is asked once in ten seconds", async () => {
  const { traces, n8n } = await known();
  n8n.executions.push(fakeExecution(302, "r-302"), fakeExecution(304, "r-304"));
  n8n.intercept = (url) => (url.pathname.endsWith("/301") ? failure(500) : undefined);
  const ask = async () => await traces.ask(n8n, { requestId: "wanted" });
  for (let calls = 0; calls < 3; calls += 1)
    expect(await ask()).toMatchObject({ outcome: "not_found", coverage: { complete: true } });
  expect(singlesOf(n8n).filter((id) => id === "303")).toHaveLength(1);
});

test("a window that has ended requests no unlisted ids", async () => {
  const { traces, n8n } = await known();
  n8n.executions.push(fakeExecution(302, "r-302"));
  const window = { ...WINDOW, startedBefore: iso(350) };
  await traces.ask(n8n, { requestId: "wanted", window });
  expect(singlesOf(n8n)).toEqual([]);
});

test.each([
  ["one workflow", { ...WINDOW, workflowId: "w1" }],
  ["a time", { ...WINDOW, startedAfter: iso(340) }],
])("a deep trace of %s is complete though it listed only part of the ids", async (_what, window) => {
  const { traces, n8n } = await known();
  n8n.dates = "filtered";
  const begun = Array.from({ length: 50 }, (_one, index) => 301 + index);
  for (const id of begun)
    n8n.executions.push(fakeExecution(id, `r-${id}`, { workflowId: id === 350 ? "w1" : "w2" }));
  const { coverage } = await traces.ask(n8n, { requestId: "none", deep: true, window });
  expect(coverage).toMatchObject({ complete: true, skipped: [] });
});

test("a key without access to single executions still gets an answer", async () => {
  const { traces, n8n } = await known();
  n8n.executions.push(fakeExecution(302, "r-302"));
  n8n.intercept = (url) => (/\/executions\/\d+$/.test(url.pathname) ? failure(403) : undefined);
  expect(await traces.ask(n8n, { requestId: "wanted" })).toMatchObject({
    outcome: "not_found",
    coverage: { complete: true },
  });
});

test.each(hows)("a search finds it or is incomplete if that list %s", async (how) => {
  const at = await known();
  endMeanwhile(at, how);
  const search = new ContinuedSearch(at, { path: "body.requestId", value: "wanted" });
  const answer = await search.call(2_000);
  expect(search.found.has("301") || answer?.coverage.complete === false).toBe(true);
});
