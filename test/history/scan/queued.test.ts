/** Executions in n8n's queue are found by their ids: in a bounded number of requests, and none in vain. */
import { describe, expect, test } from "vitest";
import { NOTHING_KNOWN } from "../../../src/n8n/capabilities/capabilities.ts";
import { ObserverError } from "../../../src/platform/errors.ts";
import { memorableExecution, tracedExecution } from "../../builders/known-executions.ts";
import {
  createFakeN8n,
  type FakeN8n,
  failure,
  fakeExecution,
  fakeHistory,
  forgetRequests,
  queuedExecution,
  singlesOf,
  webhookData,
} from "../../support/fake-n8n.ts";
import { createLocalCapabilities } from "../../support/local-capabilities.ts";
import { createTestTraces, WINDOW } from "../../support/test-traces.ts";
import { ended, queued, tracesOf } from "./queue-set-up.ts";
import { iso, isSingle } from "./set-up.ts";

const MOST_ASKED = 16;
/** A moment after the newest of thirty executions began, epoch ms. */
const NOW = Date.parse(iso(40));

/** An n8n in which ids up to `begun` have ended and those up to `last` are queued. */
const queueing = (begun: number, last: number): FakeN8n =>
  createFakeN8n([...ended(1, begun), ...queued(begun + 1, last)]);

/** Lets a worker begin or end an execution. */
function letBegin(n8n: FakeN8n, id: number, status: "running" | "success"): void {
  const begun = fakeExecution(id, `q-${id}`, status === "running" ? { status, stoppedAt: null } : {});
  n8n.executions = n8n.executions.map((one) => (one.id === String(id) ? begun : one));
}

