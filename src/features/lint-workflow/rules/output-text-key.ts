import { answeringNodes, answerOf } from "../answers.ts";
import { type AuditRule, found, PASSED } from "../rule.ts";

export const outputTextKey: AuditRule = {
  id: "output/text-key",
  severity: "warning",
  title: "The text of an answer is always under the same key: message or text.",
  reason: "An agent that has learned to read message finds nothing where it is called text.",
  good: "data.message in every answer",
  bad: "data.message in one answer, data.text in the other",
  appliesTo: ["tool"],
  judge: (subject) => {
    const answers = answeringNodes(subject).flatMap((node) => answerOf(node) ?? []);
    const users = (key: "message" | "text"): string[] =>
      answers.filter(({ texts }) => texts.includes(key)).map(({ node }) => node);
    const [message, text] = [users("message"), users("text")];
    if (message.length === 0 || text.length === 0) return PASSED;
    const [rarer, other] = text.length <= message.length ? [text, "message"] : [message, "text"];
    return found({
      node: rarer[0] ?? null,
      message: "The tool's answers use both message and text.",
      evidence: `message: ${message.join(", ")}; text: ${text.join(", ")}.`,
      fix: `Use ${other} in all of them.`,
    });
  },
};
