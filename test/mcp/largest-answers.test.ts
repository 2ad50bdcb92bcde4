/**
 * The largest answers of every tool are within the budget by real tokenizers, valid by the advertised schema, and
 * contain the failure and a working call for what was left out.
 */
import Ajv from "ajv";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { TOOLS } from "../../src/features/index.ts";
import { type Envelope, envelopeSchema } from "../../src/mcp/envelope.ts";
import { estimateTokens } from "../../src/mcp/token-estimate.ts";
import { type Caller, createCaller, FAKE_SETTINGS } from "../support/call-recorded.ts";
import {
  createFakeN8n,
  type FakeExecution,
  fakeExecution,
  jsonAnswer,
  webhookData,
} from "../support/fake-n8n.ts";
import { inBothLanes, sizeOf } from "../support/lane.ts";
import { EMOJI, JAPANESE, largeExecution, largeKinds, long } from "../support/large-executions.ts";
import { countTokens } from "../support/token-counts.ts";

interface Instance {
  readonly executions: readonly FakeExecution[];
  readonly workflows?: readonly { readonly id: string }[];
  readonly scopes?: readonly string[];
}

/** A caller on an n8n with these executions, workflows and scopes. */
function callerOn({ executions, workflows = [], scopes = [] }: Instance): Caller {
  const fake = createFakeN8n(executions);
  fake.intercept = (url) => {
    if (url.pathname.endsWith("/discover")) return jsonAnswer({ data: { scopes } });
    const one = workflows.find(({ id }) => url.pathname.endsWith(`/workflows/${id}`));
    if (one !== undefined) return jsonAnswer(one);
    if (!url.pathname.endsWith("/workflows")) return undefined;
    const limit = Number(url.searchParams.get("limit"));
    const nextCursor = workflows.length > limit ? btoa(JSON.stringify({ limit, offset: limit })) : null;
    return jsonAnswer({ data: workflows.slice(0, limit), nextCursor });
  };
  return createCaller({ fetch: fake.fetch });
}

const validators = new Map(
  TOOLS.map(({ name, output, maxTokens }) => {
    const schema = z.toJSONSchema(envelopeSchema(output), { target: "draft-7" });
    return [name, { validate: new Ajv({ strict: false }).compile(schema), maxTokens }] as const;
  }),
);

/** Expects a success, within the budget and valid by its schema. */
function expectFits(tool: string, envelope: Envelope): void {
  const text = JSON.stringify(envelope);
  expect(envelope.status, text.slice(0, 300)).toBe("success");
  const { validate, maxTokens = 0 } = validators.get(tool) ?? {};
  expect(countTokens(text)).toBeLessThanOrEqual(maxTokens);
  // The estimate, which decides, is on the safe side.
  expect(estimateTokens(text)).toBeLessThanOrEqual(maxTokens);
  validate?.(JSON.parse(text));
  expect(validate?.errors ?? []).toEqual([]);
}

const guidance = z.strictObject({ message: z.string(), example: z.string() });
const leftOut = z.strictObject({
  stacks: z.number().positive().optional(),
  shortenedStrings: z.number().positive().optional(),
  items: z.number().positive().optional(),
  members: z.number().positive().optional(),
  _guidance: guidance,
});

interface Suggested {
  readonly tool: string;
  readonly args: Record<string, unknown>;
}

/** The call that returns what was left out. */
function suggestedBy(envelope: Envelope): Suggested {
  const { _guidance } = leftOut.parse(envelope.meta.leftOut);
  const [, tool = "", args = ""] = /^(\w+)\((.*)\)$/s.exec(_guidance.example) ?? [];
  return { tool, args: z.record(z.string(), z.unknown()).parse(JSON.parse(args)) };
}

const budgetCall = async (caller: Caller, tool: string, args: Record<string, unknown>): Promise<Envelope> => {
  const answer = await caller.call(tool, args);
  expectFits(tool, answer);
  return answer;
};

