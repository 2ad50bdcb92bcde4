/** Hostile arguments and a failing n8n, for every tool: one shape of error, the right code, no echo. */
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { TOOLS } from "../../src/features/index.ts";
import { type CallContext, defineTool, type Tool } from "../../src/mcp/define-tool.ts";
import { type ErrorCode, ObserverError } from "../../src/platform/errors.ts";
import { createRedactor } from "../../src/redaction/redact.ts";
import type { Fault } from "../recorded-n8n/faults.ts";
import { startRecordedN8n } from "../recorded-n8n/server.ts";
import { type Caller, createCaller, settingsFor } from "../support/call-recorded.ts";
import { dataOf, errorOf } from "../support/envelopes.ts";

const n8n = await startRecordedN8n();
let caller: Caller;

beforeEach(() => {
  caller = createCaller({ settings: settingsFor(n8n) });
  n8n.faults.clear();
  n8n.requests.length = 0;
});
afterAll(async () => await n8n.close());

const LONG = "x".repeat(10_000);
/** More of the caller's own text than this counts as an echo. */
const MAX_ECHO = 300;
/** Words of the schema library, which agents should not see. */
const LIBRARY_WORDS = /Invalid|Unrecognized|Too (?:big|small)|expected \w+, received|undefined/;

/** Arguments with which each tool succeeds. */
const GOOD: Readonly<Record<string, Record<string, unknown>>> = {
  trace_request: { requestId: "req-100" },
  summarize_failures: {},
  query_executions: { groupBy: ["workflow"] },
  search_executions: { text: "req-100" },
  get_execution: { id: "1" },
  explain_failure: { executionId: "1" },
  explain_agent_run: { executionId: "1" },
  get_execution_by_node: { id: "1", nodeName: "Webhook" },
  get_execution_details: { executionId: "1" },
  compare_executions: { id: "7" },
  get_workflow_executions: {},
  list_workflows: {},
  map_mcp_server: {},
  audit_workflow: {},
  check_tool_contract: { workflowId: "1XeIfz7HPI4BwIKP" },
  get_workflow: { workflowId: "1XeIfz7HPI4BwIKP", format: "git" },
  diff_workflow: { workflowId: "1XeIfz7HPI4BwIKP", against: '{"nodes":[],"connections":{}}' },
  validate_atdf: { atdf: "description: d" },
  check_connection: {},
};

test("the table has every tool, and its arguments work", async () => {
  expect(Object.keys(GOOD).sort()).toEqual(TOOLS.map(({ name }) => name).sort());
  for (const [name, args] of Object.entries(GOOD)) {
    expect(await caller.call(name, args)).toMatchObject({ status: "success" });
  }
});

const WRONG_IDS = [
  "",
  " ",
  "0",
  "-1",
  "1.5",
  "1e3",
  "abc",
  "../workflows",
  "1/../../x",
  "1?x=1",
  "1#x",
  "%2e%2e",
  "٣",
  "1\n",
  LONG,
  `1${"0".repeat(19)}`,
  {},
  [],
  ["1"],
  true,
  0,
  -1,
  1.5,
];
const WRONG_WORKFLOW_IDS = ["", "../x", "a?b", "a/b", "a b", ".", "..", LONG, {}, [], true];
const WRONG_NAMES = ["", LONG, {}, ["x"], true];
const WRONG_LIMITS = [0, -1, 1.5, 1e6, "x", "10", Number.MAX_SAFE_INTEGER, {}, true];
const WRONG_DATES = [
  "",
  "yesterday",
  "2026-13-01",
  "2026-02-30T25:00:00Z",
  "20/11/2026",
  "2026-11-20T10:00:00+99:99",
  "0",
  "NaN",
  LONG,
  {},
  true,
  5,
];
const WRONG_CURSORS = [
  "",
  "garbage",
  "!!!",
  btoa("x"),
  btoa("[]"),
  btoa("null"),
  btoa('"x"'),
  btoa("{}"),
  btoa("7"),
  LONG,
  {},
  true,
];
const WRONG_TRACES = [
  "",
  "trace_",
  "trace_short",
  "../trace_12345678",
  `trace_${"a".repeat(65)}`,
  "trace_abc d efgh",
  LONG,
  {},
  7,
];