describe("a queued execution", () => {
  test("is found as queued, then running, then ended", async () => {
    const traces = tracesOf(null);
    const n8n = queueing(30, 36);
    const waiting = await traces.ask(n8n, { requestId: "q-34" });
    expect(waiting).toMatchObject({ outcome: "queued", found: true, coverage: { complete: true } });
    expect(waiting.sentence).toContain(
      'Request "q-34" has not begun in "orders" (execution 34): it has been waiting in n8n\'s queue since 2026-01-01T00:00:34.000Z, with 3 executions ahead of it.',
    );
    for (const id of [31, 32, 33]) letBegin(n8n, id, "success");
    letBegin(n8n, 34, "running");
    expect(await traces.ask(n8n, { requestId: "q-34" })).toMatchObject({ outcome: "running" });
    letBegin(n8n, 34, "success");
    expect(await traces.ask(n8n, { requestId: "q-34" })).toMatchObject({ outcome: "success" });
    expect(await traces.ask(n8n, { requestId: "q-31" })).toMatchObject({ outcome: "success" });
  });

  test("is found behind two ids without an execution", async () => {
    const traces = tracesOf(true);
    const n8n = queueing(30, 33);
    n8n.executions = n8n.executions.filter(({ id }) => id !== "31" && id !== "32");
    expect(await traces.ask(n8n, { requestId: "q-33" })).toMatchObject({ outcome: "queued" });
  });

  test("is read by a continued deep trace if others found it meanwhile, whatever its times", async () => {
    const traces = tracesOf(true);
    const n8n = createFakeN8n(fakeHistory(200).filter(({ id }) => Number(id) % 2 === 1));
    const deep = await traces.ask(n8n, { requestId: "q-100", deep: true, limit: 1_000 });
    // By its times it ended before the newest began, which the deep trace has read.
    const data = webhookData({ body: { note: "for q-100" } });
    n8n.executions = [...n8n.executions, fakeExecution(100, "another", { data })];
    const isKnown = (): boolean =>
      [...traces.history.sql.exec("SELECT id FROM executions WHERE id = 100")].length > 0;
    for (let looks = 0; looks < 30 && !isKnown(); looks += 1) {
      traces.clock.time += 1_000;
      await traces.ask(n8n, { requestId: "never" });
    }
    expect(isKnown()).toBe(true);
    const { executions } = await traces.ask(n8n, { traceId: deep.traceId, limit: 1_000 });
    expect(executions.map(({ id }) => id)).toEqual(["100"]);
  });

  test("of another workflow does not count as searched", async () => {
    const traces = tracesOf(true);
    const n8n = queueing(30, 36);
    n8n.executions = n8n.executions.map((one) =>
      Number(one.id) > 30 ? { ...one, workflowId: "w-other" } : one,
    );
    for (const id of ["3", "9", "12"]) n8n.broken.add(id);
    await traces.ask(n8n, { requestId: "never" });
    const window = { ...WINDOW, workflowId: "w1" };
    const asked = { requestId: "q-33x", deep: true, limit: 1_000, window };
    const { coverage } = await traces.ask(n8n, asked);
    expect(coverage).toMatchObject({ scannedExecutions: 30, searchedForMentions: 27 });
  });

  test("shows every simultaneous caller that n8n queues", async () => {
    const traces = tracesOf(null);
    const n8n = queueing(30, 36);
    // A window that has ended contains nothing queued, so n8n is not asked.
    const startedBefore = new Date(traces.clock.time - 1).toISOString();
    await traces.ask(n8n, { requestId: "r-7", window: { ...WINDOW, startedBefore } });
    const both = [traces.sourcesOf(n8n), traces.sourcesOf(n8n)];
    for (const { capabilities } of both) expect((await capabilities.get()).queues).toBeNull();
    const { scans } = traces.history.instance;
    const deadline = traces.clock.now() + 10_000;
    const probes = await Promise.all(
      both.map((sources) => scans.probeQueue(WINDOW, sources, { isFound: false, deadline })),
    );
    expect(probes).toEqual([true, true]);
    for (const { capabilities } of both) expect((await capabilities.get()).queues).toBe(true);
    expect(singlesOf(n8n)).toEqual(["31", "32", "31", "32"]);
  });

  test.each(["RATE_LIMITED", "N8N_BAD_RESPONSE"] as const)(
    "is found although n8n first fails for an id above it, with %s",
    async (code) => {
      const traces = tracesOf(null);
      const n8n = queueing(30, 31);
      // Where many ids have no execution, several above the newest are requested.
      n8n.executions = n8n.executions.filter(({ id }) => Number(id) % 2 === 1 || id === "30");
      let failures = 0;
      n8n.intercept = ({ pathname }) => {
        if (failures > 0 || !pathname.endsWith("/executions/32")) return undefined;
        failures += 1;
        throw new ObserverError(code, "n8n fails.", { solution: "Wait.", httpStatus: 400 });
      };
      expect(await traces.ask(n8n, { requestId: "q-31" })).toMatchObject({ outcome: "queued" });
      expect(failures).toBe(1);
    },
  );

  test("is found with at most 16 requests a look, and unread ones are counted", async () => {
    const traces = tracesOf(true);
    const n8n = queueing(30, 530);
    const seen: unknown[] = [];
    for (let look = 0; look < 60; look += 1) {
      forgetRequests(n8n);
      const { outcome, coverage } = await traces.ask(n8n, { requestId: "never sent" });
      expect(singlesOf(n8n).length).toBeLessThanOrEqual(MOST_ASKED);
      seen.push([outcome, coverage.complete, coverage.stoppedBy]);
      if (coverage.complete) break;
    }
    expect(seen[0]).toEqual(["not_found_yet", false, "queue"]);
    expect(seen.at(-1)).toEqual(["not_found", true, "complete"]);
    expect(traces.history.instance.store.queue.facts()).toMatchObject({
      length: 500,
      unread: 0,
      isAtLeast: false,
    });
    for (const id of [31, 280, 530])
      expect(await traces.ask(n8n, { requestId: `q-${id}` })).toMatchObject({ outcome: "queued" });
  });

  test("is read by a deep trace, which names unread ones", async () => {
    const traces = tracesOf(true);
    const n8n = queueing(30, 36);
    expect(await traces.ask(n8n, { requestId: "q-34" })).toMatchObject({ coverage: { complete: true } });
    const deep = async () => (await traces.ask(n8n, { requestId: "q-33", deep: true })).coverage;
    expect(await deep()).toMatchObject({ complete: true, readNow: 36 });
    n8n.executions = queueing(30, 60).executions;
    for (let look = 0; look < 5; look += 1) await traces.ask(n8n, { requestId: "never sent" });
    const coverage = await deep();
    expect(coverage.complete).toBe(false);
    expect(JSON.stringify(coverage.skipped)).toContain(
      "executions in n8n's queue: each further call reads some",
    );
  });

  test("that others have read counts as searched only once a deep trace has read it", async () => {
    const traces = tracesOf(true);
    const n8n = queueing(30, 60);
    for (let look = 0; look < 8; look += 1) await traces.ask(n8n, { requestId: "never sent" });
    const { coverage } = await traces.ask(n8n, { requestId: "never sent", deep: true });
    expect(coverage.complete).toBe(false);
    expect(coverage.searchedForMentions).toBeLessThan(60);
  });

  test("is not missed when it begins and ends between two looks", async () => {
    const traces = tracesOf(true);
    const n8n = queueing(30, 90);
    await traces.ask(n8n, { requestId: "never sent" });
    for (let id = 31; id <= 90; id += 1) if (id !== 40) letBegin(n8n, id, "success");
    await traces.ask(n8n, { requestId: "never sent" });
    expect(await traces.ask(n8n, { requestId: "q-40" })).toMatchObject({ outcome: "queued" });
    n8n.executions.push(...fakeHistory(600).slice(90));
    await traces.ask(n8n, { requestId: "never sent" });
    letBegin(n8n, 40, "success");
    n8n.executions.push(...fakeHistory(1_200).slice(600));
    expect(await traces.ask(n8n, { requestId: "q-40" })).toMatchObject({ outcome: "success" });
  });

  test("between executions that began is found", async () => {
    const traces = tracesOf(true);
    const n8n = queueing(30, 31);
    n8n.executions.push(...fakeHistory(60).slice(31));
    expect(await traces.ask(n8n, { requestId: "q-31" })).toMatchObject({ outcome: "queued" });
  });

  test("above an id without an execution is found", async () => {
    const traces = tracesOf(true);
    const n8n = queueing(30, 34);
    n8n.executions = n8n.executions.filter(({ id }) => id !== "31");
    expect(await traces.ask(n8n, { requestId: "q-34" })).toMatchObject({
      outcome: "queued",
      coverage: { complete: true },
    });
  });

  test.each([
    ["every id has an execution", [], [31, 32, 33]],
    ["an id has no execution", ["20"], Array.from({ length: 14 }, (_one, index) => 31 + index)],
  ])("is not missed when those before it begin meanwhile and %s", async (_what, missing, begun) => {
    const traces = tracesOf(null);
    const n8n = queueing(30, 60);
    n8n.executions = n8n.executions.filter(({ id }) => !missing.includes(id));
    n8n.intercept = (url) => {
      if (/\/executions\/31$/.test(url.pathname)) for (const id of begun) letBegin(n8n, id, "running");
      return undefined;
    };
    expect(await traces.ask(n8n, { requestId: "q-55" })).toMatchObject({ outcome: "not_found_yet" });
  });

  test("whose worker dies is found by the id it held before n8n overwrote its data", async () => {
    const traces = tracesOf(true);
    const n8n = queueing(30, 31);
    await traces.ask(n8n, { requestId: "never sent" });
    const error = {
      message: "This execution failed to be processed too many times and will no longer retry.",
    };
    const lost = fakeExecution(31, "", { status: "error", data: { resultData: { error, runData: {} } } });
    n8n.executions = n8n.executions.map((one) => (one.id === "31" ? lost : one));
    for (let look = 0; look < 2; look += 1)
      expect(await traces.ask(n8n, { requestId: "q-31" })).toMatchObject({ outcome: "error", found: true });
  });

  test("that n8n deletes is forgotten", async () => {
    const traces = tracesOf(true);
    const n8n = queueing(30, 31);
    expect(await traces.ask(n8n, { requestId: "q-31" })).toMatchObject({ outcome: "queued" });
    n8n.executions = n8n.executions.filter(({ id }) => id !== "31");
    n8n.executions.push(...fakeHistory(400).slice(31));
    expect(await traces.ask(n8n, { requestId: "q-31" })).toMatchObject({ outcome: "not_found" });
    expect(traces.history.instance.store.queue.facts()).toBeNull();
  });
});

