/**
 * A caller without `n8n:data` gets no payload value from any tool: unique values are planted in every place of
 * executions of every kind, errors included, and no answer contains one. It may contain the facts of an error (class,
 * type, code, HTTP status) with a sentence of ours, and names, ids, types, counts and times.
 */
import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { TOOLS } from "../../src/features/index.ts";
import { type Caller, createCaller, FAKE_SETTINGS } from "../support/call-recorded.ts";
import { createFakeN8n, type FakeExecution, type FakeN8n, jsonAnswer } from "../support/fake-n8n.ts";

const REQUEST_ID = "req-of-the-caller";
const PLANTED = /planted/i;

let planted = 0;
/** A value, or a key, that occurs nowhere else. */
const plant = (): string => {
  planted += 1;
  return `planted-${planted}`;
};

/** Any content of an item: objects, lists, JSON in strings, keys. */
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

/** An upstream's answer, as n8n stores it. */
const error = (facts: Record<string, unknown> = {}): unknown => ({
  name: "NodeApiError",
  message: `Card of ${plant()} was declined`,
  description: `${plant()} said no`,
  httpCode: "502",
  level: "warning",
  tags: { [plant()]: plant() },
  functionality: plant(),
  reason: plant(),
  stack: `at ${plant()} (y.js:1:1)`,
  context: { data: payload(), itemIndex: 0, request: { body: payload(), uri: plant() } },
  cause: { message: plant(), ...payload() },
  errorResponse: payload(),
  messages: [plant()],
  extra: plant(),
  node: { name: "Fetch", type: "n8n-nodes-base.httpRequest", parameters: payload(), notes: plant() },
  ...facts,
});

/** Whoever throws an error writes all of it: each of these replaces what n8n would write. */
const THROWN: readonly (() => Record<string, unknown>)[] = [
  () => ({ name: plant() }),
  () => ({ name: undefined, code: plant() }),
  () => ({ code: 415_550_123, httpCode: "078-05-1120 planted" }),
  () => ({ httpCode: plant() }),
  () => ({ context: { type: plant(), [plant()]: plant() } }),
  () => ({ failure: { cause: plant() } }),
  () => ({ type: plant(), functionality: plant() }),
  () => ({ node: { name: plant(), type: plant() } }),
  () => ({ name: "WrappedExecutionError", description: plant(), lineNumber: 4 }),
  () => ({ lineNumber: plant() }),
  () => ({ message: { text: plant() }, description: [plant()] }),
  () => ({ name: { toString: plant() }, context: plant(), failure: plant(), node: plant() }),
  () => ({ messages: [plant()], cause: { name: plant(), message: plant() }, errorResponse: plant() }),
  () => ({ executionId: plant(), workflowId: plant() }),
];

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
  runData: Record<string, unknown>,
  result: Record<string, unknown> = {},
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
      resultData: { pinData: payload(), metadata: payload(), lastNodeExecuted: "Fetch", runData, ...result },
    },
    ...facts,
  };
}

/** A webhook's input: the request id, at a known path, among other things. */
const webhook = (): unknown =>
  run({
    data: {
      main: [[item({ ...payload(), body: { [plant()]: { requestId: REQUEST_ID }, ...payload() } }), item()]],
    },
  });

