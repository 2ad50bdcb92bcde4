/** Executions that an old n8n does not list: found by their ids, remembered, and the rest reported. */
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
import { tracesOf } from "./queue-set-up.ts";
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

/** A history with `gaps` missing ids in its middle, the lowest of which waits. */
const withGaps = (gaps: number, above = 20) => [
  ...fakeHistory(20),
  waiting(21, "wanted"),
  ...fakeHistory(gaps + 20 + above).slice(gaps + 20),
];

const atFurtherList = (n8n: FakeN8n, act: () => void): void =>
  atRequest(n8n, 1, (url) => isList(url) && url.searchParams.has("cursor"), act);

describe("unlisted ids", () => {
  test("are requested once: missing ones are remembered", async () => {
    const n8n = oldN8n(withGaps(31));
    expect(await traces.ask(n8n, { requestId: "wanted" })).toMatchObject({ outcome: "waiting" });
    forgetRequests(n8n);
    const again = await traces.ask(n8n, { requestId: "never sent" });
    expect(again).toMatchObject({ outcome: "not_found", coverage: { complete: true } });
    // The ten ids above the newest, and the waiting one to check whether it still waits.
    expect(singlesOf(n8n).sort((a, b) => Number(a) - Number(b))).toEqual([
      "21",
      ...Array.from({ length: 10 }, (_one, index) => String(72 + index)),
    ]);
  });

  test("are requested newest first, a hundred per call, and the rest is reported", async () => {
    const n8n = oldN8n(withGaps(151));
    const first = await traces.ask(n8n, { requestId: "wanted" });
    expect(first).toMatchObject({
      outcome: "not_found_yet",
      coverage: { complete: false, stoppedBy: "gaps" },
    });
    const reason = expect.stringMatching(/^61 ids are in no list of this n8n and not checked/);
    expect(first.coverage.skipped).toEqual([{ executionId: null, reason }]);
    expect(singlesOf(n8n)).toHaveLength(100);
    expect(first.sentence).toContain("Not everything could be read");
    expect(await traces.ask(n8n, { traceId: first.traceId })).toMatchObject({
      outcome: "waiting",
      coverage: { complete: true },
    });
  });

  test("below the oldest listed execution are reported, since they have no end", async () => {
    const n8n = oldN8n([waiting(995, "long ago"), ...fakeHistory(1_020).slice(1_000)]);
    const answer = await traces.ask(n8n, { requestId: "never sent" });
    expect(answer).toMatchObject({
      outcome: "not_found",
      coverage: { complete: false, stoppedBy: "complete" },
    });
    expect(answer.coverage.skipped[0]?.reason).toMatch(/^910 ids before execution 1001 are in no list/);
    expect(await traces.ask(n8n, { requestId: "long ago" })).toMatchObject({ outcome: "waiting" });
  });

  test("above the newest listed execution are found", async () => {
    const n8n = oldN8n([...fakeHistory(5), waiting(9, "a"), waiting(17, "b")]);
    expect(await traces.ask(n8n, { requestId: "b" })).toMatchObject({
      outcome: "waiting",
      coverage: { complete: true },
    });
  });

  test("are all that an n8n without lists has, so the answer stays incomplete", async () => {
    const n8n = oldN8n([waiting(3, "a")]);
    const answer = await traces.ask(n8n, { requestId: "a" });
    expect(answer).toMatchObject({ outcome: "waiting", coverage: { complete: false } });
    expect(answer.coverage.skipped[0]?.reason).toContain("this n8n lists no execution");
  });

  const MINUTE = 60;
  /** Some ids in the middle are missing: one of them waits, the others never existed. */
  function withWaiting(secondsApart: number, asleep: { id: number; startedAt: string }): FakeN8n {
    const gone = new Set([10, 11, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 80]);
    const history = fakeHistory(100)
      .filter(({ id }) => !gone.has(Number(id)))
      .map((one) => ({ ...one, startedAt: iso(Number(one.id) * secondsApart) }));
    const { id, ...facts } = asleep;
    const sleeper = fakeExecution(id, "wanted", { status: "waiting", workflowId: "w2", ...facts });
    return oldN8n([...history, sleeper]);
  }
  const found = { outcome: "waiting", coverage: { complete: true } };

  test("are requested for a window of one workflow", async () => {
    const n8n = withWaiting(1, { id: 50, startedAt: iso(50) });
    const window = { ...WINDOW, workflowId: "w2" };
    expect(await traces.ask(n8n, { requestId: "wanted", window })).toMatchObject(found);
  });

  describe("in a window of time", () => {
    const APART = 5 * MINUTE;
    const window = { workflowId: null, startedAfter: iso(48 * APART), startedBefore: iso(52 * APART) };

    test("are requested between the listed executions around it", async () => {
      const n8n = withWaiting(APART, { id: 50, startedAt: iso(50 * APART) });
      expect(await traces.ask(n8n, { requestId: "wanted", window })).toMatchObject(found);
      expect(singlesOf(n8n).every((id) => Number(id) > 44 && Number(id) < 56)).toBe(true);
    });

    test.each([
      ["the execution itself", { id: 46, startedAt: iso(48 * APART) }, undefined],
      ["one with a lower id, which began after the window", { id: 52, startedAt: iso(52 * APART) }, 51],
    ])("are requested where n8n queued %s for minutes", async (_what, asleep, late) => {
      const n8n = withWaiting(APART, asleep);
      if (late !== undefined)
        n8n.executions.push(fakeExecution(late, "late", { startedAt: iso(53 * APART) }));
      // The lists show that others were queued, too.
      n8n.executions = n8n.executions.map((one) =>
        one.id === "60" ? { ...one, startedAt: iso(62 * APART) } : one,
      );
      // These began just outside the window: without the margin, the requests would end here.
      for (const id of [47, 53])
        n8n.executions.push(fakeExecution(id, "near", { startedAt: iso(id * APART) }));
      expect(await traces.ask(n8n, { requestId: "wanted", window })).toMatchObject(found);
    });
  });

  test("inside a window are requested before those around it", async () => {
    const saved = fakeHistory(2_400).filter(({ id }) => Number(id) % 5 === 0);
    // One of them was queued for minutes, so ids of ten minutes around the window are requested.
    const late = fakeExecution(1_501, "late", { startedAt: iso(1_900) });
    const n8n = oldN8n([...saved, late, waiting(1_221, "wanted")]);
    traces.clock.time = Date.parse(iso(4_000));
    const window = { workflowId: null, startedAfter: iso(1_200), startedBefore: iso(1_260) };
    expect(await traces.ask(n8n, { requestId: "wanted", window })).toMatchObject({
      outcome: "waiting",
      coverage: { complete: false, stoppedBy: "gaps" },
    });
  });

  test("at which n8n fails are reported", async () => {
    const n8n = oldN8n([...fakeHistory(5), waiting(8, "wanted"), fakeExecution(9, "x")]);
    n8n.intercept = (url) => (url.pathname.endsWith("/8") ? failure(500) : undefined);
    const answer = await traces.ask(n8n, { requestId: "wanted" });
    expect(answer).toMatchObject({ found: false, coverage: { complete: false } });
    n8n.intercept = () => undefined;
    expect(await traces.ask(n8n, { requestId: "wanted" })).toMatchObject({ outcome: "waiting" });
  });

  test("are requested although n8n lists them meanwhile on a page that counts as known", async () => {
    const n8n = oldN8n([...fakeHistory(300).filter(({ id }) => id !== "150"), waiting(150, "before")]);
    n8n.hasOpaqueCursors = true;
    const first = await traces.ask(n8n, { requestId: "never sent", limit: 250 });
    expect(first.coverage.stoppedBy).toBe("limit");
    n8n.executions = n8n.executions.map((one) => (one.id === "150" ? fakeExecution(150, "wanted") : one));
    expect(await traces.ask(n8n, { requestId: "wanted" })).toMatchObject({
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

    test.each([401, 1])("without requesting pages again for their sake (from id %d)", async (first) => {
      const n8n = await withSleepers(first);
      await expectFound(n8n);
      const asked = singlesOf(n8n);
      expect(new Set(asked).size).toBe(asked.length);
      // Pages bring others in place of the forty.
      expect(n8n.sent.length).toBeLessThanOrEqual(640 + 40);
      expect(dataPagesOf(n8n).length).toBeLessThan(30);
    });

    test("after waiting for n8n's rate limit", async () => {
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

  test("are not requested where n8n lists everything", async () => {
    traces = tracesOf(false);
    const n8n = createFakeN8n(withGaps(31));
    expect(await traces.ask(n8n, { requestId: "wanted" })).toMatchObject({
      ...{ outcome: "waiting", decidingId: "21" },
    });
    // Only the waiting one, for what it waits for.
    expect(singlesOf(n8n)).toEqual(["21"]);
  });
});

describe("another n8n answers at the same address", () => {
  test("a newer one after a call that left gaps: the gaps are read", async () => {
    const n8n = oldN8n(withGaps(181, 400), N8N_1_100);
    expect((await traces.ask(n8n, { requestId: "wanted" })).outcome).toBe("not_found_yet");
    n8n.old = null;
    // It shows only in the middle of this call that it is another one, so the call looks again.
    expect((await traces.ask(n8n, { requestId: "wanted" })).outcome).toBe("waiting");
    expect(traces.capabilities.known).toMatchObject({ listsStatus: true, statuses: N8N_2.statuses });
    expect(await traces.ask(n8n, { requestId: "wanted" })).toMatchObject({ outcome: "waiting" });
    expect(await traces.ask(n8n, { requestId: "never sent" })).toMatchObject({
      coverage: { complete: true },
    });
  });

  test("an older one that shows only by what it hides: recognized before a negative answer", async () => {
    const n8n = createFakeN8n([...fakeHistory(8), waiting(9, "wanted"), fakeExecution(10, "last")]);
    traces.capabilities.known = N8N_2;
    n8n.old = N8N_1_123;
    expect(await traces.ask(n8n, { requestId: "wanted" })).toMatchObject({
      outcome: "waiting",
      coverage: { complete: true },
    });
    expect(traces.capabilities.known.statuses).toEqual(N8N_1_123.statuses);
  });

  test("an older one for part of a call: what it hides is requested by id", async () => {
    const n8n = createFakeN8n(withGaps(181, 400));
    atFurtherList(n8n, () => {
      n8n.old = N8N_1_100;
    });
    expect((await traces.ask(n8n, { requestId: "wanted" })).outcome).toBe("waiting");
    n8n.intercept = () => undefined;
    n8n.old = null;
    // Another user's call has noticed it meanwhile.
    traces.capabilities.known = N8N_2;
    expect(await traces.ask(n8n, { requestId: "wanted" })).toMatchObject({ outcome: "waiting" });
  });

  test("an older one without status in its lists: recognized at once", async () => {
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
  ])("an %s one between two pages: waiting executions are found", async (_name, first, then) => {
    const others = fakeHistory(400).filter(({ id }) => id !== "350" && id !== "30");
    const n8n = createFakeN8n([...others, waiting(350, "a"), waiting(30, "b")]);
    n8n.old = first;
    atFurtherList(n8n, () => {
      n8n.old = then;
    });
    for (const requestId of ["a", "b"])
      expect(await traces.ask(n8n, { requestId })).toMatchObject({ found: true, outcome: "waiting" });
  });

  test("one that refuses dates from the second page on: everything is read", async () => {
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

describe("an HTML page with status 200", () => {
  const html = () =>
    new Response("<html>Sign in</html>", { status: 200, headers: { "content-type": "text/html" } });

  test("is an error on the first request", async () => {
    const n8n = oldN8n(fakeHistory(5));
    n8n.intercept = html;
    await expect(traces.ask(n8n, { requestId: "r-1" })).rejects.toMatchObject({ code: "N8N_BAD_RESPONSE" });
  });

  test("later loses nothing: the next call continues", async () => {
    const n8n = oldN8n(withGaps(31));
    n8n.intercept = (url) => (isDataPage(url) || /\/\d+$/.test(url.pathname) ? html() : undefined);
    await expect(traces.ask(n8n, { requestId: "wanted" })).rejects.toMatchObject({
      code: "N8N_BAD_RESPONSE",
    });
    n8n.intercept = () => undefined;
    expect(await traces.ask(n8n, { requestId: "wanted" })).toMatchObject({ outcome: "waiting" });
  });

  test("in place of a single execution is no proof that there is none", async () => {
    const n8n = oldN8n(withGaps(31));
    n8n.intercept = (url) => (/\/\d+$/.test(url.pathname) ? html() : undefined);
    const answer = await traces.ask(n8n, { requestId: "wanted" });
    expect(answer).toMatchObject({ found: false, coverage: { complete: false } });
    n8n.intercept = () => undefined;
    expect(await traces.ask(n8n, { traceId: answer.traceId })).toMatchObject({ outcome: "waiting" });
  });
});
