/** What the index knows of n8n's history: enough to ask for nothing twice, and never more than is true. */
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "vitest";
import type { TraceAnswer } from "../../src/features/trace-request/trace.ts";
import { View } from "../../src/n8n/view.ts";
import {
  createFakeN8n,
  dataPagesOf,
  type FakeN8n,
  failure,
  fakeExecution,
  fakeHistory,
  forgetRequests,
  isDataPage,
  listsOf,
  singlesOf,
  webhookData,
} from "../support/fake-n8n.ts";
import { createLocalHistory } from "../support/local-history.ts";
import { rowsOfAllTables } from "../support/stored-text.ts";
import {
  createTestTraces,
  type TestTraces,
  UNTIL_STATES_ARE_WRITTEN_MS,
  WINDOW,
} from "../support/test-traces.ts";
import { expectNothingTwice, iso, letAnswersTake } from "./scan/set-up.ts";

let traces: TestTraces;
beforeEach(() => {
  traces = createTestTraces();
});

const exactIds = (answer: TraceAnswer): string[] =>
  answer.executions.filter(({ match }) => match?.kind === "exact").map(({ id }) => id);

/** A fake n8n whose history was traced once, for an unknown id. */
async function knownHistory(count: number, ...extra: ReturnType<typeof fakeExecution>[]): Promise<FakeN8n> {
  const taken = new Set(extra.map(({ id }) => id));
  const n8n = createFakeN8n([...fakeHistory(count).filter(({ id }) => !taken.has(id)), ...extra]);
  await traces.ask(n8n, { requestId: "never" });
  forgetRequests(n8n);
  return n8n;
}

function replace(n8n: FakeN8n, changed: ReturnType<typeof fakeExecution>): void {
  n8n.executions = n8n.executions.map((one) => (one.id === changed.id ? changed : one));
}

test("a caller whose view was widened gets what was passed over before", async () => {
  const mention = { workflowId: "w2", data: webhookData({ body: { note: "about r-99-x" } }) };
  const n8n = createFakeN8n([...fakeHistory(299), fakeExecution(300, "other", mention)]);
  const deep = { requestId: "r-99-x", deep: true };
  traces.view = View.from({ seen: ["w1"], data: ["w1"] });
  const { traceId, coverage } = await traces.ask(n8n, { ...deep, limit: 100 });
  expect(coverage.complete).toBe(false);
  traces.view = View.from({ seen: ["w1", "w2"], data: ["w1", "w2"] });
  const answer = await traces.ask(n8n, { ...deep, traceId });
  expect(answer.executions.map(({ id }) => id)).toEqual(["300"]);
  expect(answer.coverage.complete).toBe(true);
});