function executions(): FakeExecution[] {
  const failed = { executionStatus: "error", error: error(), data: { main: [[item()]] } };
  const withheld = { main: [[{ json: {}, redaction: { redacted: true, reason: plant() } }]] };
  return [
    execution(1, {}, { Webhook: [webhook()], Fetch: [run({}), run({})] }),
    execution(2, { status: "error" }, { Webhook: [webhook()], Fetch: [run(failed)] }, { error: error() }),
    execution(3, { status: "waiting", waitTill: "2030-01-01T00:00:00.000Z" }, { Webhook: [webhook()] }),
    execution(4, { status: "running", stoppedAt: null }, {}),
    execution(5, { status: "crashed" }, { Webhook: [webhook()] }),
    execution(6, { mode: "error" }, { Webhook: [run({ data: withheld })] }),
    execution(7, {}, { Elsewhere: [run({ data: { main: [[item({ [plant()]: REQUEST_ID })]] } })] }),
    execution(8, { customData: { requestId: REQUEST_ID, [plant()]: plant() } }, { Webhook: [run({})] }),
    agentRun(),
    ...THROWN.map((thrown, index) => failedBy(FIRST_THROWN + index, thrown)),
    // Errors that a node sent as an item, that an agent or a tool reported, and that an error workflow received.
    execution(90, {}, { Webhook: [run({ data: { main: [[item({ error: plant(), message: plant() })]] } })] }),
    execution(
      91,
      { status: "error" },
      {
        Webhook: [webhook()],
        "AI Agent": [run({ executionStatus: "error", error: error({ name: "McpError", code: -32_000 }) })],
        Tool: [run({ data: { ai_tool: [[{ json: { error: { message: plant(), code: plant() } } }]] } })],
      },
    ),
    execution(
      92,
      { mode: "error" },
      {
        "Error Trigger": [
          run({
            data: { main: [[item({ execution: { id: "2", error: error() }, workflow: payload() })]] },
          }),
        ],
      },
    ),
  ];
}

/** Two nested agents, with every kind of call, and a tool and a model that fail. */
function agentRun(): FakeExecution {
  const by = (previousNode: string) => [{ previousNode, previousNodeRun: 0 }];
  const model = {
    response: { generations: [[{ text: plant(), generationInfo: { finish_reason: plant() } }]] },
  };
  const failed = { executionStatus: "error", error: error({ name: plant(), message: plant() }) };
  const sent = (type: string, json: unknown) => ({ data: { [type]: [[item(json)]] } });
  const ofType = (name: string, type: string) => ({
    name,
    type: `@n8n/n8n-nodes-langchain.${type}`,
    parameters: payload(),
  });
  const nodes = [ofType("AI Agent", "agent"), ofType("Nested", "agentTool"), ofType("Tool", "mcpClientTool")];
  return execution(
    93,
    { workflowData: { ...Object(workflowData()), nodes } },
    {
      Webhook: [run({})],
      "AI Agent": [
        run({
          executionIndex: 1,
          source: by("Webhook"),
          inputOverride: undefined,
          data: { main: [[item({ output: plant() })]] },
        }),
      ],
      Model: [
        run({
          executionIndex: 2,
          source: by("AI Agent"),
          ...sent("ai_languageModel", { ...model, ...payload() }),
        }),
        run({ executionIndex: 8, source: by("AI Agent"), ...sent("ai_languageModel", model), ...failed }),
      ],
      Tool: [
        run({
          executionIndex: 3,
          source: by("AI Agent"),
          ...sent("ai_tool", { response: plant(), tool: plant() }),
        }),
        run({
          executionIndex: 4,
          source: by("AI Agent"),
          ...sent("ai_tool", { error: plant() }),
          ...failed,
        }),
        run({ executionIndex: 5, source: by("AI Agent"), ...sent("ai_tool", { response: payload() }) }),
      ],
      Nested: [run({ executionIndex: 6, source: by("AI Agent"), ...sent("ai_tool", { output: plant() }) })],
      Memory: [run({ executionIndex: 7, source: by("Nested"), ...sent("ai_memory", { action: plant() }) })],
    },
  );
}

const FIRST_THROWN = 20;

function failedBy(id: number, thrown: () => Record<string, unknown>): FakeExecution {
  const failed = { executionStatus: "error", data: undefined };
  return execution(
    id,
    { status: "error" },
    { Webhook: [webhook()], Fetch: [run({ ...failed, error: error(thrown()) })] },
    { error: error(thrown()) },
  );
}

const thrownIds = (): string[] => THROWN.map((_thrown, index) => String(FIRST_THROWN + index));

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

