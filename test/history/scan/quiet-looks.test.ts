/** While nothing changes in n8n, a trace requests lists and reads again only what runs. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createFakeN8n, type FakeExecution, fakeExecution, forgetRequests } from "../../support/fake-n8n.ts";
import { createTestTraces, WINDOW } from "../../support/test-traces.ts";

const LOOKS = 3;
/** All statuses of n8n, and one that it may get. */
const STATUSES = [
  "success",
  "error",
  "crashed",
  "canceled",
  "waiting",
  "new",
  "running",
  "unknown",
  "skipped",
] as const;
type Status = (typeof STATUSES)[number];

const TIMES: Partial<Record<Status, Record<string, string | null>>> = {
  new: { startedAt: null, stoppedAt: null },
  running: { stoppedAt: null },
};

/** Runs of executions with the same status, with their lengths. */
const stretches = fc.array(fc.tuple(fc.constantFrom(...STATUSES), fc.integer({ min: 1, max: 60 })), {
  minLength: 1,
  maxLength: 8,
});

const historyOf = (parts: readonly (readonly [Status, number])[]): FakeExecution[] =>
  parts
    .flatMap(([status, count]) => Array.from({ length: count }, () => status))
    .map((status, index) => fakeExecution(index + 1, `r-${index + 1}`, { status, ...TIMES[status] }));

const isReading = (path: string): boolean =>
  path.includes("includeData=true") && !path.includes("status=running");

test("a further look reads no execution again, whatever its status", async () => {
  await fc.assert(
    fc.asyncProperty(stretches, fc.boolean(), async (parts, hasWindow) => {
      const traces = createTestTraces();
      const n8n = createFakeN8n(historyOf(parts));
      const window = hasWindow ? { ...WINDOW, startedAfter: "2026-01-01T00:00:40.000Z" } : WINDOW;
      const ask = async () => await traces.ask(n8n, { requestId: "never", window });
      for (let looks = 0; looks < LOOKS; looks += 1) {
        await ask();
        traces.clock.time += 61_000;
      }
      forgetRequests(n8n);
      expect((await ask()).coverage.skipped).toEqual([]);
      expect(n8n.requests.filter(isReading)).toEqual([]);
    }),
    { numRuns: 30 },
  );
});
