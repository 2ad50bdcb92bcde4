/** Reads the two executions to compare, with at most two requests to n8n. */
import { chooseSuccess } from "../../executions/comparison/choose-success.ts";
import { pairNodes } from "../../executions/comparison/node-pairs.ts";
import { shapes } from "../../n8n/explanation-plans.ts";
import { readLastSuccesses } from "../../n8n/last-successes.ts";
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import type { VisibleN8n } from "../../n8n/visible-n8n.ts";
import { ObserverError } from "../../platform/errors.ts";

export interface Both {
  readonly now: ExecutionWithData;
  readonly before: ExecutionWithData;
  /** Other successes, which show what normally varies. */
  readonly ordinary: readonly ExecutionWithData[];
}

/** @throws ObserverError when an execution does not exist, or there is none to compare with */
export async function readBoth(client: VisibleN8n, id: string, against: string | undefined): Promise<Both> {
  if (id === against) throw sameTwice(id);
  const now = await client.readExecution(id, shapes());
  if (against === undefined) return await withLastSuccess(client, now);
  const before = await client.readExecution(against, shapes());
  if (now.workflowId !== before.workflowId && pairNodes(before, now).pairs.length === 0)
    throw nothingInCommon(id);
  return { now, before, ordinary: [] };
}

async function withLastSuccess(client: VisibleN8n, now: ExecutionWithData): Promise<Both> {
  const successes = await readLastSuccesses(client, now);
  const chosen = chooseSuccess(now, successes);
  if (chosen === null) throw noSuccess(now, successes.length);
  return { now, before: chosen.success, ordinary: chosen.ordinary };
}

const sameTwice = (id: string): ObserverError =>
  new ObserverError("VALIDATION_ERROR", "Both are the same execution.", {
    field: "against",
    expected: "the id of another execution, or nothing",
    solution: `Leave against out to compare with the last success: compare_executions({"id":"${id}"}).`,
  });

function nothingInCommon(id: string): ObserverError {
  const message = "These are executions of two workflows that have no node in common.";
  return new ObserverError("VALIDATION_ERROR", message, {
    field: "against",
    expected: "an execution of the same workflow, or of a copy of it",
    solution: `Compare with the last success of the same workflow: compare_executions({"id":"${id}"}).`,
  });
}

function noSuccess({ id, workflowId }: ExecutionWithData, read: number): ObserverError {
  const list = `get_workflow_executions(${JSON.stringify({ workflowId, status: "success" })})`;
  const why =
    read === 0
      ? `Workflow ${workflowId} has no success before execution ${id} that n8n still keeps.`
      : `None of the last ${read} successes before execution ${id} was started by the same trigger, not by hand, and with its data kept.`;
  return new ObserverError("EXECUTION_NOT_FOUND", why, {
    field: "against",
    solution: `Give one to compare with as against: ${list} lists the ones that exist.`,
  });
}
