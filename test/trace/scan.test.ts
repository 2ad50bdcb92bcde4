/** How a trace walks through n8n's executions: limits, resumption, n8n's failures, what is too large or gone. */
import { beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_REQUEST_ID_PATHS } from "../../src/settings.ts";
import { compileRequestIdPaths } from "../../src/trace/request-id-paths.ts";
import { type TraceAnswer, type TraceArguments, traceRequest } from "../../src/trace/trace-request.ts";
import { createFakeN8n, type FakeN8n, fakeExecution, jsonAnswer } from "../support/fake-n8n.ts";
import { createMemoryTraceStore } from "../support/memory-trace-store.ts";

let store = createMemoryTraceStore();
let messages: string[] = [];
beforeEach(() => {
  store = createMemoryTraceStore();
  messages = [];
});

const WINDOW = { workflowId: null, startedAfter: null, startedBefore: null };

async function ask(
  n8n: FakeN8n,
  args: Partial<TraceArguments>,
  now: () => number = Date.now,
): Promise<TraceAnswer> {
  return await traceRequest(
    { requestId: undefined, window: WINDOW, limit: 2_000, traceId: undefined, ...args },
    {
      client: n8n.client,
      store,
      paths: compileRequestIdPaths(DEFAULT_REQUEST_ID_PATHS),
      now,
      newTraceId: () => "trace_of-the-test",
      progress: async (_scanned, message) => {
        messages.push(message);
      },
    },
  );
}

/** `count` executions with ids from 1, and request ids `r-<id>`. */
const ordinary = (count: number) =>
  Array.from({ length: count }, (_one, index) => fakeExecution(index + 1, `r-${index + 1}`));

const pages = (n8n: FakeN8n): URLSearchParams[] =>
  n8n.requests
    .map((request) => new URL(request, "http://n8n").searchParams)
    .filter((query) => query.has("limit") && query.get("status") === null);

describe("limits", () => {
  test("it stops at the limit, and the traceId goes on without reading a page twice", async () => {
    const n8n = createFakeN8n(ordinary(450));
    const first = await ask(n8n, { requestId: "r-10", limit: 150 });
    expect(first).toMatchObject({
      found: false,
      coverage: { scannedExecutions: 150, complete: false, stoppedBy: "limit" },
    });
    expect(first.sentence).toMatch(/was not found.*call again with the traceId/);

    n8n.requests.length = 0;
    const second = await ask(n8n, { traceId: first.traceId });
    expect(second).toMatchObject({
      requestId: "r-10",
      found: true,
      outcome: "success",
      coverage: { scannedExecutions: 450, complete: true },
    });
    const older = pages(n8n).filter((query) => query.has("cursor"));
    const lastIds = older.map((query) => JSON.parse(atob(query.get("cursor") ?? "")).lastId);
    expect(lastIds).toEqual(["301", "201", "101"]);
  });

  test("it stops when its time is up, keeps what it read, and goes on", async () => {
    const n8n = createFakeN8n(ordinary(500));
    let time = 0;
    n8n.intercept = () => {
      time += 8_000;
      return undefined;
    };
    const first = await ask(n8n, { requestId: "r-1" }, () => time);
    expect(first).toMatchObject({ found: false, coverage: { complete: false, stoppedBy: "time" } });
    expect(first.coverage.scannedExecutions).toBeGreaterThan(0);
    expect(await ask(n8n, { traceId: first.traceId }, () => 0)).toMatchObject({
      found: true,
      coverage: { complete: true },
    });
  });

  test("what has come since the last call is read as well, down to what was known", async () => {
    const n8n = createFakeN8n(ordinary(300));
    const first = await ask(n8n, { requestId: "r-999", limit: 100 });
    expect(first.found).toBe(false);
    const later = createFakeN8n([...ordinary(300), fakeExecution(999, "r-999")]);
    expect(await ask(later, { traceId: first.traceId })).toMatchObject({
      found: true,
      coverage: { scannedExecutions: 301 },
    });
  });

  test("what had not ended then is looked at again", async () => {
    const waiting = createFakeN8n([fakeExecution(5, "r-5", { status: "waiting" })]);
    const first = await ask(waiting, { requestId: "r-5" });
    expect(first.outcome).toBe("waiting");
    const resumed = createFakeN8n([fakeExecution(5, "r-5")]);
    expect((await ask(resumed, { traceId: first.traceId })).outcome).toBe("success");
  });
});

