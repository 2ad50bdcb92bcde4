/**
 * An n8n with a concurrency limit lists the executions that wait for it. Each is read once, however many there are, and
 * after that the list alone shows that nothing has changed.
 */
import { expect, test } from "vitest";
import {
  createFakeN8n,
  type FakeN8n,
  fakeExecution,
  fakeHistory,
  forgetRequests,
  N8N_1_123,
  singlesOf,
} from "../../support/fake-n8n.ts";
import { createLocalCapabilities, N8N_2 } from "../../support/local-capabilities.ts";
import { createTestTraces } from "../../support/test-traces.ts";

const N8N_1_123_STATUSES = ["canceled", "error", "running", "success", "waiting"] as const;
const ENDED = 30;
const NOT_BEGUN = 272;

const notBegun = (id: number) =>
  fakeExecution(id, `q-${id}`, { status: "new", startedAt: null, stoppedAt: null });

const withBacklog = (): FakeN8n =>
  createFakeN8n([
    ...fakeHistory(ENDED),
    ...Array.from({ length: NOT_BEGUN }, (_one, index) => notBegun(ENDED + 1 + index)),
  ]);

/** Requests without their cursors. */
const listsOf = (n8n: FakeN8n): string[] => n8n.requests.map((path) => path.replace(/&cursor=[^&]*/, ""));

test("queued executions are listed, and not read again", async () => {
  const traces = createTestTraces();
  const n8n = withBacklog();
  expect(await traces.ask(n8n, { requestId: "never" })).toMatchObject({ coverage: { complete: true } });
  forgetRequests(n8n);
  expect(await traces.ask(n8n, { requestId: "q-300" })).toMatchObject({
    outcome: "queued",
    coverage: { complete: true, skipped: [] },
  });
  expect(listsOf(n8n).toSorted()).toEqual([
    "/api/v1/executions?limit=25",
    "/api/v1/executions?status=new&limit=250",
    "/api/v1/executions?status=new&limit=250",
    "/api/v1/executions?status=running&limit=250",
  ]);
});

test("a queued execution that has ended is read, wherever it is among them", async () => {
  const traces = createTestTraces();
  const n8n = withBacklog();
  await traces.ask(n8n, { requestId: "never" });
  n8n.executions = n8n.executions.map((one) => (one.id === "40" ? fakeExecution(40, "q-40") : one));
  forgetRequests(n8n);
  expect(await traces.ask(n8n, { requestId: "q-40" })).toMatchObject({
    outcome: "success",
    coverage: { complete: true, skipped: [] },
  });
  expect(singlesOf(n8n)).toEqual(["40"]);
});

test("a deep trace reads each queued execution once, some in each call, and finishes", async () => {
  const traces = createTestTraces();
  const n8n = withBacklog();
  let answer = await traces.ask(n8n, { requestId: "q-300", deep: true, limit: 1_000 });
  for (let calls = 0; !answer.coverage.complete && calls < 5; calls += 1) {
    expect(answer.coverage.skipped).toMatchObject([{ reason: expect.stringContaining("went on") }]);
    answer = await traces.ask(n8n, { traceId: answer.traceId, limit: 1_000 });
  }
  expect(answer).toMatchObject({ outcome: "queued", coverage: { complete: true, skipped: [] } });
  forgetRequests(n8n);
  const { coverage } = await traces.ask(n8n, { traceId: answer.traceId, limit: 1_000 });
  expect({ singles: singlesOf(n8n), sent: n8n.sent }).toEqual({ singles: [], sent: [] });
  expect(coverage).toMatchObject({ scannedExecutions: 302, searchedForMentions: 302 });
});

test("n8n 1.x does not list queued executions separately, and unchanged ones are not read again", async () => {
  const traces = createTestTraces(
    undefined,
    createLocalCapabilities({ ...N8N_2, statuses: [...N8N_1_123_STATUSES], queues: false }),
  );
  const n8n = createFakeN8n([
    ...fakeHistory(ENDED),
    ...Array.from({ length: 20 }, (_one, index) => notBegun(31 + index)),
  ]);
  n8n.old = N8N_1_123;
  await traces.ask(n8n, { requestId: "never" });
  forgetRequests(n8n);
  await traces.ask(n8n, { requestId: "never" });
  const notBegunIds = new Set(Array.from({ length: 20 }, (_one, index) => String(31 + index)));
  expect(singlesOf(n8n).filter((id) => notBegunIds.has(id))).toEqual([]);
});
