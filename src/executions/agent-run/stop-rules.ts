/**
 * Why an agent, or a chain, stopped: one table, in the order in which its rules are believed. Each was seen on n8n
 * 1.123.81 and 2.40.5 with agents 1.7, 2.2 and 3 (`docs/agents.md` has the kinds); what n8n says in words of its own
 * is matched whole or by its beginning, and never told. Pure.
 */
import { counted } from "../../platform/counted.ts";
import { quoted } from "../../platform/display-name.ts";
import type { RunPlace } from "./calls.ts";
import type { AgentEvidence } from "./evidence.ts";
import { type ModelTrouble, sayTrouble } from "./model-errors.ts";
import { isRefusal } from "./tool-call.ts";
import { endedByIterations, unansweredAsks } from "./unanswered-asks.ts";

export type StopReason =
  | "done"
  | "iterations"
  | "length"
  | "content_filter"
  | "no_such_tool"
  | "refused_arguments"
  | "tool_failed"
  | "setup_failed"
  | "output_parser"
  | "no_prompt"
  | ModelTrouble
  | "time_limit"
  | "crashed"
  | "running"
  | "failed"
  | "unknown";

export interface Stop {
  readonly reason: StopReason;
  /** A clause of ours: "it stopped because …". */
  readonly says: string;
  /** Where it began: the node, and which of its runs. */
  readonly nodeName: string;
  readonly run: number;
  /** `exact`: n8n says so. `observed`: it follows from what there is. */
  readonly confidence: "exact" | "observed";
  readonly httpCode?: string;
}

/** What a rule finds; at the agent itself, unless it says where. */
type Found = Omit<Stop, "nodeName" | "run"> & Partial<RunPlace>;
type Rule = (evidence: AgentEvidence) => Found | undefined;

const exact = (reason: StopReason, says: string, where?: RunPlace): Found => ({
  reason,
  says,
  confidence: "exact",
  ...(where === undefined ? {} : { nodeName: where.nodeName, run: where.run }),
});
const observed = (reason: StopReason, says: string): Found => ({
  ...exact(reason, says),
  confidence: "observed",
});

const hasFailed = ({ error, caught }: AgentEvidence): boolean => error !== undefined || caught !== undefined;

/** Without a run of its own, an agent did not end. */
const goesOn: Rule = ({ agent, status }) =>
  agent.nodeRun === undefined && (status === "running" || status === "waiting" || status === "new")
    ? exact("running", "it has not: the execution goes on")
    : undefined;

const crashed: Rule = ({ agent, status }) =>
  status === "crashed" && agent.nodeRun?.executionStatus !== "success"
    ? exact("crashed", "n8n crashed while it ran")
    : undefined;

/** The agent's error is an `AbortError` (2.40), or it has no run (1.123); the limit stands in the settings, in seconds. */
const stopped: Rule = (evidence) => {
  const { agent, status, timeLimitMs, executionMs } = evidence;
  if (status !== "canceled" || (agent.nodeRun !== undefined && !hasFailed(evidence))) return undefined;
  return timeLimitMs !== undefined && executionMs !== undefined && executionMs >= timeLimitMs
    ? observed("time_limit", `the execution reached the workflow's time limit of ${timeLimitMs / 1_000} s`)
    : exact("canceled", "the execution was stopped");
};

/** n8n's own sentence, before any model is asked. */
const noPrompt: Rule = ({ error, caught, models }) =>
  [error?.message, caught].includes("No prompt specified") && models.length === 0
    ? exact("no_prompt", "its prompt was empty")
    : undefined;

/** A sub-node with an error and no data: an MCP server that cannot be reached, a store that cannot be opened. */
const setupFailed: Rule = (evidence) => {
  const setup = evidence.setups.at(-1);
  return setup !== undefined && hasFailed(evidence)
    ? exact("setup_failed", `${quoted(setup.nodeName)} could not be set up for it`, setup)
    : undefined;
};

const askedInVain: Rule = (evidence) => {
  if (!endedByIterations(evidence) || evidence.tools.length > 0) return undefined;
  const asks = unansweredAsks(evidence);
  if (asks === 0) return undefined;
  return observed(
    "no_such_tool",
    `its model asked ${counted(asks, "time")} for a tool that it does not have, up to its limit of ${evidence.maxIterations} iterations`,
  );
};

/** Agents 3 fail. */
const iterationsFailed: Rule = (evidence) => {
  if (!endedByIterations(evidence)) return undefined;
  return exact("iterations", `it reached its limit of ${evidence.maxIterations} iterations`);
};

const FORMAT_SENTENCE = "Model output doesn't fit required format";
/** LangChain's own, of what hangs together in one node and has no parser of its own (Information Extractor of n8n 1.123). */
const UNPARSED = /^Failed to parse\. Text: "/;