/** All queries of the tools of `n8n:read`. A new tool needs a line here. */
const CALLS: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  trace_request: [
    { requestId: REQUEST_ID },
    { requestId: REQUEST_ID, deep: true },
    { requestId: REQUEST_ID, limit: 1 },
    { requestId: "never-sent" },
    { requestId: REQUEST_ID, workflowName: "nothing like it" },
  ],
  query_executions: [
    { startedAfter: "2026-01-01", startedBefore: "2026-01-01T01:00:00Z" },
    { startedAfter: "2026-01-01", startedBefore: "2026-01-02", groupBy: ["workflow", "model"] },
    { startedAfter: "2026-01-01", startedBefore: "2026-01-02", groupBy: ["node", "errorClass"] },
  ],
  summarize_failures: [
    { startedAfter: "2026-01-01", startedBefore: "2026-01-01T01:00:00Z" },
    { startedAfter: "2026-01-01", startedBefore: "2026-01-01T01:00:00Z", workflowName: "Orders" },
    { hours: 1 },
    { startedAfter: "2026-01-01", group: "f-0123456789" },
  ],
  get_execution: [...[1, 2, 3, 4, 5, 6, 7, 8, 90, 91, 92, 99].map(String), ...thrownIds()].map((id) => ({
    id,
  })),
  explain_agent_run: [
    ...[1, 2, 4, 6, 90, 91, 93].map((id) => ({ executionId: String(id) })),
    { executionId: "93", agent: "AI Agent" },
    { executionId: "93", agent: "no such agent" },
  ],
  explain_failure: [
    ...[1, 2, 3, 4, 5, 6, 7, 8, 90, 91, 92, 99].map((id) => ({ executionId: String(id) })),
    ...thrownIds().map((id) => ({ executionId: id })),
    { requestId: REQUEST_ID },
    { requestId: "never-sent" },
  ],
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

/** Tools that show a workflow: its configuration is shown, but no payload that n8n stores with it. */
const CONFIGURATION_CALLS: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  get_workflow: [{ workflowId: "w1" }, { workflowId: "w1", format: "git" }],
  diff_workflow: [
    { workflowId: "w1", from: "v1" },
    { workflowId: "w1", against: '{"nodes":[],"connections":{}}' },
  ],
  compare_executions: [
    { id: "2" },
    ...["2", "5", "6", "7", "8", "90", "91", "92", "4"].map((id) => ({ id, against: "1" })),
    ...thrownIds().map((id) => ({ id, against: "1" })),
  ],
};

/** A workflow with nothing planted in its configuration, but everywhere else. */
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
  caller = createCaller({ fetch: n8n.fetch, scopes: ["n8n:read"] });
});

const READING = TOOLS.filter(({ scope }) => scope === "n8n:read").map(({ name }) => name);
const SHOWING = TOOLS.filter(({ scope }) => scope === "n8n:data").map(({ name }) => name);

test("values are planted, and the table has every tool", () => {
  expect(JSON.stringify(n8n.executions).match(/planted-\d+/g)?.length).toBeGreaterThan(1_000);
  expect(Object.keys({ ...CALLS, ...CONFIGURATION_CALLS }).sort()).toEqual([...READING].sort());
});