/** Arguments for which every tool that has them rejects the same values. */
const COMMON: Readonly<Record<string, readonly unknown[]>> = {
  workflowId: WRONG_WORKFLOW_IDS,
  workflowName: WRONG_NAMES,
  projectId: WRONG_WORKFLOW_IDS,
  startedAfter: WRONG_DATES,
  startedBefore: WRONG_DATES,
  hours: [0, -1, 9_000, "x", {}, true],
  timeBudgetMs: [...WRONG_LIMITS, 999, 55_001],
};

type Row = readonly [tool: string, argument: string, wrong: readonly unknown[]];

const commonRows = ({ name, input }: (typeof TOOLS)[number]): Row[] =>
  Object.keys(input.shape).flatMap((argument) => {
    const wrong = COMMON[argument];
    return wrong === undefined ? [] : [[name, argument, wrong]];
  });

const TABLE: readonly Row[] = [
  ...TOOLS.flatMap(commonRows),
  ["get_workflow_executions", "cursor", WRONG_CURSORS],
  ["list_workflows", "cursor", WRONG_CURSORS],
  ["explain_failure", "requestId", ["", "   ", "x".repeat(513), LONG, {}, [], true]],
  ["trace_request", "requestId", ["", "   ", "x".repeat(513), LONG, {}, [], true]],
  ["trace_request", "limit", [...WRONG_LIMITS, 50_001]],
  ["trace_request", "traceId", WRONG_TRACES],
  ["trace_request", "deep", ["yes", 1, {}]],
  ["trace_request", "waitMs", [-1, 1.5, 55_001, "x", {}, true]],
  [
    "query_executions",
    "groupBy",
    [["colour"], ["workflow", "day", "node"], ["day", "day"], "day", LONG, {}, true],
  ],
  ["query_executions", "sortBy", ["", "colour", LONG, {}, [], true]],
  [
    "query_executions",
    "where",
    [
      { colour: "red" },
      { workflow: "w1" },
      { __proto__x: "a" },
      { node: {} },
      { host: {} },
      { status: "failed" },
      { status: ["error", "Error"] },
      { weekday: "monday" },
      { hourOfDay: 24 },
      { node: Array(21).fill("a") },
      "node",
      [],
    ],
  ],
  ["query_executions", "compare", ["yes", 1, {}]],
  ["query_executions", "limit", [...WRONG_LIMITS, 51]],
  ["query_executions", "timeZone", ["", "Mars/Base", "../etc", LONG, {}, [], true]],
  ["summarize_failures", "group", ["", "f-", "f-0123456789x", "../x", LONG, {}, [], true]],
  ["summarize_failures", "offset", [-1, 1.5, "x", {}, true]],
  ["search_executions", "words", ["", "x", LONG, {}, true]],
  ["search_executions", "text", ["", "x", LONG, {}, true]],
  ["search_executions", "path", ["", "body.….id", "body.[REDACTED:key]", LONG, {}, true]],
  ["search_executions", "value", ["", LONG, {}, true]],
  ["search_executions", "limit", [...WRONG_LIMITS, 50_001]],
  ["search_executions", "maxHits", [...WRONG_LIMITS, 51]],
  ["search_executions", "searchId", WRONG_TRACES],
  ["get_execution", "id", WRONG_IDS],
  ["explain_failure", "executionId", WRONG_IDS],
  ["explain_agent_run", "executionId", WRONG_IDS],
  ["explain_agent_run", "agent", WRONG_NAMES],
  ["get_execution_by_node", "id", WRONG_IDS],
  ["get_execution_by_node", "nodeName", WRONG_NAMES],
  ["get_execution_by_node", "run", [-1, 1.5, 1e9, "x", {}]],
  ["get_execution_by_node", "output", [-1, 1.5, 1e9, "x", {}]],
  ["get_execution_by_node", "offset", [-1, 1.5, 1e9, "x", {}]],
  ["get_execution_by_node", "limit", [...WRONG_LIMITS, 101]],
  ["get_execution_details", "executionId", WRONG_IDS],
  [
    "get_execution_details",
    "nodes",
    [[], [""], [LONG], "Webhook", [1], {}, Array.from({ length: 51 }, () => "x")],
  ],
  ["compare_executions", "id", WRONG_IDS],
  ["compare_executions", "against", WRONG_IDS],
  ["get_workflow_executions", "status", ["", "failed", "ERROR", LONG, {}, 1]],
  ["get_workflow_executions", "limit", [...WRONG_LIMITS, 101]],
  ["list_workflows", "active", ["yes", 1, {}]],
  ["list_workflows", "name", WRONG_NAMES],
  ["list_workflows", "tags", [LONG, {}, [1], true, Array.from({ length: 21 }, () => "x")]],
  ["list_workflows", "limit", [...WRONG_LIMITS, 101]],
  ["audit_workflow", "includeTools", ["yes", 1, {}]],
  ["audit_workflow", "rules", ["all", "N8N-3", 3, ["n8n-3"]]],
  ["audit_workflow", "cursor", [1, "", "x".repeat(101), "!!", btoa("5")]],
  ["map_mcp_server", "offset", [-1, 1.5, "x", 100_001]],
  ["check_tool_contract", "limit", [...WRONG_LIMITS, 101]],
  ["get_workflow", "format", ["", "json", "GIT", {}, 1]],
  ["get_workflow", "offset", [-1, 1.5, "x", {}, true]],
  ["diff_workflow", "from", ["", "../v", "a b", "a/b", LONG, {}, true]],
  ["diff_workflow", "to", ["", "../v", "a b", "a/b", LONG, {}, true]],
  ["diff_workflow", "against", ["", "{", "[]", "{}", "null", LONG, "x".repeat(500_001), {}, true]],
  ["validate_atdf", "atdf", ["", "x".repeat(20_001), {}, [], true]],
];