describe("a second trace over known history", () => {
  test.each(["never", "r-7"])("for %s requests one list and no data", async (requestId) => {
    const n8n = await knownHistory(450);
    const answer = await traces.ask(n8n, { requestId });
    expect(answer).toMatchObject({
      found: requestId === "r-7",
      coverage: { scannedExecutions: 450, readNow: 0, complete: true },
    });
    expect(n8n.sent).toEqual([]);
    expect(listsOf(n8n)).toHaveLength(1);
    // The running ones, the list and, when nothing was found, whether n8n is still the same.
    expect(n8n.requests).toHaveLength(requestId === "r-7" ? 2 : 3);
  });

  test("reads only what is new", async () => {
    const n8n = await knownHistory(300);
    n8n.executions.push(...fakeHistory(330).slice(300));
    expect(await traces.ask(n8n, { requestId: "r-320" })).toMatchObject({
      found: true,
      coverage: { scannedExecutions: 330, readNow: 30 },
    });
    expect(n8n.sent.sort()).toEqual(
      fakeHistory(330)
        .slice(300)
        .map(({ id }) => id),
    );
  });

  test("reports the match first", async () => {
    const n8n = await knownHistory(20);
    traces.messages.length = 0;
    await traces.ask(n8n, { requestId: "r-7" });
    expect(traces.messages[0]).toBe("Found: execution 7, known from an earlier trace");
  });

  test("points to `deep` for mentions, which a deep trace then reads once", async () => {
    const data = webhookData({ note: "see r-mentioned, please" });
    const n8n = await knownHistory(250, fakeExecution(5, "", { data }));
    const shallow = await traces.ask(n8n, { requestId: "r-mentioned" });
    expect(shallow).toMatchObject({ found: false, executions: [], coverage: { searchedForMentions: 0 } });
    expect(shallow.sentence).toContain(
      "In 250 executions only values at known request-id paths were compared",
    );

    const deep = await traces.ask(n8n, { requestId: "r-mentioned", deep: true, limit: 150 });
    expect(deep.coverage).toMatchObject({ readNow: 150, stoppedBy: "limit", searchedForMentions: 150 });
    const rest = await traces.ask(n8n, { traceId: deep.traceId });
    expect(rest).toMatchObject({
      executions: [{ id: "5", match: { kind: "mentioned", nodeName: "Webhook", path: "note" } }],
      coverage: { readNow: 100, complete: true, searchedForMentions: 250 },
    });
    expect(rest.sentence).not.toContain("only values at known");
    expect(n8n.sent).toHaveLength(250);
  });

  test("a deep trace of a date window continues where it stopped", async () => {
    const n8n = await knownHistory(250);
    n8n.dates = "filtered";
    const window = { ...WINDOW, startedAfter: iso(50), startedBefore: iso(240) };
    const first = await traces.ask(n8n, { requestId: "never", window, deep: true, limit: 100 });
    const rest = await traces.ask(n8n, { traceId: first.traceId });
    expect(rest.coverage).toMatchObject({ readNow: 91, complete: true, searchedForMentions: 191 });
    expect(n8n.sent).toHaveLength(191);
  });
});

