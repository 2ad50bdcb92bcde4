/** A look begun for one caller, which ends at what their scan reads, also serves callers who need older executions. */
import { expect, test } from "vitest";
import { createFakeN8n, type FakeN8n, fakeExecution, isDataPage } from "../../support/fake-n8n.ts";
import { createTestTraces, WINDOW } from "../../support/test-traces.ts";
import { passTurns } from "./set-up.ts";

const START = Date.UTC(2026, 0, 1);
const at = (id: number): string => new Date(START + id * 60_000).toISOString();
const one = (id: number) =>
  fakeExecution(id, `r-${id}`, {
    workflowId: id % 2 === 0 ? "w1" : "w2",
    startedAt: at(id),
    stoppedAt: at(id),
  });
const from = (low: number, high: number) =>
  Array.from({ length: high - low + 1 }, (_one, index) => one(low + index));

/** Holds back requests of a kind, from the n-th on. */
function holdBack(n8n: FakeN8n, first: number, isOfKind: (url: URL) => boolean) {
  const gate = Promise.withResolvers<void>();
  let seen = 0;
  n8n.intercept = async (url) => {
    if (isOfKind(url)) seen += 1;
    if (isOfKind(url) && seen >= first) await gate.promise;
    return undefined;
  };
  return gate.resolve;
}

const isOf = (workflowId: string) => (url: URL) =>
  isDataPage(url) && url.searchParams.get("workflowId") === workflowId;

test("a trace of the last hours finds new executions during another user's scan of one workflow", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n(from(1, 400));
  // The newest 200 are known, older ones are not.
  await traces.ask(n8n, { requestId: "never", limit: 200 });
  n8n.executions = from(1, 700);
  const ofWorkflow = { ...WINDOW, workflowId: "w1" };
  const release = holdBack(n8n, 2, isOf("w1"));
  const first = traces.ask(n8n, { requestId: "never", window: ofWorkflow }, "anna");
  await passTurns(200);
  traces.clock.time += 1_000;
  n8n.executions = from(1, 705);
  const second = traces.ask(n8n, { requestId: "never", window: ofWorkflow }, "ben");
  await passTurns(1);
  const asked = traces.ask(n8n, { requestId: "r-651", window: { ...WINDOW, startedAfter: at(500) } }, "carl");
  await passTurns(300);
  release();
  const third = await asked;
  await Promise.all([first, second]);
  expect(third.found || !third.coverage.complete).toBe(true);
});

test("with two unknown windows, the look of one does not count for the other", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n(from(1, 300));
  n8n.dates = "filtered";
  const early = { ...WINDOW, startedAfter: at(100) };
  const late = { ...WINDOW, startedAfter: at(390) };
  // Both scans wait for their data pages.
  const release = holdBack(n8n, 1, isDataPage);
  const anna = traces.ask(n8n, { requestId: "never", window: early }, "anna");
  await passTurns(50);
  traces.clock.time += 1_000;
  n8n.executions = from(1, 400);
  const ben = traces.ask(n8n, { requestId: "never", window: late }, "ben");
  await passTurns(50);
  traces.clock.time += 1_000;
  n8n.executions = from(1, 401);
  const ben2 = traces.ask(n8n, { requestId: "never", window: late }, "ben");
  await passTurns(1);
  const carl = traces.ask(n8n, { requestId: "r-350", window: early }, "carl");
  await passTurns(50);
  release();
  const answer = await carl;
  await Promise.all([anna, ben, ben2]);
  expect(answer.found || !answer.coverage.complete).toBe(true);
});
