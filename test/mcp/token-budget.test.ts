/** Answers are fitted into the budget in a fixed order, errors last, stay valid, and each tool keeps its budget. */
import { readFile } from "node:fs/promises";
import Ajv from "ajv";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { inProject } from "../../scripts/project.ts";
import { TOOLS } from "../../src/features/index.ts";
import type { Envelope } from "../../src/mcp/envelope.ts";
import { envelopeSchema } from "../../src/mcp/envelope.ts";
import { fitIntoBudget, STEPS } from "../../src/mcp/token-budget.ts";
import { estimateTokens } from "../../src/mcp/token-estimate.ts";
import type { JsonValue } from "../../src/redaction/redact.ts";
import { startRecordedN8n } from "../recorded-n8n/server.ts";
import { createCaller, settingsFor } from "../support/call-recorded.ts";
import { casesOf, inBothLanes, runs } from "../support/lane.ts";
import { rawExecutionIds, readRawExecution } from "../support/raw-executions.ts";
import { countTokens } from "../support/token-counts.ts";

const cost = (value: unknown): number => estimateTokens(JSON.stringify(value));

/** The answer as `call-tool.ts` passes it. */
const answer = (data: JsonValue): JsonValue => ({ message: "A sentence that already answers.", data });
const fitData = (data: JsonValue, maxTokens: number) => {
  const { value, leftOut } = fitIntoBudget(answer(data), maxTokens);
  return { data: z.object({ data: z.unknown() }).parse(value).data, leftOut };
};

