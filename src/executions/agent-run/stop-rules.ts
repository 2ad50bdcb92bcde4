/**
 * Why an agent or a chain stopped: one table of rules, in order of priority. Each was seen on n8n 1.123.81 and 2.40.5
 * with agents 1.7, 2.2 and 3 (`docs/agents.md` lists the kinds); n8n's own messages are matched whole or by their
 * beginning, and never shown. Pure.
 */
import { isSameText } from "../../json/omitted.ts";
import type { NodeError } from "../../n8n/schemas.ts";
import { itemsSent } from "./agents.ts";
import { type Call, keyOf, type RunPlace } from "./calls.ts";
import type { AgentEvidence, ModelCall } from "./evidence.ts";
import type { Misfit } from "./parser-call.ts";
import { isRefusal } from "./tool-call.ts";
import type { ModelTrouble } from "./wording.ts";

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

export interface FailedItems {
  readonly failed: number;
  readonly all: number;
  readonly isLeast: boolean;
  /** All of them failed for the reason that is reported. */
  readonly isSame: boolean;
}

/** Why the agent stopped, and in which node and run that began. */
export interface Stop extends RunPlace {
  readonly reason: StopReason;
  /** `exact`: n8n says so. `observed`: inferred from the data. */
  readonly confidence: "exact" | "observed";
  readonly trouble?: ModelTrouble;
  readonly httpCode?: string;
  /** The source of the claim, if anyone could have written it. */
  readonly saidBy?: "output" | "error";
  /** The limit of iterations, or the execution's time limit in seconds. */
  readonly limit?: number | undefined;
  readonly asks?: number;
  readonly isSuccess?: boolean;
  readonly isEmpty?: boolean;
  readonly hasRun?: boolean;
  readonly hasAsked?: boolean;
  /** n8n counts items that failed, but they were not read. */
  readonly isUnread?: boolean;
  readonly wasSetUp?: boolean;
  /** Of several items, how many failed, for this reason or others. */
  readonly ofItems?: FailedItems;
  readonly misfit?: Misfit;
  /** The parser that could not read an answer that was cut off. */
  readonly parser?: string;
}

/** A rule's finding; the place defaults to the agent itself, the confidence to `exact`. */
type Found = Partial<Stop> & Pick<Stop, "reason">;
type Rule = (evidence: AgentEvidence) => Found | undefined;

const placeOf = ({ nodeName, run }: RunPlace): RunPlace => ({ nodeName, run });

/** Whether the agent failed with the error of one of its calls. */
const failedWith = ({ error, caught }: AgentEvidence, ofCall: NodeError | undefined): boolean =>
  [error?.message, caught].some(
    (said) => said != null && ofCall?.message != null && isSameText(said, ofCall.message),
  );

const hasFailed = ({ error, caught }: AgentEvidence): boolean => error !== undefined || caught !== undefined;

/** Failed items are sent too. A node that handles all items together, or only the first, sends one item. */
function partOfItems(failed: number, { agent, areItemsRead }: AgentEvidence, isSame: boolean): Partial<Stop> {
  const all = itemsSent(agent.nodeRun);
  return all > 1 ? { ofItems: { failed, all, isLeast: !areItemsRead, isSame } } : {};
}

/** An agent without a run has not ended. */
const goesOn: Rule = ({ agent, status }) =>
  agent.nodeRun === undefined && (status === "running" || status === "waiting" || status === "new")
    ? { reason: "running" }
    : undefined;

const crashed: Rule = ({ agent, status }) =>
  status === "crashed" && agent.nodeRun?.executionStatus !== "success" ? { reason: "crashed" } : undefined;

/** The messages of the platform's `fetch` in an agent whose call was aborted. */
const ABORTED = /^(?:Aborted|This operation was aborted)/;

