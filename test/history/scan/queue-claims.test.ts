/**
 * Executions that wait in n8n's queue or have just left it: no answer may call itself complete without them, and each
 * call must finish. Most of these cases were built to provoke a wrong answer.
 */
import { describe, expect, test } from "vitest";
import { DAY_MS, MINUTE_MS } from "../../../src/platform/durations.ts";
import { ContinuedSearch } from "../../support/continued-search.ts";
import {
  createFakeN8n,
  type FakeExecution,
  type FakeN8n,
  failure,
  fakeExecution,
  queuedExecution,
  webhookData,
} from "../../support/fake-n8n.ts";
import { N8N_2 } from "../../support/local-capabilities.ts";
import { type TestTraces, WINDOW } from "../../support/test-traces.ts";
import { each, ended, expectNoWrongClaim, put, queued, tracesOf } from "./queue-set-up.ts";
import { answerOnce, iso } from "./set-up.ts";

/** Queued executions that n8n lists, as with a concurrency limit or after a restart. */
const listedQueued = (from: number, to: number): FakeExecution[] =>
  queued(from, to).map((one) => ({ ...one, isQueued: false }));
/** An execution that holds another id than its queued entry did. */
const made = (id: number): FakeExecution =>
  fakeExecution(id, "", { data: webhookData({ body: { requestId: `made-${id}` } }) });

async function askUntilComplete(traces: TestTraces, n8n: FakeN8n, most: number) {
  let answer = await traces.ask(n8n, { requestId: "never sent" });
  for (let looks = 0; looks < most && !answer.coverage.complete; looks += 1) {
    traces.clock.time += 15_000;
    answer = await traces.ask(n8n, { requestId: "never sent" });
  }
  return answer;
}

describe("a window", () => {
  test("of one workflow includes executions queued below the newest 250", async () => {
    const n8n = createFakeN8n([...ended(1, 30), ...queued(31, 31), ...ended(32, 331)]);
    const window = { ...WINDOW, workflowId: "w1" };
    expectNoWrongClaim(await tracesOf(true).ask(n8n, { requestId: "q-31", window }));
  });

  test("with a start includes queued executions", async () => {
    const n8n = createFakeN8n([...ended(1, 30), ...queued(31, 130), ...ended(131, 531)]);
    n8n.dates = "filtered";
    const window = { ...WINDOW, startedAfter: iso(500) };
    expectNoWrongClaim(await tracesOf(true).ask(n8n, { requestId: "q-80", window }));
  });

  test.each([true, null])(
    "around an id's time stays incomplete while part of the queue is unread (known to queue: %s)",
    async (queues) => {
      const traces = tracesOf(queues);
      const time = Date.parse(iso(60_000));
      const hex = time.toString(16).padStart(12, "0");
      const requestId = `${hex.slice(0, 8)}-${hex.slice(8)}-7abc-8abc-0123456789ab`;
      const one = (id: number): FakeExecution => {
        const startedAt = iso(id * 60);
        return fakeExecution(id, id === 1_000 ? requestId : `r-${id}`, { startedAt, stoppedAt: startedAt });
      };
      const n8n = createFakeN8n(each(1, 1_200, one));
      await traces.ask(n8n, { requestId: "never sent", limit: 400 });
      n8n.executions.push(...queued(1_201, 1_300));
      put(n8n, queuedExecution(1_250, requestId));
      traces.clock.time += 1_000;
      const { executions, coverage } = await traces.ask(n8n, { requestId });
      expect(executions.length === 2 || !coverage.complete).toBe(true);
    },
  );
});

