/** Where a window holds nothing but what runs: what was not read of it is told, though n8n's ordinary list is empty. */
import { expect, test } from "vitest";
import * as z from "zod";
import { View } from "../../../src/n8n/view.ts";
import { createCaller, settingsFor } from "../../support/call-recorded.ts";
import {
  createFakeN8n,
  type FakeExecution,
  fakeExecution,
  fakeHistory,
  isDataPage,
  webhookData,
} from "../../support/fake-n8n.ts";

const settings = settingsFor({ baseUrl: "http://localhost:1", apiKey: "fake-key-of-the-tests" });
const guided = z.looseObject({ _guidance: z.object({ message: z.string(), example: z.string() }) });
const NOW = Date.UTC(2026, 0, 2);
const WANTED = "req-wanted-0000-0001";

/** More than one look reads before anything else, which is 32 MB; the oldest of them holds the id. */
const runningOnes = (): FakeExecution[] =>
  Array.from({ length: 40 }, (_one, index) =>
    fakeExecution(index + 2, "", {
      status: "running",
      stoppedAt: null,
      data: webhookData({
        body: { requestId: index === 0 ? WANTED : `r-${index}`, text: "x".repeat(2_000_000) },
      }),
    }),
  );

const before = { startedAt: "2025-12-01T00:00:00.000Z", stoppedAt: "2025-12-01T00:00:01.000Z" };

test.each([
  ["n8n has nothing else", [], {}],
  ["nothing else began in it", [fakeExecution(1, "", before)], { startedAfter: "2026-01-01T00:00:00.000Z" }],
  ["nothing else of its workflow", [fakeExecution(1, "", { workflowId: "w2" })], { workflowId: "w1" }],
])("%s: not found yet", async (_what, others, window) => {
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
  const caller = createCaller({ settings, fetch: n8n.fetch, now: () => now });
  expect(await caller.call("trace_request", { requestId: WANTED, ...window })).toMatchObject({
    data: { outcome: "not_found_yet", coverage: { stoppedBy: "running" } },
  });
});

test.each([
  ["who sees all", View.everything],
  ["who sees its workflow", View.from({ seen: ["w1"], data: ["w1"] })],
  ["who sees another", View.from({ seen: ["w2"], data: ["w2"] })],
])("an execution of unknown shape may hold the id, for %s", async (_who, view) => {
  const odd = fakeExecution(2, "", { workflowId: "w1", mode: { kind: "webhook" } });
  const n8n = createFakeN8n([fakeExecution(1, "another-id-0001", { workflowId: "w1" }), odd]);
  const caller = createCaller({ settings, fetch: n8n.fetch, now: () => NOW, view });
  expect(await caller.call("trace_request", { requestId: WANTED })).toMatchObject({
    data: { coverage: { complete: false } },
  });
});

test("where time was up, the next call has more of it", async () => {
  const n8n = createFakeN8n(fakeHistory(600));
  let now = NOW;
  n8n.intercept = (url) => {
    if (isDataPage(url)) now += 15_000;
    return undefined;
  };
  const caller = createCaller({ settings, fetch: n8n.fetch, now: () => now });
  const { data } = await caller.call("trace_request", { requestId: WANTED });
  expect(data).toMatchObject({ outcome: "not_found_yet", coverage: { stoppedBy: "time" } });
  const { message, example } = guided.parse(data)._guidance;
  expect(message).toBe("Time was up before everything was read: read on, for longer.");
  expect(example).toContain('"timeBudgetMs":40000');
});
