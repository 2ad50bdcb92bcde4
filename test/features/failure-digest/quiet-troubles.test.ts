/** `summarize_failures` where nothing failed: caught errors, slow, waiting, overdue and uncalled workflows. */
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import type { Envelope } from "../../../src/mcp/envelope.ts";
import { createCaller } from "../../support/call-recorded.ts";
import { createFakeN8n, type FakeN8n } from "../../support/fake-n8n.ts";
import { countTokens } from "../../support/token-counts.ts";
import { NOW } from "./known-n8n.ts";
import { DAY, type MadeRun, quietTroubles, toExecutions, troubledDay } from "./troubles.ts";

const found = z.looseObject({ workflowId: z.string(), kind: z.string() });
const data = z.looseObject({
  groups: z.array(z.looseObject({ workflowId: z.string() })),
  silent: z.array(found),
  hanging: z.array(found),
  unusual: z.array(found),
  coverage: z.looseObject({ stoppedBy: z.string() }),
});
const kinds = (envelope: Envelope) => {
  const { silent, hanging, unusual } = data.parse(envelope.data);
  return [...silent, ...hanging, ...unusual]
    .map(({ workflowId, kind }) => `${workflowId} ${kind}`)
    .toSorted();
};

const n8nOf = (runs: readonly MadeRun[]): FakeN8n => createFakeN8n(toExecutions(runs));
/** Asks with an index that knows all executions. */
async function ask(n8n: FakeN8n, args: object = {}): Promise<Envelope> {
  const caller = createCaller({ fetch: n8n.fetch, now: () => NOW });
  await caller.call("trace_request", { requestId: "of-nobody", timeBudgetMs: 55_000 });
  return await caller.call("summarize_failures", { timeBudgetMs: 55_000, ...args });
}

describe("a day without a failure", () => {
  let answer: Envelope;
  beforeAll(async () => {
    answer = await ask(n8nOf(quietTroubles(NOW)));
  });

  test("has five kinds of unusual behaviour", () => {
    expect(answer.status, JSON.stringify(answer)).toBe("success");
    expect(kinds(answer)).toEqual([
      "approval waiting",
      "caught caught",
      "hook webhook",
      "reminder overdue",
      "slow slow",
    ]);
    expect(data.parse(answer.data).groups).toEqual([]);
  });

  test("is summarized in one sentence", () => {
    for (const words of [
      '1 webhook is silent ("Workflow hook")',
      '1 execution waits forever ("Workflow approval")',
      '1 execution should have resumed ("Workflow reminder")',
      '1 workflow caught more errors than usual ("Workflow caught")',
      '1 workflow was far slower than usual ("Workflow slow")',
    ])
      expect(answer.message).toContain(words);
  });

  test("has an execution for each finding", () => {
    const { silent, hanging, unusual } = data.parse(answer.data);
    const linked = z.looseObject({ executionId: z.string(), url: z.string() });
    for (const each of [...silent, ...hanging, ...unusual]) expect(linked.safeParse(each).success).toBe(true);
    const slow = unusual.find(({ kind }) => kind === "slow");
    expect(slow).toMatchObject({ median: 9_000, usualMedian: 400, runs: 23, ofRuns: 23, usualRuns: 0 });
  });
});

test("both days at once, with thirteen findings, take one call", async () => {
  const answer = await ask(n8nOf([...troubledDay(NOW), ...quietTroubles(NOW)]));
  expect(kinds(answer)).toEqual([
    "approval waiting",
    "caught caught",
    "empty empty",
    "hook webhook",
    "hung running",
    "reminder overdue",
    "schedule schedule",
    "slow slow",
  ]);
  expect(data.parse(answer.data).groups).toHaveLength(5);
  expect(countTokens(JSON.stringify(answer))).toBeLessThanOrEqual(3_000);
});