describe("an execution that had not ended when it was read", () => {
  test("is found once it has ended, even inside known history", async () => {
    const n8n = await knownHistory(300, fakeExecution(40, "", { status: "running", stoppedAt: null }));
    replace(n8n, fakeExecution(40, "late"));
    expect(await traces.ask(n8n, { requestId: "late" })).toMatchObject({ found: true, outcome: "success" });
    expect(singlesOf(n8n)).toContain("40");
    expect(dataPagesOf(n8n)).toHaveLength(0);
    forgetRequests(n8n);
    await traces.ask(n8n, { requestId: "late" });
    expect(n8n.sent).toEqual([]);
  });

  test("is read again each time while it runs", async () => {
    const n8n = await knownHistory(300, fakeExecution(40, "", { status: "running", stoppedAt: null }));
    replace(n8n, fakeExecution(40, "now", { status: "running", stoppedAt: null }));
    expect(await traces.ask(n8n, { requestId: "now" })).toMatchObject({ found: true, outcome: "running" });
  });

  test("is not read again while it waits unchanged, but once to say what it waits for", async () => {
    const n8n = await knownHistory(300, fakeExecution(40, "r-w", { status: "waiting" }));
    const ask = async (requestId: string) => await traces.ask(n8n, { requestId });
    expect(await ask("never")).toMatchObject({ found: false });
    expect(n8n.sent).toEqual([]);
    for (let times = 0; times < 2; times += 1)
      expect(await ask("r-w")).toMatchObject({ found: true, outcome: "waiting" });
    expect(n8n.sent).toEqual(["40"]);
  });

  test("is read again after it resumed", async () => {
    const n8n = await knownHistory(300, fakeExecution(40, "r-w", { status: "waiting" }));
    replace(n8n, fakeExecution(40, "resumed"));
    expect(await traces.ask(n8n, { requestId: "resumed" })).toMatchObject({
      found: true,
      outcome: "success",
    });
    expect(await traces.ask(n8n, { requestId: "r-w" })).toMatchObject({ found: false });
  });

  test("is read again after it resumed and waits again", async () => {
    const n8n = await knownHistory(300, fakeExecution(40, "", { status: "waiting" }));
    replace(n8n, fakeExecution(40, "again", { status: "waiting", stoppedAt: iso(9_000) }));
    expect(await traces.ask(n8n, { requestId: "again" })).toMatchObject({ found: true, outcome: "waiting" });
  });

  test("is found while queued, in a date window too, and once it has ended", async () => {
    const n8n = await knownHistory(
      60,
      fakeExecution(40, "q", { status: "new", startedAt: null, stoppedAt: null }),
    );
    const window = { ...WINDOW, startedAfter: iso(10) };
    expect(await traces.ask(n8n, { requestId: "q", window })).toMatchObject({
      found: true,
      outcome: "queued",
    });
    replace(n8n, fakeExecution(40, "q", { startedAt: iso(61) }));
    expect(await traces.ask(n8n, { requestId: "q", window })).toMatchObject({
      found: true,
      outcome: "success",
    });
  });

  /** An n8n in which all but the newest 300 wait. */
  const waiting = (count: number) =>
    createFakeN8n([
      ...fakeHistory(count).map((one) => ({ ...one, status: "waiting" })),
      ...fakeHistory(count + 300).slice(count),
    ]);

  test("only the resumed one of many waiting executions is read again", async () => {
    const n8n = waiting(650);
    await traces.ask(n8n, { requestId: "never" });
    forgetRequests(n8n);
    replace(n8n, fakeExecution(3, "woken"));
    expect(await traces.ask(n8n, { requestId: "woken" })).toMatchObject({
      found: true,
      coverage: { skipped: [] },
    });
    expect(n8n.sent).toEqual(["3"]);
  });

  test("that has ended is found among more than a thousand that wait", async () => {
    const n8n = waiting(1_010);
    await traces.ask(n8n, { requestId: "never" });
    replace(n8n, fakeExecution(3, "woken"));
    expect(await traces.ask(n8n, { requestId: "woken" })).toMatchObject({
      found: true,
      coverage: { complete: true, skipped: [] },
    });
  });

  test("more that wait than n8n lists in time are reported as skipped, and none of them is requested", async () => {
    const n8n = waiting(1_300);
    await traces.ask(n8n, { requestId: "never" });
    forgetRequests(n8n);
    letAnswersTake(n8n, traces, 1_000, (url) => url.searchParams.get("status") === "waiting");
    const { coverage } = await traces.ask(n8n, { requestId: "never" });
    expect(coverage.skipped).toEqual([
      { executionId: null, reason: expect.stringContaining("more executions are unfinished") },
    ]);
    expect(singlesOf(n8n).length).toBeLessThan(10);
  });

  test("is still known to hold its id when n8n fails to return it", async () => {
    const n8n = await knownHistory(30, fakeExecution(20, "r-w", { status: "waiting" }));
    replace(n8n, fakeExecution(20, "r-w"));
    n8n.intercept = (url) => (isDataPage(url) || singlesOf(n8n).includes("20") ? failure(500) : undefined);
    const answer = await traces.ask(n8n, { requestId: "r-w" });
    expect(answer).toMatchObject({ found: true });
    expect(answer.coverage.skipped).toEqual([{ executionId: "20", reason: expect.any(String) }]);
  });
});

describe("a deleted execution", () => {
  test("that was read is still reported", async () => {
    const n8n = await knownHistory(30);
    n8n.executions = n8n.executions.filter(({ id }) => id !== "20");
    const answer = await traces.ask(n8n, { requestId: "r-20" });
    expect(answer).toMatchObject({ found: true, outcome: "success", deletedIds: ["20"] });
    expect(answer.sentence).toContain("n8n has deleted it since: this is what was known, its data is gone.");
  });

  test("is reported as deleted at once, even the newest", async () => {
    const n8n = await knownHistory(30);
    n8n.executions = n8n.executions.filter(({ id }) => Number(id) < 29);
    for (const id of ["29", "30"])
      expect(await traces.ask(n8n, { requestId: `r-${id}` })).toMatchObject({
        found: true,
        deletedIds: [id],
      });
    expect(await traces.ask(n8n, { requestId: "r-28" })).toMatchObject({ found: true, deletedIds: [] });
  });

  test("is not assumed from a proxy's 404", async () => {
    const n8n = await knownHistory(30);
    const headers = { "content-type": "text/plain" };
    n8n.intercept = (url) =>
      url.pathname.endsWith("/30") ? new Response("404 page not found", { status: 404, headers }) : undefined;
    await expect(traces.ask(n8n, { requestId: "30" })).rejects.toMatchObject({ code: "N8N_BAD_RESPONSE" });
    expect(await traces.ask(n8n, { requestId: "r-30" })).toMatchObject({ found: true, deletedIds: [] });
  });

  test.each([false, true])(
    "that lay between two pages is noticed (opaque cursors: %s)",
    async (hasOpaqueCursors) => {
      const n8n = await knownHistory(300);
      n8n.hasOpaqueCursors = hasOpaqueCursors;
      // The first page ends at 201: its next one begins at 199.
      n8n.executions = n8n.executions.filter(({ id }) => id !== "200");
      await traces.ask(n8n, { requestId: "never", deep: true });
      expect(await traces.ask(n8n, { requestId: "r-200" })).toMatchObject({ deletedIds: ["200"] });
    },
  );

  test("that had not ended is forgotten", async () => {
    const n8n = await knownHistory(30, fakeExecution(20, "r-w", { status: "waiting" }));
    n8n.executions = n8n.executions.filter(({ id }) => id !== "20");
    expect(await traces.ask(n8n, { requestId: "r-w" })).toMatchObject({ found: false });
  });
});

