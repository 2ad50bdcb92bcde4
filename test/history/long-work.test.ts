/** Long work yields to other users' calls, both in the index and at n8n. */
import { expect, test } from "vitest";
import type { Caller } from "../../src/history/instance-history.ts";
import { View } from "../../src/n8n/view.ts";
import { createFakeN8n, fakeHistory, isDataPage } from "../support/fake-n8n.ts";
import { createTestTraces, WINDOW } from "../support/test-traces.ts";

const COUNT = 120;

async function createKnown(isShared: boolean, count = COUNT) {
  const n8n = createFakeN8n(fakeHistory(count));
  const traces = createTestTraces();
  await traces.ask(n8n, { requestId: "nothing of this kind" });
  n8n.requests.length = 0;
  let given = 0;
  const giveWay = async (): Promise<void> => {
    given += 1;
  };
  const others = { areThere: isShared };
  const sources = traces.sourcesOf(n8n);
  const caller: Caller = {
    userId: "anna",
    view: View.everything,
    sources,
    newId: () => "1",
    progress: async () => {},
    thread: {
      get isShared() {
        return others.areThere;
      },
      giveWay,
    },
  };
  /** Has to read all executions, since no filter knows a part of a word. */
  const search = async (): Promise<number> => {
    const args = { limit: 1_000, maxHits: 50, searchId: undefined, timeBudgetMs: 20_000 };
    const asked = { query: { text: "q17z" }, window: WINDOW, ...args };
    const { coverage } = await traces.history.instance.search(asked, caller, sources.redactLarge);
    return coverage.readNow;
  };
  const query = async (): Promise<unknown> =>
    await traces.history.instance.query(
      {
        window: { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 0, 2) },
        isUntilNow: true,
        hasEnd: false,
        groupBy: [],
        where: [],
        sortBy: "count",
        limit: 1,
        isCompared: false,
        timeZone: "UTC",
        workflowIds: null,
        labels: {},
        timeBudgetMs: 20_000,
      },
      caller,
    );
  return { n8n, search, query, others, clock: traces.clock, given: () => given };
}

const pageSizes = (requests: readonly string[]): number[] =>
  requests
    .map((path) => new URL(path, "http://n8n"))
    .filter(isDataPage)
    .map(({ searchParams }) => Number(searchParams.get("limit")));

test.each([
  ["while others call requests small pages", true, [25, 25, 25, 25, 20]],
  ["of a single user requests large pages", false, [100, 20]],
])("a search %s and reads everything", async (_when, isShared, sizes) => {
  const { n8n, search } = await createKnown(isShared);
  expect(await search()).toBe(COUNT);
  expect(pageSizes(n8n.requests)).toEqual(sizes);
});

test.each([
  ["while others call requests one page", true, 1],
  ["of a single user requests two pages", false, 2],
])("a search %s at a time", async (_when, isShared, most) => {
  const { n8n, search } = await createKnown(isShared, 600);
  let asked = 0;
  let mostAsked = 0;
  n8n.intercept = async (url) => {
    if (!isDataPage(url)) return undefined;
    asked += 1;
    mostAsked = Math.max(mostAsked, asked);
    await new Promise((resolve) => setTimeout(resolve, 2));
    asked -= 1;
    return undefined;
  };
  expect(await search()).toBe(600);
  expect(mostAsked).toBe(most);
});

test("a search yields to others, a query of a single part does not", async () => {
  const { search, query, given } = await createKnown(true);
  await query();
  expect(given()).toBe(0);
  await search();
  expect(given()).toBeGreaterThan(0);
});

test("a search that switches to small pages still ends in its time budget", async () => {
  const { n8n, search, clock, others } = await createKnown(false, 400);
  n8n.intercept = (url) => {
    if (!isDataPage(url)) return undefined;
    others.areThere = true;
    clock.time += 5_000;
    return undefined;
  };
  expect(await search()).toBe(175);
  expect(pageSizes(n8n.requests)).toEqual([100, 25, 25, 25]);
});
