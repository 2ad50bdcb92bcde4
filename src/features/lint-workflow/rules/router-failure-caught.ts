import { errorConnections } from "../../../workflows/node-outputs.ts";
import { answerOf } from "../answers.ts";
import { type AuditRule, found } from "../rule.ts";
import type { AuditSubject } from "../subject.ts";
import { callsTool } from "../tool-calls.ts";
import { stepsFrom } from "../tool-flow.ts";

const CODE = "TOOL_EXECUTION_FAILED";

export const routerFailureCaught: AuditRule = {
  id: "router/failure-caught",
  severity: "warning",
  title: `A tool that fails is answered as ${CODE}.`,
  reason: "The agent has to know that it was the tool that failed, and not its own arguments.",
  good: `The error output of Run Get User → Error: Tool Failed (${CODE})`,
  bad: "The error output leads to the same answer as everything else.",
  appliesTo: ["tool", "router"],
  judge: (subject) =>
    found(
      ...subject.nodes
        .filter((node) => callsTool(node, subject.instance))
        .map((node) => ({ node, targets: errorConnections(subject.graph, node).map(({ to }) => to) }))
        // Without an error output nothing is caught at all: critical-nodes says so.
        .filter(({ targets }) => targets.length > 0 && !answersWithCode(subject, targets))
        .map(({ node: { name } }) => ({
          node: name,
          message: `A failure of the called tool is not answered as ${CODE}.`,
          evidence: `No answer behind the error output has the code ${CODE}.`,
          fix: `Connect the error output to an answer with the code ${CODE}.`,
        })),
    ),
};

function answersWithCode(subject: AuditSubject, starts: readonly string[]): boolean {
  return stepsFrom(subject, starts).some((node) => answerOf(node)?.codes.includes(CODE) === true);
}