describe("the scope of a trace", () => {
  const mixed = () =>
    fakeHistory(300).map((one) => ({ ...one, workflowId: Number(one.id) % 60 < 20 ? "w3" : "w1" }));

  test("one workflow: other workflows do not count as known", async () => {
    const n8n = createFakeN8n(mixed());
    const window = { ...WINDOW, workflowId: "w3" };
    expect(await traces.ask(n8n, { requestId: "r-30", window })).toMatchObject({
      found: false,
      coverage: { scannedExecutions: 100, complete: true },
    });
    expect(await traces.ask(n8n, { requestId: "r-30" })).toMatchObject({
      found: true,
      coverage: { scannedExecutions: 300, complete: true },
    });
    expectNothingTwice(n8n);
  });

  test("one workflow: nothing is read that a trace of all has read", async () => {
    const n8n = createFakeN8n(mixed());
    await traces.ask(n8n, { requestId: "never" });
    forgetRequests(n8n);
    const window = { ...WINDOW, workflowId: "w3" };
    expect(await traces.ask(n8n, { requestId: "r-65", window })).toMatchObject({
      found: true,
      coverage: { scannedExecutions: 100, complete: true },
    });
    expect(await traces.ask(n8n, { requestId: "r-31", window })).toMatchObject({ found: false });
    expect(n8n.sent).toEqual([]);
    expect(listsOf(n8n)).toHaveLength(2);
  });

  test.each(["filtered", "ignored"] as const)(
    "dates (%s): nothing outside them counts as known",
    async (dates) => {
      const n8n = createFakeN8n(fakeHistory(300));
      n8n.dates = dates;
      const window = { ...WINDOW, startedAfter: iso(100), startedBefore: iso(200) };
      await traces.ask(n8n, { requestId: "never", window });
      expect(await traces.ask(n8n, { requestId: "r-50" })).toMatchObject({
        found: true,
        coverage: { scannedExecutions: 300, complete: true },
      });
      expect(await traces.ask(n8n, { requestId: "r-250" })).toMatchObject({ found: true });
      expect(n8n.sent).toHaveLength(300);
      forgetRequests(n8n);
      expect(await traces.ask(n8n, { requestId: "r-150", window })).toMatchObject({ found: true });
      expect(n8n.sent).toEqual([]);
    },
  );

  test("dates: an execution started outside them does not count as known, though its id lies between", async () => {
    const n8n = createFakeN8n(
      fakeHistory(60).map((one) => (one.id === "30" ? { ...one, startedAt: iso(5_000) } : one)),
    );
    n8n.dates = "filtered";
    await traces.ask(n8n, { requestId: "never", window: { ...WINDOW, startedBefore: iso(50) } });
    expect(await traces.ask(n8n, { requestId: "r-30" })).toMatchObject({ found: true });
  });
});