test("more unstarted executions than fit one page of n8n's list are not taken for a queue", async () => {
  const traces = tracesOf(null);
  const notBegun = Array.from({ length: 300 }, (_one, index) =>
    fakeExecution(31 + index, `q-${31 + index}`, { status: "new", startedAt: null, stoppedAt: null }),
  );
  const n8n = createFakeN8n([...fakeHistory(30), ...notBegun]);
  n8n.hasOpaqueCursors = true;
  await traces.ask(n8n, { requestId: "r-7" });
  const sources = traces.sourcesOf(n8n);
  const deadline = traces.clock.now() + 10_000;
  expect(await traces.history.instance.scans.probeQueue(WINDOW, sources, { isFound: false, deadline })).toBe(
    false,
  );
  expect(await traces.ask(n8n, { requestId: "never sent" })).toMatchObject({
    outcome: "not_found",
    coverage: { complete: true },
  });
});

describe("a long queue", () => {
  test("below begun executions is read in several calls about one workflow", async () => {
    const traces = tracesOf(true);
    const n8n = queueing(60, 72);
    n8n.executions.push(...fakeHistory(80).slice(72));
    n8n.executions = n8n.executions.map((one) => ({
      ...one,
      workflowId: Number(one.id) % 2 === 0 ? "w1" : "w2",
    }));
    n8n.hasOpaqueCursors = true;
    for (let call = 0; call < 3; call += 1) await traces.ask(n8n, { requestId: "never sent", limit: 300 });
    traces.history.instance.store.makeRoom(79);
    const window = { ...WINDOW, workflowId: "w1" };
    let answer = await traces.ask(n8n, { requestId: "never sent", window });
    for (let calls = 0; calls < 3 && !answer.coverage.complete; calls += 1)
      answer = await traces.ask(n8n, { traceId: answer.traceId });
    expect(answer).toMatchObject({ outcome: "not_found", coverage: { complete: true } });
  });

  test("of 100,000 is first counted as a minimum, and its end is found over several looks", async () => {
    const traces = tracesOf(true);
    const n8n = createFakeN8n(fakeHistory(30));
    n8n.intercept = (url) => {
      const id = Number(/\/executions\/(\d+)$/.exec(url.pathname)?.[1] ?? 0);
      if (id <= 30 || id > 100_030) return undefined;
      return new Response(JSON.stringify(queuedExecution(id, `q-${id}`)), {
        headers: { "content-type": "application/json" },
      });
    };
    const first = await traces.ask(n8n, { requestId: "never sent" });
    expect(singlesOf(n8n).length).toBeLessThanOrEqual(MOST_ASKED);
    expect(first.outcome).toBe("not_found_yet");
    expect(first.sentence).toContain("at least ");
    for (let look = 0; look < 8; look += 1) await traces.ask(n8n, { requestId: "never sent" });
    const facts = traces.history.instance.store.queue.facts();
    expect(facts).toMatchObject({ length: 100_000, isAtLeast: false });
    expect(await traces.ask(n8n, { requestId: "q-100030" })).toMatchObject({ outcome: "queued" });
  });

  test("of more than 1,000 hides no earlier execution that has ended, and is read completely", async () => {
    const traces = tracesOf(true);
    const n8n = queueing(30, 1_045);
    letBegin(n8n, 3, "running");
    await traces.ask(n8n, { requestId: "never sent" });
    const { store } = traces.history.instance;
    store.rows.remember(
      Array.from({ length: 1_010 }, (_one, index) =>
        memorableExecution(tracedExecution(31 + index, { status: "new", startedAt: null, stoppedAt: null })),
      ),
      traces.clock.time,
    );
    let answer = await traces.ask(n8n, { requestId: "never sent" });
    for (let looks = 0; looks < 5 && !answer.coverage.complete; looks += 1)
      answer = await traces.ask(n8n, { requestId: "never sent" });
    expect(answer).toMatchObject({ outcome: "not_found", coverage: { complete: true } });
    const data = webhookData({ body: { requestId: "made meanwhile" } });
    n8n.executions = n8n.executions.map((one) => (one.id === "3" ? fakeExecution(3, "", { data }) : one));
    expect(await traces.ask(n8n, { requestId: "made meanwhile" })).toMatchObject({ found: true });
  });

  test("that n8n refuses halfway claims nothing as known", async () => {
    const traces = tracesOf(true);
    const n8n = queueing(30, 60);
    let singles = 0;
    n8n.intercept = (url) => {
      if (!isSingle(url)) return undefined;
      singles += 1;
      return singles > 9 ? failure(429, { "retry-after": "60" }) : undefined;
    };
    const answer = await traces.ask(n8n, { requestId: "never sent" });
    expect(answer).toMatchObject({
      outcome: "not_found_yet",
      coverage: { complete: false, stoppedBy: "queue" },
    });
    n8n.intercept = () => undefined;
    expect(await traces.ask(n8n, { requestId: "q-31" })).toMatchObject({ outcome: "queued" });
  });
});