describe("n8n fails", () => {
  test("at once: its error, nothing else", async () => {
    const n8n = createFakeN8n(ordinary(10));
    n8n.intercept = () => new Response("{}", { status: 401 });
    await expect(ask(n8n, { requestId: "r-1" })).rejects.toMatchObject({ code: "N8N_UNAUTHORIZED" });
  });

  test("later, before the request was found: an error with the traceId, and the next call goes on", async () => {
    const n8n = createFakeN8n(ordinary(300));
    n8n.intercept = (url) => (url.searchParams.has("cursor") ? new Response("", { status: 502 }) : undefined);
    const failure = await ask(n8n, { requestId: "r-7" }).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({
      code: "N8N_UNREACHABLE",
      details: { traceId: "trace_of-the-test", scannedExecutions: 100 },
    });
    n8n.intercept = () => undefined;
    expect(await ask(n8n, { traceId: "trace_of-the-test" })).toMatchObject({
      found: true,
      coverage: { scannedExecutions: 300 },
    });
  });

  test("later, after the request was found: the answer, and that it is not complete", async () => {
    const n8n = createFakeN8n(ordinary(300));
    n8n.intercept = (url) => (url.searchParams.has("cursor") ? new Response("", { status: 502 }) : undefined);
    const answer = await ask(n8n, { requestId: "r-299" });
    expect(answer).toMatchObject({
      found: true,
      outcome: "success",
      coverage: { complete: false, stoppedBy: "n8n" },
    });
    expect(answer.scanError?.code).toBe("N8N_UNREACHABLE");
  });

  test("in the middle of a page: what came before the break counts, and is not asked for again", async () => {
    const n8n = createFakeN8n(ordinary(100));
    const whole = JSON.stringify({ data: ordinary(100).reverse(), nextCursor: null });
    n8n.intercept = (url) =>
      url.searchParams.get("status") === null ? jsonAnswer(whole.slice(0, whole.length / 2)) : undefined;
    const failure = await ask(n8n, { requestId: "r-1" }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "N8N_BAD_RESPONSE", details: { traceId: "trace_of-the-test" } });
    n8n.intercept = () => undefined;
    n8n.requests.length = 0;
    const answer = await ask(n8n, { traceId: "trace_of-the-test" });
    expect(answer).toMatchObject({ found: true, coverage: { scannedExecutions: 100, complete: true } });
    expect(pages(n8n).at(-1)?.get("cursor")).not.toBeNull();
  });

  test("with a cursor that does not move: no endless loop", async () => {
    const n8n = createFakeN8n(ordinary(10));
    n8n.intercept = (url) =>
      url.searchParams.get("status") === null
        ? jsonAnswer({ data: ordinary(2), nextCursor: "c3Rvb2Q=" })
        : undefined;
    await expect(ask(n8n, { requestId: "r-9" })).rejects.toMatchObject({ code: "N8N_BAD_RESPONSE" });
    expect(n8n.requests.length).toBeLessThan(6);
  });
});

describe("the window", () => {
  const iso = (id: number): string => new Date(Date.UTC(2026, 0, 1) + id * 1_000).toISOString();

  test("is asked of n8n, and held to even where n8n ignores it", async () => {
    const n8n = createFakeN8n(ordinary(300));
    const window = { workflowId: "w1", startedAfter: iso(150), startedBefore: iso(250) };
    const answer = await ask(n8n, { requestId: "r-120", window });
    expect(answer.found).toBe(false);
    expect(answer.coverage).toMatchObject({ from: iso(150), to: iso(250), complete: true });
    expect(pages(n8n)[0]?.get("workflowId")).toBe("w1");
    expect(pages(n8n)[0]?.get("startedAfter")).toBe(iso(150));
    expect(await ask(n8n, { requestId: "r-200", window })).toMatchObject({ found: true });
  });

  test("an n8n that refuses date filters is asked without, once and for all", async () => {
    const n8n = createFakeN8n(ordinary(300));
    n8n.intercept = (url) =>
      url.searchParams.has("startedAfter") ? new Response("{}", { status: 400 }) : undefined;
    const window = { workflowId: null, startedAfter: iso(150), startedBefore: null };
    expect(await ask(n8n, { requestId: "r-160", window })).toMatchObject({
      found: true,
      coverage: { complete: true },
    });
    expect(n8n.requests.filter((request) => request.includes("startedAfter"))).toHaveLength(1);
    expect(pages(n8n).length).toBeLessThanOrEqual(3);
  });
});

