/**
 * Fact: a memory with a fixed session key keeps one conversation for all callers, so one caller may be answered with
 * what others said. What the trigger received shows whether there were other callers.
 */
import { lengthOf, memberOf, textAt } from "../../../../json/members.ts";
import { isReadObject, type ReadValue } from "../../../../json/omitted.ts";
import type { WorkflowNode } from "../../../../n8n/schemas.ts";
import { pattern } from "../../../../platform/pattern.ts";
import type { AgentRun } from "../../../agent-run/agent-run.ts";
import { isJudged } from "../../../agent-run/call-kinds.ts";
import type { Call } from "../../../agent-run/calls.ts";
import { triggerOf } from "../../../comparison/choose-success.ts";
import { type ExecutionView, parameterOf } from "../../execution-view.ts";
import type { Rule } from "../../rule.ts";
import { membersNamed } from "../../values-below.ts";

/** These serve whoever calls; a schedule or a caller workflow has one conversation on purpose. */
const SERVES_ANYBODY = /\.(?:webhook|chatTrigger|formTrigger)$/;
const CALLER = pattern("i")`
  ^(?:
    (?:user|customer|client|account|contact|member|chat|session|conversation|thread|wa|sender)
    (?:_?(?:id|name|no|number))?
    |author|e?-?mail|phone(?:_?number)?
  )$
`;
/** Also the name of a start date or place, so its value must look like a person. */
const FROM = /^from$/i;
const isPerson = (value: ReadValue): boolean => isReadObject(value) || /@|\+?\d{6}/.test(String(value));
/** An expression with one of these may differ between callers. */
const DEPENDS = /\$(?:json|input|node|item|execution|binary|fromAI|now|today|jmespath|\()|Date|random|uuid/;

function isFixed(node: WorkflowNode | undefined): boolean {
  const isCustom = parameterOf(node, "sessionIdType") === "customKey";
  const key = parameterOf(node, "sessionKey");
  if (typeof key !== "string" || !(isCustom || node?.typeVersion === 1)) return false;
  return key.startsWith("=") ? !DEPENDS.test(key) : key !== "";
}

const isLoad = ({ kind, given }: Call): boolean =>
  kind === "memory" && textAt(given, "action") !== "saveContext";

const messagesIn = (load: Call | undefined): number => lengthOf(memberOf(load?.sent, "chatHistory")) ?? 0;

/** Whether an agent was given earlier messages, which may hold what it answered. */
export const remembers = ({ agent }: AgentRun): boolean => messagesIn(agent.calls.find(isLoad)) > 0;

export const sharedMemory: Rule = (view) => {
  // Only the first load shows earlier executions: the next ones are given what this one said.
  const first = view.agentRuns.find(({ agent }) => agent.calls.some(({ kind }) => kind === "memory"));
  const load = first?.agent.calls.find(isLoad);
  const messages = messagesIn(load);
  if (first === undefined || load === undefined || messages === 0) return [];
  const { nodeName: node } = load;
  const { nodeName: agent, role } = first.agent;
  if (!isJudged(role) || !isFixed(view.nodes.get(node))) return [];
  const callers = callersOf(view);
  const before = view.successes.map(callersOf).filter((other) => other !== "");
  const isOfOthers = callers !== "" && before.some((other) => other !== callers);
  const isPublic = SERVES_ANYBODY.test(triggerOf(view.execution)?.nodeType ?? "");
  const confidence = isOfOthers || (callers === "" && isPublic) ? "likely" : "observed";
  return [{ kind: "memory_shared", node, agent, messages, isOfOthers, confidence }];
};

/** Payload: whatever names the caller in what the trigger received; only compared. Empty if nothing does. */
function callersOf(view: ExecutionView): string {
  const [item] = view.sentBy(triggerOf(view.execution)?.nodeName ?? "").items;
  const json = withoutHeaders(item?.json);
  const named = [...membersNamed(json, CALLER), ...membersNamed(json, FROM).filter(isPerson)];
  return JSON.stringify(named.map(idOf)).replace("[]", "");
}

const idOf = (value: ReadValue): ReadValue => memberOf(value, "id") ?? value;

function withoutHeaders(json: ReadValue | undefined): ReadValue | undefined {
  if (!isReadObject(json)) return json;
  const { headers: _headers, ...others } = json;
  return others;
}
