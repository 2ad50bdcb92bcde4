/** A payload search redacts everything it reads, and pauses between so that other calls proceed. */
import { expect, test } from "vitest";
import {
  createFakeN8n,
  type FakeN8n,
  fakeExecution,
  fakeHistory,
  webhookData,
} from "../../support/fake-n8n.ts";
import { createTestTraces } from "../../support/test-traces.ts";

const BYTES_UNTIL_PAUSE = 32 * 1024;
const rows = Array.from({ length: 100 }, (_one, index) => ({ text: `row ${index} `.repeat(1_000) }));

async function pausesOf(n8n: FakeN8n, requestId: string): Promise<number> {
  const { ask, clock } = createTestTraces();
  await ask(n8n, { requestId, deep: true });
  return clock.waits.filter((milliseconds) => milliseconds === 0).length;
}

test.each([
  ["many items", rows],
  ["one large item", [{ rows }]],
])("a search of %s pauses equally often whether or not it finds something", async (_name, items) => {
  const n8n = createFakeN8n([fakeExecution(1, "r-1", { data: webhookData(...items) })]);
  const pauses = await pausesOf(n8n, "row");
  expect(pauses).toBeGreaterThan(JSON.stringify(items).length / BYTES_UNTIL_PAUSE / 3);
  expect(await pausesOf(n8n, "rox")).toBe(pauses);
});

test("a search with little to redact does not pause", async () => {
  expect(await pausesOf(createFakeN8n(fakeHistory(5)), "r-2")).toBe(0);
});
