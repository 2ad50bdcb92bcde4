/** What is said of workflows that the caller may not see: that the request goes on there, and nothing of them. Pure. */
import type { OtherWorkflow } from "../history/store/visible-executions.ts";
import { ANOTHER_WORKFLOW } from "../platform/another-workflow.ts";

const WHAT: Readonly<Record<OtherWorkflow["role"], string>> = {
  caller: "comes from another workflow",
  sub_workflow: "leads into another workflow",
  error_handler: "went to another workflow as a failure",
};

/** Empty where the whole request may be seen. */
export function otherWorkflowsSentence(others: readonly OtherWorkflow[]): string {
  const clauses = Object.entries(WHAT).flatMap(([role, what]) =>
    others.some((other) => other.role === role) ? [what] : [],
  );
  return clauses.length === 0 ? "" : ` It ${clauses.join(", and ")}, which is not shown.`;
}

/** A node for each, next to the execution that may be seen. */
export const otherWorkflowNodes = (others: readonly OtherWorkflow[]) =>
  others.length === 0
    ? undefined
    : others.map(({ executionId, role }) => ({ name: ANOTHER_WORKFLOW, role, beside: executionId }));
