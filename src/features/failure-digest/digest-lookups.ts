/**
 * Asks n8n for what the index does not know, one request each: why the newest execution of a group failed, whether a
 * silent workflow is still published, and whether a failed one has an error workflow that can run.
 */
import { failureOf, type OwnText, ownTextOf } from "../../executions/failure.ts";
import { nodesByName } from "../../executions/node-runs.ts";
import type { Followable, FollowedGroup, HistoryFailures } from "../../history/digest/failure-query.ts";
import type { Unhandled } from "../../history/digest/failure-rows.ts";
import type { SilentWorkflow } from "../../history/digest/silence.ts";
import { OUTLINE } from "../../n8n/read-plans.ts";
import { errorWorkflowIn } from "../../n8n/workflow-callers.ts";
import { scheduleRules } from "../../n8n/workflow-schedules.ts";
import type { WorkflowWithNodes } from "../../n8n/workflow-schemas.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { orElse } from "../../platform/errors.ts";
import { hostIn, type N8nLookup, readOrNull } from "../n8n-lookup.ts";
import { REQUESTS_AT_ONCE } from "../request-limits.ts";
import { showFailure } from "../shown.ts";
import { contextOf, type ToolContext } from "../tool-context.ts";

const MAX_EXPLAINED = 5;
/** Enough to recognize an error. */
const TEXT_LENGTH = 120;

/** Our sentence about a failure, and the error's own text if the caller may see it. */
export interface Explained {
  readonly why?: string;
  readonly ownText?: OwnText | undefined;
}

/** Explains the newest execution of each of the first groups. @returns by group */
export async function explainExamples(
  groups: readonly FollowedGroup[],
  lookup: N8nLookup,
  context: ToolContext,
) {
  const readable = groups.slice(0, MAX_EXPLAINED).filter(({ isExampleGone }) => !isExampleGone);
  const pairs = await mapConcurrently(
    readable,
    REQUESTS_AT_ONCE,
    async ({ group, exampleId }) => [group, await explain(exampleId, lookup, context)] as const,
  );
  return new Map(pairs);
}

async function explain(id: string, lookup: N8nLookup, context: ToolContext): Promise<Explained> {
  // Null if it was deleted, or n8n is busy: the group then shows what the index knows.
  const execution = await readOrNull(lookup, (options) => lookup.client.readExecution(id, OUTLINE, options));
  const failure = execution === null ? null : failureOf(execution);
  if (execution === null || failure === null) return {};
  const options = { context: await contextOf(context, execution.workflowId), length: TEXT_LENGTH };
  const { message, ownText } = showFailure(failure, ownTextOf(execution), options);
  return { why: message, ownText };
}

const MAX_SILENT = 5;
const MAX_UNHANDLED = 3;

export interface CheckedSilence extends SilentWorkflow {
  /** Null when unknown. */
  readonly isPublished: boolean | null;
}

export interface UnhandledFailures extends Unhandled {
  readonly errorWorkflowId: string;
  readonly reason: "missing" | "unpublished" | "did_not_run";
}

type ReadWorkflow =
  | { readonly kind: "read"; readonly workflow: WorkflowWithNodes }
  | { readonly kind: "missing" | "unknown" };

/** A workflow that n8n no longer starts, and why; or one that nobody published, although it has a schedule. */
export interface Unpublished extends SilentWorkflow {
  readonly reason: "deleted" | "archived" | "crashes" | "unpublished" | "never_published";
}

/** Finds the silent workflows that should run. An unpublished one is reported while its last run is in the window. */
export async function checkSilent(
  { silent }: Pick<HistoryFailures, "silent">,
  windowFrom: number,
  lookup: N8nLookup,
): Promise<{ readonly silent: readonly CheckedSilence[]; readonly unpublished: readonly Unpublished[] }> {
  const newestFirst = silent.toSorted((a, b) => b.lastAt - a.lastAt);
  const isExpectedToRun = ({ kind }: SilentWorkflow): boolean => kind !== "unlisted" && kind !== "tried_out";
  const ofKind = (requested: SilentWorkflow["kind"]) => newestFirst.filter(({ kind }) => kind === requested);
  const expected = newestFirst.filter(isExpectedToRun);
  // Workflows that nobody ever published come last, so that they displace none that n8n no longer starts.
  const others = [...ofKind("unlisted"), ...ofKind("tried_out")];
  const checkedFirst = [...expected.slice(0, MAX_SILENT), ...others.slice(0, MAX_SILENT)];
  const checked = await mapConcurrently(checkedFirst, REQUESTS_AT_ONCE, async (each) => ({
    ...each,
    read: await readWorkflow(each.workflowId, lookup),
  }));
  const unpublished = checked.flatMap(({ read, ...each }) => {
    const reason = each.lastAt < windowFrom ? null : unpublishedReason(each, read);
    return reason === null ? [] : [{ ...each, reason }];
  });
  const running = checked.filter(
    (each) => isExpectedToRun(each) && unpublishedReason(each, each.read) === null,
  );
  const unasked = expected.slice(MAX_SILENT).map((each) => ({ ...each, isPublished: null }));
  const stillExpected = running.map(({ read, ...each }) => ({
    ...each,
    isPublished: read.kind === "read" || null,
  }));
  return { silent: [...stillExpected, ...unasked], unpublished };
}

