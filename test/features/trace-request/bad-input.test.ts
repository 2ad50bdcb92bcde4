/** A trace answers accurately and loses no execution it has read, whatever n8n, the network or the client does. */
import { beforeEach, describe, expect, test } from "vitest";
import { readExecutionCursor } from "../../../src/n8n/execution-cursor.ts";
import {
  createFakeN8n,
  dataPagesOf,
  type FakeExecution,
  type FakeN8n,
  failure,
  fakeExecution,
  fakeHistory,
  forgetRequests,
  isDataPage,
  isList,
  jsonAnswer,
  listsOf,
  webhookData,
} from "../../support/fake-n8n.ts";
import { liveHeapBytes } from "../../support/live-heap.ts";
import { createTestTraces, type TestTraces, WINDOW } from "../../support/test-traces.ts";

let traces: TestTraces;
beforeEach(() => {
  traces = createTestTraces();
});

const HOUR = 60 * 60 * 1_000;
const encoder = new TextEncoder();

/** True when the answer would contain the execution's data. */
function wouldSend(n8n: FakeN8n, url: URL, id: string): boolean {
  if (url.pathname.endsWith(`/executions/${id}`)) return true;
  if (!isDataPage(url)) return false;
  const cursor = readExecutionCursor(url.searchParams.get("cursor") ?? "");
  const below = Number(cursor?.lastId ?? Number.POSITIVE_INFINITY);
  const page = n8n.executions
    .map((one) => Number(one.id))
    .filter((other) => other < below)
    .sort((a, b) => b - a)
    .slice(0, cursor?.limit ?? Number(url.searchParams.get("limit")));
  return page.includes(Number(id));
}

const errorOf = async (answer: Promise<unknown>): Promise<unknown> =>
  await answer.then(
    () => "no error",
    (error: unknown) => error,
  );

/** Expects each execution that n8n has to be found by a trace of its request id without a further reading. */
async function expectAllKnown(n8n: FakeN8n, executions: readonly FakeExecution[]): Promise<void> {
  n8n.intercept = () => undefined;
  forgetRequests(n8n);
  for (const { id } of executions)
    expect(await traces.ask(n8n, { requestId: `r-${id}` }), id).toMatchObject({ found: true });
  expect(n8n.sent).toEqual([]);
}