const wasCut = ({ agent, caught, models }: AgentEvidence): boolean =>
  [agent.nodeRun, agent.calls.at(-1)?.nodeRun].some((run) => run?.executionStatus === "canceled") ||
  models.at(-1)?.facts.trouble === "canceled" ||
  ABORTED.test(caught ?? "");

/**
 * The agent's error is an `AbortError` (2.40), or it has no run (1.123); the limit is in the settings, in seconds.
 * An agent that passed its error on ended by itself, unless it or its last call was aborted.
 */
const stopped: Rule = (evidence) => {
  const { agent, error, status, timeLimitMs, executionMs } = evidence;
  if (status !== "canceled" || (agent.nodeRun !== undefined && error === undefined && !wasCut(evidence)))
    return undefined;
  return timeLimitMs !== undefined && executionMs !== undefined && executionMs >= timeLimitMs
    ? { reason: "time_limit", limit: timeLimitMs / 1_000, confidence: "observed" }
    : { reason: "canceled" };
};

const noPrompt: Rule = ({ error, caught, models }) =>
  [error?.message, caught].includes("No prompt specified") && models.length === 0
    ? { reason: "no_prompt" }
    : undefined;

/** A sub-node with an error and no data: an MCP server that cannot be reached, a store that cannot be opened. */
const setupFailed: Rule = (evidence) => {
  const setup = evidence.setups.at(-1);
  return setup !== undefined && hasFailed(evidence)
    ? { reason: "setup_failed", ...placeOf(setup) }
    : undefined;
};

/** The failure of a memory, vector store or retriever is not reported to the model: it ends the agent. */
const helperFailed: Rule = (evidence) => {
  const { calls } = evidence.agent;
  const isHelper = ({ kind }: Call): boolean => kind === "memory" || kind === "other";
  // It is the last call, unless others worked on other items.
  const said = calls.filter(isHelper).findLast(({ nodeRun }) => failedWith(evidence, nodeRun.error));
  const failed = said ?? calls.slice(-1).find(isHelper);
  return failed?.nodeRun.error !== undefined && hasFailed(evidence)
    ? { reason: "setup_failed", ...placeOf(failed), wasSetUp: true }
    : undefined;
};

const askedForMissingTool: Rule = (evidence) => {
  if (!endedByIterations(evidence) || evidence.tools.length > 0) return undefined;
  const asks = unansweredToolRequests(evidence);
  return asks === 0
    ? undefined
    : { reason: "no_such_tool", asks, limit: evidence.maxIterations, confidence: "observed" };
};

const iterationsFailed: Rule = (evidence) =>
  endedByIterations(evidence) ? { reason: "iterations", limit: evidence.maxIterations } : undefined;

const FORMAT_SENTENCE = "Model output doesn't fit required format";
/** LangChain's own message, for nodes with a built-in parser (Information Extractor of n8n 1.123). */
const UNPARSED = /^Failed to parse\. Text: "/;

const parserFailed: Rule = (evidence) => {
  if (!hasFailed(evidence)) return undefined;
  const failed = evidence.parsers.find(({ nodeRun }) => nodeRun.error !== undefined);
  const { misfit } = evidence;
  const last = evidence.models.at(-1);
  // An answer that was cut off fits no format: the parser is only where it shows.
  if (failed !== undefined && last?.facts.finishReason === "length")
    return { reason: "length", ...placeOf(last), parser: failed.nodeName };
  if (failed !== undefined) return { reason: "output_parser", ...placeOf(failed), ...(misfit && { misfit }) };
  const said = [evidence.error?.message, evidence.caught];
  return said.some((text) => text === FORMAT_SENTENCE || UNPARSED.test(text ?? ""))
    ? { reason: "output_parser" }
    : undefined;
};

/** Agents of versions 1 and 2 fail with it; so do those of version 3 on n8n 1.123, where the agent has no run. */
const argumentsRefused: Rule = ({ error, caught, tools, agent }) => {
  const last = tools.at(-1);
  if (agent.nodeRun === undefined && last?.facts.trouble === "refused_arguments")
    return { reason: "refused_arguments", ...placeOf(last) };
  const isRefused = error?.description === "Original error: ToolInputParsingException";
  return isRefused || isRefusal(error?.message) || isRefusal(caught)
    ? { reason: "refused_arguments" }
    : undefined;
};

