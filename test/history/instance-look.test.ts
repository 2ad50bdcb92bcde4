/** What a look at an n8n with known history costs: one turn of the limiter, shared by all who ask at once. */
import { expect, test } from "vitest";
import { View } from "../../src/n8n/view.ts";
import { clientOf, createFakeN8n, type FakeN8n, fakeExecution } from "../support/fake-n8n.ts";
import { liveHeapBytes } from "../support/live-heap.ts";
import { createLocalHistory, NOTHING_SEEN } from "../support/local-history.ts";
import { createTestTraces, WINDOW } from "../support/test-traces.ts";

/** The n8n behind a limiter, with a log of what was taken from the limiter. */
function withLimiter(n8n: FakeN8n): { n8n: FakeN8n; taken: string[] } {
  const taken: string[] = [];
  const slot = { pause: async () => {}, end: () => {} };
  const client = clientOf(n8n, {
    takeSlot: async () => {
      taken.push("slot");
      return slot;
    },
    takeTurn: async (_maxWaitMs, requests) => {
      taken.push(`turn for ${requests}`);
      return { slots: [slot, slot], requests };
    },
  });
  return { n8n: { ...n8n, client }, taken };
}

const history = () => [
  fakeExecution(4, "r-4", { status: "waiting", waitTill: "2027-01-01T00:00:00.000Z" }),
  fakeExecution(3, "r-3"),
  fakeExecution(2, "r-2"),
  fakeExecution(1, "r-1"),
];

test("all lists of a look take one turn", async () => {
  const traces = createTestTraces();
  const { n8n, taken } = withLimiter(createFakeN8n(history()));
  await traces.ask(n8n, { requestId: "r-1" });
  taken.length = 0;
  n8n.requests.length = 0;
  await traces.ask(n8n, { requestId: "r-2" }, "somebody else");
  expect(n8n.requests).toHaveLength(3);
  expect(taken).toEqual(["turn for 3"]);
});

test("fifty simultaneous traces share one look", async () => {
  const traces = createTestTraces();
  const { n8n, taken } = withLimiter(createFakeN8n(history()));
  await traces.ask(n8n, { requestId: "r-1" });
  taken.length = 0;
  const asking = Array.from({ length: 50 }, async (_one, user) =>
    traces.ask(n8n, { requestId: `r-${1 + (user % 4)}` }, `user-${user}`),
  );
  for (const { found } of await Promise.all(asking)) expect(found).toBe(true);
  // The slot is for what the waiting execution waits for, read once for all who ask.
  expect(taken).toEqual(["turn for 3", "slot"]);
});

test("a known request is reported early only while nobody else waits for n8n's lists", async () => {
  const traces = createTestTraces();
  const fake = createFakeN8n(history());
  await traces.ask(fake, { requestId: "r-1" });
  fake.latencyMs = 50;
  const { n8n, taken } = withLimiter(fake);
  let answered = 0;
  fake.intercept = () => {
    answered += 1;
    return undefined;
  };
  const reports: unknown[] = [];
  const ask = async (requestId: string) => {
    const caller = {
      userId: "bert",
      view: View.everything,
      newId: () => requestId,
      progress: async () => {},
    };
    const query = { requestId, traceId: undefined, window: WINDOW, limit: 10, deep: false };
    await traces.history.instance.trace(
      { ...query, timeBudgetMs: 20_000, mayReadData: true },
      { ...caller, sources: traces.sourcesOf(n8n) },
      ({ family }) => reports.push({ ids: family.map(({ id }) => id), taken: [...taken], answered }),
    );
  };
  await ask("r-2");
  const known = { ids: ["2"], taken: ["turn for 3"], answered: 0 };
  expect(reports).toEqual([known]);
  const first = ask("never sent");
  await new Promise((resolve) => setTimeout(resolve, 20));
  await Promise.all([first, ask("r-3")]);
  expect(reports).toEqual([known]);
});

test.each([
  ["is stored", "the same history", 1],
  ["is not stored", "been replaced meanwhile", 0],
])("the judgement of a closer look %s if n8n has %s", async (_what, _history, kept) => {
  const traces = createTestTraces();
  await traces.ask(createFakeN8n(history()), { requestId: "r-3" });
  const { sql, instance } = traces.history;
  await instance.lookCloser("3", View.everything, traces.clock.now(), async () => {
    if (kept === 0) instance.store.listed.countEpoch();
    return NOTHING_SEEN;
  });
  expect([...sql.exec("SELECT is_wrong FROM judgements WHERE id = 3")]).toHaveLength(kept);
});

test("two hundred closer looks take little memory, even with views of 5,000 workflows", async () => {
  const { instance } = createLocalHistory();
  const viewFrom = (first: number): View => {
    const seen = Array.from({ length: 5_000 }, (_one, index) => `workflow-${first + index}`);
    return View.from({ seen, data: seen });
  };
  const before = liveHeapBytes();
  for (let look = 0; look < 200; look += 1)
    await instance.lookCloser(String(look), viewFrom(look % 5), 0, async () => NOTHING_SEEN);
  expect(liveHeapBytes() - before).toBeLessThan(5_000_000);
  expect(instance.knownLooks(["199"], viewFrom(4), 0).size).toBe(1);
});