/** Null for a published workflow, for a draft without a schedule, and if n8n failed to say. */
function unpublishedReason(
  { kind, hasCrashed }: SilentWorkflow,
  read: ReadWorkflow,
): Unpublished["reason"] | null {
  if (read.kind === "missing") return kind === "tried_out" ? null : "deleted";
  if (read.kind !== "read") return null;
  const { active, isArchived, nodes } = read.workflow;
  if (active || (kind === "tried_out" && (isArchived || scheduleRules(nodes).length === 0))) return null;
  if (kind === "tried_out") return "never_published";
  if (isArchived) return "archived";
  return hasCrashed ? "crashes" : "unpublished";
}

const MAX_HOSTS = 2;

/** Hosts at which several workflows failed, by the incident's example; none if the caller may not see error texts. */
export async function hostsOf(
  { incidents }: Pick<HistoryFailures, "incidents">,
  lookup: N8nLookup,
  context: ToolContext,
): Promise<ReadonlyMap<string, string>> {
  const ids = incidents.flatMap(({ common, exampleId }) => (common.host == null ? [] : [exampleId]));
  const pairs = await mapConcurrently(ids.slice(0, MAX_HOSTS), REQUESTS_AT_ONCE, async (id) => {
    const host = await hostIn(id, lookup, context);
    return host === null ? null : ([id, host] as const);
  });
  return new Map(pairs.filter((pair) => pair !== null));
}

/** How many later successes were read, and how many of them ran the node that had failed. */
export interface Followed {
  readonly read: number;
  readonly throughNode: number;
}

const MAX_FOLLOWED = 2;

/** Reads later successes, because they may not reach the failed node. Costs a few requests each. @returns by group */
export async function followGroups(groups: readonly Followable[], lookup: N8nLookup) {
  const pairs = groups.slice(0, MAX_FOLLOWED).map(async ({ group, nodeName, since }) => {
    const ran = await mapConcurrently(since.successIds, 2, async (id) => {
      const read = await readOrNull(lookup, (options) => lookup.client.readExecution(id, OUTLINE, options));
      const runs = read?.data?.resultData?.runData;
      // A node that was renamed or taken out since could not run.
      const isThere = read !== null && nodeName !== null && nodesByName(read).has(nodeName);
      return runs === undefined || !isThere ? [] : [Object.hasOwn(runs, nodeName)];
    });
    return [group, { read: ran.flat().length, throughNode: ran.flat().filter(Boolean).length }] as const;
  });
  return new Map(await Promise.all(pairs));
}

/** Successes that did not reach the failed node do not prove that it is fixed. */
export function withCheckedState<One extends Followable>(
  group: One,
  followed: ReadonlyMap<string, Followed>,
): One {
  const { read, throughNode } = followed.get(group.group) ?? { read: 0, throughNode: 0 };
  return read === 0 || throughNode > 0 ? group : { ...group, since: { ...group.since, state: "unknown" } };
}

/** @param mustBePublished whether this n8n runs only published error workflows (n8n 2) */
export async function checkUnhandled(
  { unhandled }: Pick<HistoryFailures, "unhandled">,
  lookup: N8nLookup,
  mustBePublished: boolean,
): Promise<UnhandledFailures[]> {
  // A workflow that the caller may not see is not missing.
  const seesAll = await lookup.client.seesAll();
  const failed = unhandled.filter(({ failures, handled }) => failures > handled).slice(0, MAX_UNHANDLED);
  const checked = await mapConcurrently(failed, REQUESTS_AT_ONCE, async (each) => {
    const read = await readWorkflow(each.workflowId, lookup);
    const errorWorkflowId =
      read.kind === "read" ? errorWorkflowIn(read.workflow.settings.errorWorkflow) : undefined;
    if (errorWorkflowId === undefined) return null;
    const reason = reasonOf(await readWorkflow(errorWorkflowId, lookup), each, mustBePublished, seesAll);
    return reason === null ? null : { ...each, errorWorkflowId, reason };
  });
  return checked.filter((each) => each !== null);
}

/** n8n may save only failed runs: unless it saved one that succeeded, only a workflow that cannot run is reported. */
function reasonOf(
  read: ReadWorkflow,
  { savesSuccesses }: Unhandled,
  mustBePublished: boolean,
  seesAll: boolean,
): UnhandledFailures["reason"] | null {
  if (read.kind === "missing") return seesAll ? "missing" : null;
  if (read.kind === "read" && mustBePublished && !read.workflow.active) return "unpublished";
  if (read.kind === "read" && read.workflow.settings.saveDataSuccessExecution === "none") return null;
  return savesSuccesses ? "did_not_run" : null;
}

async function readWorkflow(id: string, { client, budget }: N8nLookup): Promise<ReadWorkflow> {
  if (budget.leftMs <= 0) return { kind: "unknown" };
  return await orElse<ReadWorkflow, ReadWorkflow>(
    async () => ({ kind: "read", workflow: await client.readWorkflowWithNodes(id, budget.requestOptions) }),
    ({ code }) => ({ kind: code === "WORKFLOW_NOT_FOUND" ? "missing" : "unknown" }),
  );
}