describe("a page of executions", () => {
  test("is requested again from where it broke off", async () => {
    const n8n = createFakeN8n(fakeHistory(100));
    const whole = JSON.stringify({ data: fakeHistory(100).reverse(), nextCursor: null });
    let pages = 0;
    n8n.intercept = (url) => {
      if (!isDataPage(url)) return undefined;
      pages += 1;
      return pages === 1 ? jsonAnswer(whole.slice(0, whole.length / 2)) : undefined;
    };
    const answer = await traces.ask(n8n, { requestId: "r-1" });
    expect(answer).toMatchObject({
      found: true,
      coverage: { scannedExecutions: 100, complete: true, skipped: [] },
    });
    expect(n8n.sent.length).toBeLessThan(60);
  });

  test("loses only the execution at which it always breaks off, and names that one", async () => {
    const n8n = createFakeN8n(fakeHistory(150));
    n8n.intercept = (url) =>
      wouldSend(n8n, url, "77") ? jsonAnswer('{"data":[{"id":"999","data":{"resultData":') : undefined;
    const answer = await traces.ask(n8n, { requestId: "r-1" });
    expect(answer).toMatchObject({ found: true, coverage: { scannedExecutions: 150, complete: false } });
    expect(answer.coverage.skipped).toEqual([
      { executionId: "77", reason: expect.stringContaining("n8n failed to return it") },
    ]);
  });

  test("with an endless element is abandoned when time runs out, and what came before counts", async () => {
    const n8n = createFakeN8n(fakeHistory(100));
    const start = JSON.stringify({ data: fakeHistory(100).reverse() }).split('{"id":"60"')[0] ?? "";
    let bytes = 0;
    const endless = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(encoder.encode(`${start}{"id":"60","data":{"text":"`)),
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        bytes += 262_144;
        controller.enqueue(encoder.encode("x".repeat(262_144)));
      },
    });
    n8n.intercept = (url) => {
      if (!isDataPage(url)) return undefined;
      traces.clock.time += 3_500;
      return new Response(endless, { headers: { "content-type": "application/json" } });
    };
    const heap = liveHeapBytes();
    const answer = await traces.ask(n8n, { requestId: "r-61", timeBudgetMs: 1_200 });
    expect(answer).toMatchObject({ found: true, coverage: { complete: false, stoppedBy: "time" } });
    expect(bytes).toBeGreaterThan(4_000_000);
    expect(liveHeapBytes() - heap).toBeLessThan(2_000_000);
    n8n.intercept = () => undefined;
    expect(await errorOf(traces.ask(n8n, { requestId: "r-1", timeBudgetMs: 0 }))).toBe("no error");
    await expectAllKnown(n8n, fakeHistory(100));
  });

  test("with invalid UTF-8 is read, and the id beside it is found", async () => {
    const n8n = createFakeN8n(fakeHistory(3));
    n8n.intercept = (url) => {
      if (!isDataPage(url)) return undefined;
      const data = webhookData({ body: { requestId: "r-bytes", note: "<here>" } });
      const page = JSON.stringify({ data: [fakeExecution(3, "", { data }), ...fakeHistory(2).reverse()] });
      const [before = "", after = ""] = page.split("<here>");
      const bytes = [...encoder.encode(before), 0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80, ...encoder.encode(after)];
      return new Response(new Uint8Array(bytes), { headers: { "content-type": "application/json" } });
    };
    expect(await traces.ask(n8n, { requestId: "r-bytes" })).toMatchObject({
      found: true,
      executions: [{ id: "3", match: { path: "body.requestId" } }],
      coverage: { scannedExecutions: 3, complete: true },
    });
  });

  test.each([
    ["a login page", "text/html", "<html>"],
    ["JSON of another kind", "application/json", '{"message":"Service is starting"}'],
    ["an empty array", "application/json", "[]"],
    ["nothing", "application/json", ""],
  ])("that is %s does not mean that executions were deleted", async (_name, type, text) => {
    const n8n = createFakeN8n(fakeHistory(30));
    n8n.intercept = (url) =>
      isDataPage(url) ? new Response(text, { headers: { "content-type": type } }) : undefined;
    const error = await errorOf(traces.ask(n8n, { requestId: "r-1" }));
    expect(error).toMatchObject({ code: "N8N_BAD_RESPONSE" });
    n8n.intercept = () => undefined;
    expect(await traces.ask(n8n, { requestId: "r-1" })).toMatchObject({
      found: true,
      coverage: { scannedExecutions: 30, complete: true, skipped: [] },
    });
  });
});

