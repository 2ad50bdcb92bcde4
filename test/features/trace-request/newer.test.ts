/** Executions that start between two calls of one trace, or run meanwhile, are all found. */
import { beforeEach, describe, expect, test } from "vitest";
import type { TraceAnswer } from "../../../src/features/trace-request/trace.ts";
import { MAX_LISTED } from "../../../src/history/store/tables.ts";
import {
  createFakeN8n,
  dataPagesOf,
  type FakeN8n,
  failure,
  fakeExecution,
  fakeHistory,
  forgetRequests,
  isDataPage,
  jsonAnswer,
  listsOf,
  singlesOf,
} from "../../support/fake-n8n.ts";
import { createTestTraces, type TestTraces, WINDOW } from "../../support/test-traces.ts";

let traces: TestTraces;
beforeEach(() => {
  traces = createTestTraces();
});

const TRACE_ID = "trace_1";

/** Calls until everything was read, and returns all answers. */
async function goOn(n8n: FakeN8n, limit: number): Promise<TraceAnswer[]> {
  const answers: TraceAnswer[] = [];
  for (let calls = 0; calls < 40; calls += 1) {
    const answer = await traces.ask(n8n, { traceId: TRACE_ID, limit });
    answers.push(answer);
    if (answer.coverage.complete) return answers;
  }
  throw new Error("The trace never became complete.");
}

describe("more new executions than one call may read", () => {
  test("are read once each, whatever the limit, and the trace is complete only then", async () => {
    const n8n = createFakeN8n(fakeHistory(100));
    await traces.ask(n8n, { requestId: "r-150", limit: 50 });
    n8n.executions = fakeHistory(400);
    const answers = await goOn(n8n, 60);
    expect(answers.at(-1)).toMatchObject({
      found: true,
      coverage: { scannedExecutions: 400, complete: true },
    });
    // Six calls read 60 each, the last of them up to the end; the hit is among the new executions.
    expect(answers.length).toBe(6);
    expect(answers[0]?.found).toBe(false);
    expect(n8n.sent).toHaveLength(400);
  });

  test("are all read, even if more of them start meanwhile", async () => {
    const n8n = createFakeN8n(fakeHistory(100));
    await traces.ask(n8n, { requestId: "r-120" });
    n8n.executions = fakeHistory(300);
    const first = await traces.ask(n8n, { traceId: TRACE_ID, limit: 80 });
    expect(first).toMatchObject({ found: false, coverage: { complete: false, stoppedBy: "limit" } });
    n8n.executions = fakeHistory(500);
    const answers = await goOn(n8n, 150);
    expect(answers.at(-1)).toMatchObject({ found: true, coverage: { scannedExecutions: 500 } });
    expect(n8n.sent).toHaveLength(500);
  });

  test("are all read, even if n8n breaks off in the middle", async () => {
    const n8n = createFakeN8n(fakeHistory(100));
    await traces.ask(n8n, { requestId: "r-130" });
    n8n.executions = fakeHistory(200);
    const whole = JSON.stringify({ data: fakeHistory(200).reverse().slice(0, 100), nextCursor: null });
    let pages = 0;
    n8n.intercept = (url) => {
      if (!isDataPage(url)) return undefined;
      pages += 1;
      return pages === 1 ? jsonAnswer(whole.slice(0, whole.length / 3)) : failure(403);
    };
    const error = await traces.ask(n8n, { traceId: TRACE_ID }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "N8N_FORBIDDEN" });
    n8n.intercept = () => undefined;
    expect(await traces.ask(n8n, { traceId: TRACE_ID })).toMatchObject({
      found: true,
      coverage: { scannedExecutions: 200, complete: true },
    });
  });

  test("that are none cost one list, and nothing is counted twice", async () => {
    const n8n = createFakeN8n(fakeHistory(250));
    await traces.ask(n8n, { requestId: "r-999" });
    forgetRequests(n8n);
    const again = await traces.ask(n8n, { traceId: TRACE_ID });
    expect(again.coverage).toMatchObject({ scannedExecutions: 250, readNow: 0, complete: true });
    expect(listsOf(n8n)).toHaveLength(1);
    expect(dataPagesOf(n8n)).toHaveLength(0);
    // The running executions, and whether it is still the same n8n. Which workflows are not saved is known for a minute.
    expect(n8n.requests).toHaveLength(3);
  });

  test("are found with a higher id after a gap", async () => {
    const n8n = createFakeN8n(fakeHistory(300));
    const first = await traces.ask(n8n, { requestId: "r-999", limit: 100 });
    expect(first.found).toBe(false);
    n8n.executions.push(fakeExecution(999, "r-999"));
    expect(await traces.ask(n8n, { traceId: TRACE_ID })).toMatchObject({
      found: true,
      coverage: { scannedExecutions: 301 },
    });
  });
});