describe("an n8n that is not known to queue", () => {
  test("hides nothing behind one id without an execution", async () => {
    const n8n = createFakeN8n([...ended(1, 30), ...queued(32, 40)]);
    expectNoWrongClaim(await tracesOf(null).ask(n8n, { requestId: "q-34" }));
  });

  test("hides nothing that all others have overtaken", async () => {
    const n8n = createFakeN8n([...ended(1, 30), ...queued(31, 35), ...ended(36, 40)]);
    expectNoWrongClaim(await tracesOf(null).ask(n8n, { requestId: "q-34" }));
  });

  test("hides no second delivery of a found request", async () => {
    const n8n = createFakeN8n([...ended(1, 30), queuedExecution(31, "r-30")]);
    const { executions } = await tracesOf(null).ask(n8n, { requestId: "r-30" });
    expect(executions).toHaveLength(2);
  });

  test.each(["q-35", "r-30"])("hides nothing from a search: %s", async (text) => {
    const n8n = createFakeN8n([...ended(1, 30), ...queued(31, 36)]);
    put(n8n, queuedExecution(34, "r-30"));
    const search = new ContinuedSearch({ traces: tracesOf(null), n8n }, { text });
    await search.call(1_000);
    expect([...search.found]).toContain(text === "q-35" ? "35" : "34");
  });

  test.each([500, 404, 403])(
    "answers about found executions though it cannot say whether it queues: %d",
    async (status) => {
      const n8n = createFakeN8n(ended(1, 30));
      n8n.intercept = (url) => (/\/executions\/3[12]$/.test(url.pathname) ? failure(status) : undefined);
      expect(await tracesOf(null).ask(n8n, { requestId: "r-7" })).toMatchObject({
        found: true,
        coverage: { complete: status !== 500 },
      });
    },
  );

  test("whose queueing was forgotten after a day: ended executions are found", async () => {
    const traces = tracesOf(true);
    const n8n = createFakeN8n([...ended(1, 30), ...queued(31, 50), ...ended(51, 120)]);
    await askUntilComplete(traces, n8n, 8);
    traces.clock.time += DAY_MS;
    traces.capabilities.known = { ...N8N_2, queues: null };
    put(n8n, ...each(31, 50, made), ...ended(121, 320));
    expectNoWrongClaim(await traces.ask(n8n, { requestId: "made-40" }));
  });

  test("whose queueing was forgotten after a day: unread executions are eventually read", async () => {
    const traces = tracesOf(true);
    const n8n = createFakeN8n([...ended(1, 30), ...queued(31, 130)]);
    await traces.ask(n8n, { requestId: "never sent" });
    traces.clock.time += DAY_MS;
    traces.capabilities.known = { ...N8N_2, queues: null };
    n8n.executions = ended(1, 320);
    expect((await askUntilComplete(traces, n8n, 40)).coverage.complete).toBe(true);
  });

  test("whose queueing was forgotten after a day: what is still queued shows it again", async () => {
    const traces = tracesOf(true);
    const n8n = createFakeN8n([...ended(1, 30), ...queued(31, 50), ...ended(51, 120)]);
    await askUntilComplete(traces, n8n, 8);
    traces.clock.time += DAY_MS;
    traces.capabilities.known = { ...N8N_2, queues: null };
    expect((await askUntilComplete(traces, n8n, 8)).coverage.complete).toBe(true);
    expect(traces.capabilities.known.queues).toBe(true);
  });

  test.each([null, true, false])(
    "that lists what has not begun: what has ended since is found (known to queue: %s)",
    async (queues) => {
      const traces = tracesOf(queues);
      const n8n = createFakeN8n([...ended(1, 30), ...listedQueued(31, 50), ...ended(51, 400)]);
      for (let look = 0; look < 2; look += 1) await traces.ask(n8n, { requestId: "never sent" });
      traces.clock.time += 10 * MINUTE_MS;
      put(n8n, ...each(31, 50, made), ...ended(401, 460));
      expectNoWrongClaim(await traces.ask(n8n, { requestId: "made-40" }));
    },
  );
});

describe("an n8n that was restored from a backup", () => {
  const other = (id: number): FakeExecution => {
    const startedAt = iso(43_200 + id);
    return fakeExecution(id, `new-${id}`, { startedAt, stoppedAt: startedAt });
  };

  test.each([
    ["some have begun since", [...ended(1, 100), ...each(101, 120, other), ...queued(121, 130)], "q-125"],
    ["none has begun since", [...ended(1, 250), ...queued(251, 260)], "q-255"],
  ])("queues under reused ids: %s", async (_what, executions, requestId) => {
    const traces = tracesOf(true);
    const n8n = createFakeN8n(ended(1, 300));
    await traces.ask(n8n, { requestId: "never sent" });
    traces.clock.time += 10 * MINUTE_MS;
    n8n.executions = executions;
    expectNoWrongClaim(await traces.ask(n8n, { requestId }));
  });

  test.each(["q-31", "made-31"])(
    "still has an execution queued behind those that began: %s",
    async (requestId) => {
      const traces = tracesOf(true);
      const waits = queuedExecution(31, "q-31");
      const n8n = createFakeN8n([...ended(1, 30), waits, ...ended(32, 400)]);
      await askUntilComplete(traces, n8n, 4);
      traces.clock.time += 10 * MINUTE_MS;
      n8n.executions = [...ended(1, 30), waits, ...ended(32, 380), ...each(381, 402, other)];
      await askUntilComplete(traces, n8n, 4);
      const search = new ContinuedSearch({ traces, n8n }, { text: requestId });
      if (requestId === "made-31") {
        put(n8n, made(31));
        return expectNoWrongClaim(await traces.ask(n8n, { requestId }));
      }
      const answer = await search.call(1_000);
      const isComplete = answer?.coverage.complete === true;
      expectNoWrongClaim({ found: search.found.size > 0, coverage: { complete: isComplete } });
    },
  );

  test("queues other executions under the ids of queued ones", async () => {
    const traces = tracesOf(true);
    const n8n = createFakeN8n([...ended(1, 300), ...queued(301, 312)]);
    await askUntilComplete(traces, n8n, 3);
    traces.clock.time += 10 * MINUTE_MS;
    const others = each(303, 310, (id) => queuedExecution(id, `new-${id}`));
    n8n.executions = [...ended(1, 280), ...each(281, 302, other), ...others];
    expectNoWrongClaim(await traces.ask(n8n, { requestId: "new-305" }));
  });
});