const item = z.looseObject({ json: z.unknown() });
const page = z.looseObject({
  items: z.array(item),
  total: z.number(),
  offset: z.number(),
  nextOffset: z.number().nullable(),
});
const nodeData = z.looseObject({ input: page, output: page });
const details = z.looseObject({
  data: z.looseObject({
    resultData: z.looseObject({
      runData: z.record(z.string(), z.array(z.looseObject({ status: z.string() }))),
    }),
  }),
});

const MEGABYTE = 1024 * 1024;
const LARGE = largeKinds(sizeOf(5 * MEGABYTE, MEGABYTE / 2), sizeOf(10_000, 1_000));
describe.each(Object.entries(LARGE))("one execution with %s", inBothLanes, (name, options) => {
  const { nodes, nodeName } = options;
  const failed = Math.floor(nodes / 2);
  const caller = callerOn({ executions: [largeExecution(7, options)] });

  test("has a reason in explain_failure", async () => {
    const { data } = await budgetCall(caller, "explain_failure", { executionId: "7" });
    expect(data).toMatchObject({ executionId: "7", explanation: { confidence: "exact" } });
  });

  test("has its failed node in get_execution", async () => {
    const summary = await budgetCall(caller, "get_execution", { id: "7" });
    expect(summary.data).toMatchObject({
      status: "error",
      statistics: { totalNodes: nodes, failedNodes: 1 },
    });
    const { availableNodes } = z
      .looseObject({ availableNodes: z.array(z.looseObject({ status: z.string() })) })
      .parse(summary.data);
    expect(availableNodes.some(({ status }) => status === "error")).toBe(true);
    if (!("leftOut" in summary.meta)) return;
    const { tool, args } = suggestedBy(summary);
    const nearest = await caller.call(tool, args);
    expect(nearest.data).toMatchObject({
      code: "NODE_NOT_FOUND",
      details: { candidates: expect.any(Array) },
    });
  });

  test("has its first failed node in compare_executions", async () => {
    const usual = { ...largeExecution(6, { ...options, items: () => [{ other: 1 }] }), status: "success" };
    const both = callerOn({ executions: [largeExecution(7, options), usual] });
    const { data } = await budgetCall(both, "compare_executions", { id: "7" });
    expect(data).toMatchObject({ firstDifference: { by: "keys" }, before: { id: "6" } });
  });

  test("is passed completely by get_execution_by_node, whose suggested calls return more", async () => {
    let args: Record<string, unknown> = { id: "7", nodeName: nodeName(failed), limit: 100 };
    let end = 0;
    for (let calls = 0; calls < 20 && end < 100; calls += 1) {
      const answer = await budgetCall(caller, "get_execution_by_node", args);
      const { output } = nodeData.parse(answer.data);
      expect(output.offset).toBe(end);
      end += output.items.length;
      if ("leftOut" in answer.meta) {
        const { tool, args: more } = suggestedBy(answer);
        expect(more).not.toMatchObject(args);
        if (more.limit === 1 || tool !== "get_execution_by_node") await budgetCall(caller, tool, more);
        else expect(more).toMatchObject({ offset: end });
      }
      if (output.nextOffset === null) break;
      args = { ...args, offset: output.nextOffset };
    }
    expect(end).toBeGreaterThanOrEqual(Math.min(100, options.items(failed).length));
  });

  test("keeps its failed node in get_execution_details, which names other nodes that it leaves out", async () => {
    const whole = await budgetCall(caller, "get_execution_details", { executionId: "7" });
    const { runData } = details.parse(whole.data).data.resultData;
    expect(
      Object.values(runData)
        .flat()
        .some(({ status }) => status === "error"),
    ).toBe(true);
    if (nodes >= 500) expect(whole.meta).toHaveProperty("leftOut");
    if (!("leftOut" in whole.meta)) return;
    const { tool, args } = suggestedBy(whole);
    const more = await budgetCall(caller, tool, args);
    if (tool !== "get_execution_details") return;
    const others = Object.keys(details.parse(more.data).data.resultData.runData);
    expect(others.length).toBeGreaterThan(0);
    expect(others.filter((other) => other in runData)).toEqual([]);
  });

  test("fits in trace_request and search_executions", async () => {
    await budgetCall(caller, "trace_request", { requestId: "r-7" });
    const text = name.includes("Japanese") ? JAPANESE.slice(0, 10) : "or";
    await budgetCall(caller, "search_executions", { text, maxHits: 50 });
  });
});

