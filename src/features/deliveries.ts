/** Describes the outcome of each delivery of a request, in words and as rows. Pure. */
import type { FoundAs } from "../history/request-ids/request-forms.ts";
import type { Coverage } from "../history/scan/coverage.ts";
import type { HistoryTrace } from "../history/trace/history-trace.ts";
import { counted } from "../platform/counted.ts";
import { quoted } from "../platform/display-name.ts";
import { isNewer } from "../platform/id-order.ts";
import type { Delivery } from "./request-deliveries.ts";
import type { Outcome } from "./request-node.ts";
import type { RequestTree } from "./request-tree.ts";

const MAX_ROWS = 5;
const MAX_NAMED_WORKFLOWS = 3;

/** The first deliveries as rows, and the others counted by outcome; empty for a request that was sent once. */
export function showDeliveries(deliveries: readonly Delivery[]) {
  if (deliveries.length < 2) return {};
  const others = deliveries.slice(MAX_ROWS);
  return {
    deliveries: deliveries.slice(0, MAX_ROWS).map(({ node, outcome }) => ({
      executionId: node.id,
      workflow: node.workflowName ?? node.workflowId,
      outcome,
      startedAt: node.startedAt,
    })),
    moreDeliveries: others.length === 0 ? undefined : Object.fromEntries(countsOf(others)),
  };
}

function countsOf(deliveries: readonly Delivery[]): [Outcome, number][] {
  return [...Map.groupBy(deliveries, ({ outcome }) => outcome)].map(([outcome, { length }]) => [
    outcome,
    length,
  ]);
}

export const OUTCOME_WORDS: Readonly<Partial<Record<Outcome, string>>> = {
  error: "failed",
  success: "succeeded",
};

function alsoFailed(deliveries: readonly Delivery[]): string {
  const failed = deliveries.filter(({ outcome }) => outcome === "error");
  const names = new Map(failed.map(({ node }) => [node.workflowId, node.workflowName ?? node.workflowId]));
  const others = [...names.values()].slice(1);
  if (others.length === 0) return "";
  const more = others.length - MAX_NAMED_WORKFLOWS;
  const named = others.slice(0, MAX_NAMED_WORKFLOWS).map(quoted).join(", ");
  return `; also failed in ${named}${more > 0 ? ` and ${counted(more, "more workflow")}` : ""}`;
}

export interface DeliveriesCoverage extends Pick<Coverage, "from" | "to"> {
  /** Why the scan stopped; `complete` when it read the whole window. */
  readonly stoppedBy: string;
  readonly isCut: boolean;
  /** @see HistoryTrace.endsAt */
  readonly endsAt?: string | null;
}

/** How often the request was sent, how each delivery ended, and whether there may be more; may be empty. */
export function deliveriesSentence(
  { deliveries, outcome }: RequestTree,
  foundAs: FoundAs | null,
  coverage: DeliveriesCoverage,
): string {
  // An earlier success would not change a failure, but people ask whether the request was sent again after it.
  const more =
    outcome === "error" && !MAY_BE_LATER.has(coverage.stoppedBy) ? "" : mayBeMore(coverage, foundAs);
  return timesSent(deliveries, foundAs, coverage.isCut) + more + mayBeSince(coverage, foundAs);
}

/** Reasons for which executions after those that were read are unknown. */
const MAY_BE_LATER: ReadonlySet<string> = new Set(["id_time", "queue", "running"]);

const mayBe = (foundAs: FoundAs | null, when: string): string =>
  isOneRequest(foundAs) ? `it may have been sent ${when}` : "there may be more requests with it";

const mayBeSince = ({ endsAt = null }: DeliveriesCoverage, foundAs: FoundAs | null): string =>
  endsAt === null
    ? ""
    : ` It was looked for in executions that began up to ${endsAt}: ${mayBe(foundAs, "again since")}.`;

function timesSent(deliveries: readonly Delivery[], foundAs: FoundAs | null, isCut: boolean): string {
  const { length } = deliveries;
  const counts = countsOf(deliveries).map(
    ([outcome, count]) => `${count} ${OUTCOME_WORDS[outcome] ?? outcome}`,
  );
  const ended = counts.join(", ") + alsoFailed(deliveries);
  const summary = isOneRequest(foundAs)
    ? `it was sent ${counted(length, "time")}: ${ended}.`
    : `there are ${counted(length, "request")} with it: ${ended}.`;
  if (isCut) return ` More executions hold it than could be followed. Among those that were, ${summary}`;
  return length < 2 ? "" : ` ${summary.charAt(0).toUpperCase()}${summary.slice(1)}`;
}

/** A session, a trace and custom data have many requests: a later one is not an earlier one sent again. */
const isOneRequest = (foundAs: FoundAs | null): boolean =>
  foundAs === "requestId" || foundAs === "executionId";

function mayBeMore({ stoppedBy, from, to }: DeliveriesCoverage, foundAs: FoundAs | null): string {
  if (stoppedBy === "complete") return "";
  if (stoppedBy === "id_time")
    return ` Only executions around the time in the id were searched (${from} to ${to}): ${mayBe(foundAs, "at another time")}.`;
  if (stoppedBy === "queue")
    return ` Not all executions in n8n's queue were read: ${mayBe(foundAs, "again")}.`;
  if (stoppedBy === "running") return ` Not all running executions were read: ${mayBe(foundAs, "again")}.`;
  return ` The rest of the window was not read yet: ${mayBe(foundAs, "before")}.`;
}

/** Whether more executions hold the id than could be followed. */
export const isCut = ({ matches }: Pick<HistoryTrace, "matches">, { nodes }: RequestTree): boolean => {
  const followed = new Set(nodes.map(({ id }) => id));
  return matches.some(({ executionId }) => !followed.has(executionId));
};

/** A later success of the same workflow, if the deciding delivery did not succeed. */
export function laterSuccessOf([first, ...others]: readonly Delivery[]): Delivery | undefined {
  if (first === undefined || first.outcome === "success") return undefined;
  return others.find(
    ({ carrierId, node, outcome }) =>
      outcome === "success" &&
      node.workflowId === first.node.workflowId &&
      isNewer(carrierId, first.carrierId),
  );
}

export function laterSuccess(deliveries: readonly Delivery[], foundAs: FoundAs | null): string {
  const later = laterSuccessOf(deliveries);
  if (later === undefined) return "";
  const what = isOneRequest(foundAs) ? ", and succeeded when it was sent again" : "; a later one succeeded";
  return `${what} (execution ${later.unseenRetryId ?? later.node.id})`;
}
