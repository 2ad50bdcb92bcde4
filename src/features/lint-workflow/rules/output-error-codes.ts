import { answeringNodes, answerOf } from "../answers.ts";
import { type AuditRule, found, type RuleFinding } from "../rule.ts";

const CODE = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/;

/** What is shown: nothing that could be more than a code. */
const PLAIN = /^[A-Za-z][A-Za-z_-]{0,40}$/;

export const outputErrorCodes: AuditRule = {
  id: "output/error-codes",
  severity: "warning",
  title: "Error codes are in capitals, and each stands for one failure.",
  reason: "Who sees the code in an answer has to find the path that gave it.",
  good: "USER_NOT_FOUND, USER_SERVICE_FAILED",
  bad: "userNotFound; the same ERROR in three nodes",
  appliesTo: ["tool"],
  judge: (subject) => {
    const codes = answeringNodes(subject).flatMap((node) => {
      const answer = answerOf(node);
      return answer?.isError === true ? answer.codes.map((code) => ({ node: answer.node, code })) : [];
    });
    const first = new Map(codes.toReversed().map(({ code, node }) => [code, node]));
    return found(
      ...codes.flatMap(({ node, code }): RuleFinding[] => {
        if (!CODE.test(code))
          return [finding(node, code, "An error code is not in capitals.", "Write it like USER_NOT_FOUND.")];
        const other = first.get(code);
        if (other === undefined || other === node) return [];
        return [
          finding(node, code, "Another node answers the same code.", "Give each failure a code of its own."),
        ];
      }),
    );
  },
};

const finding = (node: string, code: string, message: string, fix: string): RuleFinding => ({
  node,
  message,
  evidence: PLAIN.test(code) ? `The code is ${code}.` : "The code has signs that no code should have.",
  fix,
});
