/**
 * The runs of agents as an answer, which fits into its budget: what calls were given and answered is shown in less and
 * less detail, then calls in the middle are left out, and the answer says how many. What stopped an agent, its sums and
 * every call that failed come first.
 */

import { type AgentRun, type AgentSums, sumsOf } from "../../executions/agent-run/agent-run.ts";
import { isJudged } from "../../executions/agent-run/call-kinds.ts";
import { type Call, keyOf } from "../../executions/agent-run/calls.ts";
import type { ModelCall, ToolCall } from "../../executions/agent-run/evidence.ts";
import { stopClause, troubleSentence } from "../../executions/agent-run/wording.ts";
import { toErrorFacts } from "../../executions/error-sentence.ts";
import { lengthOf, memberOf, textAt } from "../../executions/json-members.ts";
import { estimateTokens } from "../../mcp/token-estimate.ts";
import type { N8nUrls } from "../../n8n/n8n-urls.ts";
import { counted } from "../../platform/counted.ts";
import { visibleName } from "../../platform/display-name.ts";
import type { Detail, ShowValues } from "./call-values.ts";

type Entry = Readonly<Record<string, unknown>>;

export interface AgentRunAnswer {
  readonly agents: readonly (Entry & { readonly name: string })[];
  readonly calls: readonly (Entry & { readonly n: number })[];
  readonly sums: Entry & Pick<AgentSums, "llmCalls" | "toolCalls">;
  readonly leftOut?: Entry;
}

interface Step {
  readonly detail: Detail;
  /** Most calls, those that failed aside. */
  readonly maxCalls: number;
}

const ALL = Number.POSITIVE_INFINITY;

/** The fixed order. */
const STEPS: readonly Step[] = [
  ...[600, 300, 150, 80, 40].map((detail) => ({ detail, maxCalls: ALL })),
  { detail: "shape", maxCalls: ALL },
  { detail: "none", maxCalls: ALL },
  ...[60, 30, 20, 12, 6].map((maxCalls) => ({ detail: "none", maxCalls }) as const),
];

export interface AnswerParts {
  readonly runs: readonly AgentRun[];
  readonly show: ShowValues;
  readonly urls: Pick<N8nUrls, "execution">;
  /** Of the answer's own members. */
  readonly maxTokens: number;
}

export function toAnswer(parts: AnswerParts): AgentRunAnswer {
  const numbered = numberedCalls(parts.runs);
  const answers = STEPS.map((step) => () => answerAt(step, numbered, parts));
  for (const answer of answers) {
    const made = answer();
    if (estimateTokens(JSON.stringify(made)) <= parts.maxTokens) return made;
  }
  // The one way out cuts what is still too long: names without an end.
  return answerAt({ detail: "none", maxCalls: 2 }, numbered, parts);
}

type ShownCall = ModelCall | ToolCall | Call;

interface Numbered {
  readonly call: ShownCall;
  /** From 1, in the order in which they were made; a nested agent's follow its call. */
  readonly number: number;
  readonly of: AgentRun;
}

function numberedCalls(runs: readonly AgentRun[]): Numbered[] {
  const byCaller = new Map(runs.map((run) => [keyOf(run.agent), run]));
  const roots = runs.filter(({ agent }) => agent.parent === null || !byCaller.has(keyOf(agent.parent)));
  const inOrder = roots.flatMap((run) => callsBelow(run, byCaller));
  return inOrder.map((each, index) => ({ ...each, number: index + 1 }));
}

function callsBelow(run: AgentRun, byCaller: ReadonlyMap<string, AgentRun>): Omit<Numbered, "number">[] {
  const { agent, evidence } = run;
  const known = new Map([...evidence.models, ...evidence.tools].map((call) => [keyOf(call), call]));
  return agent.calls
    .filter(({ kind }) => kind === "model" || kind === "tool" || kind === "setup" || kind === "other")
    .flatMap((call) => {
      const nested = byCaller.get(keyOf(call));
      const own = { call: known.get(keyOf(call)) ?? call, of: run };
      return nested === undefined || nested === run ? [own] : [own, ...callsBelow(nested, byCaller)];
    });
}

function answerAt(
  step: Step,
  numbered: readonly Numbered[],
  { runs, show, urls }: AnswerParts,
): AgentRunAnswer {
  const chosen = choose(numbered, step.maxCalls);
  const begun = Math.min(...numbered.map(({ call }) => call.nodeRun.startTime));
  const isOne = runs.length === 1;
  const left = numbered.length - chosen.length;
  const leftOut = {
    ...(left > 0 ? { calls: left } : {}),
    ...(step.detail === STEPS[0]?.detail ? {} : { values: sayDetail(step.detail) }),
  };
  return {
    agents: runs.map((run) => toAgentEntry(run, isOne)),
    calls: chosen.map((each) =>
      toCallEntry(each, { isOne, urls, begun, values: valuesOf(each, show, step.detail) }),
    ),
    sums: toSums(sumsOf(runs)),
    ...(Object.keys(leftOut).length === 0 ? {} : { leftOut }),
  };
}

