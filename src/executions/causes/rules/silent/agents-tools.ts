/**
 * Fact: n8n shows neither that an agent left out the tool that it always calls, nor that a search found nothing: the model
 * answers all the same. Only the last successes tell what is usual.
 */
import { lengthOf, memberOf } from "../../../../json/members.ts";
import { isReadObject, type ReadValue } from "../../../../json/omitted.ts";
import { DAY_MS } from "../../../../platform/durations.ts";
import type { AgentRun } from "../../../agent-run/agent-run.ts";
import type { Call } from "../../../agent-run/calls.ts";
import type { ExecutionView } from "../../execution-view.ts";
import type { Fact } from "../../fact.ts";
import { textsOf } from "../../field-references.ts";
import type { Rule } from "../../rule.ts";
import { remembers } from "./agents-memory.ts";
import { acts } from "./usual.ts";

const runsOf = (view: ExecutionView, agent: string): readonly AgentRun[] =>
  view.agentRuns.filter((run) => run.agent.nodeName === agent);

const toolsCalled = (runs: readonly AgentRun[]): string[] => [
  ...new Set(runs.flatMap(({ evidence }) => evidence.tools.map(({ nodeName }) => nodeName))),
];

/** An agent that always called a tool and now does not answers from its own knowledge, or makes something up. */
export const toolsNotCalled: Rule = (view) =>
  agentsOf(view).flatMap((agent): Fact[] => {
    const own = runsOf(view, agent);
    if (own.some(({ stop }) => stop.reason !== "done")) return [];
    const before = view.successes.map((success) => runsOf(success, agent)).filter((runs) => runs.length > 0);
    const called = toolsCalled(own);
    const [first = [], ...others] = before.map(toolsCalled);
    const always = first.filter((tool) => others.every((tools) => tools.includes(tool)));
    const tools = always.filter((tool) => !called.includes(tool) && view.nodes.has(tool));
    const usual = new Set(before.flatMap(toolsCalled));
    const instead = called.filter((tool) => !usual.has(tool));
    // If all tools that it called are usual, one more or less means nothing.
    if (tools.length === 0 || (called.length > 0 && instead.length === 0)) return [];
    const fact = { node: agent, agent, tools, instead, before: before.length } as const;
    return [{ kind: "tool_not_called", ...fact, remembers: own.some(remembers), confidence: "compared" }];
  });

const agentsOf = (view: ExecutionView): string[] => [
  ...new Set(
    view.agentRuns.flatMap(({ agent }) =>
      agent.role === "agent" && agent.parent === null ? [agent.nodeName] : [],
    ),
  ),
];

/** Its caller got nothing. That is usual only for an agent that answers through its tools. */
export const emptyAnswer: Rule = (view) =>
  view.agentRuns.flatMap(({ agent, stop, evidence }): Fact[] => {
    if (stop.reason !== "done" || stop.isEmpty !== true || agent.parent !== null) return [];
    const node = agent.nodeName;
    const before = view.successes.flatMap((success) => runsOf(success, node));
    const isUsual = before.some((run) => run.stop.isEmpty === true);
    const finish = evidence.models.at(-1)?.facts.finishReason ?? null;
    return [{ kind: "answer_empty", node, agent: node, finish, confidence: isUsual ? "observed" : "likely" }];
  });

/** A tool that acts, called again although it had done it: what gives the same answer again may have noticed that. */
export const sameCalls: Rule = (view) =>
  view.agentRuns.flatMap(({ agent, evidence }): Fact[] => {
    const done = evidence.tools.filter(
      ({ nodeName, facts }) => facts.trouble === null && acts(view.nodes.get(nodeName)),
    );
    const groups = Map.groupBy(done, ({ nodeName, given }) => JSON.stringify([nodeName, given ?? null]));
    return [...groups.values()].flatMap((same): Fact[] => {
      const [first] = same;
      const answers = new Set(same.map(({ sent }) => JSON.stringify(sent)));
      if (first === undefined || same.length < 2 || answers.size < same.length) return [];
      const fact = { node: first.nodeName, caller: agent.nodeName, count: same.length } as const;
      return [{ kind: "repeated.calls", ...fact, confidence: "observed" }];
    });
  });

const DAY = /^(\d{4})-\d\d-\d\d(?:$|T)/;
const LONG_PAST_MS = 180 * DAY_MS;

/** A model that is not told what day it is takes one of its training for today. */
export const inventedDays: Rule = (view) =>
  view.agentRuns.flatMap(({ agent, evidence }): Fact[] => {
    const told = JSON.stringify(evidence.models[0]?.given ?? null);
    const latest = Date.parse(view.execution.startedAt ?? "") - LONG_PAST_MS;
    return evidence.tools.flatMap(({ nodeName: node, given }): Fact[] => {
      const invented = Object.entries(Object(memberOf(given, "query") ?? given)).find(([, value]) => {
        const [, year] = DAY.exec(String(value)) ?? [];
        return year !== undefined && Date.parse(String(value)) < latest && !told.includes(year);
      });
      if (invented === undefined || !acts(view.nodes.get(node)) || told === "null") return [];
      const [argument, value] = invented;
      const isNamed = textsOf(view.nodes.get(node)?.parameters).some((text) => text.includes(argument));
      const caller = agent.nodeName;
      return isNamed
        ? [
            {
              kind: "mistaken_type.past_day",
              node,
              caller,
              argument,
              value: String(value),
              confidence: "observed",
            },
          ]
        : [];
    });
  });

const SEARCHES = /\.(?:vectorStore|retriever)/;

function callsByNode(view: ExecutionView): Map<string, (Call & { readonly by: string })[]> {
  const all = view.agentRuns.flatMap(({ agent }) =>
    agent.calls.map((call) => ({ ...call, by: agent.nodeName })),
  );
  return Map.groupBy(all, ({ nodeName }) => nodeName);
}

function isEmpty(value: ReadValue | undefined): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (typeof value === "string") return /^(?:\[\s*\]|\{\s*\}|null)$/.test(value.trim());
  if (isReadObject(value)) return Object.keys(value).length === 0;
  return lengthOf(value) === 0;
}

const hasAnswered = ({ nodeRun, sent }: Call): boolean =>
  nodeRun.error === undefined && nodeRun.executionStatus === "success" && sent !== undefined;

const isEmptyAnswer = (call: Call): boolean =>
  hasAnswered(call) && isReadObject(call.sent) && isEmpty(memberOf(call.sent, "response") ?? call.sent);

/** Searches without a hit, and tools that answered with nothing though they did not before. */
export const emptyAnswers: Rule = (view) => {
  const earlier = view.successes.map(callsByNode);
  return [...callsByNode(view)].flatMap(([node, calls]): Fact[] => {
    const [first] = calls;
    const isSearch = SEARCHES.test(first?.nodeType ?? "");
    if (first === undefined || !(isSearch || first.kind === "tool") || !calls.every(isEmptyAnswer)) return [];
    const before = earlier.flatMap((one) => one.get(node) ?? []);
    const isUsual = before.some(isEmptyAnswer);
    if (isSearch) {
      const searches = calls.length;
      const confidence = isUsual ? "observed" : "likely";
      return [{ kind: "search_empty", node, caller: first.by, searches, confidence }];
    }
    const count = earlier.filter((one) => one.has(node)).length;
    if (isUsual || count === 0) return [];
    return [{ kind: "tool_empty", node, caller: first.by, before: count, confidence: "compared" }];
  });
};