test("an index that knows only the windows says that older executions may hang", async () => {
  const caller = createCaller({ fetch: n8nOf(quietTroubles(NOW)).fetch, now: () => NOW });
  const ask = async () => await caller.call("summarize_failures", { hours: 1, timeBudgetMs: 55_000 });
  const first = await ask();
  expect(kinds(first)).not.toContain("approval waiting");
  expect(first.message).toMatch(/Whether an execution from before \S+Z hangs is not known yet\.$/);
  await caller.call("trace_request", { requestId: "of-nobody", timeBudgetMs: 55_000 });
  const second = await ask();
  expect(kinds(second)).toContain("approval waiting");
  expect(second.message).not.toContain("not known yet");
});

test("the same workflows on an ordinary day have no finding", async () => {
  const ordinary = quietTroubles(NOW).filter(
    ({ startedAt, status }) => startedAt < NOW - DAY && status === undefined,
  );
  const n8n = n8nOf(ordinary);
  const answer = await createCaller({ fetch: n8n.fetch, now: () => NOW - DAY }).call("summarize_failures", {
    timeBudgetMs: 55_000,
  });
  expect(kinds(answer)).toEqual([]);
  expect(answer.message).toMatch(/nothing broke: \d+ runs of 5 workflows/);
});

describe("a window", () => {
  test("without an end ends now", async () => {
    const answer = await ask(n8nOf(quietTroubles(NOW)), { startedAfter: "2026-11-17T15:00:00Z" });
    expect(answer.data).toMatchObject({
      window: { from: "2026-11-17T15:00:00.000Z", to: new Date(NOW).toISOString() },
    });
    expect(kinds(answer)).toContain("approval waiting");
  });

  test("that is over has no hanging execution, but what was silent then", async () => {
    const answer = await ask(n8nOf(quietTroubles(NOW)), {
      startedAfter: "2026-11-15",
      startedBefore: "2026-11-16",
    });
    expect(kinds(answer)).toEqual([]);
  });

  test("longer than a year is rejected with the longest possible one", async () => {
    const answer = await ask(n8nOf([]), { startedAfter: "2020-01-01" });
    expect(answer.data).toMatchObject({
      code: "VALIDATION_ERROR",
      details: { field: "startedAfter", expected: "a window of at most 8784 hours" },
    });
  });
});

test("an n8n without executions has no failure, and no claim about the unknown", async () => {
  const answer = await ask(n8nOf([]));
  expect(answer.message).toMatch(/nothing broke: 0 runs of 0 workflows/);
  expect(kinds(answer)).toEqual([]);
  expect(data.parse(answer.data).coverage.stoppedBy).toBe("complete");
});

test("an unknown n8n that does not answer is an error, not a calm day", async () => {
  const n8n = n8nOf(quietTroubles(NOW));
  n8n.intercept = () => Response.json({ message: "no" }, { status: 500 });
  expect(await ask(n8n)).toMatchObject({ status: "error", data: { code: "N8N_UNREACHABLE" } });
});

test("only the named one of several n8n instances is asked", async () => {
  const [troubled, calm] = [n8nOf(quietTroubles(NOW)), n8nOf([])];
  const settings = {
    N8N_INSTANCES: JSON.stringify({
      one: { baseUrl: "http://localhost:1", apiKey: "a-key-for-these-tests" },
      two: { baseUrl: "http://localhost:2", apiKey: "another-key-for-tests" },
    }),
  };
  const caller = createCaller({
    settings,
    now: () => NOW,
    fetch: async (url, init) =>
      url.startsWith("http://localhost:1") ? await troubled.fetch(url, init) : await calm.fetch(url, init),
  });
  expect(await caller.call("summarize_failures", {})).toMatchObject({
    data: { code: "VALIDATION_ERROR", details: { field: "instance" } },
  });
  const ofTwo = await caller.call("summarize_failures", { instance: "two", timeBudgetMs: 55_000 });
  expect(ofTwo.data).toMatchObject({ instance: "two", totals: { runs: 0 } });
  expect(troubled.requests).toEqual([]);
  await caller.call("trace_request", { requestId: "of-nobody", instance: "one", timeBudgetMs: 55_000 });
  const ofOne = await caller.call("summarize_failures", { instance: "one", timeBudgetMs: 55_000 });
  expect(kinds(ofOne)).toHaveLength(5);
});