describe("fitIntoBudget", () => {
  test("leaves an answer that fits unchanged", () => {
    const data = { stack: "kept", items: [1, 2, 3] };
    expect(fitData(data, 1_000)).toEqual({ data, leftOut: undefined });
  });

  test("drops stacks first", () => {
    const data = { error: { message: "x".repeat(1_500), stack: "at x (y.ts:1:1)\n".repeat(500) } };
    expect(fitData(data, 1_500)).toEqual({
      data: { error: { message: "x".repeat(1_500) } },
      leftOut: { stacks: 1, shortenedStrings: 0, items: 0, members: 0 },
    });
  });

  test("then shortens strings, and says by how much", () => {
    const { data, leftOut } = fitData({ text: "word ".repeat(2_000), id: "abc" }, 1_000);
    expect(data).toMatchObject({
      id: "abc",
      text: expect.stringMatching(/^word .*… \[8000 more characters\]$/s),
    });
    expect(leftOut).toMatchObject({ shortenedStrings: 1, items: 0 });
  });

  test("never splits a character", () => {
    for (const shift of [0, 1]) {
      const { data } = fitData({ text: `${"a".repeat(shift)}${"🚀".repeat(3_000)}` }, 500);
      expect(JSON.stringify(data)).not.toMatch(/\\ud[89a-f]/i);
    }
  });

  test("then keeps fewer items, in their order, and those with errors longest", () => {
    const items = Array.from({ length: 900 }, (_item, index) => ({
      index,
      status: index % 300 === 299 ? "error" : "success",
      note: "some words about it",
    }));
    for (const budget of [8_000, 2_000, 700, 300]) {
      const { data, leftOut } = fitData({ list: items }, budget);
      const { list } = z.object({ list: z.array(z.looseObject({ index: z.number() })) }).parse(data);
      const indexes = list.map(({ index }) => index);
      expect(indexes).toEqual([...indexes].sort((a, b) => a - b));
      const errors = indexes.filter((index) => index % 300 === 299);
      expect(errors.length).toBe(Math.min(3, list.length));
      expect(leftOut?.items).toBe(900 - list.length);
    }
  });

  test("also keeps failed nodes among members longest", () => {
    const node = (status: string) => [{ status, data: "some words about it" }];
    const runData = Object.fromEntries(
      Array.from({ length: 200 }, (_node, index) => [
        `Node ${index}`,
        node(index === 150 ? "error" : "success"),
      ]),
    );
    const { data } = fitData({ data: { resultData: { runData } } }, 900);
    const text = JSON.stringify(data);
    expect(text).toContain("Node 150");
    expect(text).toContain("Node 0");
    expect(text).not.toContain("Node 149");
  });

  test("does not shorten ids", () => {
    const traceId = `trace_${"0123456789abcdef".repeat(2)}`;
    const many = Array.from({ length: 500 }, (_item, index) => ({ text: `word ${index} `.repeat(30) }));
    expect(fitData({ traceId, many }, 200).data).toMatchObject({ traceId });
  });

  test("leaves guidance whole, as half a call is useless", () => {
    const _guidance = {
      message: "See.",
      example: `get_execution_by_node({"id":"1","nodeName":"${"n".repeat(80)}"})`,
    };
    const many = Array.from({ length: 500 }, () => ({ text: "word ".repeat(30) }));
    expect(fitData({ _guidance, many }, 300).data).toMatchObject({ _guidance });
  });

  test("cuts a page at its end, and says where the next one starts", () => {
    const items = Array.from({ length: 60 }, (_item, index) => ({
      json: { index, status: index === 59 ? "error" : "" },
    }));
    const page = { items, offset: 40, total: 500, nextOffset: 100 };
    const { data } = fitData({ output: page }, 500);
    const { output } = z
      .object({ output: z.object({ items: z.array(z.unknown()), nextOffset: z.number() }) })
      .parse(data);
    expect(output.items.length).toBeLessThan(60);
    expect(output.items).toEqual(items.slice(0, output.items.length));
    expect(output.nextOffset).toBe(40 + output.items.length);
  });

  test("does not change offsets of a page in payload", () => {
    const theirs = {
      items: Array.from({ length: 600 }, (_item, index) => index),
      offset: 0,
      nextOffset: 600,
    };
    const { data } = fitData({ startData: { body: theirs } }, 500);
    expect(data).toMatchObject({ startData: { body: { offset: 0, nextOffset: 600 } } });
  });

  test("fits wide and deep data with long keys", () => {
    const wide = (depth: number): JsonValue =>
      depth === 0
        ? "some words"
        : Object.fromEntries(
            Array.from({ length: 12 }, (_member, index) => [`member ${index}`, wide(depth - 1)]),
          );
    let deep: JsonValue = "end";
    for (let depth = 0; depth < 150; depth += 1) deep = { deeper: [deep, "x"] };
    const longKeys = Object.fromEntries(
      Array.from({ length: 50 }, (_member, index) => [`${"key ".repeat(1_000)}${index}`, index]),
    );
    const data = {
      id: "1",
      input: { items: [{ json: wide(4) }], offset: 0, total: 1, nextOffset: null },
      output: { items: [{ json: { deep, longKeys } }], offset: 0, total: 1, nextOffset: null },
    };
    const { data: fitted } = fitData(data, 3_000);
    expect(cost(fitted)).toBeLessThanOrEqual(3_000);
    expect(fitted).toMatchObject({ id: "1", input: { total: 1 }, output: { total: 1 } });
  });

  test("keeps two long keys with the same beginning apart", () => {
    const keys = { [`${"k ".repeat(500)}a`]: 1, [`${"k ".repeat(500)}b`]: 2 };
    expect(
      Object.values(z.record(z.string(), z.unknown()).parse(fitData({ list: [keys] }, 150).data)),
    ).toHaveLength(1);
    expect(JSON.stringify(fitData({ list: [keys] }, 150).data)).toMatch(/:1,.*:2\}/);
  });

  test("throws if nothing helps", () => {
    expect(() => fitIntoBudget(answer({ text: "word ".repeat(100) }), 3)).toThrow(RangeError);
  });

  test("fits any data into valid JSON, with the same result each time", inBothLanes, () => {
    const data = fc.dictionary(fc.string({ maxLength: 12 }), fc.jsonValue({ maxDepth: 6 }), { maxKeys: 8 });
    fc.assert(
      fc.property(data, fc.integer({ min: 1, max: 60 }), (value, copies) => {
        const json: unknown = JSON.parse(JSON.stringify(value));
        const list = z.array(z.json()).parse(Array.from({ length: copies }, () => json));
        const once = fitIntoBudget(answer({ list }), 2_000);
        expect(cost(once.value)).toBeLessThanOrEqual(2_000);
        expect(JSON.stringify(fitIntoBudget(answer({ list }), 2_000).value)).toBe(JSON.stringify(once.value));
        expect(JSON.parse(JSON.stringify(once.value))).toEqual(once.value);
      }),
      { numRuns: runs(300), endOnFailure: true, interruptAfterTimeLimit: 10_000 },
    );
  });
});

