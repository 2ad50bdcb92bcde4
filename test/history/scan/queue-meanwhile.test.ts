/** Executions that enter or leave n8n's queue while a scan is in progress, and what other callers read meanwhile. */
import { describe, expect, test } from "vitest";
import { View } from "../../../src/n8n/view.ts";
import { ContinuedSearch } from "../../support/continued-search.ts";
import {
  createFakeN8n,
  type FakeExecution,
  failure,
  fakeExecution,
  isDataPage,
  queuedExecution,
  webhookData,
} from "../../support/fake-n8n.ts";
import { WINDOW } from "../../support/test-traces.ts";
import { each, ended, expectNoWrongClaim, put, queued, tracesOf } from "./queue-set-up.ts";
import { atRequest, holdFirst, isSingle, passTurns } from "./set-up.ts";

const at = (time: number): string => new Date(time).toISOString();

describe("a window that ends while n8n is asked", () => {
  const begunIn = (id: number, end: number): FakeExecution =>
    fakeExecution(id, `q-${id}`, { startedAt: at(end - 1_000), stoppedAt: at(end - 500) });

  test("includes an execution that left the queue after the lists", async () => {
    const traces = tracesOf(true);
    const n8n = createFakeN8n([...ended(1, 30), ...queued(31, 31)]);
    const end = traces.clock.time + 5_000;
    atRequest(n8n, 1, isDataPage, () => {
      put(n8n, begunIn(31, end));
      traces.clock.time += 6_000;
    });
    const window = { ...WINDOW, startedAfter: at(0), startedBefore: at(end) };
    expectNoWrongClaim(await traces.ask(n8n, { requestId: "q-31", window }));
  });

  test("includes an execution that left the queue while others in it were read", async () => {
    const traces = tracesOf(true);
    const n8n = createFakeN8n(ended(1, 30));
    await traces.ask(n8n, { requestId: "never sent" });
    n8n.executions.push(...queued(31, 130));
    traces.clock.time += 60_000;
    const end = traces.clock.time + 5_000;
    atRequest(n8n, 1, isSingle, () => {
      put(n8n, begunIn(80, end));
      traces.clock.time += 6_000;
    });
    const window = { ...WINDOW, startedBefore: at(end) };
    expectNoWrongClaim(await traces.ask(n8n, { requestId: "q-80", window }));
  });

  test("is not covered by what was read while it ended", async () => {
    const traces = tracesOf(true);
    const n8n = createFakeN8n([...ended(1, 30), ...queued(31, 31), ...ended(32, 32)]);
    await traces.ask(n8n, { requestId: "never sent" });
    traces.clock.time += 120_000;
    const end = traces.clock.time + 5_000;
    n8n.executions.push(...ended(33, 80));
    await traces.ask(n8n, { requestId: "never sent" });
    const [waits] = n8n.executions.filter(({ id }) => id === "31");
    const isOf31 = (url: URL): boolean => url.pathname.endsWith("/executions/31");
    let isAsked = false;
    n8n.intercept = (url) => {
      if (isAsked || !isOf31(url)) return undefined;
      isAsked = true;
      put(n8n, begunIn(31, end));
      traces.clock.time += 6_000;
      return new Response(JSON.stringify(waits), { headers: { "content-type": "application/json" } });
    };
    const window = { ...WINDOW, startedAfter: null, startedBefore: at(end) };
    const search = new ContinuedSearch({ traces, n8n }, { path: "body.requestId", value: "q-31" }, window);
    const answer = await search.call(1_000);
    expectNoWrongClaim({
      found: search.found.size > 0,
      coverage: { complete: answer?.coverage.complete === true },
    });
  });
});

