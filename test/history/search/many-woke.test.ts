/** Hundreds of waiting executions wake and end between two calls of a search: more than a call reads one by one. */
import { expect, test } from "vitest";
import { ContinuedSearch } from "../../support/continued-search.ts";
import { createFakeN8n, fakeExecution } from "../../support/fake-n8n.ts";
import { each, ranFrom, tracesOf } from "../scan/queue-set-up.ts";

const NOON = Date.UTC(2026, 0, 2, 12);
const iso = (time: number): string => new Date(time).toISOString();

test.each([true, false])("a complete search has found them all (begun before: %s)", async (isBegunBefore) => {
  const traces = tracesOf(false);
  const n8n = createFakeN8n([]);
  const startOf = (id: number): number => NOON - (1_000 - id) * 1_000;
  const waits = { status: "waiting", waitTill: iso(NOON + 3_000_000) };
  n8n.executions.push(
    ...each(1, 400, (id) => ranFrom(startOf(id), id, "other", waits)),
    ...each(401, 1_000, (id) => ranFrom(startOf(id), id, `r-${id}`)),
  );
  traces.clock.time = NOON + 60_000;
  await traces.ask(n8n, { requestId: "never" });
  const search = new ContinuedSearch({ traces, n8n }, { path: "body.requestId", value: "wanted" });
  if (isBegunBefore) await search.call(2_000);
  // All wake and end within a second; 30 seconds later another one runs.
  const now = NOON + 120_000;
  n8n.executions = n8n.executions.map((one) =>
    one.status === "waiting"
      ? fakeExecution(Number(one.id), "wanted", { startedAt: one.startedAt, stoppedAt: iso(now - 32_000) })
      : one,
  );
  n8n.executions.push(ranFrom(now - 2_000, 1_001, "r-1001"));
  traces.clock.time = now;
  for (let calls = 0; calls < 10; calls += 1) {
    const answer = await search.call(2_000);
    traces.clock.time += 30_000;
    if (answer?.coverage.complete === true) break;
  }
  expect(search.found.size).toBe(400);
});
