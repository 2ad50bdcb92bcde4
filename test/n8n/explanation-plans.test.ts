/** What is read of an execution for a comparison: little, whatever its size, and only what is reported. */
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { BoundedReader, readBounded } from "../../src/json/bounded-reader.ts";
import { Omitted } from "../../src/json/omitted.ts";
import { explanation, shapes, shapesOfList } from "../../src/n8n/explanation-plans.ts";
import { executionWithData } from "../../src/n8n/schemas.ts";
import { agentExecution } from "../support/agent-executions.ts";
import { inBothLanes, sizeOf } from "../support/lane.ts";
import { threadSeconds } from "../support/thread-seconds.ts";

const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

const runDataOf = (value: unknown): Record<string, { data: Record<string, unknown[][]> }[]> =>
  z
    .looseObject({
      data: z.looseObject({
        resultData: z.looseObject({
          runData: z.record(
            z.string(),
            z.array(z.looseObject({ data: z.record(z.string(), z.array(z.array(z.unknown()))) })),
          ),
        }),
      }),
    })
    .parse(JSON.parse(JSON.stringify(value))).data.resultData.runData;

const itemsOf = (count: number): unknown[] =>
  Array.from({ length: count }, (_item, index) => ({ json: { index } }));
const runOf = (items: readonly unknown[]): unknown => ({ startTime: 1, data: { main: [items] } });

test("pinned and static data, inputs, positions and binaries are not read", () => {
  const left = { any: "left out" };
  const item = {
    json: { kept: "yes" },
    binary: { file: { data: "left out", id: "left out" } },
    pairedItem: left,
    metadata: left,
  };
  const execution = {
    id: "1",
    workflowVersionId: "v1",
    workflowData: {
      name: "orders",
      nodes: [
        {
          id: "n",
          name: "Webhook",
          type: "t",
          position: [1, 2],
          parameters: { url: "kept" },
          credentials: { basic: { id: "1", name: "kept too" } },
          rest: left,
        },
      ],
      pinData: left,
      staticData: left,
      connections: left,
    },
    data: {
      startData: left,
      executionData: {
        contextData: left,
        nodeExecutionStack: [{ node: { name: "x" }, data: { main: [[item]] } }],
      },
      resultData: {
        runData: {
          Webhook: [{ data: { main: [[item]] }, inputOverride: { main: [[item]] }, hints: [left] }],
        },
        pinData: left,
      },
    },
  };
  const text = JSON.stringify(readBounded(encode(execution), shapes()));
  for (const kept of ["v1", '"kept":"yes"', '"url":"kept"', "kept too", '"file"'])
    expect(text).toContain(kept);
  expect(text).not.toContain('"left out"');
  expect(text).not.toContain('"position":[1');
});

test("three items are read of the first run, one of later runs, and the count of all", () => {
  const runs = Array.from({ length: 30 }, () => runOf(itemsOf(10)));
  const read = readBounded(encode({ data: { resultData: { runData: { Loop: runs } } } }), shapes());
  const counts = (runDataOf(read).Loop ?? []).map(({ data }) => data.main?.[0]?.length);
  // Each count includes the mark for omitted items.
  expect(counts).toEqual([4, ...Array.from({ length: 19 }, () => 2), ...Array.from({ length: 10 }, () => 1)]);
  expect(JSON.stringify(read)).toContain("7 more items left out");
});

/** A large execution in pieces, whose nodes all send the same items, so that nothing is held whole. */
function* largeExecution(nodes: number, itemsText: string): Generator<string> {
  const names = Array.from({ length: nodes }, (_node, index) => `Node number ${index}`);
  yield `{"id":"7","status":"error","mode":"webhook","workflowId":"w1","data":{"resultData":{"runData":{`;
  for (const [index, name] of names.entries()) {
    const comma = index === 0 ? "" : ",";
    yield `${comma}${JSON.stringify(name)}:[{"startTime":1,"executionTime":1,"executionIndex":${index},"executionStatus":"success","source":[],"data":{"main":[${itemsText}]}}]`;
  }
  const workflow = names.map((name) => ({
    id: name,
    name,
    type: "t",
    parameters: { jsCode: "const x = 1;".repeat(100) },
  }));
  yield `}}},"workflowData":{"name":"orders","nodes":${JSON.stringify(workflow)}}}`;
}

