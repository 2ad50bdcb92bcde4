/** What made an execution fail: the node and its error. Pure. */
import type { ExecutionWithData, NodeError } from "../n8n/schemas.ts";
import { runsByNode } from "./node-runs.ts";
import { isWithheldByN8n } from "./withheld.ts";

export interface Failure {
  /** The node that failed; null when n8n does not say (a crash, a failure before the first node). */
  readonly nodeName: string | null;
  readonly message: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly httpCode: string | null;
  /** Line in a Code node. */
  readonly lineNumber: number | null;
}

/** What of an error helps: not its stack, which names files of the server. */
export function toFailure(nodeName: string | null, error: NodeError | undefined, fallback: string): Failure {
  return {
    nodeName,
    message: error?.message || fallback,
    name: error?.name ?? null,
    description: error?.description ?? null,
    httpCode: error?.httpCode ?? null,
    lineNumber: error?.lineNumber ?? null,
  };
}

/** The failure of a failed execution, else null. A node that failed and was handled is none. */
export function failureOf(execution: ExecutionWithData): Failure | null {
  if (execution.status !== "error" && execution.status !== "crashed") return null;
  const result = execution.data?.resultData;
  const failedNode = [...runsByNode(execution)].find(([, runs]) => runs.at(-1)?.executionStatus === "error");
  const nodeName = result?.error?.node?.name ?? result?.lastNodeExecuted ?? failedNode?.[0] ?? null;
  const error = result?.error ?? failedNode?.[1].at(-1)?.error;
  const reason = isWithheldByN8n(execution)
    ? "; n8n withholds its error message (redaction policy)."
    : ", without an error message.";
  return toFailure(nodeName, error, `The execution ended with status ${execution.status}${reason}`);
}
