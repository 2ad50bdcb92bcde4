/**
 * A caller without `n8n:data` gets no payload value from any tool: unique values stand in every place of
 * executions of every kind, and none comes out. What of an execution's errors tells what failed (message,
 * description, name, code) does, and so do names, ids, types, counts and times.
 */
import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { TOOLS } from "../../src/tools/index.ts";
import { type Caller, createCaller } from "../support/call-recorded.ts";
import { createFakeN8n, type FakeExecution, type FakeN8n, jsonAnswer } from "../support/fake-n8n.ts";

const SETTINGS = { N8N_BASE_URL: "http://localhost:1", N8N_API_KEY: "a-key-for-these-tests" };
const REQUEST_ID = "req-of-the-caller";
const PLANTED = /planted/i;

let planted = 0;
/** A value, or a key, that stands nowhere else. */
const plant = (): string => {
  planted += 1;
  return `planted-${planted}`;
};

/** Objects, lists, JSON in strings, keys: whatever an item may be. */
const payload = (): Record<string, unknown> => ({
  [plant()]: plant(),
  text: plant(),
  list: [plant(), { deeper: [plant()] }],
  json: JSON.stringify({ a: plant(), password: plant() }),
  headers: { authorization: `Bearer ${plant()}`, "x-other": plant() },
  email: `${plant()}@example.com`,
});

const item = (json: unknown = payload()): unknown => ({
  json,
  binary: { [plant()]: { data: btoa(plant()), fileName: plant(), mimeType: "text/plain", id: plant() } },
  pairedItem: { item: 0 },
  error: { message: plant() },
  metadata: { subExecution: { executionId: "91", workflowId: "w2" } },
});

/** What hangs on an error besides what it says. */
const error = (): unknown => ({
  name: "NodeApiError",
  message: "The rate service said no",
  description: "Try again later",
  httpCode: "502",
  stack: `at ${plant()} (y.js:1:1)`,
  context: { data: payload(), itemIndex: 0, request: { body: payload(), uri: plant() } },
  cause: { message: plant(), ...payload() },
  errorResponse: payload(),
  messages: [plant()],
  extra: plant(),
  node: { name: "Fetch", type: "n8n-nodes-base.httpRequest", parameters: payload(), notes: plant() },
});

const run = (facts: Record<string, unknown>): unknown => ({
  startTime: 1_790_000_000_000,
  executionTime: 5,
  executionIndex: 0,
  executionStatus: "success",
  source: [],
  data: { main: [[item(), item()], [item()]], ai_tool: [[item()]] },
  inputOverride: { ai_tool: [[item()]] },
  hints: [{ message: plant() }],
  metadata: {
    subExecution: { executionId: "90", workflowId: "w2", [plant()]: plant() },
    resumeUrl: `https://n8n.test/webhook-waiting/1?signature=${plant()}`,
    tracing: payload(),
  },
  ...facts,
});

function workflowData(): unknown {
  const node = (name: string) => ({
    id: plant(),
    name,
    type: "n8n-nodes-base.httpRequest",
    parameters: payload(),
    notes: plant(),
    webhookId: plant(),
    credentials: { httpHeaderAuth: { id: plant(), name: plant() } },
  });
  return {
    id: "w1",
    name: "Orders",
    description: plant(),
    nodes: [node("Webhook"), node("Fetch"), node("Not run")],
    connections: { Webhook: { main: [[{ node: "Fetch", [plant()]: plant() }]] } },
    settings: payload(),
    staticData: payload(),
    pinData: { Webhook: [item()] },
    meta: payload(),
  };
}

function execution(
  id: number,
  facts: Record<string, unknown>,
  result: Record<string, unknown>,
): FakeExecution {
  return {
    id: String(id),
    workflowId: "w1",
    mode: "webhook",
    status: "success",
    startedAt: new Date(Date.UTC(2026, 0, 1) + id * 1_000).toISOString(),
    stoppedAt: new Date(Date.UTC(2026, 0, 1) + id * 1_000 + 500).toISOString(),
    customData: { [plant()]: plant(), order: plant() },
    tracingContext: { traceparent: plant() },
    annotation: { note: plant() },
    workflowData: workflowData(),
    data: {
      startData: payload(),
      resumeToken: plant(),
      pushRef: plant(),
      runtimeData: payload(),
      parentExecution: { executionId: "80", workflowId: "w0", [plant()]: plant() },
      executionData: {
        contextData: payload(),
        nodeExecutionStack: [
          { node: { name: "Fetch", parameters: payload() }, data: { main: [[item()]] }, metadata: payload() },
        ],
        waitingExecution: payload(),
        waitingExecutionSource: payload(),
        runtimeData: payload(),
      },
      resultData: { pinData: payload(), metadata: payload(), lastNodeExecuted: "Fetch", ...result },
    },
    ...facts,
  };
}

