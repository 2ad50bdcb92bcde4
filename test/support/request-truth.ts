/** The truth about each request in a simulated n8n (`request-world.ts`), known from everything that happened. */
import type { Made, RequestWorld } from "./request-world.ts";

export type Outcome = "error" | "running" | "waiting" | "canceled" | "success" | "not_found";
/** The worst first. */
export const OUTCOMES: readonly Outcome[] = [
  "error",
  "running",
  "waiting",
  "canceled",
  "success",
  "not_found",
];

/** A world at one moment, with full knowledge of it. */
export class Truth {
  readonly #world: RequestWorld;
  readonly #moment: number;

  constructor(world: RequestWorld, moment: number) {
    this.#world = world;
    this.#moment = moment;
  }

  get begun(): readonly Made[] {
    return this.#world.all.filter(({ startedAt }) => startedAt <= this.#moment);
  }

  get isWhole(): boolean {
    return this.begun.every(({ isKept }) => isKept);
  }

  /** Whether an execution holds an id by now: an error workflow looks it up while it runs. */
  holdsNow({ role, status, stoppedAt, holds }: Made): boolean {
    const hasLookedUp = stoppedAt <= this.#moment && status !== "crashed";
    return holds.length > 0 && (role !== "error_handler" || hasLookedUp);
  }

  /** Whether an execution is a try of a request, or ran because of one. */
  isOf(one: Made, { firstTry }: Made): boolean {
    for (let cause: Made | null = one; cause !== null; cause = cause.retryOf ?? cause.parent)
      if (cause.firstTry === firstTry) return true;
    return false;
  }

  outcomeOf({ stoppedAt, status }: Made): Outcome {
    if (stoppedAt > this.#moment) return "running";
    return status === "crashed" ? "error" : status;
  }

  lastTryOf(first: Made): Made {
    return this.begun.filter((one) => one.firstTry === first).at(-1) ?? first;
  }

  /**
   * The last try of each sending, which decides its outcome. Runs from the editor count only if there are no other
   * sendings, or if they are among the `own` ones of the execution that was asked for.
   */
  sendingsOf(
    requestId: string,
    isAsked: (sending: Made) => boolean = () => true,
    own: readonly Made[] = [],
  ): Made[] {
    const firsts = this.begun.filter(({ retryOf }) => retryOf === null);
    const all = firsts.flatMap((first) => {
      if (first.role === "entry" && first.requestId === requestId) return [this.lastTryOf(first)];
      return this.#sentBy(first, requestId);
    });
    const sent = all.filter((one) => isAsked(one) && !this.#isRepeated(one, all));
    const isTriedOut = ({ firstTry }: Made): boolean =>
      (firstTry.isInEditor && !own.includes(firstTry)) ||
      (firstTry.parent !== null && isTriedOut(firstTry.parent));
    return sent.every(isTriedOut) ? sent : sent.filter((one) => !isTriedOut(one));
  }

  /** Whether a retry of what is above its caller has called for the same anew. */
  #isRepeated({ firstTry }: Made, all: readonly Made[]): boolean {
    const { parent } = firstTry;
    if (parent?.failed?.called?.firstTry !== firstTry) return false;
    const isBelowLater = (one: Made): boolean => {
      const above = one.firstTry.parent;
      if (one.firstTry === parent.firstTry) return one.startedAt > parent.startedAt;
      return above !== null && isBelowLater(above);
    };
    return all.some(isBelowLater) || this.#isRepeated(parent, all);
  }

  /** What an execution outside the request has sent, with its retries: the last call counts. */
  #sentBy(first: Made, requestId: string): Made[] {
    const last = this.#callsOf(first, requestId).at(-1);
    if (last !== undefined) return [this.lastTryOf(last)];
    const isBelow = (one: Made): boolean => {
      const cause = one.retryOf ?? one.parent;
      return cause !== null && (cause.firstTry === first || isBelow(cause));
    };
    const isCalled = this.begun.some((one) => one.requestId === requestId && isBelow(one));
    return first.holds.includes(requestId) && first.isBatch && !isCalled ? [this.lastTryOf(first)] : [];
  }

