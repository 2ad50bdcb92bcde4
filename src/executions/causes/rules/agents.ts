/**
 * Fact: the reason an agent fails is in its model, tool or parser, which are separate nodes; n8n's error names the agent
 * and says "Error in sub-node" or less. An agent that was cut short or whose tool failed may end as a success
 * (`agent-run/stop-rules.ts`, `agent-run/troubles.ts`).
 */

import type { ReadValue } from "../../../json/omitted.ts";
import type { AgentFinding } from "../../agent-run/agent-run.ts";
import type { ToolCall } from "../../agent-run/evidence.ts";
import type { Trouble } from "../../agent-run/troubles.ts";
import { toErrorFacts } from "../../error-sentence.ts";
import { mentionedIn } from "../../known-fields.ts";
import { statusInWords } from "../error-words.ts";
import type { ExecutionView } from "../execution-view.ts";
import type { Fact } from "../fact.ts";
import { acts, operationOf } from "../node-effects.ts";
import type { Rule } from "../rule.ts";
import type { RefusedArgument } from "../wording/agents-sentences.ts";
import { failedTools, handledErrors } from "./caught-errors.ts";
import { knownReasonOf } from "./in-own-words.ts";

export const stoppedAgent: Rule = (view) => {
  const own = view.agents.find((finding) => isOfFailure(finding, view));
  return own === undefined || view.failed === null
    ? []
    : [{ ...toFact(own, view, true), failedNode: view.failed.name }];
};

export const agentTroubles: Rule = (view) => {
  const isHandled = handledIn(view);
  const own = view.agents.filter(
    (finding) => !isOfFailure(finding, view) && !isHandled(finding) && !isRepaired(finding),
  );
  const reported = new Set<string | null>(
    view.agents.flatMap(({ nodeName, agent, stop }) => (stop === undefined ? [nodeName] : [nodeName, agent])),
  );
  const others = failedTools(view).filter(({ node }) => !reported.has(node));
  return [...own.map((finding) => toFact(finding, view)), ...others];
};

export const handledAgents: Rule = (view) =>
  view.agents.filter(handledIn(view)).map((finding) => toFact(finding, view));

/** Recognizes stopped agents whose error output is connected, which counts as handled. */
function handledIn(view: ExecutionView): (finding: AgentFinding) => boolean {
  const handled = new Set(handledErrors(view).map(({ node }) => node));
  return ({ stop, agent }) => stop !== undefined && handled.has(agent);
}

const isOfFailure = ({ agent, nodeName, stop }: AgentFinding, { failed }: ExecutionView): boolean =>
  failed !== null && stop !== undefined && [agent, nodeName, stop.parser].includes(failed.name);

/** These stops only say that the agent failed, or where. */
const GENERAL: ReadonlySet<string> = new Set(["failed", "setup_failed"]);

/** @param isOfFailure the execution's error may add a reason */
function toFact(finding: AgentFinding, view: ExecutionView, isOfFailure = false): Fact {
  const { agent, role, nodeName: node, run, stop, trouble } = finding;
  if (stop === undefined) return troubleFact(finding, trouble, view);
  const reason =
    isOfFailure && GENERAL.has(stop.reason)
      ? knownReasonOf(view.runsOf(node)[run]?.error ?? view.error, view.nodes.get(node))
      : null;
  const lacking = stop.reason === "refused_arguments" ? lackingArguments(view) : [];
  const fact = { node, agent, role, confidence: stop.confidence };
  return lacking.length > 0
    ? { kind: "agent_stopped.left_out", ...fact, lacking }
    : { kind: "agent_stopped", ...fact, stop, reason };
}

/** A tool's error that a later call corrected is normal for an agent. */
const isRepaired = ({ trouble }: AgentFinding): boolean =>
  trouble?.kind === "answered_error" && trouble.isRepaired === true;

function troubleFact(
  { agent, outer, nodeName, run }: AgentFinding,
  trouble: Trouble,
  view: ExecutionView,
): Fact {
  const call = callAt(view, nodeName, run);
  const error = call?.nodeRun.error;
  const isFailed = trouble.kind === "failed";
  const texts = [error?.message, call?.facts.errorText].filter((text) => typeof text === "string");
  const said = error?.description ?? call?.facts.errorText ?? saidIn(call?.facts.result) ?? error?.message;
  const wentOn = (name: string): boolean =>
    view.agentRuns.some((one) => one.agent.nodeName === name && one.stop.reason === "done");
  const executionId = call?.facts.subExecution?.executionId;
  return {
    kind: "tool_failed.agent",
    node: nodeName,
    trouble,
    status: isFailed ? (toErrorFacts(error).httpCode ?? statusInWords(texts)) : null,
    refused: trouble.kind === "refused_arguments" ? refusedArguments(texts, view) : [],
    agents: isFailed ? [agent, ...outer.filter(wentOn)] : [agent, ...outer].filter(wentOn),
    confidence: isUnusualReport(trouble, view) ? "likely" : trouble.confidence,
    ...(said == null || said === "" ? {} : { said }),
    ...(executionId === undefined ? {} : { executionId }),
  };
}

const callAt = (view: ExecutionView, nodeName: string, run: number): ToolCall | undefined =>
  view.agentRuns
    .flatMap(({ evidence }) => evidence.tools)
    .find((call) => call.nodeName === nodeName && call.run === run);

const saidIn = (result: ReadValue | undefined): string | undefined =>
  typeof result === "string" ? result : result === undefined ? undefined : JSON.stringify(result);

/**
 * Whether none of the last successes had such an answer. Without any, a member named `error` may be ordinary. A
 * lookup may well find nothing.
 */
function isUnusualReport({ kind, nodeName, report }: Trouble, { successes, nodes }: ExecutionView): boolean {
  const node = nodes.get(nodeName);
  const isRead =
    !acts(node) &&
    (/\.(?:httpRequestTool|toolHttpRequest)$/.test(node?.type ?? "") || operationOf(node) !== null);
  if (report === "flag" && isRead) return false;
  if (report === "member" && successes.length === 0) return false;
  const isSame = ({ trouble }: AgentFinding): boolean =>
    trouble?.kind === kind && trouble.nodeName === nodeName;
  return kind === "answered_error" && !successes.some(({ agents }) => agents.some(isSame));
}

/** Zod's own words, in the error of a tool's arguments. */
const REFUSED_FOR = /expected (\w{1,20}), received (\w{1,20})\s+\u2192 at ([\w.]{1,60})/gi;

/** Names of arguments that the workflow itself mentions, with the types that were expected and received. */
function refusedArguments(texts: readonly string[], { execution }: ExecutionView): RefusedArgument[] {
  const isKnown = mentionedIn([execution]);
  const found = texts.flatMap((text) => [...text.matchAll(REFUSED_FOR)]);
  return found.flatMap(([, wanted = "", given = "", name = ""]) =>
    isKnown(name) && isKnownType(wanted) && isKnownType(given) ? [{ name, wanted, given }] : [],
  );
}

/** Zod's words for an argument that the model left out, old and new. */
const LEFT_OUT = /(?:Required|received undefined)\s+\u2192 at ([\w.]{1,60})/gi;

/** Names of arguments that the model left out and the workflow itself mentions. */
function lackingArguments({ error, execution }: ExecutionView): string[] {
  const isKnown = mentionedIn([execution]);
  const found = [...(error?.message ?? "").matchAll(LEFT_OUT)].map(([, name = ""]) => name);
  return found.filter((name) => isKnown(name)).slice(0, 3);
}

const isKnownType = (type: string): boolean =>
  /^(?:string|number|boolean|object|array|null|undefined|date|nan)$/i.test(type);
