/** One execution as a trace sees it: its facts and its links. No payload. */
import * as z from "zod";
import { executionFacts } from "../../executions/execution-facts.ts";
import type { WalkedExecution } from "../../n8n/execution-walk.ts";
import { EXECUTION_STATUSES, type ExecutionListItem } from "../../n8n/schemas.ts";
import { UNFINISHED_STATUSES } from "./tables.ts";

export const tracedExecution = z.object({
  id: z.string(),
  workflowId: z.string(),
  workflowName: z.string().nullable(),
  mode: z.string(),
  status: z.enum(EXECUTION_STATUSES),
  /** ISO 8601. */
  startedAt: z.string().nullable(),
  stoppedAt: z.string().nullable(),
  waitTill: z.string().nullable(),
  parentId: z.string().nullable(),
  /** @see WalkedExecution.unknownParentWorkflowId */
  unknownParentWorkflowId: z.string().nullable(),
  /** @see WalkedOutcome.mcpTrigger */
  mcpTrigger: z.string().nullable(),
  retryOf: z.string().nullable(),
  retrySuccessId: z.string().nullable(),
  /** @see WalkedExecution.acceptedAt */
  acceptedAt: z
    .string()
    .nullish()
    .transform((time) => time ?? undefined)
    .optional(),
  subExecutions: z.array(z.object({ executionId: z.string(), nodeName: z.string() })),
});
const { failingNode, failedAtCall, errorFingerprint } = executionFacts.shape;
const orUndefined = (text: string | null): string | undefined => text ?? undefined;

/** A stored execution also says where it failed. */
export type TracedExecution = z.infer<typeof tracedExecution> & {
  readonly failingNode?: string | undefined;
  /** Whether that node calls workflows. */
  readonly failedAtCall?: boolean | undefined;
  readonly errorFingerprint?: string | undefined;
};
/** Without its calls, which are stored in their own table. */
export const executionRow = tracedExecution.omit({ subExecutions: true }).extend({
  failingNode: failingNode.transform(orUndefined),
  failedAtCall: failedAtCall.transform((flag) => (flag === null ? undefined : flag === 1)),
  errorFingerprint: errorFingerprint.transform(orUndefined),
});

export function toTracedExecution(walked: WalkedExecution): TracedExecution {
  const { createdAt, ...item } = walked.item;
  return {
    ...item,
    acceptedAt: walked.acceptedAt,
    workflowName: walked.workflowName,
    parentId: walked.parentId,
    unknownParentWorkflowId: walked.unknownParentWorkflowId,
    mcpTrigger: walked.outcome.mcpTrigger,
    subExecutions: [...walked.subExecutions],
  };
}

export function toUnreadExecution(item: ExecutionListItem): TracedExecution {
  const nothing = { workflowName: null, parentId: null, unknownParentWorkflowId: null, mcpTrigger: null };
  return { ...item, ...nothing, subExecutions: [] };
}

export const linksOf = ({ parentId, retryOf, retrySuccessId, subExecutions }: TracedExecution): string[] => [
  ...[parentId, retryOf, retrySuccessId].filter((id) => id !== null),
  ...subExecutions.map(({ executionId }) => executionId),
];

export const hasEnded = (execution: { readonly status: string }): boolean =>
  !UNFINISHED_STATUSES.includes(execution.status);

/**
 * True if each look checks whether it has changed. One that has stopped with an unknown status has most likely ended:
 * it is read again only if a list shows another state of it, or if it belongs to what is asked for.
 */
export const mayContinue = (execution: {
  readonly status: string;
  readonly stoppedAt: string | null;
}): boolean => !hasEnded(execution) && (execution.status !== "unknown" || execution.stoppedAt === null);