test("a URL is kept whole or dropped", () => {
  const url = `https://n8n.test/workflow/${"w".repeat(60)}/executions/1`;
  const rows = Array.from({ length: 200 }, (_row, index) => ({
    id: String(index),
    name: "x".repeat(90),
    url,
  }));
  const { value, leftOut } = fitIntoBudget({ message: "m", data: { url, rows } }, 300);
  expect(leftOut?.shortenedStrings).toBeGreaterThan(0);
  expect(JSON.stringify(value).match(/https:[^"]*/g)).toEqual([url, url]);
});

test("docs/limits.md has the steps of the code", async () => {
  const text = await readFile(inProject("docs", "limits.md"), "utf8");
  const rows = [...text.matchAll(/^\| [1-9]\d* \|[^|]*\|([^|]*)\|([^|]*)\|([^|]*)\|([^|]*)\|$/gm)];
  const limit = (cell = ""): number =>
    /whole|all/.test(cell) ? Number.POSITIVE_INFINITY : Number(cell.replaceAll(/[^\d]/g, ""));
  expect(
    rows.map(([, strings, items, members, levels]) => ({
      maxString: limit(strings),
      maxItems: limit(items),
      maxMembers: limit(members),
      maxDepth: limit(levels),
    })),
  ).toEqual(STEPS);
});

const n8n = await startRecordedN8n({ multiplyTo: 150 });
const caller = createCaller({ settings: settingsFor(n8n) });

afterAll(async () => await n8n.close());

const budgetOf = (tool: string): number => TOOLS.find(({ name }) => name === tool)?.maxTokens ?? 0;

/** Expects the tokens that a model reads to be within the tool's budget. */
function expectWithinBudget(tool: string, envelope: Envelope): number {
  expect(envelope.status, JSON.stringify(envelope).slice(0, 300)).toBe("success");
  const tokens = countTokens(JSON.stringify(envelope));
  expect(tokens).toBeLessThanOrEqual(budgetOf(tool));
  return tokens;
}

describe("every answer on the recording is within its budget, by real tokenizers:", () => {
  test("summaries, details and nodes", inBothLanes, async () => {
    const ids = (await rawExecutionIds(n8n)).filter((id) =>
      n8n.scenarios.some(({ expected }) => expected.executionIds.includes(id)),
    );
    expect(ids.length).toBeGreaterThan(40);
    for (const id of casesOf(ids, 4)) {
      expectWithinBudget("get_execution", await caller.call("get_execution", { id }));
      expectWithinBudget(
        "get_execution_details",
        await caller.call("get_execution_details", { executionId: id }),
      );
      const { data } = await readRawExecution(n8n, id);
      for (const nodeName of Object.keys(data.resultData.runData)) {
        const args = { id, nodeName, limit: 100 };
        expectWithinBudget("get_execution_by_node", await caller.call("get_execution_by_node", args));
      }
    }
  });

  test("traces", async () => {
    const tokens: number[] = [];
    for (const { requestId } of n8n.scenarios) {
      tokens.push(expectWithinBudget("trace_request", await caller.call("trace_request", { requestId })));
    }
    console.info(`tokens of the traces: at most ${Math.max(...tokens)}`);
  });

  test("lists and the checklist", async () => {
    expectWithinBudget("list_workflows", await caller.call("list_workflows", { limit: 100 }));
    expectWithinBudget("check_connection", await caller.call("check_connection", {}));
    const full = await caller.call("get_workflow_executions", { limit: 100 });
    const tokens = expectWithinBudget("get_workflow_executions", full);
    expect(full.meta.leftOut).toBeUndefined();
    console.info(`tokens of 100 executions: ${tokens}`);
  });
});

describe("get_execution on a large execution", () => {
  const HUGE = "ワークフローの注文を検証して顧客の住所を正規化するノード番号";

  /** An execution as n8n sends it, with long names and a huge error. */
  function largeExecution(name: (index: number) => string, count: number): unknown {
    const error = {
      message: `${HUGE} `.repeat(500),
      description: "x".repeat(50_000),
      stack: "at x (y.ts:1:1)\n".repeat(5_000),
      node: {
        name: name(count - 1),
        type: "n8n-nodes-base.code",
        parameters: { jsCode: "x".repeat(100_000) },
      },
    };
    const run = (index: number) => ({
      startTime: 1_790_000_000_000 + index,
      executionTime: 3,
      executionIndex: index,
      executionStatus: index === count - 1 ? "error" : "success",
      source: [],
      data: { main: [[{ json: { text: HUGE } }]] },
      metadata: { subExecution: { executionId: String(90_000 + index), workflowId: "abcdefghijklmnop" } },
      ...(index === count - 1 ? { error } : {}),
    });
    const indexes = Array.from({ length: count }, (_node, index) => index);
    return {
      id: "77777",
      workflowId: "abcdefghijklmnop",
      status: "error",
      mode: "webhook",
      startedAt: "2026-11-20T10:00:00.000Z",
      stoppedAt: "2026-11-20T10:10:00.000Z",
      retryOf: "77776",
      retrySuccessId: "77778",
      workflowData: {
        id: "abcdefghijklmnop",
        name: HUGE.repeat(3),
        nodes: indexes.map((index) => ({ name: name(index), type: "@n8n/n8n-nodes-langchain.toolWorkflow" })),
      },
      data: {
        parentExecution: { executionId: "77775", workflowId: "ponmlkjihgfedcba" },
        resultData: {
          error,
          lastNodeExecuted: name(count - 1),
          runData: Object.fromEntries(indexes.map((index) => [name(index), [run(index)]])),
        },
      },
    };
  }

  const summarize = async (execution: unknown): Promise<Envelope> =>
    await createCaller({ settings: settingsFor(n8n), fetch: async () => Response.json(execution) }).call(
      "get_execution",
      { id: "77777" },
    );

  test.each([
    ["500 nodes with long Japanese names", (index: number) => `${HUGE}${index}`, 500],
    ["500 nodes with very long Japanese names", (index: number) => `${HUGE.repeat(8)}${index}`, 500],
    ["500 nodes with emoji", (index: number) => `${"🚀🎉🧑🏽‍🚒".repeat(20)}${index}`, 500],
    [
      "500 nodes with random names",
      (index: number) => `${Buffer.from(`node ${index}`).toString("hex").repeat(10)}`,
      500,
    ],
    ["2,000 nodes with short names", (index: number) => `N${index}`, 2_000],
    ["one node", () => HUGE, 1],
  ])("of %s takes at most 1,000 tokens, with the failed node and the links", async (_name, name, count) => {
    const execution = largeExecution(name, count);
    const summary = await summarize(execution);
    const tokens = expectWithinBudget("get_execution", summary);
    expect(tokens).toBeLessThanOrEqual(1_000);
    expect(summary.data).toMatchObject({
      id: "77777",
      status: "error",
      statistics: { totalNodes: count, executedNodes: count, failedNodes: 1 },
      links: { parent: { executionId: "77775" }, retryOf: "77776", retrySuccessId: "77778" },
    });
    const nodes = z
      .array(z.looseObject({ status: z.string() }))
      .parse(Reflect.get(Object(summary.data), "availableNodes"));
    expect(nodes.some(({ status }) => status === "error")).toBe(true);
  });

  test("suggests a working call", async () => {
    const summary = await summarize(largeExecution((index) => `${HUGE}${index}`, 500));
    const example = String(Reflect.get(Object(Reflect.get(Object(summary.data), "_guidance")), "example"));
    expect(example).toBe('explain_failure({"executionId":"77777"})');
  });
});

test("an error is small, even if the names in it are long", async () => {
  const name = (index: number) => `${"漢字のノード".repeat(200)}${index}`;
  const runData = Object.fromEntries(
    Array.from({ length: 50 }, (_node, index) => [
      name(index),
      [{ startTime: 1, executionTime: 1, source: [] }],
    ]),
  );
  const execution = {
    id: "1",
    workflowId: "w",
    status: "success",
    mode: "webhook",
    workflowData: { nodes: [] },
    data: { resultData: { runData } },
  };
  const { call } = createCaller({ settings: settingsFor(n8n), fetch: async () => Response.json(execution) });
  const envelope = await call("get_execution_by_node", { id: "1", nodeName: "x" });
  expect(envelope).toMatchObject({ status: "error", data: { code: "NODE_NOT_FOUND" } });
  expect(countTokens(JSON.stringify(envelope))).toBeLessThan(2_000);
});

// A v1 client compiles it with ajv and checks every structured answer, errors included.
test.each(TOOLS.map((tool) => [tool.name, tool] as const))(
  "the advertised output schema of %s is valid for all answers",
  async (name, tool) => {
    const schema = z.toJSONSchema(envelopeSchema(tool.output), { target: "draft-7" });
    const validate = new Ajv({ strict: false }).compile(schema);
    const good: Record<string, object> = {
      trace_request: { requestId: "req-deep-failure" },
      search_executions: { text: "req-deep-failure" },
      get_execution: { id: n8n.scenarios[0]?.expected.entryIds[0] },
      get_execution_by_node: { id: n8n.scenarios[0]?.expected.entryIds[0], nodeName: "Webhook" },
      explain_failure: { executionId: n8n.scenarios[0]?.expected.entryIds[0] },
      explain_agent_run: { executionId: n8n.scenarios[0]?.expected.entryIds[0] },
      get_execution_details: { executionId: n8n.scenarios[0]?.expected.entryIds[0] },
      compare_executions: { id: "7" },
      get_workflow: { workflowId: "1XeIfz7HPI4BwIKP", format: "git" },
      check_tool_contract: { workflowId: "1XeIfz7HPI4BwIKP" },
      diff_workflow: { workflowId: "1XeIfz7HPI4BwIKP", against: '{"nodes":[],"connections":{}}' },
      validate_atdf: { atdf: "description: d" },
    };
    const answers = [
      await caller.call(name, good[name] ?? {}),
      await caller.call(name, { unknown: 1 }),
      await createCaller({ settings: {}, scopes: [] }).call(name, {}),
    ];
    expect(answers.map(({ status }) => status)).toEqual(["success", "error", "error"]);
    for (const each of answers) {
      validate(JSON.parse(JSON.stringify(each)));
      expect(validate.errors ?? []).toEqual([]);
    }
    expect(validate({ status: "success", data: {}, meta: {} })).toBe(false);
  },
);