/**
 * The model's own run has the error: the last one, unless a fallback replaced it or others worked on other items.
 */
const modelFailed: Rule = (evidence) => {
  const { models } = evidence;
  const last = models.findLast(({ nodeRun }) => failedWith(evidence, nodeRun.error)) ?? models.at(-1);
  const trouble = last?.facts.trouble;
  if (last === undefined || trouble === null || trouble === undefined || !hasFailed(evidence))
    return undefined;
  const { httpCode, isSaid } = last.facts;
  return {
    reason: trouble,
    trouble,
    ...placeOf(last),
    ...(isSaid ? { confidence: "observed", saidBy: "error" } : {}),
    ...(httpCode === null ? {} : { httpCode }),
  };
};

/** Version 3 agents of n8n 1.123: a tool that throws ends the execution, and the agent has no run. */
const toolFailed: Rule = ({ agent, tools, error }) => {
  const last = tools.at(-1);
  return agent.nodeRun === undefined && error !== undefined && last?.facts.trouble === "failed"
    ? { reason: "tool_failed", ...placeOf(last) }
    : undefined;
};

const failed: Rule = (evidence) => {
  if (hasFailed(evidence)) return { reason: "failed" };
  const { failedItems = 0, areItemsRead } = evidence;
  return failedItems > 0 && !areItemsRead
    ? { reason: "failed", isUnread: true, ...partOfItems(failedItems, evidence, true) }
    : undefined;
};

const noRun: Rule = ({ agent }) =>
  agent.nodeRun === undefined ? { reason: "unknown", hasRun: false, confidence: "observed" } : undefined;

/**
 * Agents 1 and 2 succeed, with a sentence of n8n in place of the answer. A model could say the same, but after the model
 * has requested tools up to the limit, or a tool was called last, the sentence is n8n's.
 */
const iterationsHidden: Rule = (evidence) => {
  const { agent, answers, items, maxIterations, models } = evidence;
  const limited = answers.filter((answer) => answer === "Agent stopped due to max iterations.").length;
  if (limited === 0) return undefined;
  const found = { reason: "iterations", limit: maxIterations, isSuccess: true } as const;
  const finish = models.at(-1)?.facts.finishReason ?? null;
  const isMixed = items > 1 || finish === null;
  // Some providers end a request for a tool with the word that ends an answer.
  const last = agent.calls.findLast(({ kind }) => kind === "model" || kind === "tool");
  if (!isMixed && finish !== "tool_calls" && last?.kind !== "tool") return undefined;
  // A tool may have said it in the agent's place, too, unless the limit is known.
  if (isMixed || maxIterations === undefined)
    return { ...found, ...partOfItems(limited, evidence, true), confidence: "observed", saidBy: "output" };
  return models.length >= maxIterations ? found : undefined;
};

/** An agent's last answer counts, but of several items, and in a chain, each is one. */
const finishedBy =
  (reason: "length" | "content_filter"): Rule =>
  ({ agent, models, items }) => {
    const answers = agent.role === "agent" && items <= 1 ? models.slice(-1) : models;
    const found = answers.find(({ facts }) => facts.finishReason === reason);
    return found && { reason, ...placeOf(found) };
  };

/**
 * A disabled node has a run, and so has a node with pinned output; a model that does not report its calls has none.
 * Withheld data shows neither answer nor reason.
 */