describe("two callers at once", () => {
  test("an earlier scan does not report the queue as empty", async () => {
    const traces = tracesOf(true);
    const n8n = createFakeN8n([...ended(1, 30), ...queued(31, 33)]);
    await traces.ask(n8n, { requestId: "never sent" });
    traces.clock.time += 60_000;
    n8n.executions.push(...queued(34, 36));
    const is35 = (url: URL): boolean => url.pathname.endsWith("/35") && url.searchParams.has("includeData");
    const { held, letGo } = holdFirst(n8n, is35);
    const deep = traces.ask(n8n, { requestId: "never-1", deep: true }, "ben");
    await held;
    traces.clock.time += 1_000;
    n8n.executions.push(...queued(37, 130));
    let isAskedLast = false;
    n8n.intercept = async (url) => {
      // Whether n8n has been replaced is checked last.
      if (isAskedLast || url.searchParams.get("status") !== "new" || url.searchParams.get("limit") !== "1")
        return undefined;
      isAskedLast = true;
      letGo();
      await deep;
      return undefined;
    };
    expectNoWrongClaim(await traces.ask(n8n, { requestId: "q-80" }, "anna"));
    letGo();
    await deep;
  });

  test.each([
    ["a workflow", { ...WINDOW, workflowId: "w1" }],
    ["all", WINDOW],
  ])(
    "an execution stored after a trace of %s asked for it stays as another caller read it",
    async (_what, window) => {
      const traces = tracesOf(true);
      const n8n = createFakeN8n([...ended(1, 30), ...ended(32, 60), ...queued(61, 63)]);
      let isAskedFor = false;
      const { held, letGo } = holdFirst(n8n, (url) => {
        const isAfter = isAskedFor && isSingle(url);
        isAskedFor ||= url.pathname.endsWith("/executions/31");
        return isAfter;
      });
      const deep = traces.ask(n8n, { requestId: "never-1", deep: true, window }, "ben");
      await held;
      await passTurns(50);
      n8n.executions.push(queuedExecution(31, "q-31"));
      traces.clock.time += 1_000;
      expectNoWrongClaim(await traces.ask(n8n, { requestId: "q-31" }, "anna"));
      letGo();
      await deep;
      traces.clock.time += 1_000;
      expectNoWrongClaim(await traces.ask(n8n, { requestId: "q-31" }, "anna"));
    },
  );

  test("a failed probe that ends late does not undo what another caller has seen", async () => {
    const traces = tracesOf(null);
    const n8n = createFakeN8n(ended(1, 30));
    traces.history.instance.store.queue.emptyProbes = 19;
    const { held, letGo } = holdFirst(
      n8n,
      (url) => url.pathname.endsWith("/executions/31"),
      () => failure(404),
    );
    const late = traces.ask(n8n, { requestId: "never-1" }, "ben");
    await held;
    traces.clock.time += 1_000;
    n8n.executions.push(...queued(31, 33));
    expect(await traces.ask(n8n, { requestId: "q-32" }, "anna")).toMatchObject({ outcome: "queued" });
    letGo();
    await late;
    n8n.executions.push(...queued(34, 40));
    traces.clock.time += 60_000;
    expectNoWrongClaim(await traces.ask(n8n, { requestId: "q-37" }, "anna"));
  });

  test.each([
    ["all", WINDOW, 31],
    ["a workflow", { ...WINDOW, workflowId: "w1" }, 31],
    ["all, between others", WINDOW, 20],
  ])(
    "a deep trace of %s reads an execution that another caller read as it left the queue",
    async (_what, window, id) => {
      const traces = tracesOf(true);
      const others = ended(1, 30).filter((one) => one.id !== String(id));
      const n8n = createFakeN8n([...others, queuedExecution(id, "other")]);
      const { held, letGo } = holdFirst(n8n, isDataPage);
      const deep = traces.ask(n8n, { requestId: "req-77", window, deep: true }, "ben");
      await held;
      put(n8n, fakeExecution(id, "", { data: webhookData({ body: { note: "see req-77" } }) }));
      traces.clock.time += 1_000;
      await traces.ask(n8n, { requestId: "never sent" }, "anna");
      letGo();
      const { executions, coverage } = await deep;
      expectNoWrongClaim({ found: executions.length > 0, coverage });
    },
  );

  test("a deep trace reads an execution that an earlier look had left in the queue", async () => {
    const traces = tracesOf(true);
    const n8n = createFakeN8n([...ended(1, 19), ...queued(20, 20), ...ended(21, 30)]);
    n8n.intercept = (url) => (url.pathname.endsWith("/executions/20") ? failure(500) : undefined);
    await traces.ask(n8n, { requestId: "never sent" });
    const { held, letGo } = holdFirst(n8n, isSingle);
    const deep = traces.ask(n8n, { requestId: "req-77", deep: true }, "ben");
    await held;
    const begun = at(traces.clock.time);
    const data = webhookData({ body: { note: "see req-77" } });
    put(n8n, fakeExecution(20, "", { startedAt: begun, stoppedAt: begun, data }));
    traces.clock.time += 1_000;
    await traces.ask(n8n, { requestId: "never sent" }, "anna");
    letGo();
    const { executions, coverage } = await deep;
    expectNoWrongClaim({ found: executions.length > 0, coverage });
  });

  test("a search reads such executions though its own look counted them as unread", async () => {
    const traces = tracesOf(true);
    const n8n = createFakeN8n(ended(1, 30));
    await traces.ask(n8n, { requestId: "never sent" });
    n8n.executions.push(...queued(31, 60));
    traces.clock.time += 60_000;
    const { queue } = traces.history.instance.store;
    const { held, letGo } = holdFirst(n8n, (url) => isSingle(url) && queue.lastLook?.top === "60");
    const user = { userId: "sue", view: View.everything };
    const search = new ContinuedSearch({ traces, n8n, user }, { text: "blue-45x" });
    const searching = search.call(3_000);
    await Promise.race([held, searching]);
    const { intercept } = n8n;
    n8n.intercept = () => undefined;
    put(
      n8n,
      ...each(31, 60, (id) =>
        fakeExecution(id, "", { data: webhookData({ body: { note: `blue-${id}x` } }) }),
      ),
    );
    for (let look = 0; look < 4; look += 1) {
      traces.clock.time += 2_000;
      await traces.ask(n8n, { requestId: "never sent" }, "anna");
    }
    n8n.intercept = intercept;
    letGo();
    const answer = await searching;
    expectNoWrongClaim({
      found: search.found.size > 0,
      coverage: { complete: answer?.coverage.complete === true },
    });
  });
});