describe("what is in the way", () => {
  test("an execution over the cap is read alone, as a stream", async () => {
    const large = fakeExecution(50, "r-50");
    const json = { body: { requestId: "r-50" }, blob: "x".repeat(9_000_000) };
    const run = {
      startTime: 1,
      executionTime: 1,
      executionStatus: "success",
      source: [],
      data: { main: [[{ json }]] },
    };
    const n8n = createFakeN8n([
      ...ordinary(20),
      { ...large, data: { resultData: { runData: { Webhook: [run] } } } },
    ]);
    const answer = await ask(n8n, { requestId: "r-50" });
    expect(answer).toMatchObject({
      found: true,
      coverage: { scannedExecutions: 21, complete: true, skipped: [] },
    });
    expect(n8n.requests).toContain("/api/v1/executions/50?includeData=true");
  });

  test("an id in a part that was left out is said to be uncertain, not silently missed", async () => {
    const items = Array.from({ length: 100 }, (_one, index) => ({
      json: { i: index, requestId: `r-deep-${index}` },
    }));
    const run = {
      startTime: 1,
      executionTime: 1,
      executionStatus: "success",
      source: [],
      data: { main: [items] },
    };
    const n8n = createFakeN8n([
      fakeExecution(9, "other", { data: { resultData: { runData: { Code: [run] } } } }),
    ]);
    const answer = await ask(n8n, { requestId: "r-deep-99" });
    expect(answer.found).toBe(false);
    expect(answer.coverage.skipped).toEqual([
      { executionId: "9", reason: expect.stringContaining("too large to look at") },
    ]);
  });

  test("an element of unknown shape is in the coverage, and the rest is read", async () => {
    const strange = { id: "30", status: "success" };
    const n8n = createFakeN8n([...ordinary(20), strange]);
    const answer = await ask(n8n, { requestId: "r-3" });
    expect(answer.found).toBe(true);
    expect(answer.coverage.skipped).toEqual([{ executionId: "30", reason: "its shape is unknown" }]);
  });

  test("a linked execution that is gone is in the coverage", async () => {
    const data = { resultData: { runData: {} }, parentExecution: { executionId: "4", workflowId: "w" } };
    const n8n = createFakeN8n([fakeExecution(9, "r-9", { customData: { requestId: "r-9" }, data })]);
    const answer = await ask(n8n, { requestId: "r-9" });
    expect(answer).toMatchObject({ found: true, executions: [{ id: "9", parentId: "4" }] });
    expect(answer.coverage.skipped).toEqual([{ executionId: "4", reason: "it is linked, but was deleted" }]);
  });

  test("a linked execution outside the window is read by its id", async () => {
    const data = { resultData: { runData: {} }, parentExecution: { executionId: "4", workflowId: "w" } };
    const n8n = createFakeN8n([
      fakeExecution(4, "batch"),
      fakeExecution(9, "", { customData: { requestId: "r-9" }, data }),
    ]);
    const window = { ...WINDOW, startedAfter: new Date(Date.UTC(2026, 0, 1) + 8_000).toISOString() };
    const answer = await ask(n8n, { requestId: "r-9", window });
    expect(answer.executions.map((node) => `${node.id} ${node.role}`)).toEqual(
      ["4 entry", "9 entry"].map((text) => text.replace("9 entry", "9 sub_workflow")),
    );
  });

  test("running ones are found, though no list but their own has them", async () => {
    const n8n = createFakeN8n([
      ...ordinary(5),
      fakeExecution(6, "r-6", { status: "running", stoppedAt: null }),
    ]);
    expect(await ask(n8n, { requestId: "r-6" })).toMatchObject({ found: true, outcome: "running" });
  });
});

test("a match is told before the scan ends", async () => {
  await ask(createFakeN8n(ordinary(250)), { requestId: "r-249" });
  expect(messages[0]).toBe('Found: execution 249 of "orders", status success');
  expect(messages.slice(1).map((message) => message.split(",")[0])).toEqual([
    "Read 100 executions",
    "Read 200 executions",
    "Read 250 executions",
  ]);
});
