/** Reads every workflow of the instance, keeping of each only what a map of MCP servers needs. */

import { eachWorkflow } from "../n8n/all-workflows.ts";
import type { N8nClient } from "../n8n/client.ts";
import { ObserverError } from "../platform/errors.ts";
import { REQUEST_MS } from "../platform/time-limits.ts";
import type { InstanceOutline } from "../workflows/mcp-server-map.ts";
import { outlineOf, type WorkflowOutline } from "../workflows/workflow-outline.ts";
import { chooseByName, type NamedWorkflow } from "./find-workflow.ts";

/** An instance as it was read, and whether that was all of it. */
export interface ReadInstance extends InstanceOutline {
  /** Workflows that could not be read: too large, or of a shape that is not known. */
  readonly unread: number;
  readonly isComplete: boolean;
}

/** What a client is told while it waits for that. */
export const READING_WORKFLOWS = "Reading the workflows of the instance";

export async function readInstance(client: N8nClient): Promise<ReadInstance> {
  const workflows = new Map<string, WorkflowOutline>();
  const unreadIds = new Set<string>();
  let unread = 0;
  const isComplete = await eachWorkflow(
    client,
    (listed) => {
      if (listed.kind === "read") {
        workflows.set(listed.workflow.id, outlineOf(listed.workflow));
        return;
      }
      unread += 1;
      if (listed.id !== null) unreadIds.add(listed.id);
    },
    {},
    { timeoutMs: REQUEST_MS.pageOfWorkflows },
  );
  return { workflows, unreadIds, unread, isComplete };
}

/**
 * The workflow that an agent named, by id or by name; undefined when it named none.
 * @throws ObserverError `WORKFLOW_NOT_FOUND`, or `VALIDATION_ERROR` when the name fits several
 */
export function namedOutline(instance: ReadInstance, named: NamedWorkflow): WorkflowOutline | undefined {
  if (named.workflowName !== undefined) {
    const all = [...instance.workflows.values()];
    const listed = all.map((outline) => ({ ...outline, active: outline.isPublished }));
    return chooseByName(listed, named.workflowName);
  }
  if (named.workflowId === undefined) return undefined;
  const found = instance.workflows.get(named.workflowId);
  if (found !== undefined) return found;
  throw new ObserverError(
    "WORKFLOW_NOT_FOUND",
    instance.unreadIds.has(named.workflowId)
      ? `The workflow ${named.workflowId} is too large or of an unknown shape, and cannot be mapped.`
      : `There is no workflow ${named.workflowId}.`,
    {
      field: "workflowId",
      solution: "Call without workflowId to see every MCP server there is.",
    },
  );
}