const wide = (members: number, text: string): unknown =>
  Object.fromEntries(Array.from({ length: members }, (_member, at) => [`member${at}`, text]));
const deep = (levels: number): unknown => (levels === 0 ? "x" : { a: [deep(levels - 1), deep(levels - 1)] });

const KINDS: [string, unknown[]][] = [
  [
    "many items",
    Array.from({ length: 1_000 }, (_item, id) => ({ json: { id, text: "some words about an order" } })),
  ],
  ["long texts", [{ json: { text: "word after word ".repeat(8_000), list: ["x".repeat(50_000)] } }]],
  ["wide objects", [{ json: wide(2_000, "a text of some length, as they are") }]],
  ["deep objects", [{ json: deep(10) }, { json: deep(9) }]],
  [
    "many small objects",
    [{ json: { rows: Array.from({ length: 2_000 }, (_row, id) => ({ id, name: "n", at: {} })) } }],
  ],
];

const containersIn = (value: unknown): number =>
  typeof value !== "object" || value === null || value instanceof Omitted
    ? 0
    : Object.values(value).reduce((sum: number, member) => sum + containersIn(member), 1);

describe.each(KINDS)("many nodes that send %s", inBothLanes, (_name, items) => {
  test("are read into little, with all names and parameters, in limited time", () => {
    const itemsText = JSON.stringify(items);
    const nodes = sizeOf(500, 300);
    const copies = Math.max(1, Math.ceil((sizeOf(100, 10) * 1024 * 1024) / nodes / itemsText.length));
    const pieces = [...largeExecution(nodes, Array.from({ length: copies }, () => itemsText).join(","))].map(
      (text) => new TextEncoder().encode(text),
    );
    const megabytes = pieces.reduce((sum, { length }) => sum + length, 0) / 1024 / 1024;
    const reader = new BoundedReader(shapes());
    const seconds = threadSeconds(() => {
      for (const piece of pieces) reader.write(piece);
    });
    const value = reader.end();
    expect(JSON.stringify(value).length).toBeLessThan(12 * 1024 * 1024);
    // Of each output a list, its first three items and their `json`; around them, what every run has.
    const structure = nodes * (copies * 7 + 5);
    expect(containersIn(runDataOf(value))).toBeLessThan(5_000 + structure);
    expect(seconds).toBeLessThan(1 + megabytes * 0.05);
    const execution = executionWithData.parse(value);
    const read = execution.workflowData?.nodes;
    if (!Array.isArray(read)) throw new Error("The nodes were not read.");
    expect(read).toHaveLength(nodes);
    expect(read.at(-1)).toMatchObject({
      name: `Node number ${nodes - 1}`,
      parameters: { jsCode: "const x = 1;".repeat(100) },
    });
    expect(Object.keys(execution.data?.resultData?.runData ?? {})).toHaveLength(nodes);
  });
});

test("the answers of tools take no room from node names and types", () => {
  const keys = Array.from({ length: 60 }, (_key, index) => `key ${index}`);
  const large = agentExecution({ rounds: 100, text: "a word and another ".repeat(100), keys });
  const { workflowData } = executionWithData.parse(readBounded(encode(large), explanation()));
  expect(workflowData?.nodes).toMatchObject([
    { name: "Webhook", type: "n8n-nodes-base.webhook" },
    { name: "Agent" },
    { name: "Model" },
    { name: "get_stock", type: "@n8n/n8n-nodes-langchain.toolCode" },
  ]);
});

test("each execution of a list has its own limits", () => {
  const items = Array.from({ length: 3 }, () => ({ json: wide(110, "x") }));
  const one = {
    id: "1",
    data: {
      resultData: {
        runData: Object.fromEntries(Array.from({ length: 2_000 }, (_n, at) => [`n${at}`, [runOf(items)]])),
      },
    },
  };
  const read = z
    .object({ data: z.array(z.unknown()) })
    .parse(readBounded(encode({ data: [one, one], nextCursor: null }), shapesOfList(2)));
  const [first, second] = read.data.map((value) => JSON.stringify(value));
  expect(first).toContain("member99");
  expect(second).toBe(first);
});
