/** A short notation for executions to compare: which nodes ran, and what each sent. */
import * as z from "zod";
import { type ExecutionWithData, executionWithData } from "../../src/n8n/schemas.ts";
import type { FakeExecution } from "./fake-n8n.ts";

/** One run of a node. */
export interface Sent {
  readonly node: string;
  /** The `json` of the items of each output. */
  readonly items?: readonly (readonly unknown[])[];
  readonly error?: unknown;
  readonly ms?: number;
}

export interface ComparedFacts {
  readonly [fact: string]: unknown;
  /** Facts of the nodes by name: parameters, id, type, … */
  readonly nodes?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const NODE = { type: "n8n-nodes-base.set", typeVersion: 1, position: [0, 0], parameters: {} };
const TRIGGER = { ...NODE, type: "n8n-nodes-base.webhook" };

/** The first node is a webhook. */
export function compared(
  id: number,
  sent: readonly Sent[],
  { nodes = {}, ...facts }: ComparedFacts = {},
): FakeExecution {
  const runData: Record<string, unknown[]> = {};
  for (const [executionIndex, { node, items, error, ms = 1 }] of sent.entries()) {
    const run = {
      startTime: 1_790_000_000_000 + executionIndex,
      executionTime: ms,
      executionIndex,
      executionStatus: error === undefined ? "success" : "error",
      source: [],
      ...(items === undefined
        ? {}
        : { data: { main: items.map((output) => output.map((json) => ({ json }))) } }),
      ...(error === undefined ? {} : { error }),
    };
    runData[node] = [...(runData[node] ?? []), run];
  }
  const names = [...new Set([...sent.map(({ node }) => node), ...Object.keys(nodes)])];
  const hasFailed = sent.some(({ error }) => error !== undefined);
  return {
    id: String(id),
    workflowId: "w1",
    status: hasFailed ? "error" : "success",
    mode: "webhook",
    startedAt: new Date(Date.UTC(2026, 0, 1) + id * 60_000).toISOString(),
    stoppedAt: new Date(Date.UTC(2026, 0, 1) + id * 60_000 + 500).toISOString(),
    workflowVersionId: "v1",
    workflowData: {
      name: "orders",
      nodes: names.map((name, index) => ({
        ...(index === 0 ? TRIGGER : NODE),
        id: `id of ${name}`,
        name,
        ...nodes[name],
      })),
    },
    data: { resultData: { runData } },
    ...facts,
  };
}

const withRuns = z.looseObject({
  id: z.string(),
  data: z.looseObject({
    resultData: z.looseObject({
      runData: z.record(z.string(), z.array(z.looseObject({ source: z.unknown() }))),
    }),
  }),
});

/** The same execution, with each node linked to the one before it. */
export function linked(execution: FakeExecution): FakeExecution {
  const parsed = withRuns.parse(structuredClone(execution));
  const runs = Object.entries(parsed.data.resultData.runData);
  for (const [index, [, [run]]] of runs.entries())
    if (run !== undefined && index > 0) run.source = [{ previousNode: runs[index - 1]?.[0] }];
  return parsed;
}

/** The same execution as the client reads it. */
export function read(...args: Parameters<typeof compared>): ExecutionWithData {
  return executionWithData.parse(compared(...args));
}