test("the table has every argument of every tool", () => {
  const covered = TABLE.map(([tool, argument]) => `${tool}.${argument}`);
  const all = TOOLS.flatMap(({ name, input }) =>
    Object.keys(input.shape).map((argument) => `${name}.${argument}`),
  );
  expect(covered.sort()).toEqual(all.sort());
});

describe.each(TABLE)("%s rejects a wrong %s", (tool, argument, wrong) => {
  test.each(wrong.map((value) => [JSON.stringify(value).slice(0, 40), value]))("%s", async (_name, value) => {
    const error = errorOf(await caller.call(tool, { ...GOOD[tool], [argument]: value }), "VALIDATION_ERROR");
    expect(error.details.field).toMatch(new RegExp(`^${argument}(\\.\\w+)?$`));
    expect(typeof error.details.expected).toBe("string");
    expect(JSON.stringify(error)).not.toMatch(LIBRARY_WORDS);
    expect(JSON.stringify(error)).not.toContain("x".repeat(MAX_ECHO));
    expect(n8n.requests).toEqual([]);
  });
});

describe.each(Object.entries(GOOD))("%s", (tool, good) => {
  test.each([
    ["text", "1"],
    ["a number", 7],
    ["a list", [good]],
    ["true", true],
  ])("rejects %s instead of arguments", async (_name, args) => {
    const error = errorOf(await caller.call(tool, args), "VALIDATION_ERROR");
    expect(JSON.stringify(error)).not.toMatch(LIBRARY_WORDS);
    expect(n8n.requests).toEqual([]);
  });

  test.each(["unknown", "__proto__", "constructor", "toString", "", LONG, "canary"])(
    "rejects an unknown argument: %s",
    async (name) => {
      const args: unknown = JSON.parse(`{${JSON.stringify(name)}: "x"}`);
      const all = Object.defineProperties({ ...good }, Object.getOwnPropertyDescriptors(Object(args)));
      const error = errorOf(await caller.call(tool, all), "VALIDATION_ERROR");
      expect(JSON.stringify(error)).not.toContain("x".repeat(MAX_ECHO));
      expect(n8n.requests).toEqual([]);
    },
  );

  test("rejects ten thousand unknown arguments in a short answer", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 10_000 }, (_item, index) => [`argument${index}`, "x"]),
    );
    const error = errorOf(await caller.call(tool, { ...good, ...many }), "VALIDATION_ERROR");
    expect(JSON.stringify(error).length).toBeLessThan(3_000);
  });

  test("suggests the nearest argument for a misspelt one, and lists all", async () => {
    const names = Object.keys(TOOLS.find(({ name }) => name === tool)?.input.shape ?? {});
    for (const name of names) {
      const error = errorOf(await caller.call(tool, { ...good, [`${name}s`]: "x" }), "VALIDATION_ERROR");
      expect(error.details).toMatchObject({ field: `${name}s` });
      expect(z.array(z.string()).parse(error.details.candidates)[0]).toBe(name);
      expect(error.details.solution).toContain(`${tool} takes ${names.join(", ")}.`);
      expect(error.message).toBe(`Wrong arguments: ${name}s: there is no such argument.`);
    }
    expect(n8n.requests).toEqual([]);
  });

  test("says that an argument is missing", async () => {
    const { input } = TOOLS.find(({ name }) => name === tool) ?? {};
    for (const name of Object.keys(good).filter(
      (each) => !input?.shape[each]?.safeParse(undefined).success,
    )) {
      const { [name]: _missing, ...others } = good;
      const error = errorOf(await caller.call(tool, others), "VALIDATION_ERROR");
      expect(error.message).toBe(`Wrong arguments: ${name}: is missing.`);
    }
  });

  test("takes null for an omitted argument", async () => {
    const { input } = TOOLS.find(({ name }) => name === tool) ?? {};
    const nulls = Object.fromEntries(Object.keys(input?.shape ?? {}).map((name) => [name, null]));
    expect(await caller.call(tool, { ...nulls, ...good })).toMatchObject({ status: "success" });
  });
});