describe("a request id that carries its time", () => {
  /** A UUIDv7 of 2026-01-01 00:00:20. */
  const REQUEST_ID = `${(Date.UTC(2026, 0, 1) + 20_000)
    .toString(16)
    .padStart(12, "0")
    .replace(/^(.{8})/, "$1-")}-7000-8000-000000000000`;

  test("is searched around that time first", async () => {
    const n8n = createFakeN8n([
      ...fakeHistory(60),
      fakeExecution(61, REQUEST_ID),
      fakeExecution(90_000, "later"),
    ]);
    n8n.dates = "filtered";
    const answer = await traces.ask(n8n, { requestId: REQUEST_ID });
    expect(exactIds(answer)).toEqual(["61"]);
    expect(n8n.sent).not.toContain("90000");
  });

  describe("when only the executions around it were searched", () => {
    const late = fakeExecution(90_000, REQUEST_ID, {
      status: "error",
      startedAt: iso(7_200),
      stoppedAt: iso(7_201),
    });
    const sentTwice = () => {
      const n8n = createFakeN8n([...fakeHistory(60), fakeExecution(61, REQUEST_ID), late]);
      n8n.dates = "filtered";
      return n8n;
    };

    test("the outcome is not final, and the traceId continues with the rest", async () => {
      const n8n = sentTwice();
      const first = await traces.ask(n8n, { requestId: REQUEST_ID });
      expect(first).toMatchObject({
        outcome: "success",
        coverage: { complete: false, stoppedBy: "id_time" },
      });
      expect(first.sentence).toMatch(
        / Only executions around the time in the id were searched \(2026-01-01T00:00:01.000Z to .*\): it may have been sent at another time\.$/,
      );
      const { traceId } = first;
      expect(await traces.ask(n8n, { requestId: REQUEST_ID, traceId })).toMatchObject({
        outcome: "error",
        decidingId: "90000",
        coverage: { complete: true, stoppedBy: "complete" },
      });
    });

    test("a failure is not the last word either: it may have been sent again since", async () => {
      const n8n = createFakeN8n([
        ...fakeHistory(60),
        fakeExecution(61, REQUEST_ID, { status: "error" }),
        late,
      ]);
      n8n.dates = "filtered";
      const { outcome, coverage, sentence } = await traces.ask(n8n, { requestId: REQUEST_ID });
      expect([outcome, coverage.stoppedBy]).toEqual(["error", "id_time"]);
      expect(sentence).toContain("it may have been sent at another time.");
    });

    test("the outcome is final if the index knows everything since", async () => {
      const n8n = sentTwice();
      n8n.executions = n8n.executions.filter(({ id }) => id !== late.id);
      await traces.ask(n8n, { requestId: "never" });
      n8n.executions = [late, ...n8n.executions];
      expect(await traces.ask(n8n, { requestId: REQUEST_ID })).toMatchObject({
        outcome: "error",
        decidingId: "90000",
        coverage: { complete: true },
      });
      n8n.executions = n8n.executions.filter(({ id }) => id !== late.id);
      const anew = createTestTraces();
      await anew.ask(n8n, { requestId: "never" });
      expect(await anew.ask(n8n, { requestId: REQUEST_ID })).toMatchObject({
        outcome: "success",
        coverage: { complete: true, stoppedBy: "complete" },
      });
    });

    test("the coverage is incomplete when the limit stopped the search", async () => {
      const n8n = sentTwice();
      n8n.executions = n8n.executions.filter(({ id }) => id !== "61");
      expect(await traces.ask(n8n, { requestId: REQUEST_ID, limit: 60 })).toMatchObject({
        outcome: "not_found_yet",
        coverage: { complete: false, stoppedBy: "limit" },
      });
    });
  });

  test("is searched everywhere if not found there, and nothing is read twice", async () => {
    const n8n = createFakeN8n([...fakeHistory(60), fakeExecution(90_000, REQUEST_ID)]);
    n8n.dates = "filtered";
    const answer = await traces.ask(n8n, { requestId: REQUEST_ID });
    expect(exactIds(answer)).toEqual(["90000"]);
    expect(n8n.sent).toHaveLength(61);
  });

  test("finds every known execution that holds it, also far from its time", async () => {
    const n8n = createFakeN8n([
      ...fakeHistory(60),
      fakeExecution(61, REQUEST_ID),
      fakeExecution(90_000, REQUEST_ID),
    ]);
    n8n.dates = "filtered";
    await traces.ask(n8n, { requestId: "never" });
    const answer = await traces.ask(n8n, { requestId: REQUEST_ID });
    expect(exactIds(answer)).toEqual(["61", "90000"]);
  });
});