describe("many executions", () => {
  const NAMES: [string, string][] = [
    ["Japanese", JAPANESE],
    ["emoji", EMOJI],
    ["random letters", "q8Zr7vN1cYp6Hx3k"],
  ];

  /** A request of sixty executions, one of which failed. */
  function family(text: string): FakeExecution[] {
    const child = (index: number): FakeExecution =>
      fakeExecution(100 + index, "another", {
        mode: "integrated",
        status: index === 40 ? "error" : "success",
        workflowId: `w${index}`,
        workflowData: { name: `${long(text, 120)}${index}`, nodes: [] },
        data: {
          parentExecution: { executionId: "100", workflowId: "w0" },
          resultData: {
            runData: {},
            ...(index === 40
              ? { error: { message: long(text, 50_000) }, lastNodeExecuted: long(text, 250) }
              : {}),
          },
        },
      });
    const root = fakeExecution(100, "req-large", {
      status: "error",
      workflowData: { name: long(text, 128), nodes: [] },
    });
    return [root, ...Array.from({ length: 59 }, (_one, index) => child(index + 1))];
  }

  test.each(NAMES)("fit in trace_request with names of %s", async (_name, text) => {
    const answer = await budgetCall(callerOn({ executions: family(text) }), "trace_request", {
      requestId: "req-large",
    });
    expect(answer.data).toMatchObject({ found: true, outcome: "error", failure: { executionId: "140" } });
    if (!("leftOut" in answer.meta)) return;
    expect(suggestedBy(answer)).toMatchObject({ tool: "get_execution", args: { id: "140" } });
  });

  test.each(NAMES)("are all found by search_executions in steps, values of %s", async (_name, text) => {
    const hit = `${long(text, 300)} C-20417 ${long(text, 300)}`;
    const executions = Array.from({ length: 60 }, (_one, index) =>
      fakeExecution(index + 1, `r-${index}`, {
        data: webhookData({ a: hit }, { b: hit }, { c: hit }),
        workflowData: { name: long(text, 128), nodes: [] },
      }),
    );
    const caller = callerOn({ executions });
    const hits = z.looseObject({
      hits: z.array(z.looseObject({ executionId: z.string() })),
      searchId: z.string(),
      coverage: z.looseObject({ complete: z.boolean() }),
    });
    const first = await budgetCall(caller, "search_executions", { text: "C-20417", maxHits: 50 });
    const { tool, args } = suggestedBy(first);
    expect({ tool, args }).toMatchObject({
      tool: "search_executions",
      args: { startedBefore: expect.any(String), limit: expect.any(Number) },
    });
    const query = { ...args, text: "C-20417" };
    const found = hits.parse(first.data).hits.map(({ executionId }) => executionId);
    expect(found.length).toBeLessThan(60);
    let searchId: string | undefined;
    for (let calls = 0; calls < 100; calls += 1) {
      const step = await budgetCall(caller, tool, searchId === undefined ? query : { ...query, searchId });
      const data = hits.parse(step.data);
      found.push(...data.hits.map(({ executionId }) => executionId));
      searchId = data.searchId;
      if (data.coverage.complete) break;
    }
    expect(new Set(found).size).toBe(60);
  });

  test.each(NAMES)("fit in pages of both lists, with names of %s", async (_n, text) => {
    const workflows = Array.from({ length: 200 }, (_one, index) => ({
      id: `w${index}`,
      name: `${long(text, 300)}${index}`,
      active: true,
      createdAt: "2026-01-01T00:00:00.000Z",
      updatedAt: "2026-01-01T00:00:00.000Z",
      tags: Array.from({ length: 12 }, (_tag, at) => ({ id: String(at), name: `${long(text, 24)}${at}` })),
      nodes: [],
    }));
    const executions = workflows.map(({ id }, index) => fakeExecution(index + 1, "r", { workflowId: id }));
    const caller = callerOn({ executions, workflows });
    const list = z.looseObject({
      executions: z.array(z.unknown()).optional(),
      workflows: z.array(z.unknown()).optional(),
      nextCursor: z.string(),
    });
    for (const tool of ["get_workflow_executions", "list_workflows"]) {
      const full = await budgetCall(caller, tool, { limit: 100 });
      if (!("leftOut" in full.meta)) continue;
      const shown = list.parse(full.data);
      const count = (shown.executions ?? shown.workflows ?? []).length;
      const suggested = suggestedBy(full);
      expect(suggested).toMatchObject({ tool, args: { limit: count } });
      const smaller = list.parse((await budgetCall(caller, tool, suggested.args)).data);
      expect((smaller.executions ?? smaller.workflows ?? []).length).toBe(count);
    }
    const listed = await caller.call("list_workflows", { limit: 100 });
    expect(listed.meta).toHaveProperty("leftOut");
  });

  test.each(NAMES)("do not matter to check_connection, which fits with scopes of %s", async (_name, text) => {
    const scopes = Array.from({ length: 300 }, (_scope, index) => `${long(text, 500)}${index}:write`);
    const answer = await budgetCall(callerOn({ executions: [], scopes }), "check_connection", {});
    expect(answer.meta).not.toHaveProperty("leftOut");
  });
});

