/** Executions that are in no list of an old n8n: found by their ids, bounded, remembered, and told what is left. */
import { beforeEach, describe, expect, test } from "vitest";
import { NOTHING_KNOWN } from "../../../src/n8n/capabilities/capabilities.ts";
import { ContinuedSearch } from "../../support/continued-search.ts";
import {
  createFakeN8n,
  dataPagesOf,
  type FakeN8n,
  failure,
  fakeExecution,
  fakeHistory,
  forgetRequests,
  isDataPage,
  isList,
  N8N_1_100,
  N8N_1_123,
  singlesOf,
} from "../../support/fake-n8n.ts";
import { createLocalCapabilities, N8N_2 } from "../../support/local-capabilities.ts";
import { createTestTraces, type TestTraces, WINDOW } from "../../support/test-traces.ts";
import { atRequest, iso } from "./set-up.ts";

let traces: TestTraces;
beforeEach(() => {
  traces = createTestTraces(undefined, createLocalCapabilities(NOTHING_KNOWN));
});

const waiting = (id: number, requestId: string) => fakeExecution(id, requestId, { status: "waiting" });

function oldN8n(executions: ReturnType<typeof fakeHistory>, old = N8N_1_123): FakeN8n {
  const n8n = createFakeN8n(executions);
  n8n.old = old;
  return n8n;
}

/** A history in whose middle `gaps` ids are missing, but for one that waits at its oldest end. */
const withGaps = (gaps: number, above = 20) => [
  ...fakeHistory(20),
  waiting(21, "sought"),
  ...fakeHistory(gaps + 20 + above).slice(gaps + 20),
];

const atFurtherList = (n8n: FakeN8n, act: () => void): void =>
  atRequest(n8n, 1, (url) => isList(url) && url.searchParams.has("cursor"), act);

