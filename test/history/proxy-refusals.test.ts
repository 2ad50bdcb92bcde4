/** An error page of a proxy in front of n8n says nothing about what n8n can do. */
import { expect, test } from "vitest";
import { learnStatuses } from "../../src/n8n/capabilities/learn.ts";
import { createFakeN8n, type FakeN8n, fakeHistory, forgetRequests, isDataPage } from "../support/fake-n8n.ts";
import { createTestTraces, WINDOW } from "../support/test-traces.ts";

const badRequest = () =>
  new Response("<html><h1>400 Bad Request</h1><hr>nginx</html>", {
    status: 400,
    headers: { "content-type": "text/html" },
  });

/** The proxy refuses the first matching request. */
function refuseOnce(n8n: FakeN8n, isRefused: (parameters: URLSearchParams) => boolean): () => number {
  let refused = 0;
  n8n.intercept = ({ searchParams }) => {
    if (refused > 0 || !isRefused(searchParams)) return undefined;
    refused += 1;
    return badRequest();
  };
  return () => refused;
}

test("a proxy's 400 does not mean that n8n filters by no status", async () => {
  const n8n = createFakeN8n([]);
  n8n.intercept = badRequest;
  await expect(learnStatuses(n8n.client)).rejects.toMatchObject({
    code: "N8N_BAD_RESPONSE",
    details: { httpStatus: 400 },
  });
});

test("a proxy's 400 does not mean that n8n was replaced", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n(fakeHistory(2_000));
  await traces.ask(n8n, { requestId: "r-3" });
  forgetRequests(n8n);
  // The request that checks whether it is still the same n8n.
  const refused = refuseOnce(n8n, (asked) => asked.get("status") === "new" && asked.get("limit") === "1");
  await expect(traces.ask(n8n, { requestId: "never sent" })).rejects.toMatchObject({
    code: "N8N_BAD_RESPONSE",
  });
  expect(refused()).toBe(1);
  expect(traces.capabilities.known.statuses).toHaveLength(8);
  expect(n8n.requests.length).toBeLessThan(15);
});

test("a proxy's 400 does not mean that n8n cannot filter by date", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n(fakeHistory(300));
  n8n.dates = "filtered";
  const refused = refuseOnce(n8n, (asked) => asked.has("startedAfter"));
  const window = { ...WINDOW, startedAfter: "2026-01-01T00:04:00.000Z" };
  const ask = async () => await traces.ask(n8n, { requestId: "never sent", window });
  await expect(ask()).rejects.toMatchObject({ code: "N8N_BAD_RESPONSE" });
  expect(refused()).toBe(1);
  expect(traces.capabilities.known.filtersDates).toBe(true);
  expect(await ask()).toMatchObject({ outcome: "not_found" });
});

test("executions are read one by one where a proxy refuses pages", async () => {
  const traces = createTestTraces();
  const n8n = createFakeN8n(fakeHistory(20));
  n8n.intercept = (url) => (isDataPage(url) ? badRequest() : undefined);
  expect(await traces.ask(n8n, { requestId: "r-7" })).toMatchObject({ found: true });
});