test.each([
  ["Japanese", JAPANESE],
  ["emoji", EMOJI],
])("a digest of everything fits with names in %s", async (_name, text) => {
  const startedAt = (index: number): string => new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString();
  const executions = Array.from({ length: 400 }, (_one, index) => {
    const name = `${long(text, 250)}${index % 60}`;
    const error = { name: "NodeApiError", httpCode: "503", message: long(text, 2_000), node: { name } };
    const failed = {
      startTime: 1,
      executionTime: 1,
      executionIndex: 0,
      executionStatus: "error",
      source: [],
      error,
    };
    return fakeExecution(index + 1, "r", {
      workflowId: `w${index % 60}`,
      status: "error",
      startedAt: startedAt(index),
      stoppedAt: startedAt(index),
      workflowData: { name, nodes: [{ name, type: "n8n-nodes-base.httpRequest" }] },
      data: { resultData: { runData: { [name]: [failed] }, error, lastNodeExecuted: name } },
    });
  });
  const workflows = Array.from({ length: 60 }, (_one, index) => ({ id: `w${index}`, name: text }));
  const caller = callerOn({ executions, workflows });
  const window = { startedAfter: "2026-01-01", startedBefore: "2026-01-02", timeBudgetMs: 55_000 };
  const answer = await budgetCall(caller, "summarize_failures", window);
  const digest = z.looseObject({
    groups: z.array(z.looseObject({ group: z.string() })).min(1),
  });
  const [first] = digest.parse(answer.data).groups;
  await budgetCall(caller, "summarize_failures", { ...window, group: first?.group });
  if ("leftOut" in answer.meta) {
    const { tool, args } = suggestedBy(answer);
    await budgetCall(caller, tool, args);
  }
});

test("a suggested call does not repeat a secret of the caller's", async () => {
  const workflows = Array.from({ length: 100 }, (_one, index) => ({
    id: `w${index}`,
    name: long(JAPANESE, 300),
    active: true,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    tags: Array.from({ length: 12 }, (_tag, at) => ({ name: `${long(JAPANESE, 24)}${at}` })),
    nodes: [],
  }));
  const answer = await callerOn({ executions: [], workflows }).call("list_workflows", {
    name: `${FAKE_SETTINGS.N8N_API_KEY}`,
    limit: 100,
  });
  expect(JSON.stringify(answer)).not.toContain(FAKE_SETTINGS.N8N_API_KEY);
  expect(answer.meta.leftOut).toMatchObject({ solution: expect.any(String) });
});
