/**
 * Builds the answer about agent runs within the token budget: first the arguments and results of calls are shown in less
 * detail, then calls in the middle are left out and counted. Why an agent stopped, its totals and every failed call have
 * priority.
 */
import { type AgentRun, type AgentSums, sumsOf } from "../../executions/agent-run/agent-run.ts";
import { isJudged } from "../../executions/agent-run/call-kinds.ts";
import { type Call, keyOf } from "../../executions/agent-run/calls.ts";
import type { ModelCall, ToolCall } from "../../executions/agent-run/evidence.ts";
import { stopClause, troubleSentence } from "../../executions/agent-run/wording.ts";
import { toErrorFacts } from "../../executions/error-sentence.ts";
import { lengthOf, memberOf, textAt } from "../../json/members.ts";
import { degrade, fitsInto } from "../../mcp/degrade.ts";
import type { N8nUrls } from "../../n8n/n8n-urls.ts";
import { counted } from "../../platform/counted.ts";
import { visibleName } from "../../platform/display-name.ts";
import { withoutNull } from "../shown.ts";
import type { Detail, ShowValues } from "./call-values.ts";

type Entry = Readonly<Record<string, unknown>>;

interface Step {
  readonly detail: Detail;
  /** Maximum number of calls, not counting failed ones. */
  readonly maxCalls?: number;
}

const FULL: Step = { detail: 600 };
const STEPS: readonly Step[] = [
  FULL,
  ...[300, 150, 80, 40].map((detail) => ({ detail })),
  { detail: "shape" },
  { detail: "none" },
  ...[60, 30, 20, 12, 6, 2].map((maxCalls) => ({ detail: "none", maxCalls }) as const),
];

interface AnswerParts {
  readonly runs: readonly AgentRun[];
  readonly unreadRuns: number;
  readonly show: ShowValues;
  readonly urls: Pick<N8nUrls, "execution">;
  readonly maxTokens: number;
}

/** Only very long names can exceed the budget after the last step; the token budget then cuts them. */
export function toAnswer(parts: AnswerParts) {
  const numbered = numberedCalls(parts.runs);
  return degrade(STEPS, (step) => answerAt(step, numbered, parts), fitsInto(parts.maxTokens)).shown;
}

type ShownCall = ModelCall | ToolCall | Call;

interface Numbered {
  readonly call: ShownCall;
  /** Starts at 1, in call order; the calls of a nested agent follow the call that started it. */
  readonly number: number;
  readonly of: AgentRun;
}

function numberedCalls(runs: readonly AgentRun[]): Numbered[] {
  const byCaller = new Map(runs.map((run) => [keyOf(run.agent), run]));
  const roots = runs.filter(({ agent }) => agent.parent === null || !byCaller.has(keyOf(agent.parent)));
  const inOrder = roots.flatMap((run) => callsBelow(run, byCaller));
  return inOrder.map((each, index) => ({ ...each, number: index + 1 }));
}

/** Calls made by a hidden parser or memory are shown nonetheless. */
const isShown = ({ kind, nodeRun }: Call): boolean =>
  kind === "memory" ? nodeRun.error !== undefined : kind !== "parser";

function callsBelow(run: AgentRun, byCaller: ReadonlyMap<string, AgentRun>): Omit<Numbered, "number">[] {
  const { agent, evidence } = run;
  const known = new Map([...evidence.models, ...evidence.tools].map((call) => [keyOf(call), call]));
  return agent.calls.flatMap((call) => {
    const nested = byCaller.get(keyOf(call));
    const own = isShown(call) ? [{ call: known.get(keyOf(call)) ?? call, of: run }] : [];
    return nested === undefined || nested === run ? own : [...own, ...callsBelow(nested, byCaller)];
  });
}

function answerAt({ detail, maxCalls }: Step, numbered: readonly Numbered[], parts: AnswerParts) {
  const { runs, unreadRuns, show } = parts;
  const chosen = maxCalls === undefined ? numbered : choose(numbered, maxCalls);
  const begun = Math.min(...numbered.map(({ call }) => call.nodeRun.startTime));
  const left = numbered.length - chosen.length;
  const leftOut = {
    ...(unreadRuns > 0 ? { runs: unreadRuns } : {}),
    ...(left > 0 ? { calls: left } : {}),
    ...(detail === FULL.detail ? {} : { values: describe(detail) }),
  };
  return {
    agents: runs.map((run) => toAgentEntry(run, runs.length === 1)),
    calls: chosen.map((each) =>
      toCallEntry(each, "facts" in each.call ? show(each.call, detail) : {}, begun, parts),
    ),
    sums: toSums(sumsOf(runs)),
    leftOut: Object.keys(leftOut).length === 0 ? undefined : leftOut,
  };
}