const sayDetail = (detail: Detail): string =>
  typeof detail === "number"
    ? `cut at ${counted(detail, "character")}`
    : detail === "shape"
      ? "shapes alone"
      : "left out";

/** Those that failed, the first, and the last. */
function choose(numbered: readonly Numbered[], most: number): readonly Numbered[] {
  if (numbered.length <= most) return numbered;
  const failed = numbered.filter(({ call }) => hasFailed(call)).slice(0, most);
  const room = Math.max(0, most - failed.length);
  const others = numbered.filter(({ call }) => !hasFailed(call));
  const atStart = Math.ceil(room / 2);
  const kept = new Set([
    ...failed,
    ...others.slice(0, atStart),
    ...others.slice(others.length - (room - atStart)),
  ]);
  return numbered.filter((each) => kept.has(each));
}

const hasFailed = (call: ShownCall): boolean =>
  "facts" in call ? call.facts.trouble !== null : call.nodeRun.error !== undefined;

const valuesOf = ({ call }: Numbered, show: ShowValues, detail: Detail): Entry =>
  "facts" in call ? show(call, detail) : {};

const whereNotNull = (entry: Entry): Entry =>
  Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null && value !== undefined));

function toAgentEntry(run: AgentRun, isOne: boolean): Entry & { readonly name: string } {
  const { agent, sums, stop, troubles, evidence } = run;
  const memory = memoryOf(run);
  return {
    name: agent.nodeName,
    ...whereNotNull({
      kind: agent.role,
      run: agent.run === 0 ? null : agent.run,
      calledBy: agent.parent?.nodeName,
      durationMs: agent.durationMs,
      items: evidence.items > 1 ? evidence.items : null,
      ...(isOne ? {} : toSums(sums)),
      stop: isJudged(agent.role)
        ? whereNotNull({
            reason: stop.reason,
            because: stopClause(stop),
            node: stop.nodeName === agent.nodeName ? null : stop.nodeName,
            httpCode: stop.httpCode,
            confidence: stop.confidence,
          })
        : null,
      troubles: troubles.length === 0 ? null : troubles.map(troubleSentence),
      memory,
    }),
  };
}

/** n8n keeps each load and, of agents 1 and 2, each save; how many messages it held stands in each. */
function memoryOf({ agent }: AgentRun): Entry | null {
  const calls = agent.calls.filter(({ kind }) => kind === "memory");
  const [first] = calls;
  if (first === undefined) return null;
  const loads = calls.filter(({ given }) => textAt(given, "action") !== "saveContext");
  return whereNotNull({
    node: first.nodeName,
    loads: loads.length,
    saves: calls.length - loads.length,
    messagesAtStart: lengthOf(memberOf(loads[0]?.sent, "chatHistory")),
  });
}

function toSums({ llmCalls, toolCalls, tokens, estimatedTokens }: AgentSums): AgentRunAnswer["sums"] {
  const isEstimated = estimatedTokens.prompt + estimatedTokens.completion > 0;
  return { llmCalls, toolCalls, tokens, ...(isEstimated ? { estimatedTokens } : {}) };
}

interface Showing {
  /** When the first call began, epoch milliseconds. */
  readonly begun: number;
  readonly isOne: boolean;
  readonly urls: Pick<N8nUrls, "execution">;
  readonly values: Entry;
}

function toCallEntry(
  { call, number, of }: Numbered,
  { isOne, urls, begun, values }: Showing,
): Entry & { readonly n: number } {
  return {
    n: number,
    ...whereNotNull({
      [call.kind === "setup" ? "setup of" : call.kind]: visibleName(call.nodeName),
      ...(isOne ? {} : { by: of.agent.nodeName }),
      at: call.nodeRun.startTime - begun,
      ms: call.nodeRun.executionTime,
      ...("facts" in call ? factsOf(call, urls) : errorOf(call)),
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
      estimated: tokens === null && estimatedTokens !== null ? true : null,
      finish: finishReason,
      failed: trouble,
      httpCode,
    };
  }
  const { trouble, isHidden, subExecution } = facts;
  const bad = trouble === null || trouble === "answered_error" ? {} : errorOf(call);
  return {
    failed: trouble,
    ...bad,
    hidden: isHidden ? true : null,
    subExecution:
      subExecution === null
        ? null
        : whereNotNull({
            executionId: subExecution.executionId,
            workflowId: subExecution.workflowId,
            url:
              subExecution.workflowId === undefined
                ? null
                : urls.execution(subExecution.workflowId, subExecution.executionId),
          }),
  };
}

/** Class and codes, where they are known ones. */
function errorOf({ nodeRun }: ShownCall): Entry {
  if (nodeRun.error === undefined) return {};
  const { name, code, httpCode } = toErrorFacts(nodeRun.error);
  return { errorName: name, code, httpCode };
}
