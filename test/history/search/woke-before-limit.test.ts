/** A waiting execution ends before a search that stops at its limit; then another user looks at what is new. */
import { expect, test } from "vitest";
import { ContinuedSearch } from "../../support/continued-search.ts";
import { createFakeN8n } from "../../support/fake-n8n.ts";
import { each, put, ranFrom, tracesOf } from "../scan/queue-set-up.ts";

const NOON = Date.UTC(2026, 0, 2, 12);
const CANDIDATES = [900, 850, 800, 750, 700, 650, 600];

test.each([1, 20])(
  "the search finds an execution that was known as waiting %d minutes ago",
  async (minutes) => {
    const traces = tracesOf(false);
    const n8n = createFakeN8n([]);
    const startOf = (id: number): number => NOON - (1_000 - id) * 1_000;
    const requestIdOf = (id: number): string => (CANDIDATES.includes(id) ? "wanted" : `r-${id}`);
    n8n.executions.push(...each(1, 1_000, (id) => ranFrom(startOf(id), id, requestIdOf(id))));
    const waits = { status: "waiting", waitTill: new Date(NOON + 3_000_000).toISOString() };
    put(n8n, ranFrom(startOf(770), 770, "other", waits));
    traces.clock.time = NOON + 1_000;
    await traces.ask(n8n, { requestId: "never" });
    const now = NOON + minutes * 60_000;
    traces.clock.time = now;
    put(n8n, ranFrom(startOf(770), 770, "wanted", { ms: now - 32_000 - startOf(770) }));
    n8n.executions.push(ranFrom(now - 2_000, 1_001, "r-1001"));
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
