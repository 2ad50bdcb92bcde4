/** Reads every workflow of the instance, keeping of each only what a map of MCP servers needs. */

import type { Guidance } from "../mcp/define-tool.ts";
import { eachWorkflow, type WalkEnd } from "../n8n/all-workflows.ts";
import type { N8nClient } from "../n8n/client.ts";
import { ObserverError } from "../platform/errors.ts";
import type { InstanceOutline } from "../workflows/mcp-server-map.ts";
import { outlineOf, type WorkflowOutline } from "../workflows/workflow-outline.ts";
import { chooseByName, type NamedWorkflow, notAmongRead } from "./find-workflow.ts";
import type { TimeBudget } from "./time-budget.ts";

/** An instance as it was read, and whether that was all of it. */
export interface ReadInstance extends InstanceOutline {
  /** Workflows that could not be read: too large, or of a shape that is not known. */
  readonly unread: number;
  readonly end: WalkEnd;
}

/** What a client is told while it waits for that. */
export const READING_WORKFLOWS = "Reading the workflows of the instance";

/** @throws ObserverError when n8n fails, or nothing came within the time */
export async function readInstance(client: N8nClient, budget: TimeBudget): Promise<ReadInstance> {
  const workflows = new Map<string, WorkflowOutline>();
  const unreadIds = new Set<string>();
  let unread = 0;
  const end = await eachWorkflow(
    client,
    (listed) => {
      if (listed.kind === "read") {
        workflows.set(listed.workflow.id, outlineOf(listed.workflow));
        return;
      }
      unread += 1;
      if (listed.id !== null) unreadIds.add(listed.id);
    },
    () => budget.leftMs,
  );
  return { workflows, unreadIds, unread, end, isComplete: end === "all" };
}

export interface NamedInInstance {
  /** With the named workflow, where it had not been read. */
  readonly instance: ReadInstance;
  /** Undefined when none was named. */
  readonly named: WorkflowOutline | undefined;
}

/**
 * The workflow that an agent named, by id or by name. Of an instance that was not read to its end, one that was
 * named by its id is read by itself.
 * @throws ObserverError `WORKFLOW_NOT_FOUND`, or `VALIDATION_ERROR` when the name fits several
 */
export async function findInInstance(
  client: N8nClient,
  instance: ReadInstance,
  named: NamedWorkflow,
  budget: TimeBudget,
): Promise<NamedInInstance> {
  if (named.workflowName !== undefined) return { instance, named: byName(instance, named.workflowName) };
  const { workflowId } = named;
  if (workflowId === undefined) return { instance, named: undefined };
  const found = instance.workflows.get(workflowId);
  if (found !== undefined) return { instance, named: found };
  if (instance.isComplete || instance.unreadIds.has(workflowId)) throw notInInstance(instance, workflowId);
  const outline = outlineOf(await client.readWorkflowWithNodes(workflowId, budget.requestOptions));
  const workflows = new Map([...instance.workflows, [outline.id, outline]]);
  return { instance: { ...instance, workflows }, named: outline };
}

function byName(instance: ReadInstance, name: string): WorkflowOutline {
  const all = [...instance.workflows.values()];
  const listed = all.map((outline) => ({ ...outline, active: outline.isPublished }));
  if (instance.isComplete || listed.some((outline) => outline.name === name))
    return chooseByName(listed, name);
  throw notAmongRead(all.length);
}

function notInInstance({ unreadIds }: ReadInstance, workflowId: string): ObserverError {
  return new ObserverError(
    "WORKFLOW_NOT_FOUND",
    unreadIds.has(workflowId)
      ? `The workflow ${workflowId} is too large or of an unknown shape, and cannot be mapped.`
      : `There is no workflow ${workflowId}.`,
    {
      field: "workflowId",
      solution: "Call without workflowId to see every MCP server there is.",
    },
  );
}

export interface InstanceCoverage {
  readonly complete: false;
  readonly stoppedBy: "time" | "size";
  readonly readWorkflows: number;
}

/** What was not read of it, for an answer; undefined when all of it was. */
export function unreadPart({ end, workflows }: ReadInstance): InstanceCoverage | undefined {
  return end === "all" ? undefined : { complete: false, stoppedBy: end, readWorkflows: workflows.size };
}

/** The call that tells of the workflows that were not read. */
export const REST_OF_INSTANCE: Guidance = {
  message: "Lists all workflows page by page. Each can be asked for by its workflowId, whatever the time.",
  example: 'list_workflows({"limit":100})',
};
