/** What an answer claims to know of each execution. */
import type { Options } from "./expected-counts.ts";
import type { Asked } from "./living-counts.ts";
import { hasEnded, type Made } from "./made-executions.ts";

interface Claim {
  readonly message: string | undefined;
  readonly knownSince: string | null;
  readonly stoppedBy: string;
  /** What is claimed to be known begins here; at the window's start without it. */
  readonly from?: number;
}

/** A look may be shared with who asked a moment before. */
const SHARED_LOOK_MS = 300;

/** Of all executions that there ever were. */
export function optionsIn(
  { n8n, knowledge, began, window, hadFaults }: Asked,
  { message = "", knownSince, stoppedBy, from = window.from }: Claim,
): Options[] {
  const since = knownSince === null ? Number.POSITIVE_INFINITY : Date.parse(knownSince);
  const [told, lookedAt = 0] = / This is what was known (?:at (\S+)|before): /.exec(message) ?? [];
  const until = told === undefined ? Number.POSITIVE_INFINITY : new Date(lookedAt).getTime() - SHARED_LOOK_MS;
  return [...n8n.versions].map(([id, versions]) => {
    // "This covers only what began since …": without that sentence, the whole window.
    const isSince =
      since <= from ||
      versions.every(({ made }) => made === null || (made.startedAt ?? Number.NEGATIVE_INFINITY) >= since);
    // A call that was stopped may not have learnt what became of what ran.
    const isSettled =
      stoppedBy === "complete" || versions.every(({ made }) => made === null || hasEnded(made));
    const isFresh = isSince && isSettled && versions.every(({ at }) => at < until);
    const options = knowledge.optionsOf(id, began, isFresh);
    return hadFaults ? options.flatMap(withoutItsData) : options;
  });
}

/** Only the data of a canceled execution says who canceled it: without it, a time limit is taken to have done so. */
const withoutItsData = (made: Made | null): Options =>
  made?.status === "canceled" && made.isByHand ? [made, { ...made, isByHand: false }] : [made];
