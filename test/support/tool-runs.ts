/** Executions of a tool's sub-workflow and calls of an MCP server, as a real n8n 2.40.5 returns them. */
import { readBounded } from "../../src/json/bounded-reader.ts";
import type { ReadValue } from "../../src/json/omitted.ts";
import { FORMS } from "../../src/n8n/read-plans.ts";
import { type ExecutionWithData, executionWithData } from "../../src/n8n/schemas.ts";
import type { FakeExecution } from "./fake-n8n.ts";

/** One run of a node. */
export interface Step {
  readonly node: string;
  /** `Node` or `Node:output:run`. The first step has none. */
  readonly from?: readonly string[];
  /** The `json` of the items of each main output. */
  readonly sends: readonly (readonly unknown[])[];
  readonly type?: string;
  readonly error?: unknown;
}

const CODE = "n8n-nodes-base.code";
const TRIGGER = "n8n-nodes-base.executeWorkflowTrigger";
const START = Date.UTC(2026, 10, 21);

export const timestamp = "2026-11-21T15:55:30.521Z";
export const standard = (data: unknown = { message: "done" }): Record<string, unknown> => ({
  status: "success",
  data,
  meta: { timestamp },
});
export const errorAnswer = (code: unknown, details: unknown = {}): Record<string, unknown> => ({
  status: "error",
  data: { code, message: "something went wrong", details },
  meta: { timestamp },
});

function toSource(from: string): unknown {
  const [previousNode = "", output = "0", run = "0"] = from.split(":");
  return { previousNode, previousNodeOutput: Number(output), previousNodeRun: Number(run) };
}

function toRun({ from = [], sends, error }: Step, executionIndex: number): unknown {
  return {
    startTime: START,
    executionTime: 3,
    executionIndex,
    executionStatus: error === undefined ? "success" : "error",
    source: from.map(toSource),
    hints: [],
    ...(error === undefined
      ? { data: { main: sends.map((items) => items.map((json) => ({ json, pairedItem: { item: 0 } }))) } }
      : { error }),
  };
}

export interface RunFacts {
  readonly status?: string;
  readonly mode?: string;
  readonly durationMs?: number;
  readonly workflowId?: string;
  readonly data?: Record<string, unknown>;
  readonly lastNodeExecuted?: string;
  /** The inputs that its trigger declares: name → type. */
  readonly inputs?: Readonly<Record<string, string>>;
}

/** The last step is the last node executed. */
export function toolRun(id: number, steps: readonly Step[], facts: RunFacts = {}): FakeExecution {
  const runData: Record<string, unknown[]> = {};
  for (const [index, step] of steps.entries()) {
    runData[step.node] = [...(runData[step.node] ?? []), toRun(step, index)];
  }
  const values = Object.entries(facts.inputs ?? {}).map(([name, type]) => ({ name, type }));
  const parameters =
    facts.inputs === undefined
      ? { inputSource: "passthrough" }
      : { inputSource: "workflowInputs", workflowInputs: { values } };
  const startedAt = new Date(START + id * 60_000);
  return {
    id: String(id),
    workflowId: facts.workflowId ?? "w1",
    status: facts.status ?? "success",
    mode: facts.mode ?? "integrated",
    startedAt: startedAt.toISOString(),
    stoppedAt: new Date(startedAt.getTime() + (facts.durationMs ?? 30)).toISOString(),
    workflowData: {
      name: "SWF_Get_User",
      nodes: [
        { name: "Start", type: TRIGGER, typeVersion: 1.1, parameters },
        ...steps
          .filter(({ node }) => node !== "Start")
          .map(({ node, type = CODE }) => ({ name: node, type, typeVersion: 1, parameters: {} })),
      ],
    },
    data: {
      resultData: { runData, lastNodeExecuted: facts.lastNodeExecuted ?? steps.at(-1)?.node },
      ...facts.data,
    },
    customData: {},
  };
}

/** Receives `input`, and returns these items from one more node. */
export function answering(
  id: number,
  items: readonly unknown[],
  facts: RunFacts = {},
  input: unknown = {},
): FakeExecution {
  return toolRun(
    id,
    [
      { node: "Start", sends: [[input]] },
      { node: "Answer", from: ["Start"], sends: [items] },
    ],
    facts,
  );
}

/** The part of an execution that the tool reads. */
export function formsOf(execution: FakeExecution): ReadValue {
  return readBounded(new TextEncoder().encode(JSON.stringify(execution)), FORMS);
}

export function readForms(execution: FakeExecution): ExecutionWithData {
  return executionWithData.parse(formsOf(execution));
}

export interface CallFacts {
  readonly toolName: string;
  readonly arguments: unknown;
  /** The tool's node; undefined when there is no such tool. */
  readonly node?: string;
  /** The tool's own run; undefined when it did not run. */
  readonly run?: { readonly subExecutionId?: string; readonly executionStatus?: string };
  readonly workflowId?: string;
}

/** A tool call, as recorded in the server's own execution. */
export function mcpCall(id: number, facts: CallFacts): FakeExecution {
  const { toolName, node, run, workflowId = "server" } = facts;
  const call = {
    toolName,
    arguments: facts.arguments,
    ...(node === undefined ? {} : { sourceNodeName: node }),
  };
  const subExecution =
    run?.subExecutionId === undefined
      ? {}
      : { subExecution: { executionId: run.subExecutionId, workflowId: "w1" } };
  const toolRunData =
    run === undefined || node === undefined
      ? {}
      : {
          [node]: [
            {
              startTime: START,
              executionTime: 4,
              executionIndex: 0,
              executionStatus: run.executionStatus ?? "success",
              source: [{ previousNode: "Hub", previousNodeRun: 0 }],
              data: { ai_tool: [[{ json: { response: "an answer" } }]] },
              inputOverride: { ai_tool: [[{ json: { query: facts.arguments } }]] },
              metadata: { ...subExecution, subRun: [{ node, runIndex: 0 }] },
            },
          ],
        };
  const trigger = {
    startTime: START,
    executionTime: 0,
    executionIndex: 0,
    executionStatus: "success",
    source: [],
    data: { main: [[{ json: { mcpToolCall: call, mcpMessageId: "1" }, pairedItem: { item: 0 } }]] },
  };
  const execution = toolRun(id, [], { workflowId, mode: "webhook" });
  return {
    ...execution,
    workflowData: { name: "MCP_Hub", nodes: [{ name: "Hub", type: "@n8n/n8n-nodes-langchain.mcpTrigger" }] },
    data: { resultData: { runData: { ...toolRunData, Hub: [trigger] }, lastNodeExecuted: "Hub" } },
  };
}
