/** Says that a request goes on in workflows that the caller may not see, and nothing else about them. Pure. */
import type { OtherWorkflow } from "../history/store/visible-executions.ts";
import { ANOTHER_WORKFLOW } from "../platform/another-workflow.ts";

const ROLE_CLAUSES: Readonly<Record<OtherWorkflow["role"], string>> = {
  caller: "comes from another workflow",
  sub_workflow: "leads into another workflow",
  error_handler: "went to another workflow as a failure",
};

/** Empty if the caller may see the whole request. */
export function otherWorkflowsSentence(others: readonly OtherWorkflow[]): string {
  const clauses = Object.entries(ROLE_CLAUSES).flatMap(([role, what]) =>
    others.some((other) => other.role === role) ? [what] : [],
  );
  return clauses.length === 0 ? "" : ` It ${clauses.join(", and ")}, which is not shown.`;
}

/** A placeholder node for each, with the visible execution that it is linked to. */
export const otherWorkflowNodes = (others: readonly OtherWorkflow[]) =>
  others.length === 0
    ? undefined
    : others.map(({ executionId, role }) => ({ name: ANOTHER_WORKFLOW, role, beside: executionId }));