describe("an execution that had not ended", () => {
  test("is looked at again if it was waiting", async () => {
    const n8n = createFakeN8n([fakeExecution(5, "r-5", { status: "waiting" })]);
    const first = await traces.ask(n8n, { requestId: "r-5" });
    expect(first.outcome).toBe("waiting");
    n8n.executions = [fakeExecution(5, "r-5")];
    expect((await traces.ask(n8n, { traceId: first.traceId })).outcome).toBe("success");
  });

  test("is read even if it ends between the list of the running ones and their reading", async () => {
    const others = fakeHistory(50).slice(1);
    const n8n = createFakeN8n([...others, fakeExecution(1, "late", { status: "running", stoppedAt: null })]);
    n8n.intercept = (url) => {
      if (url.searchParams.get("status") === "running" && url.searchParams.has("includeData"))
        n8n.executions = [...others, fakeExecution(1, "late")];
      return undefined;
    };
    expect(await traces.ask(n8n, { requestId: "late" })).toMatchObject({ found: true, outcome: "success" });
  });

  test("is read even if it ends while the lists are requested", async () => {
    const others = fakeHistory(50).slice(1);
    const n8n = createFakeN8n([...others, fakeExecution(1, "late", { status: "running", stoppedAt: null })]);
    n8n.intercept = async (url) => {
      if (url.searchParams.get("status") !== "running") return undefined;
      // Enough time for any other list; then it ends.
      await new Promise((resolve) => setTimeout(resolve, 5));
      n8n.executions = [...others, fakeExecution(1, "late")];
      return undefined;
    };
    expect(await traces.ask(n8n, { requestId: "late" })).toMatchObject({ found: true });
  });

  test("is read later, not taken for deleted, if it continues between the list and its page", async () => {
    const others = fakeHistory(50).filter(({ id }) => id !== "20");
    const n8n = createFakeN8n([...others, fakeExecution(20, "before", { status: "waiting" })]);
    n8n.intercept = (url) => {
      if (isDataPage(url))
        n8n.executions = [...others, fakeExecution(20, "before", { status: "running", stoppedAt: null })];
      return undefined;
    };
    const first = await traces.ask(n8n, { requestId: "before" });
    expect(first).toMatchObject({ found: true, outcome: "running" });
    n8n.intercept = () => undefined;
    n8n.executions = [...others, fakeExecution(20, "after")];
    expect(await traces.ask(n8n, { requestId: "after" })).toMatchObject({ found: true, outcome: "success" });
  });
});

describe("running executions", () => {
  const running = (count: number) =>
    Array.from({ length: count }, (_one, index) =>
      fakeExecution(1_000 + index, `run-${index}`, { status: "running", stoppedAt: null }),
    );

  test("do not use up a small limit", async () => {
    const n8n = createFakeN8n([...fakeHistory(5), ...running(3)]);
    const first = await traces.ask(n8n, { requestId: "r-1", limit: 1 });
    expect(first.coverage).toMatchObject({ scannedExecutions: 4, stoppedBy: "limit" });
    const answers = await goOn(n8n, 1);
    expect(answers.at(-1)).toMatchObject({ found: true, coverage: { scannedExecutions: 8 } });
  });

  test("are all searched, however small the limit", async () => {
    const n8n = createFakeN8n([...fakeHistory(5), ...running(3)]);
    expect(await traces.ask(n8n, { requestId: "run-0", limit: 1 })).toMatchObject({
      found: true,
      outcome: "running",
    });
  });

  test("beyond the number that a look lists are in the coverage", async () => {
    const answer = await traces.ask(createFakeN8n(running(MAX_LISTED + 1)), { requestId: "run-0" });
    expect(answer.coverage).toMatchObject({ complete: false });
    expect(answer.coverage.skipped).toEqual([
      {
        executionId: null,
        reason: expect.stringContaining(`more than ${MAX_LISTED} executions are running`),
      },
    ]);
  });

  test("beyond a page are found by a later trace, once they have ended", async () => {
    const old = (status: string) =>
      Array.from({ length: 130 }, (_one, index) =>
        fakeExecution(index + 1, `run-${index + 1}`, { status, stoppedAt: null }),
      );
    const newer = fakeHistory(300).filter(({ id }) => Number(id) > 130);
    const n8n = createFakeN8n([...old("running"), ...newer]);
    await traces.ask(n8n, { requestId: "r-200" });
    n8n.executions = [...old("success"), ...newer];
    expect(await traces.ask(n8n, { requestId: "run-3" })).toMatchObject({ found: true, outcome: "success" });
  });

  test("are read even if n8n fails at one of them", async () => {
    const n8n = createFakeN8n([...fakeHistory(5), ...running(3)]);
    n8n.intercept = (url) => {
      const isPoisoned = url.searchParams.get("status") === "running" && url.searchParams.has("includeData");
      return isPoisoned || url.pathname.endsWith("/1001") ? failure(500) : undefined;
    };
    const answer = await traces.ask(n8n, { requestId: "r-2" });
    expect(answer).toMatchObject({ found: true, coverage: { complete: false } });
    expect(answer.coverage.skipped).toEqual([{ executionId: "1001", reason: expect.any(String) }]);
    expect(await traces.ask(n8n, { requestId: "run-2" })).toMatchObject({ found: true, outcome: "running" });
  });
});

test("a linked execution that could not be read is read by the next call", async () => {
  const data = { resultData: { runData: {} }, parentExecution: { executionId: "4", workflowId: "w" } };
  const child = fakeExecution(9, "", { customData: { requestId: "r-9" }, data });
  const n8n = createFakeN8n([fakeExecution(4, "batch"), child]);
  n8n.dates = "filtered";
  const window = { ...WINDOW, startedAfter: new Date(Date.UTC(2026, 0, 1) + 8_000).toISOString() };
  n8n.intercept = (url) => (url.pathname.endsWith("/4") ? failure(500) : undefined);
  const first = await traces.ask(n8n, { requestId: "r-9", window });
  expect(first.coverage.skipped).toMatchObject([{ executionId: "4" }]);
  n8n.intercept = () => undefined;
  const second = await traces.ask(n8n, { traceId: TRACE_ID });
  expect(second.coverage.skipped).toEqual([]);
  expect(second.executions.map(({ id }) => id)).toEqual(["4", "9"]);
  expect(singlesOf(n8n).filter((id) => id === "4").length).toBe(2);
});