describe("many simultaneous traces", () => {
  const users = Array.from({ length: 50 }, (_one, index) => `user ${index}`);
  const askAll = async (n8n: FakeN8n): Promise<TraceAnswer[]> =>
    await Promise.all(users.map((user, index) => traces.ask(n8n, { requestId: `r-${index + 1}` }, user)));

  test("on an empty index share one scan", async () => {
    const n8n = createFakeN8n(fakeHistory(730));
    n8n.latencyMs = 1;
    const answers = await askAll(n8n);
    expect(answers.every(({ found, coverage }) => found && coverage.complete)).toBe(true);
    const asked = n8n.requests.map(String);
    expect(asked).toHaveLength(new Set(asked).size);
    expect(n8n.sent).toHaveLength(730);
  });

  test("on a known history share one look at what is new", async () => {
    const n8n = await knownHistory(400);
    n8n.latencyMs = 1;
    n8n.executions.push(...fakeHistory(410).slice(400));
    const answers = await askAll(n8n);
    expect(answers.every(({ found, coverage }) => found && coverage.complete)).toBe(true);
    // The running ones, the list and the new page.
    expect(n8n.requests).toHaveLength(3);
    expect(await traces.ask(n8n, { requestId: "r-405" })).toMatchObject({
      found: true,
      coverage: { readNow: 0 },
    });
  });

  test("a caller that leaves or reaches its limit does not stop the scan for others", async () => {
    const n8n = createFakeN8n(fakeHistory(900));
    n8n.latencyMs = 1;
    let reports = 0;
    traces.onProgress = async () => {
      reports += 1;
      if (reports === 4) throw new Error("the client is gone");
    };
    const [first, second, third] = await Promise.allSettled([
      traces.ask(n8n, { requestId: "r-3" }, "anna"),
      traces.ask(n8n, { requestId: "r-3", limit: 100 }, "bert"),
      traces.ask(n8n, { requestId: "r-3" }, "carl"),
    ]);
    const outcomes = [first, second, third].map(({ status }) => status);
    expect(outcomes.filter((status) => status === "rejected")).toHaveLength(1);
    const whole = [first, third].flatMap((one) => (one?.status === "fulfilled" ? [one.value] : []));
    expect(whole.every(({ found, coverage }) => found && coverage.complete)).toBe(true);
    expect(n8n.sent).toHaveLength(900);
  });
});

describe("two simultaneous traces", () => {
  const latent = (count: number): FakeN8n => {
    const n8n = createFakeN8n([
      ...fakeHistory(count),
      fakeExecution(count + 1, "r-w", { status: "waiting" }),
      fakeExecution(count + 2, "r-run", { status: "running", stoppedAt: null }),
    ]);
    n8n.latencyMs = 1;
    return n8n;
  };

  test("end with the same answers and knowledge as one after the other", async () => {
    const n8n = latent(730);
    const [one, two] = await Promise.all([
      traces.ask(n8n, { requestId: "r-3" }),
      traces.ask(n8n, { requestId: "r-700", limit: 400 }),
    ]);
    const apart = createTestTraces();
    const other = latent(730);
    expect(await apart.ask(other, { requestId: "r-3" })).toMatchObject({
      found: one.found,
      executions: one.executions,
      coverage: { scannedExecutions: one.coverage.scannedExecutions, complete: true },
    });
    expect(two.found).toBe(true);
    for (const table of ["executions", "correlations", "calls"])
      expect(rowsOf(traces, table)).toEqual(rowsOf(apart, table));
    const [again, afterwards] = [latent(730), latent(730)];
    await traces.ask(again, { requestId: "r-4" });
    await apart.ask(afterwards, { requestId: "r-4" });
    expect(again.requests).toEqual(afterwards.requests);
  });

  const rowsOf = ({ history }: TestTraces, table: string): unknown[] => [
    ...history.sql.exec(`SELECT * FROM ${table}`),
  ];
});

