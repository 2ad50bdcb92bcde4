/** A search through payload redacts all that passes by: others get their turn in between, whatever is sought. */
import { expect, test } from "vitest";
import { createFakeN8n, type FakeN8n, fakeExecution, fakeHistory, webhookData } from "../support/fake-n8n.ts";
import { createTestTraces } from "../support/test-traces.ts";

const PIECE_BYTES = 64 * 1024;
const ROWS = 200;
const rows = Array.from({ length: ROWS }, (_one, index) => ({ text: `row ${index} `.repeat(1_000) }));

/** The same answer, as a network gives it. */
function inPieces(response: Response): Response {
  const pieces = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      for (let at = 0; at < bytes.length; at += PIECE_BYTES)
        controller.enqueue(bytes.slice(at, at + PIECE_BYTES));
    },
  });
  return new Response(response.body?.pipeThrough(pieces) ?? null, { headers: response.headers });
}

function n8nInPieces(n8n: FakeN8n): FakeN8n {
  const source = createFakeN8n(n8n.executions);
  n8n.intercept = async (url) => inPieces(await source.fetch(url.href, {}));
  return n8n;
}

async function pausesOf(n8n: FakeN8n, requestId: string, deep: boolean): Promise<number> {
  const { ask, clock } = createTestTraces();
  await ask(n8nInPieces(n8n), { requestId, deep });
  return clock.waits.filter((milliseconds) => milliseconds === 0).length;
}

const large = (): FakeN8n => createFakeN8n([fakeExecution(1, "r-1", { data: webhookData(...rows) })]);

test("with every piece of a large execution, as often for what is there as for what is not", async () => {
  const pieces = Math.floor(JSON.stringify(rows).length / PIECE_BYTES);
  const pauses = await pausesOf(large(), "row", true);
  expect(pauses).toBeGreaterThanOrEqual(pieces - 1);
  expect(await pausesOf(large(), "rox", true)).toBe(pauses);
});

test("not where there is little to redact", async () => {
  expect(await pausesOf(createFakeN8n(fakeHistory(5)), "r-2", true)).toBe(0);
});
