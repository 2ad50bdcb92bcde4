/**
 * Reads every workflow of an instance, keeps only what a map of MCP servers and an audit need, and reports what was not
 * read.
 */
import type { Guidance } from "../mcp/define-tool.ts";
import { eachWorkflow, type WalkEnd } from "../n8n/all-workflows.ts";
import { hidesUnfinished } from "../n8n/capabilities/capabilities.ts";
import type { VisibleN8n } from "../n8n/visible-n8n.ts";
import { counted } from "../platform/counted.ts";
import { ObserverError } from "../platform/errors.ts";
import { TIME_BUDGET_MS } from "../platform/time-limits.ts";
import type { InstanceOutline } from "../workflows/mcp-server-map.ts";
import { outlineOf, type WorkflowOutline } from "../workflows/workflow-outline.ts";
import { chooseByName, type NamedWorkflow, nameNotFoundYet, refuseIdAndName } from "./find-workflow.ts";
import { orNull } from "./n8n-lookup.ts";
import { nextCall } from "./params.ts";
import { TimeBudget } from "./request-limits.ts";
import type { ToolContext } from "./tool-context.ts";

/** The share of a call's time for reading workflows; the rest is for evaluating them. */
const INSTANCE_BUDGET_MS = 35_000;

export interface ReadInstance extends InstanceOutline {
  /** How many workflows could not be read: too large, or of an unknown shape. */
  readonly unread: number;
  readonly end: WalkEnd;
}

export const NOTHING_READ: ReadInstance = {
  workflows: new Map(),
  unreadIds: new Set<string>(),
  unread: 0,
  end: "time",
  isComplete: false,
};

/**
 * Reads the instance for a call about one workflow, or about all. It includes the workflow that the call names; `named`
 * is undefined if the call names none.
 * @throws ObserverError when n8n fails or times out, when both id and name are given, or when no workflow matches
 */
export async function openInstance(
  named: NamedWorkflow,
  { n8n, clock, progress, capabilities }: ToolContext,
) {
  refuseIdAndName(named);
  const client = n8n();
  await progress(0, "Reading the workflows of the instance");
  const budget = new TimeBudget(clock, TIME_BUDGET_MS.most);
  const [read, known] = await Promise.all([
    readInstance(client, new TimeBudget(clock, INSTANCE_BUDGET_MS)),
    orNull(async () => await client.withStatuses(capabilities())),
  ]);
  const instance = { ...read, callsUnpublished: known !== null && hidesUnfinished(known) };
  return { client, budget, ...(await findInInstance(client, instance, named, budget)) };
}

/** @throws ObserverError when n8n fails, or nothing arrived in time */
export async function readInstance(client: VisibleN8n, budget: TimeBudget): Promise<ReadInstance> {
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
  return { workflows, unreadIds, unread, end, isComplete: end === "all" && (await client.seesAll()) };
}

/** Reads a workflow named by id separately if time ran out before the list reached it. */
async function findInInstance(
  client: VisibleN8n,
  instance: ReadInstance,
  { workflowId, workflowName }: NamedWorkflow,
  budget: TimeBudget,
) {
  if (workflowName !== undefined) return { instance, named: byName(instance, workflowName) };
  if (workflowId === undefined) return { instance, named: undefined };
  const found = instance.workflows.get(workflowId);
  if (found !== undefined) return { instance, named: found };
  if (instance.isComplete || instance.unreadIds.has(workflowId)) throw notInInstance(instance, workflowId);
  const outline = outlineOf(await client.readWorkflowWithNodes(workflowId, budget.requestOptions));
  const workflows = new Map([...instance.workflows, [outline.id, outline]]);
  return { instance: { ...instance, workflows }, named: outline };
}

function byName({ workflows, isComplete }: ReadInstance, name: string): WorkflowOutline {
  const listed = [...workflows.values()].map((outline) => ({ ...outline, active: outline.isPublished }));
  if (isComplete || listed.some((outline) => outline.name === name)) return chooseByName(listed, name);
  throw nameNotFoundYet(listed.length);
}

function notInInstance({ unreadIds }: ReadInstance, workflowId: string): ObserverError {
  const message = unreadIds.has(workflowId)
    ? `The workflow ${workflowId} is too large or of an unknown shape, and cannot be mapped.`
    : `There is no workflow ${workflowId}.`;
  return new ObserverError("WORKFLOW_NOT_FOUND", message, {
    field: "workflowId",
    solution: "Call without workflowId to see every MCP server there is.",
  });
}

export const unreadSentences = ({ unread, isComplete }: ReadInstance): readonly string[] => [
  ...(unread === 0 ? [] : [`${counted(unread, "workflow")} could not be read.`]),
  ...(isComplete ? [] : ["Not all workflows of the instance were read."]),
];

const REST_OF_INSTANCE = nextCall(
  "Lists all workflows page by page. Each can be read by its workflowId, whatever the time limit.",
  "list_workflows",
  { limit: 100 },
);

/**
 * The coverage of an incomplete answer, and the next call; empty when the answer is complete.
 * @param counts the tool's own counts, included when anything is missing
 * @param remaining undefined when the tool finished with what was read, or the rest of the instance matters more
 */
export function partialCoverage(
  { end, workflows }: ReadInstance,
  counts: Readonly<Record<string, unknown>>,
  remaining: { readonly stoppedBy?: "time"; readonly next: Guidance } | undefined,
): Readonly<Record<string, unknown>> {
  if (end === "all" && remaining === undefined) return {};
  const stoppedBy = remaining?.stoppedBy ?? (end === "all" ? undefined : end);
  return {
    coverage: { complete: false, stoppedBy, readWorkflows: workflows.size, ...counts },
    _guidance: remaining?.next ?? REST_OF_INSTANCE,
  };
}
