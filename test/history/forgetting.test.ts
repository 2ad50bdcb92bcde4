/** What is forgotten while a scan runs, and pages that lack what is there: nothing is called complete that is not. */
import { describe, expect, test } from "vitest";
import { ExecutionMemory, MEMORY_LIFETIME_MS } from "../../src/history/execution-memory.ts";
import { createFakeN8n, type FakeN8n, fakeExecution, jsonAnswer } from "../support/fake-n8n.ts";
import { createTestTraces, type TestTraces } from "../support/test-traces.ts";

const upTo = (count: number) =>
  Array.from({ length: count }, (_one, index) => fakeExecution(index + 1, `r-${index + 1}`));

const isDataPage = (url: URL): boolean =>
  url.searchParams.get("includeData") === "true" &&
  url.searchParams.has("limit") &&
  !url.searchParams.has("status");

/** Does something at the n-th request of a kind, counted from 1. */
function at(n8n: FakeN8n, count: number, isCounted: (url: URL) => boolean, act: () => void): void {
  let seen = 0;
  n8n.intercept = (url) => {
    if (isCounted(url)) {
      seen += 1;
      if (seen === count) act();
    }
    return undefined;
  };
}

const forgetAll = (traces: TestTraces): void =>
  new ExecutionMemory(traces.memory.sql).prune(Date.now() + 2 * MEMORY_LIFETIME_MS);

describe("when what was known is forgotten", () => {
  test.each([
    ["at a page with data", 2, isDataPage],
    ["at a list", 2, (url: URL) => !url.searchParams.has("includeData") && !url.searchParams.has("status")],
    ["at the first list", 1, (url: URL) => !url.searchParams.has("includeData")],
  ])(
    "%s, the window is not called complete, and the next call looks at all of it",
    async (_name, count, kind) => {
      const traces = createTestTraces();
      expect((await traces.ask(createFakeN8n(upTo(600)), { requestId: "never" })).coverage.complete).toBe(
        true,
      );
      const grown = createFakeN8n(upTo(900));
      at(grown, count, kind, () => forgetAll(traces));
      const answer = await traces.ask(grown, { requestId: "r-5" });
      expect(answer.coverage).toMatchObject({ complete: false, stoppedBy: "forgotten" });
      grown.intercept = () => undefined;
      const next = await traces.ask(grown, { traceId: answer.traceId });
      expect(next).toMatchObject({ found: true, coverage: { scannedExecutions: 900, complete: true } });
      const other = await traces.ask(grown, { requestId: "r-7" });
      expect(other).toMatchObject({ found: true, coverage: { scannedExecutions: 900, complete: true } });
    },
  );
});

describe("a page that lacks what is there", () => {
  test("is no sign of deletion: what it lacks is read", async () => {
    const n8n = createFakeN8n(upTo(250));
    let isFirst = true;
    n8n.intercept = (url) => {
      if (!isDataPage(url) || !isFirst) return undefined;
      isFirst = false;
      return jsonAnswer({ data: [], nextCursor: null });
    };
    const answer = await createTestTraces().ask(n8n, { requestId: "r-250" });
    expect(answer).toMatchObject({
      found: true,
      coverage: { scannedExecutions: 250, complete: true, skipped: [] },
    });
  });

  test("one at a time, when every page does", async () => {
    const n8n = createFakeN8n(upTo(30));
    n8n.intercept = (url) => (isDataPage(url) ? jsonAnswer({ data: [], nextCursor: null }) : undefined);
    const answer = await createTestTraces().ask(n8n, { requestId: "r-3" });
    expect(answer).toMatchObject({ found: true, coverage: { scannedExecutions: 30, complete: true } });
  });
});

describe("an execution whose data n8n withholds", () => {
  test("is told, since the id may stand in it", async () => {
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
      expect(sentence).toContain("Not everything could be looked at");
      expect(coverage.skipped).toMatchObject([
        { executionId: "2", reason: expect.stringContaining("n8n withholds its data") },
      ]);
    }
  });
});