describe("cursors", () => {
  test("that do not advance cause an error, not an endless loop", async () => {
    const n8n = createFakeN8n(fakeHistory(10));
    n8n.intercept = (url) =>
      isList(url) ? jsonAnswer({ data: fakeHistory(2).reverse(), nextCursor: "c3Rvb2Q=" }) : undefined;
    const error = await errorOf(traces.ask(n8n, { requestId: "never" }));
    expect(error).toMatchObject({ code: "N8N_BAD_RESPONSE" });
    expect(n8n.requests.length).toBeLessThan(8);
  });

  test("that lead in a circle of several pages cause an error, not an endless loop", async () => {
    const n8n = createFakeN8n(fakeHistory(900));
    const pages = [900, 700, 800];
    let lists = 0;
    n8n.intercept = (url) => {
      if (!isList(url)) return undefined;
      const newest = pages[lists % pages.length] ?? 0;
      lists += 1;
      return jsonAnswer({ data: fakeHistory(newest).reverse().slice(0, 100), nextCursor: "b3BhcXVl" });
    };
    const error = await errorOf(traces.ask(n8n, { requestId: "r-1" }));
    expect(error).toMatchObject({ code: "N8N_BAD_RESPONSE" });
    expect(lists).toBeLessThan(5);
  });

  test("that n8n ignores for pages with data still let every execution be read", async () => {
    const n8n = createFakeN8n(fakeHistory(250));
    n8n.intercept = (url) => {
      if (isDataPage(url)) url.searchParams.delete("cursor");
      return undefined;
    };
    expect(await traces.ask(n8n, { requestId: "r-30" })).toMatchObject({
      found: true,
      coverage: { scannedExecutions: 250, complete: true },
    });
    expect(n8n.requests.length).toBeLessThan(400);
  });

  describe("that cannot be constructed", () => {
    const opaque = (count: number): FakeN8n =>
      Object.assign(createFakeN8n(fakeHistory(count)), { hasOpaqueCursors: true });

    test.each([40, 100, 101, 450])("let a history of %i be read to its end", async (count) => {
      const n8n = opaque(count);
      const answer = await traces.ask(n8n, { requestId: "r-1" });
      expect(answer).toMatchObject({
        found: true,
        coverage: { scannedExecutions: count, complete: true, skipped: [] },
      });
      await expectAllKnown(n8n, fakeHistory(count).slice(0, 20));
    });

    test("let a trace continue where it stopped", async () => {
      const n8n = opaque(700);
      const first = await traces.ask(n8n, { requestId: "r-1", limit: 350 });
      expect(first.coverage).toMatchObject({ complete: false, stoppedBy: "limit" });
      expect(await traces.ask(n8n, { traceId: first.traceId })).toMatchObject({
        found: true,
        coverage: { scannedExecutions: 700, complete: true },
      });
    });

    test("lose no execution that starts between the list and its page, and do not loop", async () => {
      const n8n = opaque(300);
      let isFirst = true;
      n8n.intercept = (url) => {
        if (isFirst && isDataPage(url)) {
          n8n.executions.push(fakeExecution(301, "r-301"), fakeExecution(302, "r-302"));
          isFirst = false;
        }
        return undefined;
      };
      const answer = await traces.ask(n8n, { requestId: "r-201" });
      expect(answer).toMatchObject({ found: true, coverage: { complete: true, skipped: [] } });
      n8n.intercept = () => undefined;
      await traces.ask(n8n, { requestId: "r-302" });
      await expectAllKnown(n8n, n8n.executions.slice(190));
    });

    test("let the one execution at which n8n fails be skipped, and named", async () => {
      const n8n = opaque(300);
      n8n.intercept = (url) => {
        if (url.pathname.endsWith("/executions/250")) return failure(500);
        return isDataPage(url) && !url.searchParams.has("cursor") ? failure(500) : undefined;
      };
      const answer = await traces.ask(n8n, { requestId: "r-3" });
      expect(answer).toMatchObject({ found: true, coverage: { scannedExecutions: 300, complete: false } });
      expect(answer.coverage.skipped).toEqual([{ executionId: "250", reason: expect.any(String) }]);
    });

    test.each(["ignored", "refused"] as const)("with dates %s reach a window far back", async (dates) => {
      const n8n = Object.assign(opaque(700), { dates });
      const startedBefore = new Date(Date.UTC(2026, 0, 1) + 60_000).toISOString();
      const answer = await traces.ask(n8n, { requestId: "r-50", window: { ...WINDOW, startedBefore } });
      expect(answer).toMatchObject({ found: true, coverage: { scannedExecutions: 60, complete: true } });
    });
  });

  test("with wide gaps between all ids still lead to every execution", async () => {
    const executions = Array.from({ length: 400 }, (_one, index) => {
      const id = 7 + index * 13 + (index % 5);
      return fakeExecution(id, `r-${id}`);
    });
    const n8n = createFakeN8n(executions);
    expect(await traces.ask(n8n, { requestId: "never" })).toMatchObject({
      coverage: { scannedExecutions: 400, complete: true, skipped: [] },
    });
    expect(n8n.sent).toHaveLength(400);
    await expectAllKnown(n8n, executions.slice(0, 30));
  });
});

