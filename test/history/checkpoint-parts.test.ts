/** What a page brought, in parts that a Durable Object can be given. */
import { expect, test } from "vitest";
import { MAX_PART_CHARACTERS, partsOf } from "../../src/history/checkpoint-parts.ts";
import type { Checkpoint, MemorableExecution } from "../../src/history/execution-memory.ts";

const memorable = (id: number, ids: number): MemorableExecution => ({
  execution: {
    id: String(id),
    workflowId: "w1",
    workflowName: "orders",
    mode: "webhook",
    status: "success",
    startedAt: null,
    stoppedAt: null,
    waitTill: null,
    parentId: null,
    unknownParentWorkflowId: null,
    retryOf: null,
    retrySuccessId: null,
    subExecutions: [],
  },
  correlations: Array.from({ length: ids }, (_one, index) => ({
    digest: `digest-${index}`,
    nodeName: "Webhook",
    path: "body.requestId",
  })),
  problem: null,
  isRead: true,
});

const REST = {
  forgotten: ["7"],
  empty: ["8"],
  claims: [{ scope: "*", stretch: { high: "9", low: "1", isBottom: true } }],
  generation: 4,
};

const checkpointOf = (count: number, ids: number): Checkpoint => ({
  executions: Array.from({ length: count }, (_one, index) => memorable(index + 1, ids)),
  ...REST,
});

test("a page as they are is one part", () => {
  const checkpoint = checkpointOf(100, 3);
  expect([...partsOf(checkpoint)]).toEqual([checkpoint]);
});

test("nothing but claims is one part, too", () => {
  const checkpoint = checkpointOf(0, 0);
  expect([...partsOf(checkpoint)]).toEqual([checkpoint]);
});

test("a large one is several: first what is forgotten, last what is claimed of all of it", () => {
  const checkpoint = checkpointOf(100, 1_000);
  const parts = [...partsOf(checkpoint)];
  expect(parts.length).toBeGreaterThan(2);
  expect(parts.flatMap(({ executions }) => executions)).toEqual(checkpoint.executions);
  expect(parts.map(({ forgotten }) => forgotten)).toEqual([["7"], ...parts.slice(1).map(() => [])]);
  expect(parts.map(({ claims, empty }) => [claims, empty])).toEqual([
    ...parts.slice(1).map(() => [[], []]),
    [REST.claims, REST.empty],
  ]);
  for (const { executions, generation } of parts) {
    expect(generation).toBe(4);
    expect(JSON.stringify(executions).length).toBeLessThan(MAX_PART_CHARACTERS * 1.1);
  }
});
