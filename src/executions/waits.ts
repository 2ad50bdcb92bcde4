/**
 * What executions wait for, and how long they waited. Facts: `sendAndWait` and `dispatchAndWait` are operations of many
 * nodes; a Chat node before 1.1 has none and waits unless told otherwise; a Form waits with its page, and with its last
 * one until that is opened. When n8n resumes an execution, it counts its runs from 0 again (`numberRuns`). Pure.
 */
import { memberOf } from "../json/members.ts";
import { isInherited } from "../n8n/run-order.ts";
import type { ExecutionWithData, NodeRun, WorkflowNode } from "../n8n/schemas.ts";
import { sumOf } from "../platform/sum-of.ts";
import { runsByNode } from "./node-runs.ts";

export type WaitsFor = "answer" | "webhook" | "form" | "page";

const BY_OPERATION: Readonly<Record<string, WaitsFor>> = {
  sendAndWait: "answer",
  dispatchAndWait: "webhook",
};

/** What somebody or something outside of n8n has to do before the node goes on; null if it waits for nothing, or a time. */
export function waitsFor(node: WorkflowNode | undefined): WaitsFor | null {
  const parameter = (name: string) => memberOf(node?.parameters, name);
  const [operation, resume] = [parameter("operation"), parameter("resume")];
  if (resume === "webhook" || resume === "form") return resume;
  if (node?.type === "n8n-nodes-base.form") return operation === "completion" ? "page" : "form";
  const isOldChat = node?.type.endsWith(".chat") === true && Number(node.typeVersion) < 1.1;
  if (isOldChat) return parameter("waitUserReply") === false ? null : "answer";
  return (
    (typeof operation === "string" && Object.hasOwn(BY_OPERATION, operation) && BY_OPERATION[operation]) ||
    null
  );
}

/** A node with which n8n resumed the execution. */
export interface Waited {
  readonly nodeName: string;
  readonly waitedMs: number;
}

/** How long an execution had waited when this run began; a wait of the execution that it retries does not count. */
export const waitBefore = (
  execution: ExecutionWithData,
  { startTime, waitedMs }: NodeRun,
): number | undefined =>
  waitedMs === undefined || isInherited(execution, startTime - waitedMs) ? undefined : waitedMs;

export const waitsOf = (execution: ExecutionWithData): Waited[] =>
  [...runsByNode(execution)].flatMap(([nodeName, runs]) =>
    runs.flatMap((run) => {
      const waitedMs = waitBefore(execution, run);
      return waitedMs === undefined ? [] : [{ nodeName, waitedMs }];
    }),
  );

export const totalWaited = (waits: readonly Waited[] = []): number =>
  sumOf(waits, ({ waitedMs }) => waitedMs);