describe("ids that are in no list", () => {
  test("are asked for once: what n8n does not have is remembered", async () => {
    const n8n = oldN8n(withGaps(31));
    expect(await traces.ask(n8n, { requestId: "sought" })).toMatchObject({ outcome: "waiting" });
    forgetRequests(n8n);
    const again = await traces.ask(n8n, { requestId: "never sent" });
    expect(again).toMatchObject({ outcome: "not_found", coverage: { complete: true } });
    // The ten ids above the newest, and whether the waiting one still does.
    expect(singlesOf(n8n).sort((a, b) => Number(a) - Number(b))).toEqual([
      "21",
      ...Array.from({ length: 10 }, (_one, index) => String(72 + index)),
    ]);
  });

  test("are asked for newest first, a hundred a call, and what is left is told", async () => {
    const n8n = oldN8n(withGaps(151));
    const first = await traces.ask(n8n, { requestId: "sought" });
    expect(first).toMatchObject({
      outcome: "not_found_yet",
      coverage: { complete: false, stoppedBy: "gaps" },
    });
    expect(first.coverage.skipped).toEqual([
      {
        executionId: null,
        reason: expect.stringMatching(/^61 ids are in no list of this n8n and not looked at/),
      },
    ]);
    expect(singlesOf(n8n)).toHaveLength(100);
    expect(first.sentence).toContain("Not everything could be read");
    expect(await traces.ask(n8n, { traceId: first.traceId })).toMatchObject({
      outcome: "waiting",
      coverage: { complete: true },
    });
  });

  test("before the oldest that is listed do not end: not found, and what was not looked at", async () => {
    const n8n = oldN8n([waiting(995, "long ago"), ...fakeHistory(1_020).slice(1_000)]);
    const answer = await traces.ask(n8n, { requestId: "never sent" });
    expect(answer).toMatchObject({
      outcome: "not_found",
      coverage: { complete: false, stoppedBy: "complete" },
    });
    expect(answer.coverage.skipped[0]?.reason).toMatch(/^910 ids before execution 1001 are in no list/);
    expect(await traces.ask(n8n, { requestId: "long ago" })).toMatchObject({ outcome: "waiting" });
  });

  test("are found above the newest that is listed", async () => {
    const n8n = oldN8n([...fakeHistory(5), waiting(9, "a"), waiting(17, "b")]);
    expect(await traces.ask(n8n, { requestId: "b" })).toMatchObject({
      outcome: "waiting",
      coverage: { complete: true },
    });
  });

  test("do not tell anything where nothing is listed", async () => {
    const n8n = oldN8n([waiting(3, "a")]);
    const answer = await traces.ask(n8n, { requestId: "a" });
    expect(answer).toMatchObject({ outcome: "waiting", coverage: { complete: false } });
    expect(answer.coverage.skipped[0]?.reason).toContain("this n8n lists no execution");
  });

  const MINUTE = 60;
  /** Some ids in the middle are missing: one of them waits, the others do not exist. */
  function withWaiting(secondsApart: number, asleep: { id: number; startedAt: string }): FakeN8n {
    const gone = new Set([10, 11, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 80]);
    const history = fakeHistory(100)
      .filter(({ id }) => !gone.has(Number(id)))
      .map((one) => ({ ...one, startedAt: iso(Number(one.id) * secondsApart) }));
    const { id, ...facts } = asleep;
    const sleeper = fakeExecution(id, "sought", { status: "waiting", workflowId: "w2", ...facts });
    return oldN8n([...history, sleeper]);
  }
  const found = { outcome: "waiting", coverage: { complete: true } };

  test("are asked for in a window of one workflow", async () => {
    const n8n = withWaiting(1, { id: 50, startedAt: iso(50) });
    const window = { ...WINDOW, workflowId: "w2" };
    expect(await traces.ask(n8n, { requestId: "sought", window })).toMatchObject(found);
  });

  describe("in a window of time", () => {
    const APART = 5 * MINUTE;
    const window = { workflowId: null, startedAfter: iso(48 * APART), startedBefore: iso(52 * APART) };

    test("are asked for between what lies around it", async () => {
      const n8n = withWaiting(APART, { id: 50, startedAt: iso(50 * APART) });
      expect(await traces.ask(n8n, { requestId: "sought", window })).toMatchObject(found);
      expect(singlesOf(n8n).every((id) => Number(id) > 44 && Number(id) < 56)).toBe(true);
    });

    test.each([
      ["the execution itself", { id: 46, startedAt: iso(48 * APART) }, undefined],
      [
        "one with a lower id, which therefore began after the window",
        { id: 52, startedAt: iso(52 * APART) },
        51,
      ],
    ])("are asked for where n8n queued %s for minutes", async (_what, asleep, late) => {
      const n8n = withWaiting(APART, asleep);
      if (late !== undefined)
        n8n.executions.push(fakeExecution(late, "late", { startedAt: iso(53 * APART) }));
      // The lists show that others waited, too.
      n8n.executions = n8n.executions.map((one) =>
        one.id === "60" ? { ...one, startedAt: iso(62 * APART) } : one,
      );
      // These began just outside the window: without the margin, they would end what is asked for.
      for (const id of [47, 53])
        n8n.executions.push(fakeExecution(id, "near", { startedAt: iso(id * APART) }));
      expect(await traces.ask(n8n, { requestId: "sought", window })).toMatchObject(found);
    });
  });

  test("are asked for in the window before those around it", async () => {
    const saved = fakeHistory(2_400).filter(({ id }) => Number(id) % 5 === 0);
    // One of them waited for minutes for its turn, so that ids of ten minutes around the window are asked for.
    const late = fakeExecution(1_501, "late", { startedAt: iso(1_900) });
    const n8n = oldN8n([...saved, late, waiting(1_221, "sought")]);
    traces.clock.time = Date.parse(iso(4_000));
    const window = { workflowId: null, startedAfter: iso(1_200), startedBefore: iso(1_260) };
    expect(await traces.ask(n8n, { requestId: "sought", window })).toMatchObject({
      outcome: "waiting",
      coverage: { complete: false, stoppedBy: "gaps" },
    });
  });

  test("that n8n fails to give are told", async () => {
    const n8n = oldN8n([...fakeHistory(5), waiting(8, "sought"), fakeExecution(9, "x")]);
    n8n.intercept = (url) => (url.pathname.endsWith("/8") ? failure(500) : undefined);
    const answer = await traces.ask(n8n, { requestId: "sought" });
    expect(answer).toMatchObject({ found: false, coverage: { complete: false } });
    n8n.intercept = () => undefined;
    expect(await traces.ask(n8n, { requestId: "sought" })).toMatchObject({ outcome: "waiting" });
  });

  test("are asked for although n8n lists them meanwhile, on a page that is taken as known", async () => {
    const n8n = oldN8n([...fakeHistory(300).filter(({ id }) => id !== "150"), waiting(150, "before")]);
    n8n.hasOpaqueCursors = true;
    const first = await traces.ask(n8n, { requestId: "never sent", limit: 250 });
    expect(first.coverage.stoppedBy).toBe("limit");
    n8n.executions = n8n.executions.map((one) => (one.id === "150" ? fakeExecution(150, "sought") : one));
    expect(await traces.ask(n8n, { requestId: "sought" })).toMatchObject({
      outcome: "success",
      coverage: { complete: true },
    });
  });

  describe("are read once each by a search over known history", () => {
    async function withSleepers(first: number): Promise<FakeN8n> {
      const isAwake = ({ id }: { id: string }) => Number(id) < first || Number(id) >= first + 40;
      const asleep = Array.from({ length: 40 }, (_one, index) => waiting(first + index, "asleep"));
      const n8n = oldN8n([...fakeHistory(640).filter(isAwake), ...asleep], N8N_1_100);
      traces.clock.time = Date.parse(iso(1_000));
      await traces.ask(n8n, { requestId: "never sent" });
      traces.clock.time += 60_000;
      forgetRequests(n8n);
      return n8n;
    }
    async function expectFound(n8n: FakeN8n): Promise<void> {
      const search = new ContinuedSearch({ traces, n8n }, { text: "asleep" });
      expect(await search.call(2_000)).toMatchObject({ coverage: { complete: true } });
      expect(search.found.size).toBe(40);
    }

    test.each([401, 1])("and no page is asked for again for their sake (from id %d)", async (first) => {
      const n8n = await withSleepers(first);
      await expectFound(n8n);
      const asked = singlesOf(n8n);
      expect(new Set(asked).size).toBe(asked.length);
      // Pages bring others in the place of the forty.
      expect(n8n.sent.length).toBeLessThanOrEqual(640 + 40);
      expect(dataPagesOf(n8n).length).toBeLessThan(30);
    });

    test("after n8n's rate limit was waited for", async () => {
      const n8n = await withSleepers(401);
      let [asked, until, refused] = [0, 0, 0];
      n8n.intercept = (url) => {
        if (!/executions\/4\d\d$/.test(url.pathname)) return undefined;
        asked += 1;
        if (asked === 4) until = traces.clock.time + 1_000;
        if (traces.clock.time >= until) return undefined;
        refused += 1;
        return failure(429, { "retry-after": "1" });
      };
      await expectFound(n8n);
      expect(refused).toBe(1);
    });
  });

  test("are not asked for where n8n lists everything", async () => {
    traces = createTestTraces(undefined, createLocalCapabilities({ ...N8N_2, queues: false }));
    const n8n = createFakeN8n(withGaps(31));
    expect(await traces.ask(n8n, { requestId: "sought" })).toMatchObject({ outcome: "waiting" });
    expect(singlesOf(n8n)).toEqual([]);
  });
});