test.each(["get_execution", "explain_agent_run", "get_execution_by_node", "get_execution_details"])(
  "%s accepts a number as an id",
  async (tool) => {
    const good = Object.entries(GOOD[tool] ?? {}).map(([key, value]) => [key, value === "1" ? 1 : value]);
    expect(await caller.call(tool, Object.fromEntries(good))).toMatchObject({ status: "success" });
  },
);

test("trace_request accepts a number as a request id", async () => {
  const answer = await caller.call("trace_request", { requestId: 424242 });
  expect(dataOf(answer, z.looseObject({ found: z.boolean() })).found).toBe(true);
});

test.each(["trace_request", "search_executions", "get_workflow_executions", "check_tool_contract"])(
  "%s rejects reversed dates",
  async (tool) => {
    const window = { startedAfter: "2026-11-21", startedBefore: "2026-11-20" };
    const error = errorOf(await caller.call(tool, { ...GOOD[tool], ...window }), "VALIDATION_ERROR");
    expect(error.details.field).toBe("startedAfter");
    expect(n8n.requests).toEqual([]);
  },
);

const NAMES = [
  "../workflows",
  "?limit=0",
  "a".repeat(256),
  "\u202eevil",
  "'; DROP TABLE x; --",
  "%00",
  "\u0000",
  "🚀".repeat(100),
];
test.each(NAMES)("well-formed hostile names match nothing and change no path: %s", async (name) => {
  errorOf(await caller.call("get_execution_by_node", { id: "1", nodeName: name }), "NODE_NOT_FOUND");
  errorOf(await caller.call("get_execution_details", { executionId: "1", nodes: [name] }), "NODE_NOT_FOUND");
  errorOf(await caller.call("get_workflow_executions", { workflowName: name }), "WORKFLOW_NOT_FOUND");
  errorOf(await caller.call("trace_request", { requestId: "x", workflowName: name }), "WORKFLOW_NOT_FOUND");
  expect(await caller.call("trace_request", { requestId: name })).toMatchObject({ data: { found: false } });
  const paths = n8n.requests.map(({ path }) => new URL(path, n8n.baseUrl).pathname);
  expect(paths.filter((path) => !/^\/api\/v1\/(workflows|executions)(\/[0-9]+)?$/.test(path))).toEqual([]);
  expect(n8n.requests.every(({ method }) => method === "GET")).toBe(true);
});

