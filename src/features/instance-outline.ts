/**
 * Reads every workflow of the instance, keeping of each only what a map of MCP servers needs; and says in an answer
 * what of it was not read.
 */

import type { Guidance } from "../mcp/define-tool.ts";
import { eachWorkflow, type WalkEnd } from "../n8n/all-workflows.ts";
import type { N8nClient } from "../n8n/client.ts";
import { counted } from "../platform/counted.ts";
import { ObserverError } from "../platform/errors.ts";
import { TIME_BUDGET_MS } from "../platform/time-limits.ts";
import type { InstanceOutline } from "../workflows/mcp-server-map.ts";
import { outlineOf, type WorkflowOutline } from "../workflows/workflow-outline.ts";
import { chooseByName, type NamedWorkflow, notAmongRead, requireOneName } from "./find-workflow.ts";
import { TimeBudget } from "./time-budget.ts";
import type { ToolContext } from "./tool-context.ts";

/** Of a call's time, for learning what there is; the rest is for what the call asks of it. */
const INSTANCE_BUDGET_MS = 35_000;

/** An instance as it was read, and whether that was all of it. */
export interface ReadInstance extends InstanceOutline {
  /** Workflows that could not be read: too large, or of a shape that is not known. */
  readonly unread: number;
  readonly end: WalkEnd;
}

export interface NamedInInstance {
  /** With the named workflow, where it had not been read. */
  readonly instance: ReadInstance;
  /** Undefined when none was named. */
  readonly named: WorkflowOutline | undefined;
}

export interface OpenedInstance extends NamedInInstance {
  readonly client: N8nClient;
  /** Of the whole call. */
  readonly budget: TimeBudget;
}

/**
 * What a call about one workflow, or about all of them, begins with.
 * @throws ObserverError when n8n fails, nothing came within the time, both names are given, or none fits
 */
export async function openInstance(
  named: NamedWorkflow,
  { n8n, clock, progress }: ToolContext,
): Promise<OpenedInstance> {
  requireOneName(named);
  const client = n8n();
  await progress(0, "Reading the workflows of the instance");
  const budget = new TimeBudget(clock, TIME_BUDGET_MS.most);
  const read = await readInstance(client, new TimeBudget(clock, INSTANCE_BUDGET_MS));
  return { client, budget, ...(await findInInstance(client, read, named, budget)) };
}

/** @throws ObserverError when n8n fails, or nothing came within the time */
async function readInstance(client: N8nClient, budget: TimeBudget): Promise<ReadInstance> {
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

/**
 * The workflow that an agent named, by id or by name. Of an instance that was not read to its end, one that was
 * named by its id is read by itself.
 * @throws ObserverError `WORKFLOW_NOT_FOUND`, or `VALIDATION_ERROR` when the name fits several
 */
async function findInInstance(
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

/** What of the instance was not read, in sentences. */
export function unreadSentences({ unread, isComplete }: ReadInstance): readonly string[] {
  return [
    ...(unread === 0 ? [] : [`${counted(unread, "workflow")} could not be read.`]),
    ...(isComplete ? [] : ["Not all workflows of the instance were read."]),
  ];
}

/** What a tool did not do with what was read. */
export interface NotDone {
  readonly stoppedBy?: "time";
  /** The call that makes up for the first of it. */
  readonly next: Guidance;
}

/** The call that tells of the workflows that were not read. */
const REST_OF_INSTANCE: Guidance = {
  message: "Lists all workflows page by page. Each can be asked for by its workflowId, whatever the time.",
  example: 'list_workflows({"limit":100})',
};

/**
 * What an answer says of what was not read or not done, and the next call; nothing when all was.
 * @param counts what the tool says of itself where anything is missing
 * @param notDone undefined when the tool did all it could with what was read, or the rest of the instance matters more
 */
export function partialCoverage(
  { end, workflows }: ReadInstance,
  counts: Readonly<Record<string, unknown>>,
  notDone: NotDone | undefined,
): Readonly<Record<string, unknown>> {
  if (end === "all" && notDone === undefined) return {};
  const stoppedBy = notDone?.stoppedBy ?? (end === "all" ? undefined : end);
  return {
    coverage: {
      complete: false,
      ...(stoppedBy === undefined ? {} : { stoppedBy }),
      readWorkflows: workflows.size,
      ...counts,
    },
    _guidance: notDone?.next ?? REST_OF_INSTANCE,
  };
}
