/**
 * Reads workflows and audits each as it arrives, keeping only the results: a few workflows one by one, many through the
 * list again, until time runs out.
 */
import { eachWorkflow } from "../../n8n/all-workflows.ts";
import type { VisibleN8n } from "../../n8n/visible-n8n.ts";
import type { ListedWorkflow } from "../../n8n/workflow-reading.ts";
import type { WorkflowWithNodes } from "../../n8n/workflow-schemas.ts";
import { mapConcurrently } from "../../platform/bounded-concurrency.ts";
import { orIfNotFound } from "../../platform/errors.ts";
import type { ReadInstance } from "../all-workflows.ts";
import { REQUESTS_AT_ONCE, type TimeBudget } from "../request-limits.ts";
import { auditWorkflow, type WorkflowAudit } from "./audit.ts";
import { type PastRuns, readPastRuns } from "./past-runs.ts";
import { RULE_SETS, type RuleSet } from "./rules/index.ts";
import { RUNS_UNREAD } from "./rules/n8n-3.ts";
import { DESCRIPTION_UNREAD } from "./rules/traceability.ts";
import { type FindSecrets, instanceFacts, toSubject } from "./subject.ts";

/** Up to this many workflows are read one by one. Listing costs one request per hundred workflows. */
const MAX_SINGLE_READS = 40;

interface AuditSource {
  readonly client: VisibleN8n;
  readonly instance: ReadInstance;
  readonly budget: TimeBudget;
  readonly findSecrets: FindSecrets;
  readonly rules: RuleSet;
  readonly onAudited: (count: number) => Promise<void>;
}

/**
 * Audits these workflows, except any that was deleted meanwhile.
 * @returns the audits, and as `left` the ids of the workflows for which time ran out
 */
export async function readAudits(source: AuditSource, ids: ReadonlySet<string>) {
  const facts = instanceFacts(source.instance);
  const audits = new Map<string, WorkflowAudit>();
  const judge = (workflow: WorkflowWithNodes, pastRuns?: PastRuns): void => {
    const subject = toSubject(workflow, facts, source.findSecrets, pastRuns);
    audits.set(workflow.id, auditWorkflow(subject, RULE_SETS[source.rules]));
  };
  if (ids.size <= MAX_SINGLE_READS) {
    const left = await readSingly(source, [...ids], judge);
    return { audits: [...audits.values()], left };
  }
  const { client, budget } = source;
  const take = (listed: ListedWorkflow): void => {
    if (listed.kind === "read" && ids.has(listed.workflow.id)) judge(listed.workflow);
  };
  const end = await budget.tryOne(async () => await eachWorkflow(client, take, () => budget.leftMs));
  await source.onAudited(audits.size);
  const left = end === "all" ? [] : [...ids].filter((id) => !audits.has(id));
  // These were already audited without their description or past runs. If time runs out, that audit counts.
  const onAudited = async (): Promise<void> => {};
  await readSingly({ ...source, onAudited }, withPartsUnread(audits).slice(0, MAX_SINGLE_READS), judge);
  return { audits: [...audits.values()], left };
}

const PARTS_UNREAD = [DESCRIPTION_UNREAD, RUNS_UNREAD];

/** Workflows that need their description, which n8n leaves out of lists, or past runs to be judged fully. */
function withPartsUnread(audits: ReadonlyMap<string, WorkflowAudit>): string[] {
  return [...audits.values()]
    .filter(({ unjudged }) => unjudged.some(({ reason }) => PARTS_UNREAD.includes(reason)))
    .map(({ workflow: { id } }) => id);
}

/** @returns the ids of the workflows for which time ran out */
async function readSingly(
  { client, budget, rules, onAudited }: AuditSource,
  ids: readonly string[],
  take: (workflow: WorkflowWithNodes, pastRuns?: PastRuns) => void,
): Promise<string[]> {
  const left = new Set(ids);
  await mapConcurrently(budget.within(ids), REQUESTS_AT_ONCE, async (id) => {
    const workflow = await budget.tryOne(
      async (options) =>
        await orIfNotFound(async () => await client.readWorkflowWithNodes(id, options), null),
    );
    // Null when it was deleted.
    if (workflow === undefined) return;
    if (workflow !== null) take(workflow);
    // Past runs only add to the audit: without time for them, it stays as it is.
    if (workflow !== null && rules === "n8n-3") {
      const runs = await budget.tryOne(async (options) => await readPastRuns(client, id, options));
      if (runs !== undefined) take(workflow, runs);
    }
    left.delete(id);
    await onAudited(ids.length - left.size);
  });
  return [...left];
}
