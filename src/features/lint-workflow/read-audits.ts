/**
 * Reads workflows and audits each as it arrives, holding only what the rules say of it: a few one by one, many
 * as a second walk through the list.
 */

import { eachWorkflow } from "../../n8n/all-workflows.ts";
import type { N8nClient } from "../../n8n/client.ts";
import type { WorkflowWithNodes } from "../../n8n/workflow-schemas.ts";
import { ObserverError } from "../../platform/errors.ts";
import { REQUEST_MS } from "../../platform/time-limits.ts";
import type { ReadInstance } from "../instance-outline.ts";
import { auditWorkflow, type WorkflowAudit } from "./audit.ts";
import { instanceFacts } from "./instance-facts.ts";
import { DESCRIPTION_UNREAD } from "./rules/documentation-described.ts";
import { RULES } from "./rules/index.ts";
import { type FindSecrets, toSubject } from "./subject.ts";

/** One by one up to here: each is a request of its own, and a list is one for a hundred. */
const MAX_SINGLE_READS = 40;
const READS_AT_ONCE = 4;

export interface AuditSource {
  readonly client: N8nClient;
  readonly instance: ReadInstance;
  readonly findSecrets: FindSecrets;
  readonly onAudited: (count: number) => Promise<void>;
}

/** Audits these workflows. One that was deleted meanwhile is left out. */
export async function readAudits(source: AuditSource, ids: ReadonlySet<string>): Promise<WorkflowAudit[]> {
  const facts = instanceFacts(source.instance);
  const audits = new Map<string, WorkflowAudit>();
  const judge = (workflow: WorkflowWithNodes): void => {
    audits.set(workflow.id, auditWorkflow(toSubject(workflow, facts, source.findSecrets), RULES));
  };
  if (ids.size <= MAX_SINGLE_READS) {
    await readSingly(source, [...ids], judge);
    return [...audits.values()];
  }
  await eachWorkflow(
    source.client,
    (listed) => {
      if (listed.kind === "read" && ids.has(listed.workflow.id)) judge(listed.workflow);
    },
    {},
    { timeoutMs: REQUEST_MS.pageOfWorkflows },
  );
  await source.onAudited(audits.size);
  // Audited once already, with less known of them.
  const onAudited = async (): Promise<void> => {};
  await readSingly({ ...source, onAudited }, undescribed(audits).slice(0, MAX_SINGLE_READS), judge);
  return [...audits.values()];
}

/** Those of which more could be said if their description were known, which lists do not have. */
function undescribed(audits: ReadonlyMap<string, WorkflowAudit>): string[] {
  return [...audits.values()]
    .filter(({ unjudged }) => unjudged.some(({ reason }) => reason === DESCRIPTION_UNREAD))
    .map(({ workflow: { id } }) => id);
}

async function readSingly(
  { client, onAudited }: AuditSource,
  ids: readonly string[],
  take: (workflow: WorkflowWithNodes) => void,
): Promise<void> {
  const waiting = ids.values();
  let done = 0;
  const worker = async (): Promise<void> => {
    for (const id of waiting) {
      const workflow = await readIfThere(client, id);
      if (workflow !== undefined) take(workflow);
      done += 1;
      await onAudited(done);
    }
  };
  await Promise.all(Array.from({ length: READS_AT_ONCE }, worker));
}

async function readIfThere(client: N8nClient, id: string): Promise<WorkflowWithNodes | undefined> {
  try {
    return await client.readWorkflowWithNodes(id);
  } catch (error) {
    if (error instanceof ObserverError && error.code === "WORKFLOW_NOT_FOUND") return undefined;
    throw error;
  }
}