/** What the webhook was given: the request id, at a known path, among everything else. */
const webhook = (): unknown =>
  run({ data: { main: [[item({ ...payload(), body: { requestId: REQUEST_ID, ...payload() } }), item()]] } });

function executions(): FakeExecution[] {
  const failed = { executionStatus: "error", error: error(), data: { main: [[item()]] } };
  const withheld = { main: [[{ json: {}, redaction: { redacted: true, reason: plant() } }]] };
  return [
    execution(1, {}, { runData: { Webhook: [webhook()], Fetch: [run({}), run({})] } }),
    execution(
      2,
      { status: "error" },
      { runData: { Webhook: [webhook()], Fetch: [run(failed)] }, error: error() },
    ),
    execution(
      3,
      { status: "waiting", waitTill: "2030-01-01T00:00:00.000Z" },
      { runData: { Webhook: [webhook()] } },
    ),
    execution(4, { status: "running", stoppedAt: null }, { runData: {} }),
    execution(5, { status: "crashed" }, { runData: { Webhook: [webhook()] } }),
    execution(6, { mode: "error" }, { runData: { Webhook: [run({ data: withheld })] } }),
    execution(7, {}, { runData: { Elsewhere: [run({ data: { main: [[item({ note: REQUEST_ID })]] } })] } }),
    execution(
      8,
      { customData: { requestId: REQUEST_ID, [plant()]: plant() } },
      { runData: { Webhook: [run({})] } },
    ),
  ];
}

function workflows(): unknown[] {
  const dates = { createdAt: "2026-01-01T00:00:00.000Z", updatedAt: "2026-01-01T00:00:00.000Z" };
  return [0, 1, 2].map((index) => ({
    ...Object(workflowData()),
    ...dates,
    id: `w${index}`,
    active: true,
    tags: [{ id: "1", name: "orders", [plant()]: plant() }],
    activeVersion: workflowData(),
    shared: [payload()],
  }));
}

/** Everything that a tool of `n8n:read` can be asked. A new tool needs a line here. */
const CALLS: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  trace_request: [
    { requestId: REQUEST_ID },
    { requestId: REQUEST_ID, deep: true },
    { requestId: REQUEST_ID, limit: 1 },
    { requestId: "never-sent" },
    { requestId: REQUEST_ID, workflowName: "nothing like it" },
  ],
  get_execution: [1, 2, 3, 4, 5, 6, 7, 8, 99].map((id) => ({ id: String(id) })),
  get_workflow_executions: [
    {},
    { limit: 1 },
    { status: "running" },
    { workflowName: "Orders" },
    { workflowName: "Ordres" },
    { workflowId: "w1" },
  ],
  list_workflows: [{}, { active: false }, { name: "Orders" }],
  audit_workflow: [{}, { workflowName: "Orders" }, { workflowName: "Ordres" }, { workflowId: "w1" }],
  map_mcp_server: [{}, { workflowName: "Orders" }, { workflowName: "Ordres" }, { workflowId: "w1" }],
  validate_atdf: [{ atdf: "description: d" }],
  check_tool_contract: [{ workflowId: "w1" }, { workflowId: "w0", limit: 1 }, { workflowName: "Ordres" }],
  check_connection: [{}],
};

/** Tools that show a workflow: what is configured is shown, and no payload that n8n keeps beside it. */
const CONFIGURATION_CALLS: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  get_workflow: [{ workflowId: "w1" }, { workflowId: "w1", format: "git" }],
  diff_workflow: [
    { workflowId: "w1", from: "v1" },
    { workflowId: "w1", against: '{"nodes":[],"connections":{}}' },
  ],
};

/** Nothing is planted in what is configured, and everywhere else. */
function configured(): unknown {
  const nodes = [
    { id: "n", name: "Webhook", type: "n8n-nodes-base.webhook", position: [0, 0], parameters: {} },
  ];
  return {
    ...Object(workflowData()),
    id: "w1",
    description: null,
    active: true,
    nodes,
    connections: {},
    settings: { executionOrder: "v1" },
    versionId: "v2",
    activeVersion: { ...Object(workflowData()), versionId: "v2" },
    shared: [payload()],
    homeProject: payload(),
  };
}

let n8n: FakeN8n;
let caller: Caller;