describe("another n8n answers at the same address", () => {
  test("a newer one, after a call that left gaps: they are looked at all the same", async () => {
    const n8n = oldN8n(withGaps(181, 400), N8N_1_100);
    expect((await traces.ask(n8n, { requestId: "sought" })).outcome).toBe("not_found_yet");
    n8n.old = null;
    // Only in the middle of this call it shows that it is another one: the call looks again.
    expect((await traces.ask(n8n, { requestId: "sought" })).outcome).toBe("waiting");
    expect(traces.capabilities.known).toMatchObject({ listsStatus: true, statuses: N8N_2.statuses });
    expect(await traces.ask(n8n, { requestId: "sought" })).toMatchObject({ outcome: "waiting" });
    expect(await traces.ask(n8n, { requestId: "never sent" })).toMatchObject({
      coverage: { complete: true },
    });
  });

  test("an older one that shows it by nothing but what it hides: it is asked before nothing was found", async () => {
    const n8n = createFakeN8n([...fakeHistory(8), waiting(9, "sought"), fakeExecution(10, "last")]);
    traces.capabilities.known = N8N_2;
    n8n.old = N8N_1_123;
    expect(await traces.ask(n8n, { requestId: "sought" })).toMatchObject({
      outcome: "waiting",
      coverage: { complete: true },
    });
    expect(traces.capabilities.known.statuses).toEqual(N8N_1_123.statuses);
  });

  test("an older one for a while, in the middle of a call: what it hides is asked for by its id", async () => {
    const n8n = createFakeN8n(withGaps(181, 400));
    atFurtherList(n8n, () => {
      n8n.old = N8N_1_100;
    });
    expect((await traces.ask(n8n, { requestId: "sought" })).outcome).toBe("waiting");
    n8n.intercept = () => undefined;
    n8n.old = null;
    // Another user's call has seen it meanwhile.
    traces.capabilities.known = N8N_2;
    expect(await traces.ask(n8n, { requestId: "sought" })).toMatchObject({ outcome: "waiting" });
  });

  test("an older one, without status in its lists: it is learnt at once", async () => {
    const n8n = createFakeN8n([...fakeHistory(5), waiting(6, "a")]);
    await traces.ask(n8n, { requestId: "a" });
    expect(traces.capabilities.known).toMatchObject({ listsStatus: true, statuses: N8N_2.statuses });
    n8n.old = N8N_1_100;
    n8n.executions = [...fakeHistory(8), waiting(6, "a"), waiting(9, "b")].filter(
      ({ id, status }) => id !== "6" || status === "waiting",
    );
    expect(await traces.ask(n8n, { requestId: "b" })).toMatchObject({
      outcome: "waiting",
      coverage: { complete: true },
    });
    expect(traces.capabilities.known).toMatchObject({ listsStatus: false, statuses: N8N_1_100.statuses });
  });

  test.each([
    ["older", null, N8N_1_100],
    ["newer", N8N_1_100, null],
  ])(
    "an %s one between two pages: what waits is found, and nothing is claimed",
    async (_name, first, then) => {
      const others = fakeHistory(400).filter(({ id }) => id !== "350" && id !== "30");
      const n8n = createFakeN8n([...others, waiting(350, "a"), waiting(30, "b")]);
      n8n.old = first;
      atFurtherList(n8n, () => {
        n8n.old = then;
      });
      for (const requestId of ["a", "b"])
        expect(await traces.ask(n8n, { requestId })).toMatchObject({ found: true, outcome: "waiting" });
    },
  );

  test("one that refuses dates from the second page on", async () => {
    const n8n = createFakeN8n(fakeHistory(400));
    n8n.dates = "filtered";
    const window = { ...WINDOW, startedAfter: iso(20) };
    atFurtherList(n8n, () => {
      n8n.dates = "refused";
    });
    expect(await traces.ask(n8n, { requestId: "r-25", window })).toMatchObject({
      found: true,
      coverage: { complete: true, scannedExecutions: 381 },
    });
    expect(traces.capabilities.known.filtersDates).toBe(false);
  });
});

