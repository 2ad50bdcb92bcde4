import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { estimateTokens } from "../../../src/mcp/token-estimate.ts";
import { type Caller, createCaller } from "../../support/call-recorded.ts";
import { errorOf, suggestedCall } from "../../support/envelopes.ts";
import {
  createFakeN8n,
  type FakeExecution,
  type FakeN8n,
  failure,
  jsonAnswer,
} from "../../support/fake-n8n.ts";
import { answering, errorAnswer, mcpCall, standard, toolRun } from "../../support/tool-runs.ts";
import { rawWorkflow } from "../../support/workflow-builder.ts";
import book from "../../workflows/fixtures/by-the-book.json" with { type: "json" };

const { ids } = book;

const tally = z.array(z.looseObject({ count: z.number(), executionIds: z.array(z.string()) }));
const coverage = z.looseObject({
  runs: z.number(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  skipped: z.array(z.looseObject({ reason: z.string(), count: z.number() })).default([]),
});
const report = z.looseObject({
  tools: z.array(
    z.looseObject({
      workflowId: z.string(),
      runs: z.number(),
      kept: z.number(),
      invalid: z.number(),
      failed: z.number(),
      errors: z.number(),
      invalidAnswers: tally.default([]),
      errorCodes: tally.default([]),
      failures: tally.default([]),
      wrongArguments: tally.default([]),
      coverage,
    }),
  ),
  calls: z.looseObject({ calls: z.number() }).optional(),
});

const date = "2026-11-21T00:00:00.000Z";

let n8n: FakeN8n;
let caller: Caller;
let now: number;

beforeEach(() => {
  now = 0;
  n8n = createFakeN8n([]);
  const workflows = new Map<string, unknown>([
    ...book.list.data.map((each) => [each.id, each] as const),
    ["w1", rawWorkflow([], {}, { name: "SWF_One", active: true, createdAt: date, updatedAt: date })],
  ]);
  n8n.intercept = (url) => {
    const id = /\/workflows\/([^/]+)$/.exec(url.pathname)?.[1];
    if (id !== undefined) return workflows.has(id) ? jsonAnswer(workflows.get(id)) : failure(404);
    return url.pathname.endsWith("/workflows")
      ? jsonAnswer({ data: [...workflows.values()], nextCursor: null })
      : undefined;
  };
  caller = createCaller({ scopes: ["n8n:read"], fetch: n8n.fetch, now: () => now });
});

async function check(args: object = { workflowId: "w1" }) {
  const envelope = await caller.call("check_tool_contract", args);
  expect(envelope.status, JSON.stringify(envelope)).toBe("success");
  expect(estimateTokens(JSON.stringify(envelope))).toBeLessThanOrEqual(8_000);
  const data = report.parse(envelope.data);
  return { message: envelope.message ?? "", data, only: data.tools[0], meta: envelope.meta };
}

const inputs = { user_id: "string", request_id: "string" };

describe("a sub-workflow", () => {
  test("has kept or broken nothing in runs that no call began, such as those of its own webhook", async () => {
    n8n.executions = [
      answering(1, [standard()]),
      answering(2, [{ accepted: true }], { mode: "webhook" }),
      toolRun(3, [{ node: "Start", sends: [], error: { message: "boom" } }], {
        status: "error",
        mode: "trigger",
      }),
    ];
    const { message, only } = await check();
    expect(message).toContain("1 run; 1 kept the output format, 0 did not, 0 failed.");
    expect(only).toMatchObject({ coverage: { skipped: [{ reason: "other_trigger", count: 2 }] } });
  });

  test("is reported exactly as it ran", async () => {
    n8n.executions = [
      answering(1, [standard()]),
      answering(2, [standard()]),
      answering(3, [errorAnswer("USER_SERVICE_FAILED")]),
      answering(4, [errorAnswer("VALIDATION_ERROR")], { inputs }, { user_id: "", request_id: "r" }),
      answering(5, [errorAnswer("VALIDATION_ERROR", { field: "user_id" })], { inputs }, { request_id: "r" }),
      answering(6, [{ status: "ok" }]),
      answering(7, [{ status: "ok" }]),
      answering(8, [], {}),
      toolRun(9, [{ node: "Start", sends: [], error: { message: "boom" } }], { status: "error" }),
      answering(10, [standard()], { durationMs: 5_000 }),
    ];
    const { message, data, only } = await check();
    expect(message).toBe(
      '"SWF_One": 10 runs; 6 kept the output format, 3 did not, 1 failed. 3 answered an error, which n8n calls a success.',
    );
    expect(data.tools).toHaveLength(1);
    expect(only).toMatchObject({
      workflowId: "w1",
      workflowName: "SWF_One",
      runs: 10,
      kept: 6,
      invalid: 3,
      failed: 1,
      errors: 3,
      p50Ms: 30,
      p95Ms: 5_000,
      slow: { slowerThanMs: 1_000, count: 1, runs: [{ executionId: "10", durationMs: 5_000 }] },
      invalidAnswers: [
        {
          path: ["Start", "Answer"],
          endNode: "Answer",
          faults: [
            { member: "status", problem: "wrong_value", found: "string" },
            { member: "data", problem: "missing", found: "nothing" },
            { member: "meta", problem: "missing", found: "nothing" },
          ],
          count: 2,
          executionIds: ["7", "6"],
        },
        { faults: [{ member: "answer", problem: "missing" }], count: 1, executionIds: ["8"] },
      ],
      errorCodes: [
        { code: "VALIDATION_ERROR", count: 2, executionIds: ["5", "4"] },
        { code: "USER_SERVICE_FAILED", count: 1, executionIds: ["3"] },
      ],
      failures: [{ status: "error", node: "Start", count: 1, executionIds: ["9"] }],
      wrongArguments: [
        { field: "user_id", problem: "missing", count: 1, executionIds: ["5"] },
        { field: "user_id", problem: "empty", count: 1, executionIds: ["4"] },
      ],
      coverage: { runs: 10, skipped: [] },
    });
  });

  test("is slow from three times the median", async () => {
    n8n.executions = [2_000, 2_000, 2_000, 5_900, 6_100].map((durationMs, index) =>
      answering(index + 1, [standard()], { durationMs }),
    );
    expect((await check()).only).toMatchObject({
      slow: { slowerThanMs: 6_000, count: 1, runs: [{ executionId: "5", durationMs: 6_100 }] },
    });
  });

  test("is found by id or by name, one of which is required", async () => {
    n8n.executions = [answering(1, [standard()])];
    expect((await check({ workflowName: "swf_get_user" })).only?.workflowId).toBe(ids.getUser);
    errorOf(await caller.call("check_tool_contract", {}), "VALIDATION_ERROR");
    errorOf(
      await caller.call("check_tool_contract", { workflowId: "w1", workflowName: "x" }),
      "VALIDATION_ERROR",
    );
    errorOf(await caller.call("check_tool_contract", { workflowId: "gone" }), "WORKFLOW_NOT_FOUND");
    errorOf(await caller.call("check_tool_contract", { workflowName: "gone" }), "WORKFLOW_NOT_FOUND");
  });

  test("without runs is reported as such", async () => {
    const { message, only } = await check();
    expect(message).toContain("0 runs to judge");
    expect(only).toMatchObject({ runs: 0, p50Ms: null, coverage: { runs: 0, from: null, to: null } });
  });

  test("is judged by its last runs, without unfinished ones and those of the editor", async () => {
    n8n.executions = [
      ...Array.from({ length: 150 }, (_one, index) => answering(index + 1, [standard()])),
      answering(151, [{}], { mode: "manual" }),
      answering(152, [{}], { status: "waiting" }),
      answering(153, [{}], { status: "running" }),
    ];
    const { only } = await check({ workflowId: "w1", limit: 3 });
    expect(only).toMatchObject({
      runs: 3,
      kept: 3,
      coverage: { runs: 3, notCounted: { unfinished: 1, manual: 1, unknownShape: 0 } },
    });
    expect(n8n.sent).toEqual(["150", "149", "148"]);
    expect((await check({ workflowId: "w1" })).only?.runs).toBe(20);
    expect((await check({ workflowId: "w1", limit: 100 })).only?.runs).toBe(100);
  });

  test.each(["filtered", "ignored", "refused"] as const)(
    "is judged within a window, dates %s",
    async (dates) => {
      n8n.dates = dates;
      n8n.executions = Array.from({ length: 150 }, (_one, index) => answering(index + 1, [standard()]));
      const { only } = await check({
        workflowId: "w1",
        startedAfter: String(n8n.executions[9]?.startedAt),
        startedBefore: String(n8n.executions[11]?.startedAt),
      });
      expect(n8n.sent.sort()).toEqual(["10", "11", "12"]);
      expect(only?.coverage).toMatchObject({
        from: n8n.executions[9]?.startedAt,
        to: n8n.executions[11]?.startedAt,
      });
    },
  );
});

describe("an MCP server", () => {
  const { getUser, createEvent, server } = ids;
  const good = { user_id: "u", request_id: "r" };
  const call = (id: number, facts: Partial<Parameters<typeof mcpCall>[1]>): FakeExecution =>
    mcpCall(id, {
      workflowId: server,
      toolName: "tool_get_user",
      arguments: good,
      node: "tool.get_user",
      ...facts,
    });

  beforeEach(() => {
    // The server's trigger is named otherwise than that of the support file.
    const rename = (execution: FakeExecution): FakeExecution =>
      JSON.parse(JSON.stringify(execution).replaceAll('"Hub"', '"Family Hub"'));
    n8n.executions = [
      answering(1, [standard()], { workflowId: getUser }),
      answering(2, [{ status: "ok" }], { workflowId: createEvent }),
      answering(3, [{ status: "ok" }], { workflowId: createEvent }),
      ...[
        call(10, { run: { subExecutionId: "1" } }),
        call(11, { arguments: { request_id: "r" } }),
        call(12, { arguments: { request_id: 7 } }),
        mcpCall(13, { workflowId: server, toolName: "tool_nope", arguments: {} }),
        call(14, { run: {} }),
        call(15, { node: "mcp.contacts" }),
      ].map(rename),
    ];
  });

  test("is reported with all its tools, the worst first, and with its calls", async () => {
    const { message, data } = await check({ workflowId: server });
    expect(message).toBe(
      '"MCP_Family_Hub": 3 tools, 3 runs; 1 kept the output format, 2 did not, 0 failed. 4 calls did not reach a tool.',
    );
    expect(data.tools.map(({ workflowId, runs }) => [workflowId, runs])).toEqual([
      [createEvent, 2],
      [getUser, 1],
      [ids.routeAction, 0],
    ]);
    expect(data.tools[1]).toMatchObject({ toolNodes: ["tool.get_user"], mcpNames: ["tool_get_user"] });
    expect(data.calls).toEqual({
      calls: 6,
      answered: 1,
      refused: 2,
      failed: [{ node: "tool.get_user", count: 1, executionIds: ["14"] }],
      notRun: [{ node: "mcp.contacts", count: 1, executionIds: ["15"] }],
      wrongArguments: [
        { node: "tool.get_user", field: "user_id", problem: "missing", count: 2, executionIds: ["12", "11"] },
        { node: "tool.get_user", field: "request_id", problem: "wrong_kind", count: 1, executionIds: ["12"] },
      ],
      unknownTool: { count: 1, executionIds: ["13"] },
      coverage: { runs: 6, from: expect.any(String), to: expect.any(String) },
    });
  });

  test("does not count omitted optional arguments as wrong", async () => {
    n8n.executions = [
      answering(
        1,
        [errorAnswer("VALIDATION_ERROR")],
        { workflowId: getUser, inputs: { ...inputs, with_details: "boolean" } },
        { user_id: null, request_id: "r", with_details: null },
      ),
    ];
    const { data } = await check({ workflowId: server });
    expect(data.tools[0]?.wrongArguments).toMatchObject([{ field: "user_id", problem: "missing" }]);
  });
});

describe("requests to n8n", () => {
  beforeEach(() => {
    n8n.executions = Array.from({ length: 40 }, (_one, index) => answering(index + 1, [standard()]));
  });

  const failAt = (isFailing: (id: number) => boolean, answer: () => Response): void => {
    const { intercept } = n8n;
    n8n.intercept = (url) => {
      const id = /\/executions\/(\d+)$/.exec(url.pathname)?.[1];
      return id !== undefined && isFailing(Number(id)) ? answer() : intercept(url);
    };
  };

  const failOlderRuns = (answer: () => Response): void => failAt((id) => id < 38, answer);

  test("are at most four at the same time", async () => {
    n8n.latencyMs = 2;
    await check({ workflowId: "w1", limit: 40 });
    expect(n8n.mostAtOnce).toBe(4);
    expect(n8n.sent).toHaveLength(40);
    expect(new Set(n8n.sent).size).toBe(40);
  });

  test("stop after hundreds of runs that do not count, which is not reported as no runs", async () => {
    const manual = Array.from({ length: 600 }, (_one, index) => ({
      ...answering(index + 41, [standard()]),
      mode: "manual",
    }));
    n8n.executions.push(...manual);
    const { message, only } = await check({ workflowId: "w1" });
    expect(only?.coverage).toMatchObject({ runs: 0, notListed: "too_many", notCounted: { manual: 500 } });
    expect(message).toContain("For 1 tool, only the newest 500 executions were listed");
    expect(message).not.toContain("there is none");
  });

  test("stop when time runs out, and the report counts the unread runs", async () => {
    failAt(
      () => {
        now += 1_000;
        return false;
      },
      () => failure(500),
    );
    const { message, only } = await check({ workflowId: "w1", limit: 40 });
    expect(only?.runs).toBeGreaterThanOrEqual(20);
    expect(only?.runs).toBeLessThanOrEqual(24);
    const left = 40 - (only?.runs ?? 0);
    expect(only?.coverage).toMatchObject({ runs: 40, skipped: [{ reason: "out_of_time", count: left }] });
    expect(message).toContain(`${left} runs could not be judged`);
  });

  test.each<[string, () => Response, string]>([
    ["deleted", () => failure(404), "deleted"],
    ["broken", () => jsonAnswer("{"), "unreadable"],
    ["of another shape", () => jsonAnswer({ id: "x" }), "unreadable"],
  ])("for a run that is %s do not cost the other runs", async (_name, answer, reason) => {
    failAt((id) => id === 39, answer);
    const { only } = await check();
    expect(only).toMatchObject({
      runs: 19,
      coverage: { runs: 20, skipped: [{ reason, count: 1, executionIds: ["39"] }] },
    });
  });

  test("stop when n8n fails at many runs", async () => {
    failOlderRuns(() => failure(500));
    const { only } = await check({ workflowId: "w1", limit: 40 });
    expect(only?.runs).toBe(3);
    expect(only?.coverage.skipped.map(({ reason }) => reason).sort()).toEqual(["n8n_failed", "unreadable"]);
    const asked = new Set(n8n.requests.filter((path) => /executions\/\d/.test(path)));
    expect(asked.size).toBeLessThan(14);
  });

  test("stop when n8n asks for a pause", async () => {
    failOlderRuns(() => failure(429, { "retry-after": "60" }));
    const { only } = await check({ workflowId: "w1", limit: 40 });
    expect(only).toMatchObject({ runs: 3, coverage: { skipped: [{ reason: "n8n_failed", count: 37 }] } });
    expect(n8n.requests.filter((path) => /executions\/\d/.test(path)).length).toBeLessThan(10);
  });

  test("that all fail are an error", async () => {
    failAt(
      () => true,
      () => failure(500),
    );
    errorOf(await caller.call("check_tool_contract", { workflowId: "w1" }), "N8N_UNREACHABLE");
  });

  test("for a withheld run are reported as such", async () => {
    n8n.executions = [answering(1, [{}], { data: { redactionInfo: { isRedacted: true } } })];
    const { only } = await check();
    expect(only).toMatchObject({ runs: 0, coverage: { skipped: [{ reason: "withheld_by_n8n", count: 1 }] } });
  });

  test("are counted in the progress", async () => {
    await check({ workflowId: "w1", limit: 40 });
    expect(caller.updates).toEqual([
      { done: 0, message: "Looking at 40 runs", total: 40 },
      ...[10, 20, 30, 40].map((done) => ({ done, message: `Looked at ${done} of 40 runs`, total: 40 })),
    ]);
  });
});

test("a long report has the worst tools first, and a call that gets the rest", async () => {
  const tools = Array.from({ length: 60 }, (_one, index) => ({
    name: `tool.number_${index}`,
    type: "@n8n/n8n-nodes-langchain.toolWorkflow",
    typeVersion: 2.2,
    parameters: { workflowId: { __rl: true, mode: "id", value: `sub${index}` } },
  }));
  const connections = Object.fromEntries(
    tools.map(({ name }) => [name, { ai_tool: [[{ node: "Hub", type: "ai_tool", index: 0 }]] }]),
  );
  const hub = { name: "Hub", type: "@n8n/n8n-nodes-langchain.mcpTrigger", parameters: { path: "hub" } };
  const large = rawWorkflow([hub, ...tools], connections, { id: "large", name: "Large", active: true });
  n8n.intercept = (url) => (url.pathname.endsWith("/workflows/large") ? jsonAnswer(large) : undefined);
  n8n.executions = tools.flatMap((_tool, index) =>
    Array.from({ length: 5 }, (_one, run) =>
      toolRun(
        index * 10 + run + 1,
        [
          { node: `Start of the workflow ${"x".repeat(run * 20)}`, sends: [[{}]] },
          {
            node: `End ${run}`,
            from: [`Start of the workflow ${"x".repeat(run * 20)}`],
            sends: [run < index % 6 ? [{}] : [standard()]],
          },
        ],
        { workflowId: `sub${index}` },
      ),
    ),
  );
  const { data, meta, message } = await check({ workflowId: "large" });
  expect(message).toContain('"Large": 40 tools, 200 runs');
  expect(data).toMatchObject({ toolsLeftOut: 20 });
  const broken = data.tools.map(({ invalid }) => invalid);
  expect(broken).toEqual(broken.toSorted((a, b) => b - a));
  expect(broken[0]).toBe(5);
  const args = z
    .looseObject({ workflowId: z.string(), limit: z.literal(20) })
    .parse(suggestedCall({ data: meta.leftOut }).args);
  expect(data.tools.map(({ workflowId }) => workflowId)).not.toContain(args.workflowId);
  expect(args.workflowId).toMatch(/^sub\d+$/);
});

test("a long report of a single tool suggests fewer runs", async () => {
  n8n.executions = Array.from({ length: 60 }, (_one, run) => {
    const names = Array.from(
      { length: 12 },
      (_name, index) => `${"注文を処理する".repeat(9)}${run} ${index}`,
    );
    const steps = names.map((node, index) => ({ node, from: names.slice(index - 1, index), sends: [[{}]] }));
    return toolRun(run + 1, steps);
  });
  const { data, meta } = await check({ workflowId: "w1", limit: 60 });
  expect(data.tools).toHaveLength(1);
  expect(data.tools[0]?.invalidAnswers.length).toBeGreaterThan(0);
  expect(meta.leftOut).toMatchObject({
    _guidance: { example: 'check_tool_contract({"workflowId":"w1","limit":30})' },
  });
});
