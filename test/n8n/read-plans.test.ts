/**
 * What is read of an execution, and above all what is not, for each purpose. What a trace reads of it is in
 * execution-walk.test.ts.
 */
import { describe, expect, test } from "vitest";
import { readBounded } from "../../src/json/bounded-reader.ts";
import { itemsOfNodes, OUTLINE } from "../../src/n8n/read-plans.ts";

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
  ])(
    "%s never reads pinned, static, runtime and context data, connections and credentials",
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
});
