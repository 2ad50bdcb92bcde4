/** An n8n whose history is replaced, and pages that lack executions: no incomplete answer is called complete. */
import { describe, expect, test } from "vitest";
import { View } from "../../../src/n8n/view.ts";
import {
  createFakeN8n,
  type FakeExecution,
  fakeExecution,
  fakeHistory,
  isDataPage,
  isList,
  jsonAnswer,
} from "../../support/fake-n8n.ts";
import { NOTHING_SEEN, queriesOf } from "../../support/local-history.ts";
import { createTestTraces, WINDOW } from "../../support/test-traces.ts";
import { claimedButUnknown } from "../night/naive-reading.ts";
import { answerOnce, atRequest, iso } from "./set-up.ts";

/** The same ids with other start times and request ids. */
const another = (count: number) =>
  Array.from({ length: count }, (_one, index) => ({
    ...fakeExecution(index + 1, `s-${index + 1}`),
    startedAt: new Date(Date.UTC(2026, 5, 1) + index * 1_000).toISOString(),
  }));

describe("an n8n restored or reset in the middle of a call", () => {
  test.each([
    ["at a page with data", 2, isDataPage],
    ["at a list", 2, isList],
    ["at the first list", 1, (url: URL) => !url.searchParams.has("includeData")],
  ])("%s: no answer is complete that mixes both histories", async (_name, count, kind) => {
    const traces = createTestTraces();
    const known = await traces.ask(createFakeN8n(fakeHistory(600)), { requestId: "never" });
    expect(known.coverage.complete).toBe(true);
    const n8n = createFakeN8n(fakeHistory(900));
    atRequest(n8n, count, kind, () => {
      n8n.executions = another(850);
    });
    const answer = await traces.ask(n8n, { requestId: "s-5" });
    n8n.intercept = () => undefined;
    const next = await traces.ask(n8n, { traceId: answer.traceId });
    expect(next).toMatchObject({ found: true, coverage: { complete: true } });
    expect(await traces.ask(n8n, { requestId: "r-5" })).toMatchObject({ found: false });
    expect(await traces.ask(n8n, { requestId: "s-700" })).toMatchObject({ found: true });
  });
});

test.each([
  ["all", 120],
  ["and newer ones", 140],
])("a reset n8n whose ids are all below the known ones is read (%s)", async (_name, count) => {
  const traces = createTestTraces();
  await traces.ask(createFakeN8n(fakeHistory(4_300).slice(4_000)), { requestId: "never" });
  await traces.ask(createFakeN8n(another(120)), { requestId: "never" });
  const n8n = createFakeN8n(another(count));
  for (const requestId of ["s-3", "s-110", `s-${count}`])
    expect(await traces.ask(n8n, { requestId })).toMatchObject({ found: true, deletedIds: [] });
  expect(await traces.ask(n8n, { requestId: "r-4010" })).toMatchObject({ found: true, deletedIds: ["4010"] });
});

test("executions that the API key did not see for a while are not taken as deleted", async () => {
  const traces = createTestTraces();
  const all = fakeHistory(500).map((one, index) => ({ ...one, workflowId: index % 10 === 0 ? "w1" : "w2" }));
  const n8n = createFakeN8n(all);
  await traces.ask(n8n, { requestId: "never" });
  traces.clock.time += 60_000;
  n8n.executions = all.filter(({ workflowId }) => workflowId === "w1");
  await traces.ask(n8n, { requestId: "never" });
  n8n.executions = all;
  traces.clock.time += 60_000;
  await traces.ask(n8n, { requestId: "never" });
  expect(await traces.ask(n8n, { requestId: "r-400" })).toMatchObject({ found: true, deletedIds: [] });
});

test("failures of a reset n8n are counted though the former history has higher ids", async () => {
  const traces = createTestTraces();
  const former = fakeHistory(300).map((one) => ({ ...one, id: String(400_000 + Number(one.id)) }));
  await traces.ask(createFakeN8n(former), { requestId: "never" });
  const failed = another(120).map((one) => ({ ...one, status: "error" }));
  const sources = traces.sourcesOf(createFakeN8n(failed));
  const asking = { userId: "anna", view: View.everything, sources, newId: () => "1" };
  const history = queriesOf(traces.history, asking);
  const window = { from: Date.UTC(2026, 5, 1), to: Date.UTC(2026, 5, 2) };
  const asked = { window, isUntilNow: true, hasEnd: false, workflowId: null, timeBudgetMs: 20_000 };
  const { groups, totals } = await history.failures(
    { ...asked, group: null, isByText: true },
    async () => {},
  );
  expect({ groups, totals }).toMatchObject({
    groups: [{ count: 120 }],
    totals: { runs: 120, failures: 120 },
  });
  const counted = await history.query(
    {
      ...asked,
      groupBy: [],
      where: [],
      sortBy: "count",
      limit: 1,
      isCompared: false,
      timeZone: "UTC",
      workflowIds: null,
      labels: {},
    },
    async () => {},
  );
  expect(counted.total.now).toMatchObject({ count: 120, failures: 120 });
});

