import * as z from "zod";
import { parameterReadsOf, resolvedFor } from "../../executions/causes/parameter-reads.ts";
import { textOf, toFailure } from "../../executions/failure.ts";
import { countOutputs, type InputSource, outputOf, toNodeItem } from "../../executions/node-data.ts";
import { type ItemPage, planNodePage } from "../../executions/node-page.ts";
import {
  countItems,
  countRuns,
  isoTime,
  lacksRuns,
  nodesByName,
  runsByNode,
  statusOfRuns,
} from "../../executions/node-runs.ts";
import { noRunOf } from "../../executions/summary.ts";
import { waitBefore } from "../../executions/waits.ts";
import { isWithheldByN8n, WITHHELD_SENTENCE } from "../../executions/withheld.ts";
import { isReadObject } from "../../json/omitted.ts";
import { defineTool, type Guidance } from "../../mcp/define-tool.ts";
import { itemsOfNodes, OUTLINE } from "../../n8n/read-plans.ts";
import type { ExecutionWithData, NodeRun, WorkflowNode } from "../../n8n/schemas.ts";
import { counted } from "../../platform/counted.ts";
import { findName, quoted, visibleName } from "../../platform/display-name.ts";
import { ObserverError } from "../../platform/errors.ts";
import { nearestNames } from "../../platform/nearest-names.ts";
import { joinSentences } from "../../platform/sentences.ts";
import { nextOffsetOf, offsetArgument } from "../paging.ts";
import { executionId, nextCall, nodeName, wholeNumber } from "../params.ts";
import { showFailure } from "../shown.ts";
import { contextOf, type ToolContext } from "../tool-context.ts";

const MAX_INDEX = 1_000_000;
const index = wholeNumber(0, MAX_INDEX).optional();

const page = z.looseObject({
  items: z.array(z.unknown()),
  offset: z.number(),
  total: z.number(),
  nextOffset: z.number().nullable(),
});

const MAX_STRING_BYTES = 20_000;

/** @returns the node's exact name, which may contain invisible characters, and its runs */
function requireRuns(execution: ExecutionWithData, requestedName: string) {
  const runs = runsByNode(execution);
  const name = findName(requestedName, runs.keys()) ?? requestedName;
  const found = runs.get(name);
  if (found !== undefined && found.length > 0)
    return { name, runs: found, total: countRuns(execution, name, found) };
  const isInWorkflow = nodesByName(execution).has(name);
  const didNotRun = noRunOf(execution, "This node did not run in this execution.", "this node");
  throw new ObserverError(
    "NODE_NOT_FOUND",
    isInWorkflow ? didNotRun : "This execution has no node of this name.",
    {
      field: "nodeName",
      expected: "a node that ran, as named in availableNodes of get_execution",
      candidates: nearestNames(name, runs.keys()),
      solution: "Call again with one of the candidates, exactly as written.",
    },
  );
}

function chooseRun(
  { runs, total }: { readonly runs: readonly NodeRun[]; readonly total: number },
  requested: number | undefined,
): { index: number; run: NodeRun } {
  const failed = runs.findIndex((run) => run.error !== undefined || run.executionStatus === "error");
  const chosen = requested ?? Math.max(0, failed);
  const run = runs[chosen];
  if (run !== undefined) return { index: chosen, run };
  throw new ObserverError(
    "VALIDATION_ERROR",
    chosen < total
      ? `Run ${chosen} cannot be read: of ${counted(total, "run")}, only the first ${runs.length} can.`
      : `The node ran ${counted(total, "time")}, so there is no run ${chosen}.`,
    {
      field: "run",
      expected: indexBelow(runs.length),
      solution: "Call again with a run that exists; the first is 0.",
    },
  );
}

const wasRead = (execution: ExecutionWithData, { nodeName: name, run }: InputSource): boolean =>
  !lacksRuns(execution, name) || run < (runsByNode(execution).get(name)?.length ?? 0);

const indexBelow = (count: number): string => (count === 1 ? "0" : `0 to ${count - 1}`);

/** Chooses the requested output, which must exist, otherwise the first that sent anything. */
function chooseOutput(run: NodeRun, requested: number | undefined): number {
  const count = Math.max(1, countOutputs(run));
  if (requested === undefined || requested < count) return outputOf(run, requested).index;
  throw new ObserverError(
    "VALIDATION_ERROR",
    `This run has ${counted(count, "output")}, so there is no output ${requested}.`,
    {
      field: "output",
      expected: indexBelow(count),
      solution: "Call again with an output that exists, or leave it out.",
    },
  );
}

function toPage({ items, total }: ItemPage, offset: number): z.infer<typeof page> {
  const nextOffset = items.length === 0 ? null : nextOffsetOf(offset + items.length, total);
  return { items: items.map(toNodeItem), offset, total, nextOffset };
}

const MAX_RESOLVED = 20;

/**
 * The values of the node's parameter expressions for the first item shown. They are taken from the redacted item, since
 * a secret is recognized by the names above and beside it.
 */