describe("an unknown tool", () => {
  test.each([
    "delete_workflow",
    "create_workflow",
    "update_workflow",
    "activate_workflow",
    "retry_execution",
    "constructor",
    "__proto__",
    "toString",
    "hasOwnProperty",
    "",
    " ",
    "get_execution ",
    "GET_EXECUTION",
    "../get_execution",
    LONG,
  ])("is rejected without an echo: %s", async (name) => {
    const error = errorOf(await caller.call(name, {}), "TOOL_NOT_FOUND");
    expect(error.details.solution).toContain("only reads");
    expect(JSON.stringify(error)).not.toContain("x".repeat(MAX_ECHO));
    expect(n8n.requests).toEqual([]);
  });

  test("is answered with the nearest names", async () => {
    const error = errorOf(await caller.call("get_executions", {}), "TOOL_NOT_FOUND");
    expect(error.details.candidates).toContain("get_execution");
  });
});

describe("a traceId", () => {
  const begin = async (): Promise<string> => {
    const answer = await caller.call("trace_request", { requestId: "req-100", limit: 1 });
    return dataOf(answer, z.looseObject({ traceId: z.string() })).traceId;
  };

  test("of another user is unknown", async () => {
    const traceId = await begin();
    const other = createCaller({ settings: settingsFor(n8n) });
    n8n.requests.length = 0;
    const error = errorOf(await other.call("trace_request", { traceId }), "TRACE_NOT_FOUND");
    expect(error.details.field).toBe("traceId");
    expect(n8n.requests).toEqual([]);
  });

  test("that never existed, or has expired, is unknown", async () => {
    errorOf(await caller.call("trace_request", { traceId: "trace_0123456789" }), "TRACE_NOT_FOUND");
  });

  test("with another requestId is rejected", async () => {
    const traceId = await begin();
    const error = errorOf(
      await caller.call("trace_request", { traceId, requestId: "req-1001" }),
      "VALIDATION_ERROR",
    );
    expect(error.details.field).toBe("traceId");
  });

  test("with its own requestId, or without one, continues the trace", async () => {
    const traceId = await begin();
    expect(await caller.call("trace_request", { traceId, limit: 1 })).toMatchObject({ data: { traceId } });
    expect(await caller.call("trace_request", { traceId, requestId: "req-100" })).toMatchObject({
      data: { traceId },
    });
  });

  test("is required where there is no requestId", async () => {
    const error = errorOf(await caller.call("trace_request", {}), "VALIDATION_ERROR");
    expect(error.details.field).toBe("requestId");
  });
});