test("a search finishes on a busy n8n though others read new executions meanwhile", async () => {
  const traces = tracesOf(true);
  const n8n = createFakeN8n(ended(1, 30));
  await traces.ask(n8n, { requestId: "never sent" });
  const search = new ContinuedSearch({ traces, n8n }, { text: "blue" });
  let next = 31;
  const begin = (): void => {
    const now = at(traces.clock.time);
    const begun = each(next, next + 20, (id) =>
      fakeExecution(id, `r-${id}`, { startedAt: now, stoppedAt: now }),
    );
    n8n.executions.push(...begun);
    next += 21;
  };
  let answer = await search.call(1_000);
  for (let calls = 0; calls < 3; calls += 1) {
    traces.clock.time += 60_000;
    begin();
    let pages = 0;
    // The first page belongs to the look, which others share.
    const { held, letGo } = holdFirst(n8n, (url) => {
      if (isDataPage(url)) pages += 1;
      return isDataPage(url) && pages === 2;
    });
    const searching = search.call(1_000);
    await Promise.race([held, searching]);
    expect(pages).toBe(2);
    traces.clock.time += 1_000;
    begin();
    const asked = traces.ask(n8n, { requestId: "never sent" }, "ben");
    await passTurns(50);
    letGo();
    answer = await searching;
    await asked;
  }
  expect(answer?.coverage).toMatchObject({ complete: true, skipped: [] });
});

test.each([false, true])(
  "an execution that leaves the queue during a workflow's scan is not taken as read (deep: %s)",
  async (deep) => {
    const n8n = createFakeN8n([...ended(1, 30), ...queued(31, 31)]);
    atRequest(n8n, 1, isDataPage, () => put(n8n, fakeExecution(31, "q-31")));
    const window = { ...WINDOW, workflowId: "w1" };
    expectNoWrongClaim(await tracesOf(true).ask(n8n, { requestId: "q-31", window, deep }));
  },
);
