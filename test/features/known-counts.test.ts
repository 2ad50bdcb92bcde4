/** What `query_executions` and `summarize_failures` count when n8n does not answer, answers late, or has another clock. */
import { expect, test } from "vitest";
import * as z from "zod";
import type { Envelope } from "../../src/mcp/envelope.ts";
import { createCaller } from "../support/call-recorded.ts";
import { createFakeN8n, failure, jsonAnswer } from "../support/fake-n8n.ts";
import { type MadeRun, toExecutions } from "./failure-digest/troubles.ts";

const NOW = Date.UTC(2026, 10, 18, 15);
const MINUTE_MS = 60_000;
const TOOLS = ["query_executions", "summarize_failures"] as const;

const iso = (time: number): string => new Date(time).toISOString();

const run = (startedAt: number, facts: Partial<MadeRun> = {}): MadeRun => ({
  ...{ workflowId: "w1", mode: "webhook", startedAt, durationMs: 5 },
  ...facts,
});
const failed = (startedAt: number): MadeRun =>
  run(startedAt, { status: "error", error: { node: "Call tax", name: "NodeApiError", message: "Busy" } });

const countsSchema = z.looseObject({
  totals: z.looseObject({ count: z.number().optional(), runs: z.number().optional() }),
  groups: z.array(z.looseObject({ count: z.number() })),
});

function countIn({ data }: Envelope): number | undefined {
  const { totals } = countsSchema.parse(data);
  return totals.count ?? totals.runs;
}

/** A caller an hour after the last of these runs. */
function known(runs: readonly MadeRun[]) {
  const n8n = createFakeN8n(toExecutions(runs));
  const clock = { time: NOW };
  const answerWorkflows = (url: URL): Response | undefined =>
    url.pathname.endsWith("/workflows") ? jsonAnswer({ data: [], nextCursor: null }) : undefined;
  n8n.intercept = answerWorkflows;
  const caller = createCaller({ fetch: n8n.fetch, now: () => clock.time });
  return { n8n, clock, caller };
}

test.each(TOOLS)("%s gives the time of its knowledge if n8n cannot be asked", async (tool) => {
  const { n8n, clock, caller } = known([run(NOW - 60 * MINUTE_MS), failed(NOW - 50 * MINUTE_MS)]);
  // This call reads all executions; from then on each call reads only the new ones.
  await caller.call("trace_request", { requestId: "of-nobody" });
  clock.time += MINUTE_MS;
  const whole = await caller.call(tool, {});
  expect(countIn(whole)).toBe(2);
  expect(whole.message).not.toContain("This is what was known");
  clock.time += 30 * MINUTE_MS;
  n8n.intercept = () => failure(500);
  const { message } = await caller.call(tool, {});
  expect(message).toContain(
    `This is what was known at ${iso(NOW + MINUTE_MS)}: n8n could not be asked; call again.`,
  );
});

test("executions known beyond a gap are counted once, in groups and in totals", async () => {
  const { n8n, clock, caller } = known([run(NOW - 60 * MINUTE_MS), failed(NOW - 50 * MINUTE_MS)]);
  await caller.call("query_executions", {});
  clock.time += 30 * MINUTE_MS;
  // More new executions than one list has, and time for only one list.
  const later = Array.from({ length: 60 }, (_one, at) => run(NOW + at * 1_000));
  n8n.executions = toExecutions([run(NOW - 60 * MINUTE_MS), failed(NOW - 50 * MINUTE_MS), ...later]);
  n8n.intercept = () => {
    clock.time += MINUTE_MS;
    return undefined;
  };
  const counted = await caller.call("summarize_failures", { startedAfter: iso(NOW - 120 * MINUTE_MS) });
  expect(countsSchema.parse(counted.data).groups).toMatchObject([{ count: 1 }]);
  expect(counted.data).toMatchObject({ totals: { failures: 1 } });
  expect(countIn(counted)).toBeGreaterThanOrEqual(2);
});

test.each(TOOLS)("%s does not count executions that started after the window", async (tool) => {
  const end = NOW - 20_000;
  const { caller } = known([run(end - 2), run(end - 1), run(end), run(end + 10_000)]);
  const window = { startedAfter: iso(end - MINUTE_MS), startedBefore: iso(end) };
  expect(countIn(await caller.call(tool, window))).toBe(2);
  expect(countIn(await caller.call(tool, { hours: 1 }))).toBe(4);
});

test.each(TOOLS)("%s counts executions that started by a clock ahead of ours", async (tool) => {
  const ahead = NOW + 7 * 60 * MINUTE_MS;
  // The first execution waited in the queue until the others had started.
  const { n8n, caller } = known([run(ahead), run(ahead + 1), run(ahead + 2)]);
  n8n.executions = n8n.executions.map((one) =>
    one.id === "1" ? { ...one, startedAt: iso(ahead + 9) } : one,
  );
  expect(countIn(await caller.call(tool, { hours: 1 }))).toBe(3);
});

test("summarize_failures says of how many failures n8n kept no data", async () => {
  const { n8n, caller } = known([failed(NOW - 50 * MINUTE_MS)]);
  expect((await caller.call("summarize_failures", {})).message).not.toContain("kept no data");
  const lost = { ...failed(NOW - 40 * MINUTE_MS), facts: { data: null } };
  n8n.executions = toExecutions([failed(NOW - 50 * MINUTE_MS), lost]);
  const { data, message } = await caller.call("summarize_failures", {});
  expect(message).toContain(
    "n8n kept no data, or not all, of 1 failure, whose nodes and causes are not known.",
  );
  expect(countsSchema.parse(data).totals).toMatchObject({ withoutData: 1, failures: 2 });
});

test("an execution with more ids than are kept has all its items counted", async () => {
  const ids = Array.from({ length: 1_500 }, (_, index) => ({ json: { requestId: `order-4711-b${index}` } }));
  const order = { startTime: 1, executionTime: 1, executionIndex: 0, executionStatus: "success", source: [] };
  const data = { resultData: { runData: { Start: [{ ...order, data: { main: [ids] } }] } } };
  const { caller } = known([run(NOW - 50 * MINUTE_MS, { facts: { data } })]);
  const { data: counted, message } = await caller.call("query_executions", { hours: 1, sortBy: "items" });
  expect(countsSchema.parse(counted).totals).toMatchObject({ count: 1, items: 1_500 });
  expect(message).not.toContain("kept no data");
});