describe("executions that n8n deletes while they are read", () => {
  test("between the list and the page are counted, and all the rest is read", async () => {
    const n8n = createFakeN8n(fakeHistory(300));
    const isGone = (id: number): boolean => id % 7 === 0;
    n8n.intercept = (url) => {
      if (isDataPage(url)) n8n.executions = n8n.executions.filter((one) => !isGone(Number(one.id)));
      return undefined;
    };
    const answer = await traces.ask(n8n, { requestId: "r-1" });
    expect(answer).toMatchObject({ found: true, coverage: { complete: false } });
    // The second list was asked for while the first page was read.
    const [note, ...others] = answer.coverage.skipped;
    expect(others).toEqual([]);
    expect(note).toEqual({
      executionId: null,
      reason: expect.stringMatching(/executions were deleted by n8n/),
    });
    await expectAllKnown(n8n, n8n.executions.slice(0, 40));
    expect(await traces.ask(n8n, { requestId: "r-294" })).toMatchObject({ found: false });
  });

  test("are counted when none is left", async () => {
    const n8n = createFakeN8n(fakeHistory(50));
    n8n.intercept = (url) => {
      if (isDataPage(url)) n8n.executions = [];
      return undefined;
    };
    const answer = await traces.ask(n8n, { requestId: "r-1" });
    expect(answer).toMatchObject({ found: false, coverage: { scannedExecutions: 0, complete: false } });
    expect(answer.coverage.skipped).toEqual([
      { executionId: null, reason: "50 executions were deleted by n8n before it could be read" },
    ]);
  });

  test("from the oldest on, as its pruning does, cost no other execution", async () => {
    // With gaps between the ids, so that executions are listed before they are read.
    const n8n = createFakeN8n(fakeHistory(600).filter(({ id }) => Number(id) % 5 !== 0));
    let oldest = 0;
    n8n.intercept = () => {
      oldest += 20;
      n8n.executions = n8n.executions.filter((one) => Number(one.id) > oldest);
      return undefined;
    };
    const answer = await traces.ask(n8n, { requestId: "r-599" });
    expect(answer).toMatchObject({ found: true, coverage: { complete: false } });
    await expectAllKnown(n8n, n8n.executions.slice(0, 40));
  });
});

describe("clocks that differ", () => {
  /** A UUIDv7 of this time. */
  const idOf = (time: number): string => {
    const hex = time.toString(16).padStart(12, "0");
    return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
  };

  test.each([-9, 9])("an id with its time is found although n8n's clock is %i hours off", async (hours) => {
    const sentAt = traces.clock.time - HOUR;
    const requestId = idOf(sentAt);
    const startedAt = new Date(sentAt + hours * HOUR).toISOString();
    const n8n = createFakeN8n([
      ...fakeHistory(120),
      fakeExecution(121, requestId, { startedAt, stoppedAt: startedAt }),
    ]);
    n8n.dates = "filtered";
    expect(await traces.ask(n8n, { requestId })).toMatchObject({
      found: true,
      coverage: { complete: true },
    });
  });

  test.each([-9, 0, 9])(
    "an execution that starts during the listing is found, with a clock %i hours off",
    async (hours) => {
      const at = (id: number) => new Date(traces.clock.time + hours * HOUR + id).toISOString();
      const young = (id: number, facts: object = {}) =>
        fakeExecution(id, `r-${id}`, { startedAt: at(id), stoppedAt: at(id), ...facts });
      const old = fakeHistory(150);
      const n8n = createFakeN8n([...old, young(152)]);
      // It started after the list of the running ones was made, and had not ended when the other list was.
      const late = young(151);
      await traces.ask(n8n, { requestId: "never" });
      // So many have started since that a page of the list ends just above it, where known history begins.
      const since = Array.from({ length: 299 }, (_one, index) => young(153 + index));
      n8n.executions = [...old, late, young(152), ...since];
      expect(await traces.ask(n8n, { requestId: "r-151" })).toMatchObject({ found: true });
    },
  );
});

