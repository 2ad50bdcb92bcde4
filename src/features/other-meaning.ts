/** A request id that is the number of an execution means two things: the answer says which it took, and of the other. Pure. */
import { askedExecution, type FoundAs } from "../history/request-ids/request-forms.ts";
import type { TracedExecution } from "../history/store/traced-execution.ts";
import type { RequestTree } from "./request-tree.ts";

/**
 * Of an execution that has the request id as its own id, and is something else.
 * @param execution whose id was asked for, whatever it was found as
 */
export function otherMeaning(
  foundAs: FoundAs | null,
  execution: TracedExecution | null,
  { nodes }: RequestTree,
): string {
  if (execution === null || foundAs === "executionId" || nodes.some(({ id }) => id === execution.id))
    return "";
  return ` Execution ${execution.id} is something else: requestId "${askedExecution(execution.id)}" asks for it.`;
}