describe("the stored index", () => {
  const SECRET_IDS = ['kunde 4711/"x"', "r-mentioned-secret", "r-exact-secret"];

  test("holds no request id except, per trace, the one it was asked for", async () => {
    const n8n = createFakeN8n([
      ...SECRET_IDS.map((id, index) => fakeExecution(index + 1, id)),
      fakeExecution(9, "x", {
        data: webhookData({ note: `about ${SECRET_IDS[1]}`, email: "anna@example.org" }),
      }),
      fakeExecution(10, "r-run-secret", { status: "running", stoppedAt: null }),
    ]);
    const ids = [...SECRET_IDS, "r-run-secret"];
    for (const requestId of ids) await traces.ask(n8n, { requestId, deep: true });
    await sleep(UNTIL_STATES_ARE_WRITTEN_MS);
    const stored = rowsOfAllTables(traces.history.sql, ["traces"]);
    for (const id of [...ids, "anna@example.org"]) expect(stored).not.toContain(id.slice(0, 6));
    const states = [...traces.history.sql.exec("SELECT id, state FROM traces ORDER BY id")];
    expect(states).toHaveLength(ids.length);
    for (const [index, { state }] of states.entries())
      for (const [other, id] of ids.entries())
        expect(String(state).includes(JSON.stringify(id).slice(1, -1))).toBe(index === other);
  });

  test("treats reused ids of a reset n8n as other executions, and the rest as deleted", async () => {
    const n8n = await knownHistory(300);
    n8n.executions = fakeHistory(250).map((one) => ({
      ...fakeExecution(Number(one.id), `s-${one.id}`),
      startedAt: iso(Number(one.id) + 500_000),
    }));
    expect(await traces.ask(n8n, { requestId: "s-3" })).toMatchObject({
      found: true,
      coverage: { scannedExecutions: 300, complete: true },
      deletedIds: [],
    });
    expect(await traces.ask(n8n, { requestId: "r-3" })).toMatchObject({ found: false });
    expect(await traces.ask(n8n, { requestId: "r-290" })).toMatchObject({ found: true, deletedIds: ["290"] });
  });

  test("is listed anew within the same call when only older executions differ", async () => {
    const n8n = await knownHistory(500);
    n8n.executions = n8n.executions.map((one) =>
      Number(one.id) <= 100 ? { ...fakeExecution(Number(one.id), `s-${one.id}`), startedAt: iso(9) } : one,
    );
    const { sql } = traces.history;
    sql.exec("DELETE FROM stretches");
    const anew = createTestTraces(createLocalHistory(sql));
    const answer = await anew.ask(n8n, { requestId: "r-290" });
    expect(answer).toMatchObject({ found: true, coverage: { scannedExecutions: 500, complete: true } });
    expect(await anew.ask(n8n, { requestId: "s-3" })).toMatchObject({ found: true });
  });

  test("with another schema version is discarded and read anew", async () => {
    const n8n = await knownHistory(30);
    const { sql } = traces.history;
    sql.exec("UPDATE facts SET value = '1' WHERE name = 'shape'");
    const anew = createTestTraces(createLocalHistory(sql));
    expect(await anew.ask(n8n, { requestId: "r-7" })).toMatchObject({
      found: true,
      coverage: { readNow: 30 },
    });
  });

  test("names twenty skipped executions and counts the others", async () => {
    const redactionInfo = { isRedacted: true, reason: "workflow_redaction_policy", canReveal: false };
    const data = { redactionInfo, resultData: { runData: {} } };
    const n8n = createFakeN8n(fakeHistory(25).map((one) => ({ ...one, data })));
    await traces.ask(n8n, { requestId: "never" });
    const { skipped } = (await traces.ask(n8n, { requestId: "never" })).coverage;
    expect(skipped.filter(({ executionId }) => executionId !== null)).toHaveLength(20);
    expect(skipped.filter(({ executionId }) => executionId === null)).toEqual([
      { executionId: null, reason: expect.stringContaining("5 more") },
    ]);
  });
});
