/** What each plan reads of an execution, and what it does not. What a trace reads is in execution-walk.test.ts. */
import { describe, expect, test } from "vitest";
import { readBounded } from "../../src/json/bounded-reader.ts";
import { FORMS, itemsOfNodes, OUTLINE } from "../../src/n8n/read-plans.ts";

const item = { json: { requestId: "r-1" } };
const run = { startTime: 1, source: [], hints: [{ message: "left out" }], data: { main: [[item]] } };
const execution = {
  id: "1",
  workflowData: {
    name: "orders",
    nodes: [
      {
        name: "Webhook",
        type: "t",
        parameters: { path: "kept only by items" },
        credentials: { id: "left out" },
      },
    ],
    pinData: { Webhook: ["left out"] },
    staticData: { cursor: "left out" },
    connections: { Webhook: ["left out"] },
  },
  data: {
    startData: { runNodeFilter: ["left out"] },
    executionData: {
      runtimeData: { source: "left out" },
      contextData: { node: "left out" },
      nodeExecutionStack: [
        { node: { name: "Next", parameters: { url: "left out" } }, data: { main: [[item]] } },
      ],
    },
    resultData: { runData: { Webhook: [run] }, pinData: { Webhook: ["left out"] } },
  },
};

const read = (bounds: typeof OUTLINE): string =>
  JSON.stringify(readBounded(new TextEncoder().encode(JSON.stringify(execution)), bounds));

const ITEMS = itemsOfNodes(() => ({ from: 0, to: 5 }), 1_000);

describe("read plans", () => {
  test.each([
    ["OUTLINE", OUTLINE],
    ["items", ITEMS],
    ["FORMS", FORMS],
  ])(
    "%s never reads pinned, static, runtime and context data, connections or credentials",
    (_name, bounds) => {
      const text = read(bounds);
      expect(text).toContain("orders");
      expect(text).not.toContain('"left out"');
    },
  );

  test("only items read payload and parameters", () => {
    expect([OUTLINE, ITEMS].map((bounds) => read(bounds).includes("r-1"))).toEqual([false, true]);
    expect([OUTLINE, ITEMS].map((bounds) => read(bounds).includes("kept only"))).toEqual([false, true]);
  });

  test("FORMS reads little of the first item of each output, and a trigger's inputs", () => {
    const rows = Array.from({ length: 30 }, (_one, id) => ({ id, deep: { deeper: 1 } }));
    const first = {
      json: { status: "ok", rows, data: { details: { fields: ["user_id"], other: { a: 1 } } } },
    };
    const workflowInputs = { values: [{ name: "user_id", type: "string" }] };
    const parameters = { inputSource: "workflowInputs", workflowInputs, other: { left: "out" } };
    const source = {
      workflowData: { nodes: [{ name: "Start", type: "t", parameters }] },
      data: {
        resultData: {
          runData: {
            Start: [{ data: { main: [[first, first], []] }, inputOverride: { ai_tool: [[first]] } }],
          },
        },
      },
    };
    const text = JSON.stringify(readBounded(new TextEncoder().encode(JSON.stringify(source)), FORMS));
    expect(text).toContain('"fields":["user_id"]');
    expect(text).toContain('"values":[{"name":"user_id","type":"string"}]');
    expect(text.match(/"status":"ok"/g)).toHaveLength(1);
    expect(text.match(/"id":/g)).toHaveLength(20);
    expect(text).not.toMatch(/deeper|"a":1|"left"/);
  });
});