describe("a fault of n8n", () => {
  const FAULTS: readonly [string, Fault, ErrorCode][] = [
    ["401", { kind: "status", status: 401 }, "N8N_UNAUTHORIZED"],
    ["403", { kind: "status", status: 403 }, "N8N_FORBIDDEN"],
    ["429", { kind: "status", status: 429, headers: { "retry-after": "3" } }, "N8N_RATE_LIMITED"],
    ["500", { kind: "status", status: 500 }, "N8N_UNREACHABLE"],
    ["HTML", { kind: "html" }, "N8N_BAD_RESPONSE"],
    ["broken JSON", { kind: "broken-json" }, "N8N_BAD_RESPONSE"],
    ["a cut body", { kind: "cut" }, "N8N_UNREACHABLE"],
    ["a redirect", { kind: "redirect", to: "https://login.test/" }, "N8N_FORBIDDEN"],
    ["400", { kind: "status", status: 400 }, "N8N_BAD_RESPONSE"],
  ];
  const tools = Object.keys(GOOD).filter((name) => name !== "check_connection" && name !== "validate_atdf");

  describe.each(tools)("%s", (tool) => {
    test.each(FAULTS)("%s is the right error", async (_name, fault, code) => {
      n8n.faults.always(fault);
      const error = errorOf(await caller.call(tool, GOOD[tool]), code);
      expect(JSON.stringify(error)).not.toMatch(/Recorded n8n|login\.test|Sign in/);
      expect(caller.log).toEqual([]);
    });

    test("that makes it unreachable is N8N_UNREACHABLE", async () => {
      const down = createCaller({ settings: { ...settingsFor(n8n), N8N_BASE_URL: "http://127.0.0.1:1" } });
      errorOf(await down.call(tool, GOOD[tool]), "N8N_UNREACHABLE");
    });

    test("that makes it too slow is N8N_TIMEOUT", async () => {
      const fetchNothing = async (): Promise<Response> => {
        throw new DOMException("The operation timed out.", "TimeoutError");
      };
      const slow = createCaller({ settings: settingsFor(n8n), fetch: fetchNothing });
      errorOf(await slow.call(tool, GOOD[tool]), "N8N_TIMEOUT");
    });

    test("is not the cause where settings are missing", async () => {
      const error = errorOf(
        await createCaller({ settings: {} }).call(tool, GOOD[tool]),
        "CONFIGURATION_ERROR",
      );
      expect(error.details.field).toBe("N8N_BASE_URL");
    });

    test("does not affect the next call", async () => {
      n8n.faults.always({ kind: "status", status: 500 });
      errorOf(await caller.call(tool, GOOD[tool]), "N8N_UNREACHABLE");
      n8n.faults.clear();
      expect(await caller.call(tool, GOOD[tool])).toMatchObject({ status: "success" });
    });
  });
});

describe("scopes", () => {
  test.each(TOOLS.map(({ name, scope }) => [name, scope] as const))("%s needs %s", async (tool, scope) => {
    const reading = createCaller({ settings: settingsFor(n8n), scopes: ["n8n:read"] });
    const answer = await reading.call(tool, GOOD[tool]);
    if (scope === "n8n:read") return expect(answer.status).toBe("success");
    const error = errorOf(answer, "INSUFFICIENT_SCOPE");
    expect(error.details.expected).toBe("n8n:read n8n:data");
  });

  test.each([[[]], [["n8n:data"]], [["n8n"]], [["N8N:READ"]]])("%o give no access", async (scopes) => {
    const none = createCaller({ settings: settingsFor(n8n), scopes });
    for (const { name } of TOOLS) errorOf(await none.call(name, GOOD[name]), "INSUFFICIENT_SCOPE");
    expect(n8n.requests).toEqual([]);
  });

  test("every tool that shows payload needs n8n:data", () => {
    const withPayload = TOOLS.filter(({ scope }) => scope === "n8n:data").map(({ name }) => name);
    expect(withPayload.sort()).toEqual([
      "get_execution_by_node",
      "get_execution_details",
      "search_executions",
    ]);
  });
});

