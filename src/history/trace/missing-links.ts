/** Which missing linked executions need not be requested again: most were never saved. No I/O. */
import { MINUTE_MS } from "../../platform/durations.ts";
import { hasEnded, linksOf, type TracedExecution } from "../store/traced-execution.ts";

/** Epoch ms from when no execution can appear under each linked id: a minute after the end of the linking one. */
export function settledLinks(executions: readonly TracedExecution[]): ReadonlyMap<string, number> {
  const settled = new Map<string, number>();
  for (const execution of executions) {
    const { stoppedAt } = execution;
    const isOver = hasEnded(execution) && stoppedAt !== null;
    const since = isOver ? Date.parse(stoppedAt) + MINUTE_MS : Number.POSITIVE_INFINITY;
    for (const id of linksOf(execution)) settled.set(id, Math.max(since, settled.get(id) ?? since));
  }
  return settled;
}

/** After this time, a restored n8n may have it again. */
const REQUEST_AGAIN_AFTER_MS = 5 * MINUTE_MS;

interface MissingLink {
  /** Epoch ms when n8n did not have it. */
  readonly askedAt: number;
  readonly now: number;
  /** @see settledLinks Undefined if it is read for another reason than a link. */
  readonly settledAt: number | undefined;
  /** A later look of a call that waits: the first look has just requested it. */
  readonly isFurtherLook: boolean;
}

export function isStillGone({ askedAt, now, settledAt, isFurtherLook }: MissingLink): boolean {
  if (settledAt === undefined) return false;
  const age = now - askedAt;
  return (isFurtherLook && age < MINUTE_MS) || (askedAt >= settledAt && age < REQUEST_AGAIN_AFTER_MS);
}