describe("no payload value is in", () => {
  test.each(Object.entries(CALLS))("answers of %s, its progress and the log", async (tool, calls) => {
    let successes = 0;
    for (const args of calls) {
      const answer = await caller.call(tool, args);
      if (answer.status === "success") successes += 1;
      expect(JSON.stringify(answer)).not.toMatch(PLANTED);
    }
    expect(successes).toBeGreaterThan(0);
    expect(JSON.stringify([caller.progress, caller.log])).not.toMatch(PLANTED);
  });

  test.each(Object.entries(CONFIGURATION_CALLS))("the configuration of %s", async (tool, calls) => {
    n8n.intercept = (url) => (url.pathname.includes("/workflows/w1") ? jsonAnswer(configured()) : undefined);
    n8n.executions = executions().map((one) => ({ ...one, workflowData: configured() }));
    for (const args of calls) {
      const answer = await caller.call(tool, args);
      expect(answer.status).toBe("success");
      expect(JSON.stringify(answer)).not.toMatch(PLANTED);
    }
  });

  test("a trace, which still says what failed", async () => {
    const answer = await caller.call("trace_request", { requestId: REQUEST_ID });
    expect(answer.data).toMatchObject({ found: true });
    const failed = await caller.call("get_execution", { id: "2" });
    expect(failed.data).toMatchObject({
      error: { nodeName: "Fetch", name: "NodeApiError", httpCode: "502", hasOwnText: true },
      _guidance: { message: expect.stringContaining("needs n8n:data") },
    });
    expect(JSON.stringify(answer.data)).toContain('"hasOwnText":true');
  });

  test("an agent's run, which still says what was called, and what failed", async () => {
    const { message, data } = await caller.call("explain_agent_run", { executionId: "93" });
    expect(message).toContain("asked its model twice (1 failed) and called");
    expect(message).toContain('"Tool" 3 times (1 failed)');
    expect(data).toMatchObject({
      sums: { llmCalls: 2, toolCalls: 4 },
      agents: [
        { name: "AI Agent", stop: {} },
        { name: "Nested", memory: { node: "Memory" } },
      ],
    });
    expect(JSON.stringify(data)).toContain('"resultShape":"{text: string, list:');
  });

  test("answers on other shapes from n8n", async () => {
    for (const body of [payload(), [payload()], { data: [payload()], nextCursor: null }, plant()]) {
      n8n.intercept = () => jsonAnswer(body);
      for (const [tool, calls] of Object.entries(CALLS)) {
        for (const args of calls) expect(JSON.stringify(await caller.call(tool, args))).not.toMatch(PLANTED);
      }
    }
    expect(JSON.stringify([caller.progress, caller.log])).not.toMatch(PLANTED);
  });

  test.each(SHOWING)("the rejection by %s, before n8n is asked", async (tool) => {
    for (const args of [{}, { id: "1", nodeName: "Fetch" }, { executionId: "1" }, { text: "planted" }]) {
      const answer = await caller.call(tool, args);
      expect(answer).toMatchObject({ status: "error", data: { code: "INSUFFICIENT_SCOPE" } });
      expect(JSON.stringify(answer)).not.toMatch(PLANTED);
    }
    expect(n8n.requests).toEqual([]);
  });
});

