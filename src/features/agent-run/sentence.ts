/** Summarizes the agent runs of an execution in one sentence: names, counts and codes, no payload. */
import { type AgentRun, sumsOf } from "../../executions/agent-run/agent-run.ts";
import { isJudged } from "../../executions/agent-run/call-kinds.ts";
import { keyOf } from "../../executions/agent-run/calls.ts";
import { nounOf, stopClause } from "../../executions/agent-run/wording.ts";
import { counted } from "../../platform/counted.ts";
import { quoted } from "../../platform/display-name.ts";
import { sumOf } from "../../platform/sum-of.ts";

/** Beyond this, only the count is given. */
const MAX_NAMED = 3;

const times = (count: number): string =>
  count === 1 ? "once" : count === 2 ? "twice" : counted(count, "time");

function toolClause({ evidence }: AgentRun): string {
  const { tools } = evidence;
  const names = [...new Set(tools.map(({ nodeName }) => nodeName))];
  const parts = names.slice(0, MAX_NAMED).map((name) => {
    const calls = tools.filter(({ nodeName }) => nodeName === name);
    const bad = calls.filter(
      ({ facts }) => facts.trouble === "failed" || facts.trouble === "refused_arguments",
    );
    const says = bad.every(({ facts }) => facts.isHidden) ? ", its output says" : "";
    return `${quoted(name)} ${times(calls.length)}${bad.length === 0 ? "" : ` (${bad.length} failed${says})`}`;
  });
  const more = names.length - parts.length;
  if (more > 0) parts.push(counted(more, "other tool"));
  if (parts.length === 0) return "called no tool";
  const last = parts.pop() ?? "";
  return `called ${parts.length === 0 ? last : `${parts.join(", ")} and ${last}`}`;
}

/** How many tokens its models used, and how often one failed before a fallback replaced it. */
function modelClause({ sums, troubles }: AgentRun): string {
  const { tokens, estimatedTokens } = sums;
  const failures = troubles.filter(({ kind }) => kind === "model_failed");
  const failed = sumOf(failures, ({ count }) => count);
  const counts = tokens.prompt + tokens.completion;
  const estimated = estimatedTokens.prompt + estimatedTokens.completion;
  const parts = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(counts > 0 ? [counted(counts, "token")] : []),
    ...(estimated > 0 ? [`about ${counted(estimated, "token")}, estimated`] : []),
  ];
  return parts.length === 0 ? "" : ` (${parts.join("; ")})`;
}

/** A model that does not report its calls may have been called, unless the agent stopped before. */
const withoutModel = ({ evidence, stop }: AgentRun): string =>
  evidence.tools.length === 0 && (stop.reason === "setup_failed" || stop.reason === "no_prompt")
    ? "asked no model"
    : "made no known model call";

function clauseOf(run: AgentRun): string {
  const { agent, sums, stop } = run;
  const who = `${nounOf(agent.role)} ${quoted(agent.nodeName)}`;
  const models =
    sums.llmCalls === 0 ? withoutModel(run) : `asked its model ${times(sums.llmCalls)}${modelClause(run)}`;
  const did = agent.role === "chain" ? models : `${models} and ${toolClause(run)}`;
  if (!isJudged(agent.role)) return `${who} ${sums.llmCalls === 0 ? toolClause(run) : did}`;
  return `${who} ${did}; it stopped because ${stopClause(stop)}`;
}

function nestedClause(nested: readonly AgentRun[]): string {
  if (nested.length === 0) return "";
  const { llmCalls, toolCalls } = sumsOf(nested);
  const done = `${counted(nested.length, "nested run")} made ${counted(llmCalls, "model call")} and ${counted(toolCalls, "tool call")}`;
  const unfinished = nested.find(({ agent, stop }) => isJudged(agent.role) && stop.reason !== "done");
  const why =
    unfinished === undefined
      ? ""
      : `; ${quoted(unfinished.agent.nodeName)} stopped because ${stopClause(unfinished.stop)}`;
  return `; ${done}${why}`;
}

/** Reports a problem that no status shows and no other clause mentions. */
function troubleClause(run: AgentRun): string {
  const asks = run.troubles.find(({ kind }) => kind === "no_such_tool");
  if (asks === undefined || run.stop.reason === "no_such_tool") return "";
  return `; its model asked ${times(asks.count)} for a tool that it does not have`;
}

/** @param runs agents, each followed by the agents that it called */
export function sentenceOf(runs: readonly AgentRun[]): string {
  const shown = new Set(runs.map(({ agent }) => keyOf(agent)));
  const roots = runs.flatMap(({ agent: { parent } }, index) =>
    parent === null || !shown.has(keyOf(parent)) ? [index] : [],
  );
  const clauses = roots.slice(0, MAX_NAMED).flatMap((at, index) => {
    const root = runs[at];
    const nested = runs.slice(at + 1, roots[index + 1] ?? runs.length);
    return root === undefined ? [] : [`${clauseOf(root)}${troubleClause(root)}${nestedClause(nested)}`];
  });
  const more = roots.length - clauses.length;
  return `${clauses.join(". ")}${more > 0 ? `. ${counted(more, "more run is", "more runs are")} below` : ""}.`;
}
