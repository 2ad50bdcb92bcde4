/** A temporary failure is retried within the time of the read, reported in the progress, and final in the end. */
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { createN8nClient } from "../../src/n8n/client.ts";
import { readAllWorkflows } from "../../src/n8n/unsaved-workflows.ts";
import type { Fault } from "../recorded-n8n/faults.ts";
import { startRecordedN8n } from "../recorded-n8n/server.ts";
import { type Caller, createCaller, settingsFor } from "../support/call-recorded.ts";
import { errorOf } from "../support/envelopes.ts";

const n8n = await startRecordedN8n();
let caller: Caller;
/** Epoch ms; a sleep advances it. */
let now = 0;
const waits: number[] = [];
const clock = {
  now: () => now,
  sleep: async (milliseconds: number) => {
    waits.push(milliseconds);
    now += milliseconds;
  },
};

beforeEach(() => {
  now = Date.parse("2026-11-20T12:00:00Z");
  waits.length = 0;
  n8n.faults.clear();
  n8n.requests.length = 0;
  caller = createCaller({ settings: settingsFor(n8n), now: clock.now, sleep: clock.sleep });
});
afterAll(async () => await n8n.close());

const READS: readonly [string, Record<string, unknown>][] = [
  ["get_execution", { id: "1" }],
  ["explain_failure", { executionId: "1" }],
  ["explain_agent_run", { executionId: "1" }],
  ["get_execution_by_node", { id: "1", nodeName: "Webhook" }],
  ["get_execution_details", { executionId: "1" }],
  ["compare_executions", { id: "7" }],
  ["get_workflow_executions", {}],
  ["list_workflows", {}],
  ["get_workflow", { workflowId: "1XeIfz7HPI4BwIKP" }],
];

const OF_THE_MOMENT: readonly [string, Fault][] = [
  ["429", { kind: "status", status: 429, headers: { "retry-after": "3" } }],
  ["429 without Retry-After", { kind: "status", status: 429 }],
  ["502", { kind: "status", status: 502 }],
  ["503", { kind: "status", status: 503 }],
  ["504", { kind: "status", status: 504 }],
  ["a broken connection", { kind: "cut" }],
];

describe.each(OF_THE_MOMENT)("one %s is retried", (_name, fault) => {
  // get_workflow handles a list of workflows while it arrives, so a broken one is not retried.
  const reads = fault.kind === "cut" ? READS.filter(([tool]) => tool !== "get_workflow") : READS;
  test.each(reads)("by %s, whose answer is the same as without it", async (tool, args) => {
    const usual = await caller.call(tool, args);
    n8n.faults.once(fault);
    const { meta: _usual, ...expected } = usual;
    const { meta: _given, ...given } = await caller.call(tool, args);
    expect(given).toEqual(expected);
    expect(waits).toHaveLength(1);
  });
});

test("a trace retries the reading of a failed execution", async () => {
  const failed = n8n.scenarios.find(({ expected }) => expected.outcome === "error");
  if (failed === undefined) throw new Error("No recorded request failed.");
  n8n.faults.once({ kind: "status", status: 429 }, /executions\/\d+\?includeData/);
  const answer = await caller.call("trace_request", { requestId: failed.requestId });
  const reads = n8n.requests.filter(({ path }) => /executions\/\d+\?includeData/.test(path));
  expect(reads).toHaveLength(2);
  expect(answer.message).not.toContain("could not be read again");
});

test("without Retry-After each wait is longer, and each is reported as progress", async () => {
  for (let time = 0; time < 3; time += 1) n8n.faults.once({ kind: "status", status: 429 });
  expect(await caller.call("get_execution", { id: "1" })).toMatchObject({ status: "success" });
  expect(waits).toEqual([1_000, 2_000, 4_000]);
  expect(caller.progress).toEqual(
    ["1 second", "2 seconds", "4 seconds"].map((pause) =>
      expect.stringContaining(`Trying again in ${pause}`),
    ),
  );
});

