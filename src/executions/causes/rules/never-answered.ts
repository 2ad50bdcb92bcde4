/**
 * Fact: a Webhook with `responseMode: responseNode` leaves its caller to a Respond to Webhook node; where none ran, the
 * workflow gave no answer. The last decision on the way is why.
 */
import { quoted } from "../../../platform/display-name.ts";
import { parameterOf } from "../execution-view.ts";
import type { Rule } from "../rule.ts";
import { branchBefore } from "./branch.ts";

const WEBHOOK = "n8n-nodes-base.webhook";
const ANSWER = "n8n-nodes-base.respondToWebhook";

export const neverAnswered: Rule = (view) => {
  const { runs, nodes, execution } = view;
  if (execution.status !== "success" || execution.mode !== "webhook") return [];
  const ran = [...runs.keys()];
  const trigger = ran.find(
    (name) =>
      nodes.get(name)?.type === WEBHOOK && parameterOf(nodes.get(name), "responseMode") === "responseNode",
  );
  if (trigger === undefined || ran.some((name) => nodes.get(name)?.type === ANSWER)) return [];
  const answers = [...nodes.values()].filter(({ type, disabled }) => type === ANSWER && disabled !== true);
  const [answer] = answers;
  const branch = branchBefore(view, ran.at(-1) ?? trigger);
  const because =
    branch === null
      ? ""
      : `: ${quoted(branch.node)} took its output ${branch.output + 1} of ${branch.outputs}`;
  const which =
    answer === undefined ? "there is no Respond to Webhook node" : `${quoted(answer.name)} did not run`;
  return [
    {
      cause: "not_answered",
      node: branch?.node ?? answer?.name ?? trigger,
      sentence: `The caller of ${quoted(trigger)} got no answer of the workflow, since ${which}${because}.`,
      confidence: "exact",
    },
  ];
};