test("10,000 executions with one id get a bounded answer, and are read once", {
  timeout: 30_000,
}, async () => {
  const n8n = createFakeN8n(
    Array.from({ length: 10_000 }, (_one, index) => fakeExecution(index + 1, "same")),
  );
  const answer = await traces.ask(n8n, { requestId: "same", limit: 20_000 });
  expect(n8n.sent).toHaveLength(10_000);
  expect(answer).toMatchObject({ found: true, coverage: { scannedExecutions: 10_000, complete: false } });
  expect(answer.decidingId).toBe("10000");
  expect(answer.executions.length).toBeLessThanOrEqual(300);
  expect(answer.coverage.skipped).toEqual([
    { executionId: null, reason: expect.stringContaining("more than 1000 executions hold the id") },
    { executionId: null, reason: expect.stringContaining("more linked executions than could be followed") },
  ]);
});

describe("a client that goes away in mid-scan", () => {
  test("lets the next call continue from there, which reads again at most two pages", async () => {
    const n8n = createFakeN8n(fakeHistory(2_000));
    n8n.latencyMs = 1;
    traces.onProgress = async () => {
      if (n8n.sent.length >= 300) throw new Error("the client is gone");
    };
    await expect(traces.ask(n8n, { requestId: "r-5" })).rejects.toThrow("the client is gone");
    await new Promise((resolve) => setTimeout(resolve, 100));
    // The scan does not continue when nobody waits for it.
    expect(n8n.sent.length).toBeLessThanOrEqual(300 + 2 * 250);
    traces.onProgress = async () => {};
    const next = await traces.ask(n8n, { traceId: "trace_1" });
    expect(next).toMatchObject({
      requestId: "r-5",
      found: true,
      coverage: { scannedExecutions: 2_000, complete: true },
    });
    expect(next.coverage.readNow).toBeLessThanOrEqual(1_800);
    expect(n8n.sent.length).toBeLessThanOrEqual(2_000 + 2 * 250);
  });

  test("is not taken for a failure of n8n, and what was read is kept", async () => {
    const n8n = createFakeN8n(fakeHistory(300));
    traces.onProgress = async () => {
      // Once the first page has been read.
      if (traces.messages.at(-1)?.startsWith("Read ")) throw new Error("the client is gone");
    };
    await expect(traces.ask(n8n, { requestId: "r-5" })).rejects.toThrow("the client is gone");
    traces.onProgress = async () => {};
    await traces.ask(n8n, { traceId: "trace_1" });
    expect(n8n.sent.length).toBeLessThanOrEqual(400);
  });
});

describe("status 429", () => {
  test("makes the trace wait as long as n8n asks for, then read on and lose nothing", async () => {
    const n8n = createFakeN8n(fakeHistory(250));
    let refusals = 0;
    n8n.intercept = (url) => {
      if (refusals >= 2 || !isDataPage(url)) return undefined;
      refusals += 1;
      return failure(429, { "retry-after": "3" });
    };
    expect(await traces.ask(n8n, { requestId: "r-1" })).toMatchObject({
      found: true,
      coverage: { scannedExecutions: 250, complete: true, skipped: [] },
    });
    expect(refusals).toBe(2);
    expect(new Set(traces.clock.waits)).toEqual(new Set([3_000]));
    expect(n8n.sent).toHaveLength(250);
  });

  test("without Retry-After makes it wait a second, then twice as long each time", async () => {
    const n8n = createFakeN8n(fakeHistory(10));
    let refusals = 0;
    n8n.intercept = (url) => {
      if (!isDataPage(url) || refusals === 3) return undefined;
      refusals += 1;
      return failure(429);
    };
    expect(await traces.ask(n8n, { requestId: "r-1" })).toMatchObject({
      found: true,
      coverage: { scannedExecutions: 10, complete: true, skipped: [] },
    });
    expect(traces.clock.waits).toEqual([1_000, 2_000, 4_000]);
  });

  test("for longer than the time budget is an error at once, which says when to retry", async () => {
    const n8n = createFakeN8n(fakeHistory(250));
    n8n.intercept = (url) => (isDataPage(url) ? failure(429, { "retry-after": "60" }) : undefined);
    const error = await errorOf(traces.ask(n8n, { requestId: "r-1" }));
    expect(error).toMatchObject({ code: "N8N_RATE_LIMITED", details: { retryAfter: 60 } });
    expect(traces.clock.waits).toEqual([]);
    expect(n8n.requests.length).toBeLessThan(10);
  });

  test("again and again makes it give up", async () => {
    const n8n = createFakeN8n(fakeHistory(250));
    n8n.intercept = () => failure(429, { "retry-after": "1" });
    expect(await errorOf(traces.ask(n8n, { requestId: "r-1" }))).toMatchObject({ code: "N8N_RATE_LIMITED" });
    expect(n8n.requests.length).toBeLessThan(12);
  });
});