test.each([429, 503])("%i with a Retry-After below the read's time is waited for", async (status) => {
  n8n.faults.once({ kind: "status", status, headers: { "retry-after": "20" } });
  expect(await caller.call("get_execution", { id: "1" })).toMatchObject({ status: "success" });
  expect(waits).toEqual([20_000]);
});

test.each([
  [429, "N8N_RATE_LIMITED"],
  [503, "N8N_UNREACHABLE"],
] as const)("%i with a longer Retry-After is final at once, and says when to retry", async (status, code) => {
  n8n.faults.always({ kind: "status", status, headers: { "retry-after": "40" } });
  const { details } = errorOf(await caller.call("get_execution", { id: "1" }), code);
  expect(details).toMatchObject({ retryAfter: 40, solution: expect.stringContaining("40 seconds") });
  expect(waits).toEqual([]);
  expect(n8n.requests).toHaveLength(1);
});

test("repeated failures end within the read's time, and say when to retry", async () => {
  const began = now;
  n8n.faults.always({ kind: "status", status: 429, headers: { "retry-after": "9" } });
  const { details } = errorOf(await caller.call("get_execution", { id: "1" }), "N8N_RATE_LIMITED");
  expect(details.retryAfter).toBe(9);
  expect(now - began).toBeLessThan(25_000);
  expect(n8n.requests).toHaveLength(3);
});

test.each<[string, Fault]>([
  ["a rejected API key", { kind: "status", status: 401 }],
  ["a 404", { kind: "status", status: 404 }],
  ["a 500", { kind: "status", status: 500 }],
  ["an HTML page", { kind: "html" }],
])("%s is not retried", async (_name, fault) => {
  n8n.faults.once(fault);
  expect(await caller.call("get_execution", { id: "1" })).toMatchObject({ status: "error" });
  expect(n8n.requests).toHaveLength(1);
});

test("a list that is handled while it arrives is not started twice", async () => {
  const client = createN8nClient(n8n).retrying({ clock });
  const ids: string[] = [];
  const stream = async () =>
    await client.streamWorkflows({ limit: 100 }, (listed) => {
      if (listed.kind === "read") ids.push(listed.workflow.id);
    });
  n8n.faults.once({ kind: "cut" });
  await expect(stream()).rejects.toMatchObject({ code: "N8N_UNREACHABLE" });
  expect(n8n.requests).toHaveLength(1);
  ids.length = 0;
  n8n.faults.once({ kind: "status", status: 502 });
  await stream();
  expect(new Set(ids).size).toBe(ids.length);
  expect(n8n.requests).toHaveLength(3);
});

describe("the list of workflows for access rules", () => {
  /** Pages of one workflow each; the requests with these numbers, from 1, fail. */
  function paged(failing: readonly number[]) {
    let asked = 0;
    const fetch = async (url: string): Promise<Response> => {
      asked += 1;
      if (failing.includes(asked)) return new Response("", { status: 502 });
      const at = Number(new URL(url).searchParams.get("cursor") ?? 0);
      const data = [{ id: `w${at}`, name: `Workflow ${at}`, active: true, tags: [], settings: {} }];
      return Response.json({ data, nextCursor: at < 4 ? String(at + 1) : null });
    };
    const access = { baseUrl: "http://localhost:1", apiKey: "key" };
    return createN8nClient(access, { fetch }).retrying({ clock });
  }
  const ALL = ["w0", "w1", "w2", "w3", "w4"];

  test("repeats only the page that failed", async () => {
    const { workflows, areAll } = await readAllWorkflows(paged([3, 5]));
    expect(workflows.map(({ id }) => id)).toEqual(ALL);
    expect(areAll).toBe(true);
  });

  test("is rejected as a whole if a page fails for good", async () => {
    await expect(readAllWorkflows(paged([3, 4, 5, 6]))).rejects.toMatchObject({ code: "N8N_UNREACHABLE" });
  });
});
