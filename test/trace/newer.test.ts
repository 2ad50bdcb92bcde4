/** What comes into n8n between two calls of one trace, and what runs meanwhile: nothing is passed over. */
import { beforeEach, describe, expect, test } from "vitest";
import { DEFAULT_REQUEST_ID_PATHS } from "../../src/settings.ts";
import { compileRequestIdPaths } from "../../src/trace/request-id-paths.ts";
import { type TraceAnswer, type TraceArguments, traceRequest } from "../../src/trace/trace-request.ts";
import { createFakeN8n, type FakeN8n, fakeExecution, jsonAnswer } from "../support/fake-n8n.ts";
import { createMemoryTraceStore } from "../support/memory-trace-store.ts";

const TRACE_ID = "trace_of-the-test";
const WINDOW = { workflowId: null, startedAfter: null, startedBefore: null };
let store = createMemoryTraceStore();
beforeEach(() => {
  store = createMemoryTraceStore();
});

async function ask(n8n: FakeN8n, args: Partial<TraceArguments>): Promise<TraceAnswer> {
  return await traceRequest(
    { requestId: undefined, window: WINDOW, limit: 2_000, traceId: undefined, ...args },
    {
      client: n8n.client,
      store,
      paths: compileRequestIdPaths(DEFAULT_REQUEST_ID_PATHS),
      now: Date.now,
      newTraceId: () => TRACE_ID,
      progress: async () => {},
    },
  );
}

const upTo = (count: number) =>
  Array.from({ length: count }, (_one, index) => fakeExecution(index + 1, `r-${index + 1}`));

/** Goes on until everything was read; the answers on the way. */
async function goOn(n8n: FakeN8n, limit: number): Promise<TraceAnswer[]> {
  const answers: TraceAnswer[] = [];
  for (let calls = 0; calls < 40; calls += 1) {
    const answer = await ask(n8n, { traceId: TRACE_ID, limit });
    answers.push(answer);
    if (answer.coverage.complete) return answers;
  }
  throw new Error("It never came to an end.");
}

describe("more has come than one call may read", () => {
  test("each of them is read once, whatever the limit, and it is not complete before", async () => {
    await ask(createFakeN8n(upTo(100)), { requestId: "r-150", limit: 50 });
    const grown = createFakeN8n(upTo(400));
    const answers = await goOn(grown, 60);
    expect(answers.at(-1)).toMatchObject({
      found: true,
      coverage: { scannedExecutions: 400, complete: true },
    });
    // Six calls read 60 each; the hit lies between what was new and what was known.
    expect(answers.length).toBe(6);
    expect(answers[0]?.found).toBe(false);
  });

  test("also when still more comes meanwhile", async () => {
    await ask(createFakeN8n(upTo(100)), { requestId: "r-120" });
    const first = await ask(createFakeN8n(upTo(300)), { traceId: TRACE_ID, limit: 80 });
    expect(first).toMatchObject({ found: false, coverage: { complete: false, stoppedBy: "limit" } });
    const answers = await goOn(createFakeN8n(upTo(500)), 150);
    expect(answers.at(-1)).toMatchObject({ found: true, coverage: { scannedExecutions: 500 } });
  });

  test("also when n8n breaks off in the middle of it", async () => {
    await ask(createFakeN8n(upTo(100)), { requestId: "r-130" });
    const grown = createFakeN8n(upTo(200));
    const whole = JSON.stringify({ data: upTo(200).reverse().slice(0, 100), nextCursor: null });
    grown.intercept = (url) =>
      url.searchParams.get("status") === null ? jsonAnswer(whole.slice(0, whole.length / 3)) : undefined;
    const failure = await ask(grown, { traceId: TRACE_ID }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "N8N_BAD_RESPONSE" });
    grown.intercept = () => undefined;
    expect(await ask(grown, { traceId: TRACE_ID })).toMatchObject({
      found: true,
      coverage: { scannedExecutions: 200, complete: true },
    });
  });

  test("nothing has come: one page is asked for, and nothing counted twice", async () => {
    const n8n = createFakeN8n(upTo(250));
    await ask(n8n, { requestId: "r-999" });
    n8n.requests.length = 0;
    const again = await ask(n8n, { traceId: TRACE_ID });
    expect(again.coverage).toMatchObject({ scannedExecutions: 250, complete: true });
    expect(n8n.requests.filter((request) => !request.includes("status=running"))).toHaveLength(1);
  });
});

describe("running executions", () => {
  const running = (count: number) =>
    Array.from({ length: count }, (_one, index) =>
      fakeExecution(1_000 + index, `run-${index}`, { status: "running", stoppedAt: null }),
    );

  test("do not use up the limit: a small one still comes forward", async () => {
    const n8n = createFakeN8n([...upTo(5), ...running(3)]);
    const first = await ask(n8n, { requestId: "r-1", limit: 1 });
    expect(first.coverage).toMatchObject({ scannedExecutions: 4, stoppedBy: "limit" });
    const answers = await goOn(n8n, 1);
    expect(answers.at(-1)).toMatchObject({ found: true, coverage: { scannedExecutions: 8 } });
  });

  test("are all searched, however small the limit", async () => {
    const n8n = createFakeN8n([...upTo(5), ...running(3)]);
    expect(await ask(n8n, { requestId: "run-0", limit: 1 })).toMatchObject({
      found: true,
      outcome: "running",
    });
  });

  test("that are more than a page are in the coverage", async () => {
    const answer = await ask(createFakeN8n(running(101)), { requestId: "run-0" });
    expect(answer.coverage.skipped).toEqual([
      { executionId: null, reason: "more than 100 executions are running" },
    ]);
  });
});

test("a linked execution that could not be read is read by the next call, and no longer said to be missing", async () => {
  const data = { resultData: { runData: {} }, parentExecution: { executionId: "4", workflowId: "w" } };
  const child = fakeExecution(9, "", { customData: { requestId: "r-9" }, data });
  const n8n = createFakeN8n([fakeExecution(4, "batch"), child]);
  const window = { ...WINDOW, startedAfter: new Date(Date.UTC(2026, 0, 1) + 8_000).toISOString() };
  n8n.intercept = (url) => (url.pathname.endsWith("/4") ? new Response("", { status: 500 }) : undefined);
  const first = await ask(n8n, { requestId: "r-9", window });
  expect(first.coverage.skipped).toMatchObject([{ executionId: "4" }]);
  n8n.intercept = () => undefined;
  const second = await ask(n8n, { traceId: TRACE_ID });
  expect(second.coverage.skipped).toEqual([]);
  expect(second.executions.map(({ id }) => id)).toEqual(["4", "9"]);
});

test("a limit is kept exactly, whatever page size a cursor carries", async () => {
  const n8n = createFakeN8n(upTo(500));
  for (const [limit, scanned] of [
    [150, 150],
    [7, 157],
    [1, 158],
    [300, 458],
  ] as const) {
    const args = scanned === 150 ? { requestId: "never" } : { traceId: TRACE_ID };
    const answer = await ask(n8n, { ...args, limit }).catch((error: unknown) => error);
    expect(answer).toMatchObject({ coverage: { scannedExecutions: scanned } });
  }
});