async function resolvedOf(
  node: WorkflowNode | undefined,
  { items: [item] }: Pick<ItemPage, "items">,
  { offset, redactLarge }: Pick<ToolContext, "redactLarge"> & { readonly offset: number },
) {
  if (!isReadObject(item) || item.json === undefined || parameterReadsOf(node).length === 0) return undefined;
  const parameters = resolvedFor(node, await redactLarge(item.json)).slice(0, MAX_RESOLVED);
  return { item: offset, parameters };
}

const output = z.looseObject({
  executionId: z.string(),
  url: z.string(),
  nodeName: z.string(),
  nodeType: z.string().nullable(),
  status: z.string(),
  executionTime: z.number(),
  startTime: z.string().nullable(),
  endTime: z.string().nullable(),
  run: z.number(),
  runs: z.number(),
  outputIndex: z.number(),
  outputs: z.number(),
  input: page,
  output: page,
  parameters: z.unknown(),
  error: z.unknown(),
});

function rest(shown: z.infer<typeof output>, offset: number, limit: number): Guidance {
  const { executionId: id, run, outputIndex } = shown;
  const next = [shown.input.nextOffset, shown.output.nextOffset].filter((at) => at !== null);
  const from = next.length > 0 ? Math.min(...next) : undefined;
  const here = { id, nodeName: visibleName(shown.nodeName), run, output: outputIndex };
  const call = (message: string, place: object) =>
    nextCall(message, "get_execution_by_node", { ...here, ...place });
  if (from !== undefined && from < offset + limit)
    return call("The next items begin here.", { offset: from, limit: from - offset });
  if (limit > 1) return call("One item at a time is shortened less.", { offset, limit: 1 });
  return from === undefined
    ? nextCall("This value is too long for any answer: n8n shows it.", "get_execution", { id })
    : call("This value is too long for any answer; continue after it.", { offset: from, limit: 1 });
}

export const getExecutionByNode = defineTool({
  name: "get_execution_by_node",
  title: "Data of one node",
  description:
    "What one node of an execution was given and what it sent, item by item, with its parameters and error. Use it to see why a node failed.",
  scope: "n8n:data",
  maxTokens: 20_000,
  audited: { id: "executionId" },
  input: z.strictObject({
    id: executionId,
    nodeName,
    run: index.describe(
      "Which run of a node that ran several times, from 0. Default: the one that failed, else 0",
    ),
    output: index.describe("Which output, from 0. Default: the first that sent anything"),
    offset: offsetArgument(MAX_INDEX).describe("First item"),
    limit: wholeNumber(1, 100).default(20).describe("How many items"),
  }),
  output,
  async run(
    { id, nodeName: requestedName, run: requestedRun, output: requestedOutput, offset, limit },
    caller: ToolContext,
  ) {
    const client = caller.n8n();
    const outline = await client.readExecution(id, OUTLINE);
    const context = await contextOf(caller, outline.workflowId);
    const node = requireRuns(outline, requestedName);
    const { name } = node;
    const chosen = chooseRun(node, requestedRun);
    const place = { nodeName: name, run: chosen.index, output: chooseOutput(chosen.run, requestedOutput) };
    const plan = planNodePage(outline, chosen.run, place, { from: offset, to: offset + limit });
    const execution = await client.readExecution(id, itemsOfNodes(plan.rangeOf, MAX_STRING_BYTES));
    const { runs, total } = requireRuns(execution, name);
    const { run } = chooseRun({ runs, total }, chosen.index);
    const { input, output: sent } = plan.take(execution, run);
    const definition = nodesByName(execution).get(name);
    const status = statusOfRuns([run]);
    const isWithheld = isWithheldByN8n(execution);
    const byOthers = countItems(run) - sent.total;
    const ofOutput = countOutputs(run) < 2 ? "" : ` at output ${place.output}, ${byOthers} at others`;
    const isInputRead = input.sources.every((source) => wasRead(execution, source));
    return {
      message: joinSentences(
        `Node ${quoted(name)} of execution ${id}, run ${chosen.index + 1} of ${total}: ${status}; ${isInputRead ? counted(input.total, "item") : "an unknown number of items"} in, ${sent.total} out${ofOutput}.`,
        total > runs.length && `Only the first ${counted(runs.length, "run")} can be read.`,
        isWithheld && WITHHELD_SENTENCE,
      ),
      data: {
        executionId: id,
        url: context.n8nUrls().execution(execution.workflowId, id),
        nodeName: name,
        nodeType: definition?.type ?? null,
        status,
        executionTime: run.executionTime,
        startTime: isoTime(run.startTime),
        /** How long the execution had waited when this run began. */
        waitedMs: waitBefore(execution, run),
        endTime: isoTime(run.startTime === 0 ? 0 : run.startTime + run.executionTime),
        run: chosen.index,
        runs: total,
        outputIndex: place.output,
        outputs: countOutputs(run),
        input: { ...toPage(input, offset), sources: input.sources, isUnread: isInputRead ? undefined : true },
        output: toPage(sent, offset),
        parameters: definition?.parameters ?? null,
        resolved: isWithheld
          ? undefined
          : await resolvedOf(definition, input, { offset, redactLarge: context.redactLarge }),
        error:
          run.error === undefined
            ? null
            : showFailure(toFailure(name, run.error), textOf(run.error), { context }),
        withheldByN8n: isWithheld || undefined,
      },
    };
  },
  rest: ({ offset, limit }, shown) => rest(shown, offset, limit),
});