describe("an internal fault", () => {
  const PLANTED = "hunter2 secret canary in message";
  const toolThat = (run: () => Promise<{ message: string; data: { count: number } }>): Tool<CallContext> =>
    defineTool({
      name: "faulty",
      title: "Faulty",
      description: "For this test.",
      scope: "n8n:read",
      maxTokens: 500,
      audited: {},
      input: z.strictObject({}),
      output: z.looseObject({ count: z.number().int() }),
      run,
    });

  test.each([
    ["an Error", new Error(PLANTED)],
    ["a TypeError with a cause", new TypeError(PLANTED, { cause: new Error(PLANTED) })],
    ["text", PLANTED],
    ["an object", { message: PLANTED, code: "VALIDATION_ERROR", details: { solution: PLANTED } }],
    ["nothing", undefined],
  ])("that throws %s is an incident, whose text is in neither answer nor log", async (_name, thrown) => {
    const tool = toolThat(async () => {
      throw thrown;
    });
    const faulty = createCaller({ settings: settingsFor(n8n), tools: [tool] });
    const error = errorOf(await faulty.call("faulty"), "TOOL_EXECUTION_FAILED");
    expect(error.details.incidentId).toBe("incident-1");
    expect(JSON.stringify(error) + JSON.stringify(faulty.log)).not.toMatch(/canary|hunter2/);
    expect(faulty.log).toMatchObject([{ event: "incident", incidentId: "incident-1", tool: "faulty" }]);
  });

  test("is logged with its place in the code", async () => {
    const tool = toolThat(async () => {
      throw new RangeError(`${PLANTED}\n    at ${PLANTED}`);
    });
    const faulty = createCaller({ settings: settingsFor(n8n), tools: [tool] });
    await faulty.call("faulty");
    expect(faulty.log).toMatchObject([{ name: "RangeError" }]);
    expect(JSON.stringify(faulty.log)).toContain("bad-input.test.ts");
    expect(JSON.stringify(faulty.log)).not.toMatch(/canary|hunter2/);
  });

  test("in an answer's shape is reported as such", async () => {
    const tool = toolThat(async () => ({ message: PLANTED, data: { count: 1.5 } }));
    const faulty = createCaller({ settings: settingsFor(n8n), tools: [tool] });
    const error = errorOf(await faulty.call("faulty"), "INVALID_TOOL_RESPONSE_STRUCTURE");
    expect(JSON.stringify(error)).not.toMatch(/canary|hunter2/);
  });

  test("in the redactor withholds the answer", async () => {
    const good = toolThat(async () => ({ message: PLANTED, data: { count: 1 } }));
    const { call } = createCaller({
      settings: settingsFor(n8n),
      tools: [good],
      redact: () => {
        throw new Error(PLANTED);
      },
    });
    const error = errorOf(await call("faulty"), "TOOL_EXECUTION_FAILED");
    expect(JSON.stringify(error)).not.toMatch(/canary|hunter2/);
  });

  test("is no reason to show secrets: an error that names others' text is redacted", async () => {
    const tool = toolThat(async () => {
      throw new ObserverError("NODE_NOT_FOUND", `No node ${n8n.apiKey}.`, {
        candidates: ["Bearer abc123def456", "https://x.test/?token=hunter2"],
        solution: "Use one of the candidates.",
        field: n8n.apiKey,
      });
    });
    const faulty = createCaller({ settings: settingsFor(n8n), tools: [tool] });
    const answer = await faulty.call("faulty");
    const error = errorOf(answer, "NODE_NOT_FOUND");
    expect(answer.meta.redactions).toEqual({ "own-secret": 2, bearer: 1, "url-secret": 1 });
    expect(JSON.stringify(error)).not.toContain(n8n.apiKey);
    expect(error.details.candidates).toEqual([
      "Bearer [REDACTED:bearer#1]",
      "https://x.test/?token=[REDACTED:url-secret#1]",
    ]);
  });

  test("is no reason to show secrets: a message and progress are redacted, too", async () => {
    const settings = settingsFor(n8n);
    const redact = createRedactor([n8n.apiKey]);
    const leaking = defineTool({
      name: "leaking",
      title: "Leaking",
      description: "For this test.",
      scope: "n8n:read",
      maxTokens: 500,
      audited: {},
      input: z.strictObject({}),
      output: z.looseObject({}),
      run: async (_input, context) => {
        await context.progress(1, `key ${n8n.apiKey}`);
        return { message: `key ${n8n.apiKey}`, data: { note: [n8n.apiKey] } };
      },
    });
    const caught = createCaller({ settings, tools: [leaking], redact });
    const answer = await caught.call("leaking");
    expect(JSON.stringify(answer) + caught.progress.join()).not.toContain(n8n.apiKey);
    expect(answer.message).toBe("key [REDACTED:own-secret]");
  });
});