describe("an answer of status 200 that is a page of HTML", () => {
  const html = () =>
    new Response("<html>Sign in</html>", { status: 200, headers: { "content-type": "text/html" } });

  test("at first is a clear error", async () => {
    const n8n = oldN8n(fakeHistory(5));
    n8n.intercept = html;
    await expect(traces.ask(n8n, { requestId: "r-1" })).rejects.toMatchObject({ code: "N8N_BAD_RESPONSE" });
  });

  test("later loses nothing: the next call goes on", async () => {
    const n8n = oldN8n(withGaps(31));
    n8n.intercept = (url) => (isDataPage(url) || /\/\d+$/.test(url.pathname) ? html() : undefined);
    await expect(traces.ask(n8n, { requestId: "sought" })).rejects.toMatchObject({
      code: "N8N_BAD_RESPONSE",
    });
    n8n.intercept = () => undefined;
    expect(await traces.ask(n8n, { requestId: "sought" })).toMatchObject({ outcome: "waiting" });
  });

  test("in place of a single execution is no proof that there is none", async () => {
    const n8n = oldN8n(withGaps(31));
    n8n.intercept = (url) => (/\/\d+$/.test(url.pathname) ? html() : undefined);
    const answer = await traces.ask(n8n, { requestId: "sought" });
    expect(answer).toMatchObject({ found: false, coverage: { complete: false } });
    n8n.intercept = () => undefined;
    expect(await traces.ask(n8n, { traceId: answer.traceId })).toMatchObject({ outcome: "waiting" });
  });
});
