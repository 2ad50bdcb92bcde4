import * as z from "zod";
import { failureOf, ownTextOf, textOf, toFailure } from "../../executions/failure.ts";
import { startDataOf, toNodeItem } from "../../executions/node-data.ts";
import {
  countRuns,
  isoTime,
  nodesByName,
  outputsOf,
  runsByNode,
  statusOfRuns,
} from "../../executions/node-runs.ts";
import { basicsOf, noRunOf, whyRunsAreUnknown } from "../../executions/summary.ts";
import { WITHHELD_SENTENCE } from "../../executions/withheld.ts";
import { defineTool, type Guidance } from "../../mcp/define-tool.ts";
import { itemsOfNodes } from "../../n8n/read-plans.ts";
import type { ExecutionWithData, NodeRun } from "../../n8n/schemas.ts";
import { counted } from "../../platform/counted.ts";
import { findName, quoted, visibleName } from "../../platform/display-name.ts";
import { ObserverError } from "../../platform/errors.ts";
import { nearestNames } from "../../platform/nearest-names.ts";
import { joinSentences } from "../../platform/sentences.ts";
import { executionFacts, executionId, nextCall, nodeName } from "../params.ts";
import { showFailure } from "../shown.ts";
import { contextOf, type ToolContext, type WorkflowContext } from "../tool-context.ts";

/** Enough to see what a node sends; get_execution_by_node pages through the rest. */
const ITEMS_PER_OUTPUT = 5;
const RUNS_PER_NODE = 5;
const MAX_STRING_BYTES = 8_000;

function toRunDetails(nodeName: string, run: NodeRun, context: WorkflowContext): Record<string, unknown> {
  const data = [...outputsOf(run.data)].map(([type, outputs]) => [
    type,
    outputs.map((output) => ({ items: output.items.map(toNodeItem), total: output.length })),
  ]);
  return {
    status: statusOfRuns([run]),
    startTime: isoTime(run.startTime),
    executionTime: run.executionTime,
    source: run.source,
    data: Object.fromEntries(data),
    error: run.error && showFailure(toFailure(nodeName, run.error), textOf(run.error), { context }),
    subExecution: run.metadata?.subExecution,
  };
}

function chooseNodes(execution: ExecutionWithData, requested: readonly string[] | undefined) {
  const runs = runsByNode(execution);
  if (requested === undefined) return [...runs];
  const found = requested.map((name) => findName(name, runs.keys()));
  const unknown = requested.find((_name, index) => found[index] === undefined);
  if (unknown === undefined) return [...runs].filter(([name]) => found.includes(name));
  const didNotRun = "One of the nodes did not run in this execution.";
  throw new ObserverError("NODE_NOT_FOUND", noRunOf(execution, didNotRun, "one of these nodes"), {
    field: "nodes",
    expected: "names of nodes that ran, as in availableNodes of get_execution",
    candidates: nearestNames(unknown, runs.keys()),
    solution: "Correct the name, or leave nodes out to see all.",
  });
}

const MAX_REST = 5;

type RunData = Readonly<Record<string, readonly unknown[]>>;

function rest(executionId: string, shown: RunData, whole: RunData, failedNode: string | null): Guidance {
  const missing = Object.keys(whole).filter((name) => !Object.hasOwn(shown, name));
  if (missing.length > 0) {
    const nodes = missing.slice(0, MAX_REST).map(visibleName);
    const message = `${counted(missing.length, "node is", "nodes are")} not shown. These are the first; availableNodes of get_execution names others.`;
    return nextCall(message, "get_execution_details", { executionId, nodes });
  }
  const nodeName = visibleName(failedNode ?? Object.keys(whole).at(-1) ?? "");
  return nextCall("One node at a time is shortened less.", "get_execution_by_node", {
    id: executionId,
    nodeName,
  });
}

/** How many nodes with more runs than are shown are named. */
const MAX_CUT_NAMED = 5;

export const getExecutionDetails = defineTool({
  name: "get_execution_details",
  title: "Details of an execution",
  description:
    "An execution node by node (first items of each run) and the original webhook payload as data.startData. Use it to verify what was sent, such as context.requestId. For all items of one node use get_execution_by_node.",
  scope: "n8n:data",
  maxTokens: 20_000,
  audited: { executionId: "executionId" },
  input: z.strictObject({
    executionId,
    nodes: z
      .array(nodeName)
      .min(1, "must not be empty")
      .max(50, "must be at most 50 names")
      .optional()
      .describe("Only these nodes; default all"),
  }),
  output: z.looseObject({
    executionId: z.string(),
    url: z.string(),
    ...executionFacts,
    data: z.looseObject({
      startData: z.looseObject({
        nodeName: z.string().nullable(),
        body: z.unknown(),
        headers: z.unknown(),
        query: z.unknown(),
      }),
      resultData: z.looseObject({
        runData: z.record(z.string(), z.array(z.unknown())),
        error: z.unknown(),
        lastNodeExecuted: z.string().nullable(),
      }),
    }),
    nodeTypes: z.record(z.string(), z.string()),
  }),
  async run({ executionId: id, nodes }, caller: ToolContext) {
    const bounds = itemsOfNodes(() => ({ from: 0, to: ITEMS_PER_OUTPUT }), MAX_STRING_BYTES);
    const execution = await caller.n8n().readExecution(id, bounds);
    const context = await contextOf(caller, execution.workflowId);
    const chosen = chooseNodes(execution, nodes);
    const types = nodesByName(execution);
    const runData = chosen.map(([name, runs]) => [
      name,
      runs.slice(0, RUNS_PER_NODE).map((run) => toRunDetails(name, run, context)),
    ]);
    const facts = basicsOf(execution);
    const failure = failureOf(execution);
    const cut = chosen.flatMap(([name, runs]) =>
      runs.length > RUNS_PER_NODE
        ? [`${quoted(name)} ran ${counted(countRuns(execution, name, runs), "time")}`]
        : [],
    );
    return {
      message: joinSentences(
        `Execution ${id} of ${quoted(facts.workflowName ?? facts.workflowId)}: ${facts.status}; ${counted(chosen.length, "node")}, at most ${ITEMS_PER_OUTPUT} items of each output.`,
        whyRunsAreUnknown(execution) ?? false,
        cut.length > 0 &&
          `The first ${RUNS_PER_NODE} runs of each are shown: ${cut.slice(0, MAX_CUT_NAMED).join(", ")}.`,
        facts.withheldByN8n === true && WITHHELD_SENTENCE,
      ),
      data: {
        executionId: id,
        url: context.n8nUrls().execution(facts.workflowId, id),
        ...facts,
        data: {
          startData: startDataOf(execution),
          resultData: {
            runData: Object.fromEntries(runData),
            error: failure === null ? null : showFailure(failure, ownTextOf(execution), { context }),
            lastNodeExecuted: execution.data?.resultData?.lastNodeExecuted ?? null,
          },
        },
        nodeTypes: Object.fromEntries(chosen.map(([node]) => [node, types.get(node)?.type ?? "unknown"])),
      },
    };
  },
  rest({ executionId: id }, shown, whole) {
    const { resultData } = whole.data;
    return rest(id, shown.data.resultData.runData, resultData.runData, resultData.lastNodeExecuted);
  },
});