describe("status 5xx", () => {
  test("at one execution halves the page until only that one is skipped, and named", async () => {
    const n8n = createFakeN8n(fakeHistory(400));
    n8n.intercept = (url) => (wouldSend(n8n, url, "333") ? failure(502) : undefined);
    const answer = await traces.ask(n8n, { requestId: "r-332", timeBudgetMs: 55_000 });
    expect(answer).toMatchObject({ found: true, coverage: { scannedExecutions: 400, complete: false } });
    expect(answer.coverage.skipped).toEqual([
      { executionId: "333", reason: expect.stringContaining("n8n failed to return it") },
    ]);
    const sizes = dataPagesOf(n8n).map((query) => readExecutionCursor(query.get("cursor") ?? "")?.limit);
    expect(sizes).toContain(1);
    expect(n8n.requests.length).toBeLessThan(60);

    const again = await traces.ask(n8n, { requestId: "r-1" });
    expect(again.coverage.skipped).toEqual([{ executionId: "333", reason: expect.any(String) }]);
    n8n.intercept = () => undefined;
    const healed = await traces.ask(n8n, { requestId: "r-333" });
    expect(healed).toMatchObject({ found: true, coverage: { skipped: [] } });
  });

  test("at every page is n8n's error after few requests", async () => {
    const n8n = createFakeN8n(fakeHistory(400));
    n8n.intercept = () => failure(502);
    expect(await errorOf(traces.ask(n8n, { requestId: "r-1" }))).toMatchObject({ code: "N8N_UNREACHABLE" });
    expect(n8n.requests.length).toBeLessThan(10);
  });

  test("at every page with data is n8n's error, after a limited number of skipped executions", async () => {
    const n8n = createFakeN8n(fakeHistory(400));
    n8n.intercept = (url) => (isDataPage(url) ? failure(502) : undefined);
    expect(await errorOf(traces.ask(n8n, { requestId: "r-1", timeBudgetMs: 55_000 }))).toMatchObject({
      code: "N8N_UNREACHABLE",
    });
    expect(n8n.requests.length).toBeLessThan(150);
    n8n.intercept = () => undefined;
    const answer = await traces.ask(n8n, { requestId: "r-399" });
    expect(answer.coverage.complete).toBe(true);
  });

  test("at the list below its first page does not make the rest count as empty", async () => {
    const n8n = createFakeN8n(fakeHistory(400));
    n8n.intercept = (url) => (isList(url) && url.searchParams.has("cursor") ? failure(503) : undefined);
    expect(await errorOf(traces.ask(n8n, { requestId: "never sent" }))).toMatchObject({
      code: "N8N_UNREACHABLE",
      details: { traceId: "trace_1", scannedExecutions: 300 },
    });
    expect(listsOf(n8n).length).toBeLessThan(10);
    // What was read below it is known, but does not count as complete.
    const found = await traces.ask(n8n, { requestId: "r-1" });
    expect(found).toMatchObject({ found: true, coverage: { complete: false } });
  });
});