test("a judgement of a former history does not apply to the same id", async () => {
  const traces = createTestTraces();
  const { instance } = traces.history;
  const wrong = async (reason: string | null) =>
    (await instance.lookCloser("5", View.everything, 0, async () => ({ ...NOTHING_SEEN, reason }))).reason;
  await traces.ask(createFakeN8n(fakeHistory(30)), { requestId: "never" });
  expect(await wrong("It lost items.")).toBe("It lost items.");
  expect(await wrong(null)).toBe("It lost items.");
  expect(instance.knownLooks(["5"], View.everything, 0).size).toBe(1);
  await traces.ask(createFakeN8n(another(30)), { requestId: "never" });
  expect(instance.knownLooks(["5"], View.everything, 0).size).toBe(0);
  expect(await wrong(null)).toBeNull();
});

describe("a page that lacks executions", () => {
  test("does not mean that they were deleted: they are read", async () => {
    const n8n = createFakeN8n(fakeHistory(250));
    answerOnce(n8n, isDataPage, () => jsonAnswer({ data: [], nextCursor: null }));
    const answer = await createTestTraces().ask(n8n, { requestId: "r-250" });
    expect(answer).toMatchObject({
      found: true,
      coverage: { scannedExecutions: 250, complete: true, skipped: [] },
    });
  });

  test("leads to single requests when every page is empty", async () => {
    const n8n = createFakeN8n(fakeHistory(30));
    n8n.intercept = (url) => (isDataPage(url) ? jsonAnswer({ data: [], nextCursor: null }) : undefined);
    const answer = await createTestTraces().ask(n8n, { requestId: "r-3" });
    expect(answer).toMatchObject({ found: true, coverage: { scannedExecutions: 30, complete: true } });
  });
});

describe("an execution whose data n8n withholds", () => {
  test("is reported, since the id may be in it", async () => {
    const withheld = fakeExecution(2, "r-2");
    const redactionInfo = { isRedacted: true, reason: "workflow_redaction_policy", canReveal: false };
    const n8n = createFakeN8n([
      fakeExecution(1, "r-1"),
      { ...withheld, data: { redactionInfo, resultData: { runData: {} } } },
    ]);
    const traces = createTestTraces();
    for (const _time of ["first", "remembered"]) {
      const { found, sentence, coverage } = await traces.ask(n8n, { requestId: "r-2" });
      expect(found).toBe(false);
      expect(sentence).toContain("Not everything could be read");
      expect(coverage.skipped).toMatchObject([
        { executionId: "2", reason: expect.stringContaining("n8n withholds its data") },
      ]);
    }
  });
});

test.each(["the background", "a trace"])(
  "an execution that a restored n8n has back as waiting is known to wait again, by %s",
  async (who) => {
    const asleep = (id: number) => fakeExecution(id, `r-${id}`, { status: "waiting" });
    const history = fakeHistory(400).with(4, asleep(5)).with(5, asleep(6));
    const backup = createFakeN8n(history);
    const traces = createTestTraces();
    const { instance } = traces.history;
    const look = async (n8n: typeof backup): Promise<string | undefined> => {
      traces.clock.time += 60_000;
      if (who === "a trace") await traces.ask(n8n, { requestId: "never" });
      else await traces.step(n8n);
      const [row] = instance.store.executions.listedIn(WINDOW, [{ high: "5", low: "5" }]);
      return row?.status;
    };
    expect(await look(backup)).toBe("waiting");
    expect(await look(createFakeN8n(history.with(4, fakeExecution(5, "r-5"))))).toBe("success");
    expect(await look(backup)).toBe("waiting");
  },
);

describe("a restored n8n reuses ids that count as known", () => {
  const again = (from: number, to: number, life: number) =>
    Array.from({ length: to - from + 1 }, (_one, index) => {
      const [id, startedAt] = [from + index, iso(5_000 * life + from + index)];
      return fakeExecution(id, `${life}-${id}`, { startedAt, stoppedAt: startedAt });
    });

  test("when few of those ids had an execution", async () => {
    const traces = createTestTraces();
    const newest = [990, 995, 996, 997, 998, 999, 1_000].map((id) => fakeExecution(id, `r-${id}`));
    await traces.ask(createFakeN8n([...fakeHistory(300), ...newest]), { requestId: "never" });
    const n8n = createFakeN8n([...fakeHistory(300), ...again(301, 360, 1)]);
    expect(await traces.ask(n8n, { requestId: "1-305" })).toMatchObject({ found: true });
    expect(claimedButUnknown(n8n.executions, traces.history.sql)).toEqual([]);
  });

  test("a second time, after a look that found nothing new", async () => {
    const traces = createTestTraces();
    const look = async (executions: FakeExecution[], requestId = "never") => {
      traces.clock.time += 60_000;
      return await traces.ask(createFakeN8n(executions), { requestId });
    };
    await look(fakeHistory(300));
    await look([...fakeHistory(200), ...again(201, 210, 1)]);
    await look([...fakeHistory(200), ...again(201, 600, 1)]);
    await look([...fakeHistory(200), ...again(201, 600, 1)]);
    const backup = [...fakeHistory(200), ...again(201, 400, 1)];
    await look(backup);
    const answer = await look([...backup, ...again(401, 460, 3)], "3-410");
    expect(answer).toMatchObject({ found: true });
  });
});
