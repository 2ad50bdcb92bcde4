/** A waiting execution ends before a search that stops at its limit; then another user looks at what is new. */
import { expect, test } from "vitest";
import { ContinuedSearch } from "../../support/continued-search.ts";
import { createFakeN8n, fakeExecution } from "../../support/fake-n8n.ts";
import { tracesOf } from "../scan/queue-set-up.ts";

const NOON = Date.UTC(2026, 0, 2, 12);
const iso = (time: number): string => new Date(time).toISOString();
const CANDIDATES = [900, 850, 800, 750, 700, 650, 600];

test.each([1, 20])(
  "the search finds an execution that was known as waiting %d minutes ago",
  async (minutes) => {
    const traces = tracesOf(false);
    const n8n = createFakeN8n([]);
    const startOf = (id: number): number => NOON - (1_000 - id) * 1_000;
    for (let id = 1; id <= 1_000; id += 1)
      n8n.executions.push(
        fakeExecution(id, CANDIDATES.includes(id) ? "wanted" : `r-${id}`, {
          startedAt: iso(startOf(id)),
          stoppedAt: iso(startOf(id) + 100),
        }),
      );
    n8n.executions[769] = fakeExecution(770, "other", {
      status: "waiting",
      startedAt: iso(startOf(770)),
      stoppedAt: iso(startOf(770) + 100),
      waitTill: iso(NOON + 3_000_000),
    });
    traces.clock.time = NOON + 1_000;
    await traces.ask(n8n, { requestId: "never" });
    const now = NOON + minutes * 60_000;
    traces.clock.time = now;
    n8n.executions[769] = fakeExecution(770, "wanted", {
      startedAt: iso(startOf(770)),
      stoppedAt: iso(now - 32_000),
    });
    n8n.executions.push(
      fakeExecution(1_001, "r-1001", { startedAt: iso(now - 2_000), stoppedAt: iso(now - 1_900) }),
    );
    const search = new ContinuedSearch({ traces, n8n }, { path: "body.requestId", value: "wanted" });
    await search.call(5);
    traces.clock.time += 2_000;
    await traces.ask(n8n, { requestId: "never" }, "ben");
    for (let calls = 0; calls < 10; calls += 1) {
      traces.clock.time += 5_000;
      const answer = await search.call(5);
      if (answer?.coverage.complete === true) break;
    }
    expect([...search.found].toSorted()).toEqual([...CANDIDATES, 770].map(String).toSorted());
  },
);
