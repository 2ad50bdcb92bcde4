/** Large running executions for which a search had no room, and whose ends n8n stores some seconds late. */
import { expect, test } from "vitest";
import { ContinuedSearch } from "../../support/continued-search.ts";
import { createFakeN8n, fakeExecution, webhookData } from "../../support/fake-n8n.ts";
import { createLocalCapabilities, N8N_2 } from "../../support/local-capabilities.ts";
import { createTestTraces } from "../../support/test-traces.ts";

const NOON = Date.UTC(2026, 0, 2, 12);
const iso = (time: number): string => new Date(time).toISOString();
const large = (text: string) => webhookData({ body: { requestId: text, filler: "x ".repeat(2_000) } });

test.each([0, 15_000])(
  "those that end are searched once they have ended, with ends that are stored %d ms late",
  async (lateMs) => {
    const traces = createTestTraces(undefined, createLocalCapabilities({ ...N8N_2, queues: false }));
    const n8n = createFakeN8n([]);
    for (let id = 1; id <= 60; id += 1)
      n8n.executions.push(
        fakeExecution(id, `r-${id}`, {
          startedAt: iso(NOON - (61 - id) * 10_000),
          stoppedAt: iso(NOON - (61 - id) * 10_000 + 100),
        }),
      );
    for (let id = 61; id <= 90; id += 1)
      n8n.executions.push(
        fakeExecution(id, "", {
          status: "running",
          startedAt: iso(NOON),
          stoppedAt: null,
          data: large(`run-${id}`),
        }),
      );
    traces.clock.time = NOON + 60_000;
    // About 32 MB in earnest: here as much as fills one page.
    traces.maxRunningBytes = 10_000;
    await traces.ask(n8n, { requestId: "never" });
    traces.clock.time += 10_000;
    await traces.ask(n8n, { requestId: "never" });
    const now = NOON + 120_000;
    traces.clock.time = now;
    n8n.executions.push(
      fakeExecution(91, "r-91", { startedAt: iso(now - 2_000), stoppedAt: iso(now - 1_900) }),
    );
    const search = new ContinuedSearch({ traces, n8n }, { path: "body.requestId", value: "wanted" });
    n8n.executions = n8n.executions.map((one) =>
      one.status === "running" ? { ...one, data: { ...Object(one.data), ...Object(large("wanted")) } } : one,
    );
    const first = await search.call(2_000);
    expect(first?.coverage.complete).toBe(false);
    // All end; n8n stores that late.
    n8n.executions = n8n.executions.map((one) =>
      one.status === "running" ? { ...one, status: "success", stoppedAt: iso(now + 100 - lateMs) } : one,
    );
    traces.clock.time = now + 5_000;
    const answers = [await search.call(2_000), await search.call(2_000)];
    const missed = n8n.executions.filter(
      ({ id }) => Number(id) > 60 && Number(id) < 91 && !search.found.has(id),
    );
    expect(answers.some((answer) => answer?.coverage.complete === true) && missed.length > 0).toBe(false);
  },
);