const done: Rule = ({ agent, answers, areItemsRead, hasUnreadRuns, models, isWithheld }) => {
  const hasWorked = agent.calls.length > 0 || (hasUnreadRuns && answers[0] !== undefined);
  if (!hasWorked) return { reason: "unknown", hasAsked: false, confidence: "observed" };
  // Without a finish reason that is known, the answer may have been cut off.
  const isKnown = ({ facts: { finishReason, trouble } }: ModelCall): boolean =>
    ![null, "other"].includes(finishReason ?? trouble);
  const confidence = models.length > 0 && models.every(isKnown) && areItemsRead ? "exact" : "observed";
  return isWithheld ? undefined : { reason: "done", isEmpty: answers[0] === "", confidence };
};

const RULES: readonly Rule[] = [
  goesOn,
  crashed,
  stopped,
  // If a model's or a tool's own run failed, the error's text is from its service.
  noPrompt,
  setupFailed,
  modelFailed,
  helperFailed,
  toolFailed,
  askedForMissingTool,
  iterationsFailed,
  parserFailed,
  argumentsRefused,
  failed,
  noRun,
  iterationsHidden,
  finishedBy("length"),
  finishedBy("content_filter"),
  done,
];

/** Reasons that end an agent for all of its items. */
const OF_ALL_ITEMS: ReadonlySet<StopReason> = new Set(["crashed", "canceled", "time_limit"]);

const UNEXPLAINED: Found = { reason: "unknown", confidence: "observed" };

export function stopOf(evidence: AgentEvidence): Stop {
  const [found = UNEXPLAINED] = RULES.flatMap((rule) => rule(evidence) ?? []);
  const { agent, error, caught, caughtItems } = evidence;
  // An agent's answer is in `output`; a chain's model can write any member.
  const isSaid = agent.role !== "agent" && error === undefined && caught !== undefined;
  const said = { confidence: "observed", saidBy: "output" } as const;
  return {
    ...placeOf(agent),
    confidence: "exact",
    ...found,
    ...(isSaid && found.nodeName === undefined ? said : {}),
    ...(caughtItems > 0 && !OF_ALL_ITEMS.has(found.reason)
      ? partOfItems(caughtItems, evidence, caughtItems === 1)
      : {}),
  };
}

/**
 * How often a model requested a tool and none was called, because the tool does not exist. n8n keeps neither its name nor
 * a run of it; the only sign is a model call that ended with `tool_calls` and was followed at once by another (agents 1,
 * 2 and 3).
 */
export function unansweredToolRequests(evidence: AgentEvidence): number {
  // A failed try, of which n8n keeps nothing else, also ends with a request.
  if (evidence.hasOwnTries) return 0;
  return evidence.items > 1 ? countRequests(evidence) : countRequestsInOrder(evidence);
}

/** With several items the calls are interleaved: a model's request is not followed by its own tool. */
function countRequests({ models, tools, items, hasParser }: AgentEvidence): number {
  const asks = models.filter(({ facts }) => facts.finishReason === "tool_calls").length;
  return Math.max(0, asks - tools.length - (hasParser ? items : 0));
}

function countRequestsInOrder(evidence: AgentEvidence): number {
  const calls = evidence.agent.calls.filter(({ kind }) => kind === "model" || kind === "tool");
  const asking = new Set(
    evidence.models.filter(({ facts }) => facts.finishReason === "tool_calls").map(keyOf),
  );
  return calls.filter((call, index) => {
    if (!asking.has(keyOf(call))) return false;
    const next = calls[index + 1];
    // The last request may have been the one that ended the run.
    return next === undefined ? endedByIterations(evidence) : next.kind === "model";
  }).length;
}

/** n8n's own sentence (version 3 agents). Its number is not shown, since anyone could have written it. */
const MAX_ITERATIONS = /^Max iterations \(\d+\) reached\./;

function endedByIterations({ error, caught, iterations, maxIterations }: AgentEvidence): boolean {
  if (error === undefined && caught === undefined) return false;
  return (
    (iterations !== undefined && maxIterations !== undefined && iterations >= maxIterations) ||
    [error?.message, caught].some((text) => text !== undefined && MAX_ITERATIONS.test(text))
  );
}
