/** Evidence about one agent's run, computed once for all rules. Pure. */
import { countAt, memberOf, partOf, textAt } from "../../json/members.ts";
import { isReadObject, type ReadValue } from "../../json/omitted.ts";
import type { ExecutionWithData, WorkflowNode } from "../../n8n/schemas.ts";
import { sourcesOf } from "../node-data.ts";
import { durationMs, nodesByName, type OutputItems, outputsOf } from "../node-runs.ts";
import { isWithheldByN8n } from "../withheld.ts";
import { type AgentCalls, itemsSent } from "./agents.ts";
import { attachedTo, type Call, hasOwnRuns, type InputItem, inputItemsOf } from "./calls.ts";
import { type ModelFacts, modelFactsOf } from "./model-call.ts";
import { misfitOf } from "./parser-call.ts";
import { type ToolFacts, toolFactsOf } from "./tool-call.ts";

export type ModelCall = Call & { readonly facts: ModelFacts };
export type ToolCall = Call & { readonly facts: ToolFacts };

export type AgentEvidence = Readonly<ReturnType<typeof evidenceOf>>;

const DEFAULT_ITERATIONS = 10;

/** @param hasUnreadRuns some runs of the execution were not read: they may be calls of this agent */
export function evidenceOf(agent: AgentCalls, execution: ExecutionWithData, hasUnreadRuns: boolean) {
  const { nodeRun, nodeName } = agent;
  const node = nodesByName(execution).get(nodeName);
  const sent = itemsOf(agent, "main");
  const metadata: unknown = nodeRun?.metadata;
  const failure = partOf(metadata, "tracing", "ai.agent.failure.type");
  const failureType = typeof failure === "string" ? failure : undefined;
  const ofKind = (kind: Call["kind"]): Call[] => agent.calls.filter((call) => call.kind === kind);
  const lastModel = ofKind("model").at(-1);
  const tools = ofKind("tool");
  const input = inputItemsOf(execution, nodeName, nodeRun);
  const caught = caughtBy(agent, node, input);
  const parsers = ofKind("parser");
  const refused = parsers.find((call) => call.nodeRun.error !== undefined);
  const limit = numberIn(execution.workflowData?.settings, "executionTimeout");
  return {
    agent,
    status: execution.status,
    models: ofKind("model").map(
      (call): ModelCall => ({
        ...call,
        facts: modelFactsOf(call, call === lastModel ? failureType : undefined),
      }),
    ),
    tools: tools.map((call): ToolCall => {
      const others = tools.filter((other) => other.nodeName === call.nodeName && other !== call);
      return { ...call, facts: toolFactsOf(call, others, input) };
    }),
    setups: ofKind("setup"),
    /** The nodes that it has as tools, called or not. */
    toolNodes: attachedTo(execution, nodeName, "ai_tool"),
    /** Its memory's session key, as the workflow has it. */
    sessionKey: attachedTo(execution, nodeName, "ai_memory")
      .flatMap((memory) => textAt(nodesByName(execution).get(memory)?.parameters, "sessionKey") ?? [])
      .at(0),
    parsers,
    /** What the model's answer lacks, by the schema of a parser that failed. */
    misfit: refused && misfitOf(refused, nodesByName(execution).get(refused.nodeName)),
    /** Its own error: from its run, or from the execution if it has no run. */
    error: nodeRun?.error ?? (nodeRun === undefined ? execution.data?.resultData?.error : undefined),
    /** Payload: the errors that it sent in place of answers, as far as they were read; the first one, and all. */
    caught: caught[0],
    allCaught: caught,
    /** How many items hold such an error. */
    caughtItems: caught.length === 0 ? 0 : (errorOutputOf(agent, node)?.length ?? caught.length),
    /** As n8n counts them (agents of n8n 2.40). */
    failedItems: numberIn(metadata, "tracing", "ai.agent.items.failed"),
    areItemsRead: sent.length === itemsSent(nodeRun),
    hasUnreadRuns,
    /** Payload: of each item that was read. */
    answers: [...sent, ...itemsOf(agent, "ai_tool")].map(answerIn),
    items: Math.max(itemsSent(nodeRun), itemsGiven(agent, execution)),
    /** Undefined if it is an expression. */
    maxIterations:
      memberOf(node?.parameters, "options", "maxIterations") === undefined
        ? DEFAULT_ITERATIONS
        : countAt(node?.parameters, "options", "maxIterations"),
    /** As n8n counted them (version 3 agents). */
    iterations: numberIn(metadata, "subNodeExecutionData", "metadata", "iterationCount"),
    /** If it has a parser, its answer is itself a call of a tool, which is not a node. */
    hasParser: attachedTo(execution, nodeName, "ai_outputParser").length > 0,
    /** It is of version 1 or 2, and may have been retried. */
    hasOwnTries: node?.retryOnFail === true && hasOwnRuns(node),
    isWithheld: isWithheldByN8n(execution),
    timeLimitMs: limit === undefined || limit <= 0 ? undefined : limit * 1_000,
    executionMs: durationMs(execution) ?? undefined,
  };
}

/**
 * The errors that a node sent in place of answers. Text Classifier and others pass on the items that they were given,
 * which may have an `error` next to other members; so does any node that is disabled.
 */
function caughtBy(agent: AgentCalls, node: WorkflowNode | undefined, input: readonly InputItem[]) {
  const goesOn = typeof node?.onError === "string" && node.onError !== "stopWorkflow";
  const isAgent = agent.role === "agent";
  const mayPassOn = !isAgent || agent.calls.length === 0;
  const isGiven = mayPassOn && input.some(({ json }) => Object.hasOwn(json, "error"));
  if (agent.nodeRun?.error !== undefined || !goesOn || isGiven) return [];
  const sent = itemsOf(agent, "main");
  const errors = errorOutputOf(agent, node);
  const own = errors === undefined ? sent.filter(hasOneMember) : jsonOf([errors]);
  return (isAgent ? sent : own).flatMap((item) => textAt(item, "error") ?? []);
}

const hasOneMember = (json: ReadValue | undefined): boolean =>
  isReadObject(json) && Object.keys(json).length === 1;

/** The error output, the last one. n8n puts the input's members first, so only the first item shows the error. */
function errorOutputOf({ nodeRun }: AgentCalls, node: WorkflowNode | undefined): OutputItems | undefined {
  const outputs = outputsOf(nodeRun?.data).get("main") ?? [];
  return node?.onError === "continueErrorOutput" && outputs.length > 1 ? outputs.at(-1) : undefined;
}

const jsonOf = (outputs: readonly OutputItems[]): (ReadValue | undefined)[] =>
  outputs.flatMap(({ items }) => items).map((item) => memberOf(item, "json"));

const itemsOf = ({ nodeRun }: AgentCalls, type: string): (ReadValue | undefined)[] =>
  jsonOf(outputsOf(nodeRun?.data).get(type) ?? []);

/** A nested agent answers as a tool does: version 3 like any agent, versions 1 and 2 with a list in `response`. */
const answerIn = (json: ReadValue | undefined): ReadValue | undefined =>
  memberOf(json, "output") ?? memberOf(json, "text") ?? memberOf(json, "response", 0, "output");

const itemsGiven = ({ nodeRun }: AgentCalls, execution: ExecutionWithData): number =>
  nodeRun === undefined ? 0 : sourcesOf(nodeRun, execution).reduce((sum, { count }) => sum + count, 0);

const numberIn = (value: unknown, ...path: readonly string[]): number | undefined => {
  const found = partOf(value, ...path);
  return typeof found === "number" && Number.isSafeInteger(found) ? found : undefined;
};
