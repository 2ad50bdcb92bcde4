/** The input and output of every node of every recorded execution equal n8n's data. */
import { afterAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { createRedactor } from "../../../src/redaction/redact.ts";
import { startRecordedN8n } from "../../recorded-n8n/server.ts";
import { type Caller, createCaller, settingsFor } from "../../support/call-recorded.ts";
import { dataOf, errorOf } from "../../support/envelopes.ts";
import { jsonAnswer } from "../../support/fake-n8n.ts";
import { casesOf, inBothLanes, sizeOf } from "../../support/lane.ts";
import { givenTo, rawExecutionIds, readRawExecution, sentBy } from "../../support/raw-executions.ts";

const page = z.object({
  items: z.array(z.looseObject({ json: z.unknown() })),
  offset: z.number(),
  total: z.number(),
  nextOffset: z.number().nullable(),
});
const nodeData = z.object({
  executionId: z.string(),
  nodeName: z.string(),
  nodeType: z.string().nullable(),
  status: z.string(),
  executionTime: z.number(),
  startTime: z.iso.datetime().nullable(),
  endTime: z.iso.datetime().nullable(),
  run: z.number(),
  runs: z.number(),
  outputIndex: z.number(),
  outputs: z.number(),
  input: page.extend({
    sources: z.array(
      z.object({ nodeName: z.string(), output: z.number(), run: z.number(), count: z.number() }),
    ),
  }),
  output: page,
  parameters: z.unknown(),
  error: z.looseObject({ message: z.string() }).nullable(),
});
type NodeData = z.infer<typeof nodeData>;

const n8n = await startRecordedN8n();
let caller = createCaller({ settings: settingsFor(n8n) });
/** Expected values are redacted, too; the redactor has its own tests. */
const redact = createRedactor([]);
/** Marks are numbered over the whole answer, and a test compares only a part of it. */
const unnumbered = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replace(/(\[REDACTED:[a-z-]+)#\d+\]/g, "$1]"));

afterAll(async () => await n8n.close());

async function ask(args: Record<string, unknown>): Promise<NodeData> {
  return dataOf(await caller.call("get_execution_by_node", args), nodeData);
}

const jsonOf = ({ items }: { readonly items: readonly { json?: unknown }[] }): unknown[] =>
  items.map(({ json }) => json);

test("the input and output of every run and output of every node equal n8n's data", inBothLanes, async () => {
  let compared = 0;
  for (const id of casesOf(await rawExecutionIds(n8n), 3)) {
    const execution = await readRawExecution(n8n, id);
    for (const [nodeName, runs] of Object.entries(execution.data.resultData.runData)) {
      for (const [run, raw] of runs.entries()) {
        const outputs = Math.max(1, Object.values(raw.data ?? {})[0]?.length ?? 0);
        for (let output = 0; output < outputs; output += 1) {
          const answer = await caller.call("get_execution_by_node", { id, nodeName, run, output, limit: 10 });
          const data = dataOf(answer, nodeData);
          expect(data).toMatchObject({
            executionId: id,
            nodeName,
            run,
            runs: runs.length,
            outputIndex: output,
          });
          const given = givenTo(raw, execution);
          const sent = sentBy(raw, output);
          expect([data.input.total, data.output.total]).toEqual([given.length, sent.length]);
          if ("leftOut" in answer.meta) continue;
          expect(unnumbered(jsonOf(data.input))).toEqual(unnumbered(redact(given.slice(0, 10)).value));
          expect(unnumbered(jsonOf(data.output))).toEqual(unnumbered(redact(sent.slice(0, 10)).value));
          compared += 1;
        }
      }
    }
  }
  expect(compared).toBeGreaterThan(sizeOf(150, 40));
});

describe("the input is what the sources sent, not the node's own output,", () => {
  test("for a failed node, which sent nothing", async () => {
    const data = await ask({ id: "34", nodeName: "Fetch Rate" });
    expect(data).toMatchObject({
      nodeType: "n8n-nodes-base.code",
      status: "error",
      error: { ownText: { message: 'Rate service refused sku "unknown" [line 1]' } },
      parameters: { language: "javaScript" },
      input: {
        items: [{ json: { requestId: "req-deep-failure", sku: "unknown" } }],
        sources: [{ nodeName: "Start", output: 0, run: 0, count: 1 }],
      },
      output: { items: [], total: 0 },
    });
    const { startTime, endTime, executionTime } = data;
    expect(Date.parse(endTime ?? "") - Date.parse(startTime ?? "")).toBe(executionTime);
  });

  test("for a tool that an agent called, by its inputOverride", async () => {
    const data = await ask({ id: "50", nodeName: "tool.valida_rango" });
    const query = { Start: "2026-01-10", End: "2026-01-11", requestId: "req-mcp" };
    expect(jsonOf(data.input)).toEqual([{ query }]);
    expect(data.input.sources).toEqual([]);
    expect(jsonOf(data.output)).toMatchObject([{ status: "success", requestId: "req-mcp" }]);
  });

  test("for each run of a loop", async () => {
    const runs = await Promise.all(
      [0, 1, 2, 3].map(async (run) => await ask({ id: "38", nodeName: "Loop", run })),
    );
    expect(runs.map(({ input }) => input.sources)).toEqual([
      [{ nodeName: "Explode", output: 0, run: 0, count: 5 }],
      [{ nodeName: "Send", output: 0, run: 0, count: 2 }],
      [{ nodeName: "Send", output: 0, run: 1, count: 2 }],
      [{ nodeName: "Send", output: 0, run: 2, count: 1 }],
    ]);
    const indexes = runs.map(({ output }) =>
      jsonOf(output).map((json) => z.object({ index: z.number() }).parse(json).index),
    );
    expect(indexes).toEqual([[0, 1], [2, 3], [4], [0, 1, 2, 3, 4]]);
    // The last run sends the result by the first output, the other runs continue by the second.
    expect(runs.map(({ outputIndex }) => outputIndex)).toEqual([1, 1, 1, 0]);
  });

  test("for the second output", async () => {
    const invalid = await ask({ id: "19", nodeName: "Error: Fechas Inválidas" });
    expect(invalid.input.sources).toEqual([{ nodeName: "Validar fechas", output: 1, run: 0, count: 1 }]);
    const branch = { id: "19", nodeName: "Validar fechas" };
    expect((await ask({ ...branch, output: 0 })).output.total).toBe(0);
    expect((await ask({ ...branch, output: 1 })).output.total).toBe(1);
    expect((await ask(branch)).outputIndex).toBe(1);
  });

  test("for a trigger, which has no input", async () => {
    expect((await ask({ id: "1", nodeName: "Webhook" })).input).toMatchObject({
      items: [],
      total: 0,
      sources: [],
    });
  });
});

async function walk(args: Record<string, unknown>, side: "input" | "output"): Promise<unknown[]> {
  const all: unknown[] = [];
  let offset: number | null = 0;
  for (let pages = 0; offset !== null; pages += 1) {
    expect(pages).toBeLessThan(200);
    const data: NodeData = await ask({ ...args, offset });
    expect(data[side].offset).toBe(offset);
    all.push(...data[side].items.map(({ json }) => json));
    offset = data[side].nextOffset;
  }
  return all;
}

describe("paging returns every item exactly once", () => {
  test.each(casesOf([7, 1, 100, 20], 2))("with a limit of %i", inBothLanes, async (limit) => {
    const execution = await readRawExecution(n8n, "48");
    const expected = sentBy(execution.data.resultData.runData.Generate?.[0], 0);
    expect(expected.length).toBeGreaterThan(20);
    const index = (json: unknown): number => z.object({ index: z.number() }).parse(json).index;
    for (const side of ["input", "output"] as const) {
      const walked = await walk({ id: "48", nodeName: "Copy", limit }, side);
      expect(walked.map(index)).toEqual(expected.map(index));
    }
  });

  test("and nothing past the end", async () => {
    const data = await ask({ id: "48", nodeName: "Copy", offset: 1_000_000 });
    expect(data.output).toMatchObject({ items: [], nextOffset: null });
    expect(data.output.total).toBeGreaterThan(20);
  });
});

/** An execution that is not recorded, with the runs of each node. */
function made(runData: Record<string, unknown>): Caller {
  const body = {
    id: "7",
    workflowId: "w",
    status: "success",
    mode: "webhook",
    startedAt: "2026-01-01T00:00:00.000Z",
    stoppedAt: "2026-01-01T00:00:01.000Z",
    retryOf: null,
    workflowData: { id: "w", name: "made", nodes: [] },
    data: { resultData: { runData } },
  };
  const text = JSON.stringify(body);
  return createCaller({
    settings: settingsFor(n8n),
    fetch: async () => jsonAnswer(text),
  });
}

const itemsOf = (name: string, count: number) =>
  Array.from({ length: count }, (_item, index) => ({ json: { from: name, index, note: "some words" } }));
const runOf = (source: unknown[], ...outputs: unknown[][]) => [
  { startTime: 1, executionTime: 1, executionStatus: "success", source, data: { main: outputs } },
];
const from = (previousNode: string, previousNodeOutput = 0) => ({
  previousNode,
  previousNodeOutput,
  previousNodeRun: 0,
});

describe("several sources", () => {
  test.each([1, 2, 3, 5, 50])("are joined, in pages of %i", async (limit) => {
    caller = made({
      A: runOf([], itemsOf("A", 3)),
      B: runOf([], [], itemsOf("B", 4)),
      // The last source is the same output as the first.
      Merge: runOf([from("A"), null, from("B", 1), from("A")], itemsOf("Merge", 10)),
    });
    const expected = [...itemsOf("A", 3), ...itemsOf("B", 4), ...itemsOf("A", 3)].map(({ json }) => json);
    expect(await walk({ id: "7", nodeName: "Merge", limit }, "input")).toEqual(expected);
    expect(await walk({ id: "7", nodeName: "Merge", limit }, "output")).toEqual(
      itemsOf("Merge", 10).map(({ json }) => json),
    );
    caller = createCaller({ settings: settingsFor(n8n) });
  });

  test("count as nothing where their data is gone", async () => {
    const { call } = made({ B: runOf([from("Deleted"), null], itemsOf("B", 1)) });
    const data = dataOf(await call("get_execution_by_node", { id: "7", nodeName: "B" }), nodeData);
    expect(data.input).toMatchObject({ items: [], total: 0, sources: [{ nodeName: "Deleted", count: 0 }] });
  });
});

test("a page that does not fit is cut where the next one starts", async () => {
  const wide = (count: number) =>
    Array.from({ length: count }, (_item, index) => ({
      json: {
        index,
        ...Object.fromEntries(Array.from({ length: 40 }, (_m, at) => [`member${at}`, `value ${at}`])),
      },
    }));
  caller = made({ A: runOf([], wide(120)), B: runOf([from("A")], wide(120)) });
  const first = await caller.call("get_execution_by_node", { id: "7", nodeName: "B", limit: 100 });
  expect(first.meta).toMatchObject({
    leftOut: { _guidance: { example: expect.stringMatching(/"offset":[1-9]/) } },
  });
  const walked = await walk({ id: "7", nodeName: "B", limit: 100 }, "output");
  expect(walked.map((json) => z.object({ index: z.number() }).parse(json).index)).toEqual(
    Array.from({ length: 120 }, (_item, index) => index),
  );
  caller = createCaller({ settings: settingsFor(n8n) });
});

describe("an error is returned for", () => {
  test("an unknown node, with the nearest names", async () => {
    const error = errorOf(
      await caller.call("get_execution_by_node", { id: "34", nodeName: "fetchrate" }),
      "NODE_NOT_FOUND",
    );
    expect(error.details).toMatchObject({ field: "nodeName", candidates: ["Fetch Rate", "Start"] });
  });

  test("a node that did not run, which says so", async () => {
    const error = errorOf(
      await caller.call("get_execution_by_node", { id: "32", nodeName: "Respond" }),
      "NODE_NOT_FOUND",
    );
    expect(error.message).toContain("did not run");
  });

  test.each(["constructor", "__proto__", "toString"])("a node named %s", async (nodeName) => {
    errorOf(await caller.call("get_execution_by_node", { id: "34", nodeName }), "NODE_NOT_FOUND");
  });

  test("an unknown run or output, with the valid ones", async () => {
    const loop = { id: "38", nodeName: "Loop" };
    const run = errorOf(await caller.call("get_execution_by_node", { ...loop, run: 4 }), "VALIDATION_ERROR");
    expect(run.details).toMatchObject({ field: "run", expected: "0 to 3" });
    const output = errorOf(
      await caller.call("get_execution_by_node", { ...loop, output: 2 }),
      "VALIDATION_ERROR",
    );
    expect(output.details).toMatchObject({ field: "output", expected: "0 to 1" });
  });

  test("an unknown execution", async () => {
    errorOf(
      await caller.call("get_execution_by_node", { id: "99999", nodeName: "Loop" }),
      "EXECUTION_NOT_FOUND",
    );
  });
});

test("a binary is shown by name, type and size, without its content", async () => {
  const item = {
    json: {},
    binary: {
      file: { data: "aGVsbG8=", mimeType: "text/plain", fileName: "a.txt", fileSize: "5 B", id: "store:1" },
    },
  };
  const { call } = made({ A: runOf([], [item]) });
  const data = dataOf(await call("get_execution_by_node", { id: "7", nodeName: "A" }), nodeData);
  expect(data.output.items).toEqual([
    { json: {}, binary: { file: { mimeType: "text/plain", fileName: "a.txt", fileSize: "5 B" } } },
  ]);
});
