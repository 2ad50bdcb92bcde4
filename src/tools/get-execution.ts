import * as z from "zod";
import { quoted, visibleName } from "../executions/display-name.ts";
import { type ExecutionSummary, summarizeExecution } from "../executions/summary.ts";
import { WITHHELD_SENTENCE } from "../executions/withheld.ts";
import { dropHalfWord } from "../json/cut-text.ts";
import { defineTool, type Guidance } from "../mcp/define-tool.ts";
import { OUTLINE } from "../n8n/read-plans.ts";
import { executionFacts, executionId, failure, guidance } from "./params.ts";

const link = z.looseObject({ executionId: z.string(), workflowId: z.string().nullable() });

/** More links than these say no more than their number. */
const MAX_LINKS = 8;
const MAX_ERROR_CHARACTERS = 400;

function nextMove(summary: ExecutionSummary): Guidance {
  const failed =
    summary.error?.nodeName ?? summary.availableNodes.find((node) => node.status === "error")?.nodeName;
  const node = failed ?? summary.availableNodes.at(-1)?.nodeName;
  if (node === undefined) {
    return {
      message: "No node has run.",
      example: `get_workflow_executions(${JSON.stringify({ workflowId: summary.workflowId })})`,
    };
  }
  return {
    message: failed === undefined ? "See what the last node sent." : "See what the failed node was given.",
    example: `get_execution_by_node(${JSON.stringify({ id: summary.id, nodeName: visibleName(node) })})`,
  };
}

function sentence(summary: ExecutionSummary): string {
  const where = `Execution ${summary.id} of ${quoted(summary.workflowName ?? summary.workflowId)}`;
  const nodes = `${summary.statistics.executedNodes} of ${summary.statistics.totalNodes} nodes ran`;
  const failed = summary.error?.nodeName == null ? "" : ` at node ${quoted(summary.error.nodeName)}`;
  const time = summary.duration === null ? "" : ` after ${summary.duration} ms`;
  const withheld = summary.withheldByN8n === true ? ` ${WITHHELD_SENTENCE}` : "";
  return `${where}: ${summary.status}${failed}${time}; ${nodes}.${withheld}`;
}

function shortError(error: ExecutionSummary["error"]): ExecutionSummary["error"] {
  if (error === null) return null;
  const cut = (text: string): string =>
    text.length > MAX_ERROR_CHARACTERS ? `${dropHalfWord(text.slice(0, MAX_ERROR_CHARACTERS))}…` : text;
  return {
    ...error,
    message: cut(error.message),
    description: error.description === null ? null : cut(error.description),
  };
}

/** Small, since the answer is: the failed node's name stands in its own guidance. */
const rest = (id: string): Guidance => ({
  message: "A node that is not listed can be asked for; the nearest names are told.",
  example: `get_execution_by_node({"id":"${id}","nodeName":"part of its name"})`,
});

export const getExecution = defineTool({
  name: "get_execution",
  title: "Summarize an execution",
  description:
    "Summary of one execution, however large: status, times, which nodes ran, what failed, parent and sub-executions. Use it before asking for data of nodes.",
  scope: "n8n:read",
  maxTokens: 1_000,
  audited: { id: "executionId" },
  input: z.strictObject({ id: executionId }),
  output: z.looseObject({
    id: z.string(),
    ...executionFacts,
    statistics: z.looseObject({
      totalNodes: z.number(),
      executedNodes: z.number(),
      successfulNodes: z.number(),
      failedNodes: z.number(),
      totalItemsProcessed: z.number(),
    }),
    availableNodes: z.array(
      z.looseObject({ nodeName: z.string(), nodeType: z.string().nullable(), status: z.string() }),
    ),
    error: failure.nullable(),
    links: z.looseObject({
      parent: link.nullable(),
      subExecutions: z.array(link),
      retryOf: z.string().nullable(),
      retrySuccessId: z.string().nullable(),
    }),
    _guidance: guidance,
  }),
  async run({ id }, { n8n }) {
    const summary = summarizeExecution(await n8n().readExecution(id, OUTLINE));
    const { subExecutions } = summary.links;
    const links = {
      ...summary.links,
      subExecutions: subExecutions.slice(0, MAX_LINKS),
      ...(subExecutions.length > MAX_LINKS ? { subExecutionsInAll: subExecutions.length } : {}),
    };
    return {
      message: sentence(summary),
      data: { ...summary, error: shortError(summary.error), links, _guidance: nextMove(summary) },
    };
  },
  rest: ({ id }) => rest(id),
});
