/**
 * Learns this n8n's capabilities from its answers to small requests. A refusal with a reason is an answer; a
 * failure of n8n, or a key without permission, teaches nothing.
 */
import { orElse } from "../../platform/errors.ts";
import type { ExecutionQuery, N8nClient } from "../client.ts";
import { refusalOf } from "../refusal.ts";
import type { RequestOptions } from "../requests.ts";
import { EXECUTION_STATUSES, type ExecutionStatus } from "../schemas.ts";
import type { ReportedCapabilities } from "./capabilities.ts";

/** No execution starts after this, so a list that contains one was not filtered. */
const FAR_FUTURE = "2999-01-01T00:00:00.000Z";
/** n8n's own maximum is 250. */
const ABOVE_ITS_LIMIT = 251;
/** No workflow has this id, so the answer is small, whatever n8n stores. */
const NO_WORKFLOW = "none";

/** @throws ObserverError when n8n fails */
export async function learnStatuses(
  client: N8nClient,
  options: RequestOptions = {},
): Promise<ExecutionStatus[]> {
  try {
    await client.listExecutions({ status: "new", limit: 1 }, options);
    return [...EXECUTION_STATUSES];
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal?.parameter === "status") return [...refusal.allowed];
    // A refusal in other words shows only that it knows fewer statuses, not which ones.
    if (refusal !== undefined) return [];
    throw error;
  }
}

/** Whether n8n accepts the query and returns no executions. @throws ObserverError when n8n fails */
async function returnsNone(client: N8nClient, query: ExecutionQuery): Promise<boolean> {
  try {
    return (await client.listExecutions(query)).executions.length === 0;
  } catch (error) {
    if (refusalOf(error) !== undefined) return false;
    throw error;
  }
}

async function learnListedStatus(client: N8nClient): Promise<boolean | null> {
  const [first] = (await client.listExecutions({ limit: 1 })).executions;
  return first === undefined ? null : first.isStatusInferred !== true;
}

/** Null when n8n fails or the key lacks the scope. @throws ObserverError only `RATE_LIMITED` */
const orNull = async <Value>(ask: () => Promise<Value>): Promise<Value | null> =>
  await orElse(ask, (error) => {
    if (error.code === "RATE_LIMITED") throw error;
    return null;
  });

/** Learns everything again, for a report. @param isLate true once time is up @throws ObserverError `RATE_LIMITED` */
export async function learnEverything(
  client: N8nClient,
  isLate: () => boolean,
): Promise<ReportedCapabilities> {
  const learn = async <Value>(ask: () => Promise<Value>) => (isLate() ? null : await orNull(ask));
  const statuses = await learn(() => learnStatuses(client));
  const listsStatus = await learn(() => learnListedStatus(client));
  const returnsNoneLater = await learn(() => returnsNone(client, { limit: 1, startedAfter: FAR_FUTURE }));
  return {
    statuses,
    listsStatus,
    // If the key sees no execution, an empty list proves nothing.
    filtersDates: returnsNoneLater === true && listsStatus === null ? null : returnsNoneLater,
    clampsLimit: await learn(() => returnsNone(client, { workflowId: NO_WORKFLOW, limit: ABOVE_ITS_LIMIT })),
    knowsRedaction: await learn(() => client.discoverRedaction()),
    tellsScopes: await learn(async () => (await client.discoverScopes()) !== undefined),
  };
}