const parserFailed: Rule = (evidence) => {
  if (!hasFailed(evidence)) return undefined;
  const failed = evidence.parsers.find(({ nodeRun }) => nodeRun.error !== undefined);
  const says = "the model's answer did not fit the format that the output parser asks for";
  if (failed !== undefined) return exact("output_parser", says, failed);
  const said = [evidence.error?.message, evidence.caught];
  return said.some((text) => text === FORMAT_SENTENCE || UNPARSED.test(text ?? ""))
    ? exact("output_parser", says)
    : undefined;
};

/** Agents 1 and 2 fail with it; so do agents 3 of n8n 1.123, where the tool's run fails and the agent has none. */
const argumentsRefused: Rule = ({ error, caught, tools, agent }) => {
  const says = "the model called a tool with arguments that its schema refuses";
  const last = tools.at(-1);
  if (agent.nodeRun === undefined && last?.facts.trouble === "refused_arguments")
    return exact("refused_arguments", says, last);
  const isRefused = error?.description === "Original error: ToolInputParsingException";
  return isRefused || isRefusal(error?.message) || isRefusal(caught)
    ? exact("refused_arguments", says)
    : undefined;
};

/** The model's own run has the error. Where another model stood in for it, it is not the last. */
const modelFailed: Rule = (evidence) => {
  const last = evidence.models.at(-1);
  const trouble = last?.facts.trouble;
  if (last === undefined || trouble === null || trouble === undefined || !hasFailed(evidence))
    return undefined;
  const { httpCode, isSaid } = last.facts;
  return {
    ...exact(trouble, `${sayTrouble(trouble)}${isSaid ? ", as its error says" : ""}`, last),
    ...(isSaid ? { confidence: "observed" } : {}),
    ...(httpCode === null ? {} : { httpCode }),
  };
};

/** Agents 3 of n8n 1.123: a tool that throws ends the execution, and the agent has no run. */
const toolFailed: Rule = ({ agent, tools, error }) => {
  const last = tools.at(-1);
  return agent.nodeRun === undefined && error !== undefined && last?.facts.trouble === "failed"
    ? exact("tool_failed", `${quoted(last.nodeName)} failed, which ended the execution`, last)
    : undefined;
};

const failed: Rule = (evidence) =>
  hasFailed(evidence) ? exact("failed", "it failed with an error of another kind") : undefined;

const noRun: Rule = ({ agent }) =>
  agent.nodeRun === undefined ? observed("unknown", "n8n kept no run of it") : undefined;

/**
 * Agents 1 and 2 succeed, with a sentence of n8n in place of the answer, which a model can say, too: after a model that
 * asked for tools as often as it may, it is n8n's.
 */
const iterationsHidden: Rule = ({ answer, items, maxIterations, models }) => {
  if (answer !== "Agent stopped due to max iterations.") return undefined;
  const says = `it reached its limit of ${maxIterations} iterations, which n8n shows as a success`;
  const [last, ...before] = models.map(({ facts }) => facts).reverse();
  if (items > 1 || last === undefined || last.finishReason === null)
    return observed("iterations", `${says}, as its output says`);
  const isReached = before.length + 1 >= maxIterations && last.finishReason === "tool_calls";
  return isReached ? exact("iterations", says) : undefined;
};

const cutShort: Rule = ({ models }) => {
  const cut = models.find(({ facts }) => facts.finishReason === "length");
  return cut && exact("length", "the model's answer was cut off at its token limit", cut);
};

const filtered: Rule = ({ models }) => {
  const last = models.find(({ facts }) => facts.finishReason === "content_filter");
  return last && exact("content_filter", "the provider's content filter stopped the model's answer", last);
};

const done: Rule = ({ answer }) => ({
  reason: "done",
  says: answer === "" ? "the model gave its answer, which is empty" : "the model gave its answer",
  confidence: "exact",
});

const RULES: readonly Rule[] = [
  ...[goesOn, crashed, stopped],
  // Where a model's or a tool's own run failed, the error's words are its service's.
  ...[noPrompt, setupFailed, modelFailed, toolFailed],
  ...[askedInVain, iterationsFailed, parserFailed, argumentsRefused, failed, noRun],
  ...[iterationsHidden, cutShort, filtered, done],
];

export function stopOf(evidence: AgentEvidence): Stop {
  const [found] = RULES.flatMap((rule) => rule(evidence) ?? []);
  const { nodeName, run, role } = evidence.agent;
  const stop = found ?? observed("unknown", "n8n does not say why");
  // An agent's answer stands in `output`; a chain's model can write any member.
  const isSaid = role !== "agent" && evidence.error === undefined && evidence.caught !== undefined;
  return isSaid && stop.nodeName === undefined
    ? { nodeName, run, ...observed(stop.reason, `${stop.says}, as its output says`) }
    : { nodeName, run, ...stop };
}
