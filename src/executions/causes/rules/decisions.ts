/**
 * The effects of the last decision before a node.
 * Facts: `source[].previousNodeOutput` says which output of a deciding node (IF, Switch, …) an item took. The node
 * Stop and Error fails on purpose, with a text by the workflow's author: the branch that led to it is the reason. A Webhook
 * with `responseMode: responseNode` relies on a Respond to Webhook node; if none ran, the workflow gave no answer.
 */

import { closureOf } from "../../../platform/closure.ts";
import { dataOutputs } from "../../node-runs.ts";
import { testOf } from "../conditions.ts";
import {
  type ExecutionView,
  errorRouteOf,
  isErrorOutput,
  leadTo,
  parameterOf,
  previousIn,
} from "../execution-view.ts";
import type { FactOf } from "../fact.ts";
import { onFailed, type Rule } from "../rule.ts";
import type { Branch } from "../wording/sentences.ts";

const DECIDES = /\.(?:if|switch|filter|textClassifier|compareDatasets)$/;
const MAX_STEPS = 50;

function branchBefore({ runs, nodes, targetsOf }: ExecutionView, name: string): Branch | null {
  let at = name;
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const source = runs
      .get(at)
      ?.at(-1)
      ?.source.find((one) => one !== null);
    if (source === undefined) return null;
    at = source.previousNode;
    const output = source.previousNodeOutput ?? 0;
    const outputs = Math.max(output + 1, targetsOf(at).length);
    const node = nodes.get(at);
    if (DECIDES.test(node?.type ?? "")) return { node: at, output, outputs, isError: false };
    // A node that fails decides too.
    if (isErrorOutput(node, output, outputs)) return { node: at, output, outputs, isError: true };
  }
  return null;
}

/** The nearest decision on the way to nodes that did not run, if it took another way. */
function branchAwayFrom(view: ExecutionView, names: readonly string[]): Branch | null {
  const leading = closureOf(names, previousIn(view, view.nodes.keys()));
  const branches = [...leading].flatMap((node): Branch[] => {
    const taken = dataOutputs(view.runsOf(node).at(-1)?.data).findIndex(({ length }) => length > 0);
    const [output, outputs] = [taken, Math.max(taken + 1, view.targetsOf(node).length)];
    const isError = isErrorOutput(view.nodes.get(node), output, outputs);
    return isError || DECIDES.test(view.typeOf(node)) ? [{ node, output, outputs, isError }] : [];
  });
  const branch = branches.find(({ node }) => view.runs.has(node));
  if (branch === undefined || branch.output < 0) return null;
  const targets = view.targetsOf(branch.node)[branch.output];
  return names.some((name) => leadTo(view, name, targets)) ? null : branch;
}

export const stoppedOnPurpose = onFailed(({ view, name, node }) =>
  node?.type === "n8n-nodes-base.stopAndError" ? stopAfter(view, name, branchBefore(view, name)) : null,
);

/** Adds what the decision before it tested, if that is a single field. */
function stopAfter(view: ExecutionView, node: string, branch: Branch | null): FactOf<"stopped_on_purpose"> {
  const tested = branch === null || branch.isError ? null : testOf(view, branch.node);
  return { kind: "stopped_on_purpose", node, branch, ...(tested ?? { test: null, from: null }) };
}

const WEBHOOK = "n8n-nodes-base.webhook";
const ANSWER = "n8n-nodes-base.respondToWebhook";

/** A refusal (4xx) may be intended. */
const REFUSED_STATUS = 400;
const FAILED_STATUS = 500;

/** What the caller of a Webhook was told, if a Respond to Webhook node was to answer: nothing, or an error. */
export const answered: Rule = (view) => {
  const { runs, nodes, execution } = view;
  if (execution.status !== "success" || execution.mode !== "webhook") return [];
  const ran = [...runs.keys()];
  const isOfType = (name: string, type: string): boolean => nodes.get(name)?.type === type;
  const trigger = ran.find(
    (name) => isOfType(name, WEBHOOK) && parameterOf(nodes.get(name), "responseMode") === "responseNode",
  );
  if (trigger === undefined) return [];
  const given = ran.find((name) => isOfType(name, ANSWER));
  if (given !== undefined) {
    const node = nodes.get(given);
    const status = parameterOf(node, "options", "responseCode");
    if (typeof status !== "number" || status < REFUSED_STATUS) return [];
    // A disabled node, or one that continues on failure, may have passed its items on without answering.
    if (node?.disabled === true || errorRouteOf(node) !== null) return [];
    const confidence = status < FAILED_STATUS ? "observed" : "likely";
    return [{ kind: "answered_error", node: given, status, branch: branchBefore(view, given), confidence }];
  }
  const answers = [...nodes.values()]
    .filter(({ type, disabled }) => type === ANSWER && disabled !== true)
    .map(({ name }) => name);
  const [answer] = answers;
  const branch =
    answer === undefined ? branchBefore(view, ran.at(-1) ?? trigger) : branchAwayFrom(view, answers);
  const node = branch?.node ?? answer ?? trigger;
  return [{ kind: "not_answered", node, trigger, answer: answer ?? null, branch }];
};