  #callsOf(first: Made, requestId: string): Made[] {
    return this.begun.filter(
      ({ role, parent, requestId: own }) =>
        role === "sub_workflow" &&
        parent?.firstTry === first &&
        own === requestId &&
        parent.requestId !== requestId,
    );
  }

  /** The execution in which a failure began. */
  originOf(failed: Made): Made {
    const called = failed.failed?.called ?? null;
    return called !== null && this.outcomeOf(called) === "error" ? this.originOf(called) : failed;
  }

  /** Kept executions that hold the id by now. */
  recordedHoldersOf(requestId: string): Made[] {
    return this.begun.filter((one) => one.isKept && one.holds.includes(requestId) && this.holdsNow(one));
  }

  /** The newest try of a sending that is kept, or named by a kept one; null if there is none. */
  lastKnownOf({ firstTry }: Made): Made | null {
    const tries = this.begun.filter((one) => one.firstTry === firstTry);
    const isNamed = (one: Made): boolean =>
      one.stoppedAt <= this.#moment && tries.some(({ isKept, mended }) => isKept && mended === one);
    return tries.filter((one) => one.isKept || isNamed(one)).at(-1) ?? null;
  }

  /** Whether everything that decides the outcome of a sending is kept. */
  isSendingKept({ firstTry }: Made, requestId: string): boolean {
    const { parent } = firstTry;
    const tries = this.begun.filter((one) => one.firstTry === firstTry);
    // A retry names what it retries even if that is not kept.
    const isLinked = ({ retryOf }: Made): boolean =>
      retryOf === null || retryOf === firstTry || (retryOf.isKept && isLinked(retryOf));
    if (parent === null)
      return tries.at(-1)?.isKept === true && tries.filter(({ isKept }) => isKept).every(isLinked);
    const callers = this.begun.filter((one) => one.firstTry === parent.firstTry);
    return [...tries, ...callers, ...this.#callsOf(parent.firstTry, requestId)].every(({ isKept }) => isKept);
  }

  /**
   * Kept executions that hold the id without a link to the one that decides. Successes do not count,
   * but a retry of one that is not kept does, even if it names its caller. An error workflow's execution is a failure.
   */
  orphansOf(requestId: string): Made[] {
    const counts = (one: Made): boolean =>
      this.outcomeOf(one) !== "success" || one.role === "retry" || one.role === "error_handler";
    return this.recordedHoldersOf(requestId).filter((one) => counts(one) && this.#isCutOff(one));
  }

  #isCutOff({ role, retryOf, parent }: Made): boolean {
    const above = retryOf ?? parent;
    if (above === null) return false;
    if (above.isKept) return this.#isCutOff(above);
    // A retry names the retried execution, which names its successful retry.
    const original = above.retryOf;
    if (original?.isKept === true && original.mended === above && above.stoppedAt <= this.#moment)
      return this.#isCutOff(original);
    const retry = this.begun.find((one) => one.isKept && one.retryOf === above);
    if (role === "error_handler" && retryOf === null && retry !== undefined) return false;
    // The caller of one that is not kept may name it.
    const caller = above.parent;
    const isNamed =
      retryOf === null &&
      above.retryOf === null &&
      caller?.isKept === true &&
      // What runs names nothing yet.
      caller.stoppedAt <= this.#moment &&
      (caller.calls.some(({ called, isNamed }) => called === above && isNamed) ||
        (caller.failed?.called === above && caller.failed.isNamed));
    return !isNamed || this.#isCutOff(above);
  }

  /** The deepest kept execution of a failure. Below one that is not kept, a failure may have been caught. */
  deepestKeptOf(failed: Made): Made {
    const called = failed.failed?.called ?? null;
    const isNext = called?.isKept === true && this.outcomeOf(called) === "error";
    return isNext ? this.deepestKeptOf(called) : failed;
  }

  isRetried(first: Made): boolean {
    return this.lastTryOf(first) !== first;
  }

  /** Whether a batch holds the id without a kept call for it. */
  isOnlyInBatch(requestId: string): boolean {
    const isCalled = (batch: Made): boolean =>
      this.partsOf(requestId).some(
        ({ role, parent, isKept }) =>
          role === "sub_workflow" && isKept && parent?.firstTry === batch && parent.isKept,
      );
    return this.begun.some((one) => one.isBatch && one.holds.includes(requestId) && !isCalled(one.firstTry));
  }

  /** All executions that ran because of the request. */
  partsOf(requestId: string): Made[] {
    const isPart = ({ requestId: own, retryOf, parent }: Made): boolean => {
      const cause = retryOf ?? parent;
      return own === requestId || (cause !== null && isPart(cause));
    };
    return this.begun.filter(isPart);
  }

  /** The senders outside the request, with their retries, error workflows, and everything above them. */
  aboveOf(requestId: string): Set<Made> {
    const senders = this.begun.filter(
      (one) => one.retryOf === null && this.#sentBy(one, requestId).length > 0,
    );
    const above = new Set<Made>();
    for (const sender of senders)
      for (let one: Made | null = sender; one !== null; one = one.firstTry.parent) {
        const { firstTry } = one;
        for (const each of this.begun) {
          if (each.firstTry === firstTry) above.add(each);
          if (each.firstTry.role === "error_handler" && each.firstTry.parent?.firstTry === firstTry)
            above.add(each);
        }
      }
    return above;
  }
}
