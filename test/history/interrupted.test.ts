/** A memory that is reset in the middle of a call, as each deployment does it. */
import { expect, test } from "vitest";
import { ObserverError } from "../../src/platform/errors.ts";
import { createFakeN8n, fakeHistory } from "../support/fake-n8n.ts";
import { createLocalTraceMemory } from "../support/local-trace-memory.ts";
import { createTestTraces } from "../support/test-traces.ts";

test("is no failure of n8n's: the next step is told, also when the request has been found; the next call goes on", async () => {
  const kept = createLocalTraceMemory();
  const interruption = new ObserverError("INTERRUPTED", "The server was updated.", {
    solution: "Call again.",
  });
  let asked = 0;
  const traces = createTestTraces({
    ...kept,
    unknownOf: async (items) => {
      asked += 1;
      if (asked === 3) throw interruption;
      return await kept.unknownOf(items);
    },
  });
  const n8n = createFakeN8n(fakeHistory(900));
  await expect(traces.ask(n8n, { requestId: "r-899" })).rejects.toBe(interruption);
  expect(traces.messages).toContainEqual(expect.stringContaining("Found: execution 899"));
  expect(n8n.sent.length).toBeGreaterThan(0);
  expect(await traces.ask(n8n, { requestId: "r-899" })).toMatchObject({
    found: true,
    coverage: { scannedExecutions: 900, complete: true },
  });
  // The two pages that were under way are read again.
  expect(n8n.sent.length).toBeLessThanOrEqual(900 + 2 * 100);
});
