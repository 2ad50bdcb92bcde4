/** Fact: a Webhook with `responseMode: responseNode` leaves its caller to a Respond to Webhook node; where none ran, n8n answers for it. */
import { quoted } from "../../../platform/display-name.ts";
import { parameterOf } from "../execution-view.ts";
import type { Rule } from "../rule.ts";

const WEBHOOK = "n8n-nodes-base.webhook";
const ANSWER = "n8n-nodes-base.respondToWebhook";

export const neverAnswered: Rule = ({ runs, nodes, execution }) => {
  if (execution.status !== "success" || execution.mode !== "webhook") return [];
  const trigger = [...runs.keys()].find(
    (name) =>
      nodes.get(name)?.type === WEBHOOK && parameterOf(nodes.get(name), "responseMode") === "responseNode",
  );
  if (trigger === undefined || [...runs.keys()].some((name) => nodes.get(name)?.type === ANSWER)) return [];
  return [
    {
      cause: "not_answered",
      node: trigger,
      sentence: `No Respond to Webhook node ran, though ${quoted(trigger)} leaves the answer to one: its caller got none from this workflow.`,
      confidence: "exact",
    },
  ];
};
