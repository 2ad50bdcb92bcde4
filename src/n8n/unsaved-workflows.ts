/**
 * Finds workflows whose own settings keep n8n from saving executions, or its public API from showing them, which may
 * explain a missing one. The public API does not show the instance's defaults.
 */
import { orElse } from "../platform/errors.ts";
import { OVERTIME_MS } from "../platform/time-limits.ts";
import type { N8nClient } from "./client.ts";
import type { View } from "./view.ts";
import type { WorkflowFacts } from "./workflow-schemas.ts";

export interface UnsavedWorkflow {
  readonly workflowId: string;
  readonly workflowName: string;
  /** `engine_v2`: its runs are in no answer of the public API. */
  readonly unsaved: "successful" | "failed" | "all" | "engine_v2";
}

/** Workflows that n8n has listed. */
export interface KnownWorkflows {
  readonly workflows: readonly WorkflowFacts[];
  /** False if n8n has more than were read, or one could not be read. */
  readonly areAll: boolean;
}

export interface UnsavedWorkflows {
  readonly named: readonly UnsavedWorkflow[];
  /** False if not every published workflow was read. */
  readonly sawAll: boolean;
}

/** n8n sends each workflow whole. */
const MAX_WORKFLOWS = 250;
const MAX_NAMED = 10;

/** Far more than any instance seen so far. Workflows beyond it are in no view. */
const MAX_PAGES = 40;

/** All workflows, published or not. @throws ObserverError when n8n fails */
export async function readAllWorkflows(client: N8nClient): Promise<KnownWorkflows> {
  const all: WorkflowFacts[] = [];
  let cursor: string | undefined;
  let unread = 0;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const listed = await client.listWorkflowFacts({ limit: MAX_WORKFLOWS, cursor });
    all.push(...listed.workflows);
    unread += listed.unread.length;
    if (listed.nextCursor === null) return { workflows: all, areAll: unread === 0 };
    cursor = listed.nextCursor;
  }
  return { workflows: all, areAll: false };
}

/** One page of published workflows. @throws ObserverError when n8n fails */
export async function readPublishedWorkflows(client: N8nClient): Promise<KnownWorkflows> {
  const query = { limit: MAX_WORKFLOWS, active: true };
  const { workflows, unread, nextCursor } = await client.listWorkflowFacts(query, {
    timeoutMs: OVERTIME_MS.unsavedWorkflows,
  });
  return { workflows, areAll: nextCursor === null && unread.length === 0 };
}

/** @returns the unsaved workflows that the view shows; null instead of throwing when n8n fails */
export const unsavedWorkflows = async (
  view: View,
  read: () => Promise<KnownWorkflows>,
): Promise<UnsavedWorkflows | null> =>
  await orElse(
    async () => unsavedAmong(await read(), view),
    // The key lacks the scope, or n8n is busy: the answer about the scan is still valid.
    () => null,
  );

/** The unsaved workflows that the view shows. */
export function unsavedAmong({ workflows, areAll }: KnownWorkflows, view: View): UnsavedWorkflows {
  const named = workflows.flatMap(({ id, name, settings }) => {
    const unsaved = unsavedBy(settings);
    return unsaved === null || !view.has(id) ? [] : [{ workflowId: id, workflowName: name, unsaved }];
  });
  return { named: named.slice(0, MAX_NAMED), sawAll: areAll };
}

/** Reads n8n's `IWorkflowSettings`: `all`, `none`, or `DEFAULT` for the instance's default. */
function unsavedBy(settings: WorkflowFacts["settings"]): UnsavedWorkflow["unsaved"] | null {
  if (settings.engineType === "v2") return "engine_v2";
  const isSuccess = settings.saveDataSuccessExecution === "none";
  const isError = settings.saveDataErrorExecution === "none";
  if (isSuccess && isError) return "all";
  if (isSuccess) return "successful";
  return isError ? "failed" : null;
}