describe("an n8n that does not queue", () => {
  test("is probed for a queue only a few times while it starts executions at once", async () => {
    const traces = tracesOf(null);
    const n8n = createFakeN8n(fakeHistory(30));
    traces.clock.time = NOW;
    for (const requestId of [...Array<string>(10).fill("r-7"), ...Array<string>(20).fill("never sent")])
      await traces.ask(n8n, { requestId });
    expect(singlesOf(n8n)).toEqual(Array<string[]>(20).fill(["31", "32"]).flat());
    expect(traces.capabilities.known.queues).toBe(false);
  });

  test("is probed when nothing was found and it has started nothing for a minute", async () => {
    const traces = tracesOf(false);
    const n8n = queueing(30, 36);
    traces.clock.time = NOW + 61_000;
    await traces.ask(n8n, { requestId: "r-7" });
    expect(singlesOf(n8n)).toEqual([]);
    expect(await traces.ask(n8n, { requestId: "q-34" })).toMatchObject({ outcome: "queued" });
  });

  test("is probed once a minute while idle, however often nothing is found", async () => {
    const traces = tracesOf(false);
    const n8n = createFakeN8n(fakeHistory(30));
    traces.clock.time = NOW + 61_000;
    for (let asked = 0; asked < 10; asked += 1) {
      await traces.ask(n8n, { requestId: "never sent" });
      traces.clock.time += 10_000;
    }
    expect(singlesOf(n8n)).toEqual(["31", "32", "31", "32"]);
  });

  test("is probed once for all simultaneous callers", async () => {
    const traces = tracesOf(null);
    const n8n = createFakeN8n(fakeHistory(30));
    const asked = ["never sent", "nor this", "nor that"].map((requestId) => traces.ask(n8n, { requestId }));
    for (const { outcome } of await Promise.all(asked)) expect(outcome).toBe("not_found");
    expect(singlesOf(n8n)).toEqual(["31", "32"]);
  });

  test.each(["N8N_TIMEOUT", "RATE_LIMITED"] as const)(
    "gives a provisional answer when the probe fails with %s",
    async (code) => {
      const traces = tracesOf(null);
      const n8n = createFakeN8n(fakeHistory(30));
      n8n.intercept = (url) => {
        if (/\/executions\/31$/.test(url.pathname))
          throw new ObserverError(code, "n8n is slow.", { solution: "Wait." });
        return undefined;
      };
      const answer = await traces.ask(n8n, { requestId: "never sent" });
      expect(answer).toMatchObject({
        outcome: "not_found_yet",
        coverage: { complete: false, stoppedBy: "time" },
      });
      n8n.intercept = () => undefined;
      expect(await traces.ask(n8n, { traceId: answer.traceId })).toMatchObject({ outcome: "not_found" });
    },
  );

  test("is probed while five executions run, since its workers may be busy", async () => {
    const traces = tracesOf(false);
    const n8n = queueing(30, 40);
    traces.clock.time = NOW;
    for (const id of [31, 32, 33, 34]) letBegin(n8n, id, "running");
    await traces.ask(n8n, { requestId: "q-40" });
    expect(singlesOf(n8n)).toEqual([]);
    letBegin(n8n, 35, "running");
    expect(await traces.ask(n8n, { requestId: "q-40" })).toMatchObject({ outcome: "queued" });
  });

  test("has a concurrency limit: executions waiting for it are reported as queued", async () => {
    const traces = tracesOf(false);
    const limited = { ...queuedExecution(31, "limited"), isQueued: false };
    const n8n = createFakeN8n([...fakeHistory(30), limited]);
    const answer = await traces.ask(n8n, { requestId: "limited" });
    expect(answer.outcome).toBe("queued");
    expect(answer.sentence).toContain("it has been waiting for a worker or for n8n's concurrency limit");
    expect(singlesOf(n8n).filter((id) => Number(id) > 31)).toEqual([]);
  });

  test.each(["ignored", "refused"] as const)(
    "is not recorded as queueing for its concurrency limit (opaque cursors, dates %s)",
    async (dates) => {
      const traces = tracesOf(null);
      const limited = { ...queuedExecution(31, "limited"), isQueued: false };
      const n8n = createFakeN8n([...fakeHistory(30), limited]);
      Object.assign(n8n, { hasOpaqueCursors: true, dates });
      expect(await traces.ask(n8n, { requestId: "never sent" })).toMatchObject({ outcome: "not_found" });
      expect(traces.capabilities.known.queues).toBeNull();
    },
  );

  test.each(["begins", "is deleted"] as const)(
    "is not recorded as queueing when an execution %s right after it was read",
    async (then) => {
      const traces = tracesOf(null);
      const n8n = createFakeN8n(fakeHistory(30));
      const limited = { ...queuedExecution(31, "limited"), isQueued: false };
      let wasRead = false;
      n8n.intercept = (url) => {
        const isListOfNew = url.searchParams.get("status") === "new";
        if (isSingle(url) && !wasRead) n8n.executions.push(limited);
        else if (isListOfNew && wasRead && then === "begins") letBegin(n8n, 31, "running");
        else if (isListOfNew && wasRead) n8n.executions = n8n.executions.filter(({ id }) => id !== "31");
        wasRead ||= isSingle(url);
        return undefined;
      };
      await traces.ask(n8n, { requestId: "never sent" });
      expect(traces.capabilities.known.queues).toBeNull();
    },
  );

  test("is not taken to queue because an execution of another workflow waits for its concurrency limit", async () => {
    const traces = tracesOf(null);
    const limited = { ...queuedExecution(31, "limited"), isQueued: false, workflowId: "w2" };
    const n8n = createFakeN8n([...ended(1, 10), limited, ...ended(41, 60)]);
    await traces.ask(n8n, { requestId: "limited", window: { ...WINDOW, workflowId: "w2" } });
    const window = { ...WINDOW, workflowId: "w1" };
    const answer = await traces.ask(n8n, { requestId: "r-7", window });
    expect(answer).toMatchObject({ found: true, coverage: { complete: true } });
  });

  test("answers 404 for all young ids: its gaps are requested once", async () => {
    const traces = tracesOf(true);
    const n8n = createFakeN8n([...fakeHistory(30), ...fakeHistory(90).slice(80)]);
    for (let look = 0; look < 6; look += 1) {
      await traces.ask(n8n, { requestId: "never sent" });
      traces.clock.time += 10_000;
    }
    forgetRequests(n8n);
    expect(await traces.ask(n8n, { requestId: "never sent" })).toMatchObject({
      outcome: "not_found",
      coverage: { complete: true },
    });
    expect(singlesOf(n8n)).toEqual(["91", "92", "93", "94", "98"]);
  });
});

test("before n8n shows whether it queues, an empty answer is still complete", async () => {
  const traces = createTestTraces(undefined, createLocalCapabilities(NOTHING_KNOWN));
  const n8n = createFakeN8n(fakeHistory(3));
  const answer = await traces.ask(n8n, { requestId: "never sent" });
  expect(answer).toMatchObject({ outcome: "not_found", coverage: { complete: true } });
});
