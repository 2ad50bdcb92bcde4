/** Real answers about many executions of a day on which a service was down for five shops, and other things broke. */
import type { Envelope } from "../../../src/mcp/envelope.ts";
import { type MadeRun, toExecutions, troubledDay } from "../../features/failure-digest/troubles.ts";
import { createCaller } from "../../support/call-recorded.ts";
import { createFakeN8n } from "../../support/fake-n8n.ts";

const SETTINGS = { N8N_BASE_URL: "http://localhost:1", N8N_API_KEY: "a-key-for-these-tests" };
/** A Wednesday. */
const NOW = Date.UTC(2026, 10, 18, 15, 20);
const HOUR = 3_600_000;
const SHOPS = ["north", "south", "east", "west", "centre"];

const refused = {
  ...{ name: "NodeApiError", message: "The service refused the connection", node: { name: "Call tax" } },
  context: { request: { uri: "https://tax.example.com/rates" } },
};
const FAILED = {
  status: "error",
  facts: { data: { resultData: { runData: {}, error: refused, lastNodeExecuted: "Call tax" } } },
};

const shopRuns = SHOPS.flatMap((workflowId, index): MadeRun[] =>
  Array.from({ length: 9 * 24 * 2 }, (_one, half) => {
    const startedAt = NOW - (half + 1) * (HOUR / 2) + index * 60_000;
    const isDown = startedAt > NOW - 5 * HOUR && startedAt < NOW - 2.5 * HOUR;
    return {
      ...{ workflowId, mode: "webhook", startedAt, durationMs: 300 + 100 * index },
      ...(isDown ? FAILED : {}),
    };
  }),
);

async function answerOver(runs: readonly MadeRun[], tool: string, args: object): Promise<Envelope> {
  const n8n = createFakeN8n(toExecutions(runs));
  const caller = createCaller({ settings: SETTINGS, fetch: n8n.fetch, now: () => NOW });
  await caller.call("trace_request", { requestId: "of-nobody", timeBudgetMs: 55_000 });
  return await caller.call(tool, { timeBudgetMs: 55_000, ...args });
}

/** @param tool about many executions */
export const answerOfDay = async (tool: string, args: object): Promise<Envelope> =>
  await answerOver([...troubledDay(NOW), ...shopRuns], tool, args);

export const answerOfOutage = async (tool: string, args: object): Promise<Envelope> =>
  await answerOver(shopRuns, tool, args);

/** Malformed names, times and numbers, and texts that would run as HTML. */
export const HOSTILE_COUNTS = {
  status: "success",
  message: "<script>parent.hit=1</script>",
  data: {
    totals: { failures: "many" },
    groups: [
      { hour: "<img src=x onerror=parent.hit=1>", count: 5, failures: 9 },
      { workflowName: "<img src=x onerror=parent.hit=1>", hour: "2026-11-18T05:00", count: {}, failures: -4 },
      { workflowName: "</main><script>parent.hit=1</script>", hour: "2999999-11-18T05:00", count: 1 },
    ],
  },
  meta: { timestamp: "2026-11-22T10:00:00.000Z" },
};