describe("an error's own text", () => {
  const failure = z.looseObject({ ownText: z.looseObject({ message: z.string() }).optional() });
  const asked = [
    ["get_execution", { id: "2" }, "error"],
    ["trace_request", { requestId: REQUEST_ID }, "failure"],
  ] as const;

  test.each(asked)("is only in the data of %s, with n8n:data", async (tool, args, member) => {
    const { message, data, meta } = await createCaller({ fetch: n8n.fetch }).call(tool, args);
    const { [member]: found, ...others } = z.looseObject({ [member]: failure }).parse(data);
    expect(failure.parse(found).ownText?.message).toMatch(PLANTED);
    // Keys of the payload on the path of a match are payload, too.
    const { customData: _customData, ...beside } = others;
    const besidePaths = JSON.stringify([message, meta, beside]).replaceAll(/"path":"[^"]*"/g, "");
    expect(besidePaths).not.toMatch(PLANTED);
    const { ownText: _ownText, ...facts } = failure.parse(found);
    expect(JSON.stringify(facts)).not.toMatch(PLANTED);
  });

  test.each(asked)("is shown to all by %s if the operator sets so", async (tool, args, member) => {
    const settings = { ...FAKE_SETTINGS, ERROR_TEXT: "read" };
    const { message, data } = await createCaller({ settings, fetch: n8n.fetch, scopes: ["n8n:read"] }).call(
      tool,
      args,
    );
    const { [member]: found, ...others } = z.looseObject({ [member]: failure }).parse(data);
    expect(failure.parse(found).ownText?.message).toMatch(PLANTED);
    expect(JSON.stringify([message, others])).not.toMatch(PLANTED);
  });

  test("is not read while its setting is malformed", async () => {
    const settings = { ...FAKE_SETTINGS, ERROR_TEXT: "all" };
    const answer = await createCaller({ settings, fetch: n8n.fetch }).call("get_execution", { id: "2" });
    expect(answer).toMatchObject({
      status: "error",
      data: { code: "CONFIGURATION_ERROR", details: { field: "ERROR_TEXT" } },
    });
    expect(n8n.requests).toEqual([]);
  });

  test("is redacted before it is cut", async () => {
    const secret = `ghp_${"16C7e42F292c6912E7710c838347Ae178B4a"}`;
    for (const length of [370, 380, 390, 399]) {
      n8n.executions = [
        failedBy(2, () => ({ message: `${"x ".repeat(length / 2)}${secret} y`, description: "z" })),
      ];
      const answer = await createCaller({ fetch: n8n.fetch }).call("get_execution", {
        id: "2",
      });
      expect(JSON.stringify(answer)).not.toContain("ghp_");
    }
  });
});

const SECRETS = [
  "AKIAIOSFODNN7EXAMPLE",
  "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
  `sk_live_${"4eC39HqLyjWDarjtT1zdp7dc"}`,
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
  "https://ada:s3cr3t-w0rd@example.com/x",
];
const calls = [
  ["get_execution", { id: "2" }],
  ["trace_request", { requestId: REQUEST_ID }],
  ["get_workflow_executions", { workflowName: "Ordres" }],
] as const;

test.each(SECRETS.flatMap((secret) => [0, 40, 60, 75, 79].map((before) => ({ secret, before }))))(
  "a secret in a name is in no answer, even in part: $secret after $before characters",
  async ({ secret, before }) => {
    const name = `${"a ".repeat(before / 2)}${secret}`;
    const failed = { executionStatus: "error", error: error({ node: { name } }) };
    const named = execution(
      2,
      { status: "error" },
      { Webhook: [webhook()], [name]: [run(failed)] },
      { lastNodeExecuted: name },
    );
    n8n.executions = [{ ...named, workflowData: { ...Object(workflowData()), name } }];
    for (const [tool, args] of calls) {
      const answer = JSON.stringify(await caller.call(tool, args));
      expect(answer).not.toContain(secret.slice(0, 16));
      expect(answer).not.toContain("s3cr3t");
    }
    expect(JSON.stringify(caller.progress)).not.toContain(secret.slice(0, 16));
  },
);

describe("with n8n:data", () => {
  const calls = [
    ["get_execution_by_node", { id: "2", nodeName: "Fetch" }],
    ["get_execution_details", { executionId: "2" }],
    ["search_executions", { text: "planted" }],
  ] as const;
  /** Tools for all callers that show more with the scope. */
  const more = [["explain_agent_run", { executionId: "93" }]] as const;

  test.each([...calls, ...more])("%s shows the values, but only in data", async (tool, args) => {
    const full = createCaller({ fetch: n8n.fetch });
    const { message, data, meta } = await full.call(tool, args);
    const { _guidance, ...payloads } = z.looseObject({ _guidance: z.unknown().optional() }).parse(data);
    // Otherwise the tests above would have nothing to find.
    expect(JSON.stringify(payloads)).toMatch(PLANTED);
    expect(JSON.stringify([message, meta, _guidance, full.progress, full.log])).not.toMatch(PLANTED);
  });

  test("the table has every tool that needs it", () => {
    expect(calls.map(([tool]) => tool).sort()).toEqual([...SHOWING].sort());
  });
});
