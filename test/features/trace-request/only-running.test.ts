/** A window that holds only running executions: the trace says what it did not read, although n8n's ordinary list is empty. */
import { expect, test } from "vitest";
import * as z from "zod";
import { View } from "../../../src/n8n/view.ts";
import { createCaller } from "../../support/call-recorded.ts";
import {
  createFakeN8n,
  type FakeExecution,
  fakeExecution,
  fakeHistory,
  isDataPage,
  webhookData,
} from "../../support/fake-n8n.ts";

const guided = z.looseObject({ _guidance: z.object({ message: z.string(), example: z.string() }) });
const NOW = Date.UTC(2026, 0, 2);
const REQUEST_ID = "req-running-0000-0001";

/** More than the 32 MB that one look reads before anything else; the oldest of them holds the id. */
const runningOnes = (): FakeExecution[] =>
  Array.from({ length: 40 }, (_one, index) =>
    fakeExecution(index + 2, "", {
      status: "running",
      stoppedAt: null,
      data: webhookData({
        body: { requestId: index === 0 ? REQUEST_ID : `r-${index}`, text: "x".repeat(2_000_000) },
      }),
    }),
  );

const before = { startedAt: "2025-12-01T00:00:00.000Z", stoppedAt: "2025-12-01T00:00:01.000Z" };

test.each([
  ["n8n has nothing else", [], {}],
  [
    "nothing else started in the window",
    [fakeExecution(1, "", before)],
    { startedAfter: "2026-01-01T00:00:00.000Z" },
  ],
  ["its workflow has nothing else", [fakeExecution(1, "", { workflowId: "w2" })], { workflowId: "w1" }],
])("the request is not found yet where %s", async (_what, others, window) => {
  const n8n = createFakeN8n([...others, ...runningOnes()]);
  n8n.dates = "filtered";
  let now = NOW;
  n8n.intercept = ({ pathname, searchParams }) => {
    // So slow that there is no time for all of them.
    if (searchParams.has("includeData")) now += 12_000;
    return pathname.endsWith("/workflows/w1")
      ? Response.json({ id: "w1", name: "one", active: true, nodes: [], connections: {} })
      : undefined;
  };
  const caller = createCaller({ fetch: n8n.fetch, now: () => now });
  expect(await caller.call("trace_request", { requestId: REQUEST_ID, ...window })).toMatchObject({
    data: { outcome: "not_found_yet", coverage: { stoppedBy: "running" } },
  });
});

test.each([
  ["a caller who sees all", View.everything],
  ["a caller who sees its workflow", View.from({ seen: ["w1"], data: ["w1"] })],
  ["a caller who sees another workflow", View.from({ seen: ["w2"], data: ["w2"] })],
])("an execution of unknown shape may hold the id, for %s", async (_who, view) => {
  const odd = fakeExecution(2, "", { workflowId: "w1", mode: { kind: "webhook" } });
  const n8n = createFakeN8n([fakeExecution(1, "another-id-0001", { workflowId: "w1" }), odd]);
  const caller = createCaller({ fetch: n8n.fetch, now: () => NOW, view });
  expect(await caller.call("trace_request", { requestId: REQUEST_ID })).toMatchObject({
    data: { coverage: { complete: false } },
  });
});

test("the call after one that ran out of time gets more of it", async () => {
  const n8n = createFakeN8n(fakeHistory(600));
  let now = NOW;
  n8n.intercept = (url) => {
    if (isDataPage(url)) now += 15_000;
    return undefined;
  };
  const caller = createCaller({ fetch: n8n.fetch, now: () => now });
  const { data } = await caller.call("trace_request", { requestId: REQUEST_ID });
  expect(data).toMatchObject({ outcome: "not_found_yet", coverage: { stoppedBy: "time" } });
  const { message, example } = guided.parse(data)._guidance;
  expect(message).toBe("Time ran out before everything was read: continue, with more time.");
  expect(example).toContain('"timeBudgetMs":40000');
});
