/** What an answer claims to know of each execution. */
import type { Options } from "./expected-counts.ts";
import type { Asked } from "./living-counts.ts";
import { hasEnded, type Made } from "./made-executions.ts";

interface Claim {
  readonly message: string | undefined;
  readonly knownSince: string | null;
  readonly stoppedBy: string;
  /** The start of the claim; by default that of the window. */
  readonly from?: number;
}

/** A look may be shared with a call that started a moment earlier. */
const SHARED_LOOK_MS = 300;

/** The options of all executions that ever existed. */
export function optionsIn(
  { n8n, knowledge, began, window, hadFaults }: Asked,
  { message = "", knownSince, stoppedBy, from = window.from }: Claim,
): Options[] {
  const since = knownSince === null ? Number.POSITIVE_INFINITY : Date.parse(knownSince);
  const [claim, lookedAt = 0] = / This is what was known (?:at (\S+)|before): /.exec(message) ?? [];
  const until =
    claim === undefined ? Number.POSITIVE_INFINITY : new Date(lookedAt).getTime() - SHARED_LOOK_MS;
  return [...n8n.versions].map(([id, versions]) => {
    // "This covers only what began since …" limits the claim; without it, the claim is for the whole window.
    const isSince =
      since <= from ||
      versions.every(({ made }) => made === null || (made.startedAt ?? Number.NEGATIVE_INFINITY) >= since);
    // A call that was stopped may not know how running executions ended.
    const isSettled =
      stoppedBy === "complete" || versions.every(({ made }) => made === null || hasEnded(made));
    const isFresh = isSince && isSettled && versions.every(({ at }) => at < until);
    const options = knowledge.optionsOf(id, began, isFresh);
    return hadFaults ? options.flatMap(withoutItsData) : options;
  });
}

/** Only its data says who canceled an execution: without it, a time limit counts as the cause. */
const withoutItsData = (made: Made | null): Options =>
  made?.status === "canceled" && made.isByHand ? [made, { ...made, isByHand: false }] : [made];