beforeEach(() => {
  planted = 0;
  n8n = createFakeN8n(executions());
  n8n.intercept = (url) => {
    if (url.pathname.endsWith("/workflows")) return jsonAnswer({ data: workflows(), nextCursor: null });
    if (/\/workflows\/w\d$/.test(url.pathname)) return jsonAnswer(workflows()[Number(url.pathname.at(-1))]);
    if (url.pathname.endsWith("/discover"))
      return jsonAnswer({ data: { scopes: ["execution:read"], [plant()]: plant() } });
    return undefined;
  };
  caller = createCaller({ settings: SETTINGS, fetch: n8n.fetch, scopes: ["n8n:read"] });
});

const READING = TOOLS.filter(({ scope }) => scope === "n8n:read").map(({ name }) => name);
const SHOWING = TOOLS.filter(({ scope }) => scope === "n8n:data").map(({ name }) => name);

test("there are values to find, and the table has every tool", () => {
  expect(JSON.stringify(n8n.executions).match(/planted-\d+/g)?.length).toBeGreaterThan(1_000);
  expect(Object.keys({ ...CALLS, ...CONFIGURATION_CALLS }).sort()).toEqual([...READING].sort());
});

describe("no payload value in", () => {
  test.each(Object.entries(CALLS))("%s, its progress and the log", async (tool, calls) => {
    let successes = 0;
    for (const args of calls) {
      const answer = await caller.call(tool, args);
      if (answer.status === "success") successes += 1;
      expect(JSON.stringify(answer)).not.toMatch(PLANTED);
    }
    expect(successes).toBeGreaterThan(0);
    expect(JSON.stringify([caller.progress, caller.log])).not.toMatch(PLANTED);
  });

  test.each(Object.entries(CONFIGURATION_CALLS))(
    "%s, which shows what is configured",
    async (tool, calls) => {
      n8n.intercept = (url) =>
        url.pathname.includes("/workflows/w1") ? jsonAnswer(configured()) : undefined;
      for (const args of calls) {
        const answer = await caller.call(tool, args);
        expect(answer.status).toBe("success");
        expect(JSON.stringify(answer)).not.toMatch(PLANTED);
      }
    },
  );

  test("what a trace finds, and yet says what failed", async () => {
    const answer = await caller.call("trace_request", { requestId: REQUEST_ID });
    expect(answer.data).toMatchObject({ found: true });
    const failed = await caller.call("get_execution", { id: "2" });
    expect(failed.data).toMatchObject({ error: { nodeName: "Fetch", message: "The rate service said no" } });
  });

  test("answers to what n8n sends in other shapes", async () => {
    for (const body of [payload(), [payload()], { data: [payload()], nextCursor: null }, plant()]) {
      n8n.intercept = () => jsonAnswer(body);
      for (const [tool, calls] of Object.entries(CALLS)) {
        for (const args of calls) expect(JSON.stringify(await caller.call(tool, args))).not.toMatch(PLANTED);
      }
    }
    expect(JSON.stringify([caller.progress, caller.log])).not.toMatch(PLANTED);
  });

  test.each(SHOWING)("%s, which is refused before n8n is asked", async (tool) => {
    for (const args of [{}, { id: "1", nodeName: "Fetch" }, { executionId: "1" }, { text: "planted" }]) {
      const answer = await caller.call(tool, args);
      expect(answer).toMatchObject({ status: "error", data: { code: "INSUFFICIENT_SCOPE" } });
      expect(JSON.stringify(answer)).not.toMatch(PLANTED);
    }
    expect(n8n.requests).toEqual([]);
  });
});

describe("with n8n:data", () => {
  const calls = [
    ["get_execution_by_node", { id: "2", nodeName: "Fetch" }],
    ["get_execution_details", { executionId: "2" }],
    ["search_executions", { text: "planted" }],
  ] as const;

  test.each(calls)("%s shows the values, in data alone", async (tool, args) => {
    const full = createCaller({ settings: SETTINGS, fetch: n8n.fetch });
    const { message, data, meta } = await full.call(tool, args);
    const { _guidance, ...payloads } = z.looseObject({ _guidance: z.unknown().optional() }).parse(data);
    // Otherwise, the tests above would see nothing.
    expect(JSON.stringify(payloads)).toMatch(PLANTED);
    expect(JSON.stringify([message, meta, _guidance, full.progress, full.log])).not.toMatch(PLANTED);
  });

  test("the table has every tool", () => {
    expect(calls.map(([tool]) => tool).sort()).toEqual([...SHOWING].sort());
  });
});