function describe(detail: Detail): string {
  if (typeof detail === "number") return `cut at ${counted(detail, "character")}`;
  return detail === "shape" ? "shapes alone" : "left out";
}

function choose(numbered: readonly Numbered[], most: number): readonly Numbered[] {
  if (numbered.length <= most) return numbered;
  const failed = numbered.filter(({ call }) => hasFailed(call)).slice(0, most);
  const remaining = Math.max(0, most - failed.length);
  const others = numbered.filter(({ call }) => !hasFailed(call));
  const atStart = Math.ceil(remaining / 2);
  const kept = new Set([
    ...failed,
    ...others.slice(0, atStart),
    ...others.slice(others.length - (remaining - atStart)),
  ]);
  return numbered.filter((each) => kept.has(each));
}

const hasFailed = (call: ShownCall): boolean =>
  "facts" in call ? call.facts.trouble !== null : call.nodeRun.error !== undefined;

function toAgentEntry(run: AgentRun, isOne: boolean) {
  const { agent, sums, stop, troubles, evidence } = run;
  return {
    name: agent.nodeName,
    kind: agent.role,
    run: agent.run === 0 ? undefined : agent.run,
    calledBy: agent.parent?.nodeName,
    durationMs: agent.durationMs,
    items: evidence.items > 1 ? evidence.items : undefined,
    ...(isOne ? {} : toSums(sums)),
    stop: isJudged(agent.role)
      ? withoutNull({
          reason: stop.reason,
          because: stopClause(stop),
          node: stop.nodeName === agent.nodeName ? null : stop.nodeName,
          httpCode: stop.httpCode,
          confidence: stop.confidence,
        })
      : undefined,
    troubles: troubles.length === 0 ? undefined : troubles.map((trouble) => troubleSentence(trouble)),
    tools: evidence.toolNodes.length === 0 ? undefined : evidence.toolNodes.map(visibleName),
    memory: memoryOf(run),
  };
}

/** n8n saves each load and, for agents 1 and 2, each save; each holds the number of messages. */
function memoryOf({ agent, evidence }: AgentRun) {
  const calls = agent.calls.filter(({ kind }) => kind === "memory");
  const [first] = calls;
  if (first === undefined) return undefined;
  const loads = calls.filter(({ given }) => textAt(given, "action") !== "saveContext");
  return {
    node: first.nodeName,
    sessionKey: evidence.sessionKey,
    loads: loads.length,
    saves: calls.length - loads.length,
    messagesAtStart: lengthOf(memberOf(loads[0]?.sent, "chatHistory")) ?? undefined,
  };
}

function toSums({ llmCalls, toolCalls, tokens, estimatedTokens }: AgentSums) {
  const isEstimated = estimatedTokens.prompt + estimatedTokens.completion > 0;
  return { llmCalls, toolCalls, tokens, estimatedTokens: isEstimated ? estimatedTokens : undefined };
}

function toCallEntry({ call, number, of }: Numbered, values: Entry, begun: number, parts: AnswerParts) {
  return {
    n: number,
    ...withoutNull({
      [call.kind === "setup" ? "setup of" : call.kind]: visibleName(call.nodeName),
      by: parts.runs.length === 1 ? undefined : of.agent.nodeName,
      at: call.nodeRun.startTime - begun,
      ms: call.nodeRun.executionTime,
      ...("facts" in call ? factsOf(call, parts.urls) : errorOf(call)),
      ...values,
    }),
  };
}

function factsOf(call: ModelCall | ToolCall, urls: Pick<N8nUrls, "execution">): Entry {
  const { facts } = call;
  if ("finishReason" in facts) {
    const { tokens, estimatedTokens, finishReason, trouble, httpCode } = facts;
    const counts = tokens ?? estimatedTokens;
    return {
      in: counts?.prompt,
      out: counts?.completion,
      estimated: (tokens === null && estimatedTokens !== null) || undefined,
      finish: finishReason,
      failed: trouble,
      httpCode,
    };
  }
  const { trouble, isHidden, subExecution } = facts;
  const { executionId = "", workflowId } = subExecution ?? {};
  const url = workflowId === undefined ? undefined : urls.execution(workflowId, executionId);
  return {
    failed: trouble,
    ...(trouble === null || trouble === "answered_error" ? {} : errorOf(call)),
    hidden: isHidden || undefined,
    subExecution: subExecution && { executionId, workflowId, url },
  };
}

function errorOf({ nodeRun }: ShownCall): Entry {
  if (nodeRun.error === undefined) return {};
  const { name, code, httpCode } = toErrorFacts(nodeRun.error);
  return { errorName: name, code, httpCode };
}
