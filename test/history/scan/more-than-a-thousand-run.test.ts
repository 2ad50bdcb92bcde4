/** What a look did not see of the running executions is not settled by it. */
import { expect, test } from "vitest";
import { createFakeN8n, fakeExecution, fakeHistory } from "../../support/fake-n8n.ts";
import { createLocalCapabilities, N8N_2 } from "../../support/local-capabilities.ts";
import { createTestTraces } from "../../support/test-traces.ts";

test("one of more than 1,000 that ran, and that ends between the lists of the next look, is not missed for good", async () => {
  const traces = createTestTraces(undefined, createLocalCapabilities({ ...N8N_2, queues: false }));
  const n8n = createFakeN8n(fakeHistory(60));
  await traces.ask(n8n, { requestId: "never" });
  // 61 is the oldest of 1,001 that run; one that began last has ended.
  for (let id = 61; id <= 1_061; id += 1)
    n8n.executions.push(
      fakeExecution(id, id === 61 ? "wanted" : `r-${id}`, { status: "running", stoppedAt: null }),
    );
  n8n.executions.push(fakeExecution(1_062, "r-1062"), fakeExecution(1_070, "r-1070"));
  traces.clock.time += 60_000;
  const first = await traces.ask(n8n, { requestId: "never" });
  expect(first.coverage.complete).toBe(false);
  traces.clock.time += 60_000;
  let isListed = false;
  n8n.intercept = async (url) => {
    const status = url.searchParams.get("status");
    if (url.pathname.endsWith("/executions") && status === null && !url.searchParams.has("includeData"))
      isListed = true;
    if (status !== "running") return undefined;
    for (let turn = 0; turn < 200 && !isListed; turn += 1)
      await new Promise((resolve) => setImmediate(resolve));
    n8n.executions = n8n.executions.map((one) => (one.id === "61" ? fakeExecution(61, "wanted") : one));
    return undefined;
  };
  await traces.ask(n8n, { requestId: "never" });
  n8n.intercept = () => undefined;
  // All the others have ended, and many more.
  n8n.executions = n8n.executions.map((one) =>
    one.status === "running" ? fakeExecution(Number(one.id), `r-${one.id}`) : one,
  );
  for (let id = 1_071; id <= 1_500; id += 1) n8n.executions.push(fakeExecution(id, `r-${id}`));
  for (let looks = 0; looks < 15; looks += 1) {
    traces.clock.time += 60_000;
    await traces.ask(n8n, { requestId: "never" });
  }
  const answer = await traces.ask(n8n, { requestId: "wanted" });
  expect(answer.found || !answer.coverage.complete).toBe(true);
});