describe("a queue", () => {
  test("with many overtaken executions: each is read as soon as it has ended", async () => {
    const traces = tracesOf(true);
    const n8n = createFakeN8n([...ended(1, 30), ...queued(31, 50), ...ended(51, 120)]);
    expect((await askUntilComplete(traces, n8n, 8)).coverage.complete).toBe(true);
    for (let id = 31; id <= 50; id += 1) {
      put(n8n, made(id));
      expectNoWrongClaim(await traces.ask(n8n, { requestId: `made-${id}` }));
      traces.clock.time += 1_000;
    }
  });

  test("that does not move, with gaps at both ends, is read completely", async () => {
    const traces = tracesOf(true);
    const isThere = ({ id }: FakeExecution): boolean =>
      Number(id) % 2 === 1 || (Number(id) > 45 && Number(id) < 100);
    const n8n = createFakeN8n([...ended(1, 30), ...queued(31, 131).filter(isThere)]);
    expect((await askUntilComplete(traces, n8n, 60)).coverage.complete).toBe(true);
  });

  test("that n8n lists after a restart is read completely", async () => {
    const traces = tracesOf(true);
    const n8n = createFakeN8n([...ended(1, 30), ...listedQueued(31, 60), ...ended(61, 120)]);
    expect((await askUntilComplete(traces, n8n, 20)).coverage.complete).toBe(true);
    n8n.executions.push(...ended(121, 200));
    expect((await askUntilComplete(traces, n8n, 1)).coverage.complete).toBe(true);
  });

  test("is read though n8n fails at one execution in it", async () => {
    const traces = tracesOf(true);
    const n8n = createFakeN8n([...ended(1, 30), ...queued(31, 60)]);
    n8n.intercept = (url) => (url.pathname.endsWith("/executions/32") ? failure(500) : undefined);
    await askUntilComplete(traces, n8n, 10);
    expect(await traces.ask(n8n, { requestId: "q-45" })).toMatchObject({ found: true });
  });

  test("with a failure above it: an id without an execution is not closed", async () => {
    const traces = tracesOf(true);
    const n8n = createFakeN8n(ended(1, 30));
    const failures = answerOnce(
      n8n,
      (url) => url.pathname.endsWith("/executions/31"),
      () => failure(500),
    );
    await traces.ask(n8n, { requestId: "never sent" });
    expect(failures()).toBe(1);
    traces.clock.time += MINUTE_MS;
    n8n.executions.push(...queued(32, 33));
    await traces.ask(n8n, { requestId: "never sent" });
    traces.clock.time += 1_000;
    n8n.executions.push(...queued(31, 31));
    expectNoWrongClaim(await traces.ask(n8n, { requestId: "q-31" }));
  });

  test("is read correctly after the clock was set back", async () => {
    const traces = tracesOf(true);
    const n8n = createFakeN8n([...ended(1, 30), ...queued(31, 31)]);
    await askUntilComplete(traces, n8n, 2);
    traces.clock.time -= MINUTE_MS;
    n8n.executions.push(...queued(32, 130));
    expectNoWrongClaim(await traces.ask(n8n, { requestId: "q-80" }));
  });

  test("that n8n lists: a workflow's executions that ended since an earlier call are read", async () => {
    const traces = tracesOf(null);
    const n8n = createFakeN8n([...ended(1, 30), ...listedQueued(31, 50), ...ended(51, 400)]);
    await traces.ask(n8n, { requestId: "never sent" });
    const asked = { requestId: "made-40", window: { ...WINDOW, workflowId: "w1" }, deep: true };
    const { traceId } = await traces.ask(n8n, asked);
    traces.clock.time += 20 * MINUTE_MS;
    put(n8n, ...each(31, 50, made), ...ended(401, 460));
    expectNoWrongClaim(await traces.ask(n8n, { ...asked, traceId }));
  });

  test("with a worker whose clock is behind: a new execution closes no lower id", async () => {
    const traces = tracesOf(true);
    const at = (id: number, startedAt: string) =>
      fakeExecution(id, `r-${id}`, { startedAt, stoppedAt: startedAt });
    const others = [...each(32, 44, (id) => at(id, iso(60))), ...each(46, 60, (id) => at(id, iso(60)))];
    const n8n = createFakeN8n([...ended(1, 30), ...others, at(45, iso(30))]);
    await traces.ask(n8n, { requestId: "never sent" });
    traces.clock.time += 1_000;
    put(n8n, queuedExecution(31, "q-31"));
    expectNoWrongClaim(await traces.ask(n8n, { requestId: "q-31" }));
  });
});
