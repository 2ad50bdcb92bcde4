/**
 * Fact: n8n shows neither that an agent left out the tool that it always calls, nor that a search found nothing: the model
 * answers all the same. Only the last successes tell what is usual.
 */

import { lengthOf, memberOf } from "../../../../json/members.ts";
import { containsOmitted, isReadObject, type ReadValue } from "../../../../json/omitted.ts";
import { DAY_MS } from "../../../../platform/durations.ts";
import type { AgentRun } from "../../../agent-run/agent-run.ts";
import type { Call } from "../../../agent-run/calls.ts";
import { type ExecutionView, sentInAll } from "../../execution-view.ts";
import type { Fact } from "../../fact.ts";
import { textsOf } from "../../field-references.ts";
import { acts } from "../../node-effects.ts";
import type { Rule } from "../../rule.ts";
import { remembers } from "./agents-memory.ts";

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

/** A tool that acts was called twice with the same arguments. One that gave the same answer may have noticed that. */
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

const parametersOf = ({ nodes }: ExecutionView): string =>
  JSON.stringify([...nodes.values()].map((node) => node.parameters));

/**
 * All that these answers of tools and the items before an agent told it, except its prompts, which are never read; null
 * if part of it was not read.
 */
function toldTo(view: ExecutionView, { agent }: AgentRun, answers: readonly Call[]): string | null {
  const names = [...view.runs.keys()];
  const before = names.slice(0, names.indexOf(agent.nodeName)).filter((name) => !view.isSubNode(name));
  const items = before.flatMap((name) => sentInAll(view, name).items);
  const known = [...items.map(({ json }) => json), ...answers.map(({ sent }) => sent ?? null)];
  const remembers = agent.calls.some(({ kind }) => kind !== "model" && kind !== "tool");
  const isUnread =
    known.length === 0 ||
    known.some((json) => containsOmitted(json)) ||
    items.some(({ files }) => Object.keys(Object(files)).length > 0);
  return remembers || isUnread ? null : JSON.stringify(known) + parametersOf(view);
}

/** Expressions for the current time, in a prompt or elsewhere: a model can count back from it. */
const KNOWS_TODAY = /\$(?:now|today)\b|\bDate(?:Time)?\b/;

/** The name and the value of what tells one thing or person from others. */
const OF_ONE = /(?:id|no|nr|num(?:ber)?|code|key|e?mail|phone|iban)$/i;
const IDENTIFIER = /^(?=[^@]*\d)[\w.#/-]{4,40}$|^[^\s@]{1,60}@[^\s@]{1,60}$/;

const withoutMarks = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** A model that is not told today's date, or which order is meant, assumes one. */
export const inventedArguments: Rule = (view) =>
  view.agentRuns.flatMap((run) => {
    const latest = Date.parse(view.execution.startedAt ?? "") - LONG_PAST_MS;
    const { tools } = run.evidence;
    return tools.flatMap(({ nodeName: node, given, facts }, at): Fact[] => {
      if (facts.trouble !== null) return [];
      const others = tools.filter(({ nodeName }) => nodeName !== node);
      const known = KNOWS_TODAY.test(parametersOf(view)) ? null : toldTo(view, run, others);
      const told = toldTo(view, run, tools.slice(0, at));
      const texts = textsOf(view.nodes.get(node)?.parameters);
      const named = Object.entries(Object(memberOf(given, "query") ?? given))
        .map(([name, value]) => [name, String(value)] as const)
        .filter(([name]) => texts.some((text) => text.includes(name)));
      const past = named.find(([, value]) => {
        const [, year] = DAY.exec(value) ?? [];
        return year !== undefined && Date.parse(value) < latest && known?.includes(year) === false;
      });
      const invented = named.find(
        ([name, value]) =>
          OF_ONE.test(name) &&
          IDENTIFIER.test(value) &&
          told !== null &&
          !withoutMarks(told).includes(withoutMarks(value)),
      );
      const isPast = past !== undefined && acts(view.nodes.get(node));
      const [argument, value] = (isPast ? past : invented) ?? [];
      if (argument === undefined || value === undefined) return [];
      const kind = isPast ? "mistaken_type.past_day" : "mistaken_type.invented";
      return [{ kind, node, caller: run.agent.nodeName, argument, value, confidence: "observed" }];
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
