/**
 * The Worker's end of an n8n's single limiter: a user's slots, and the known capabilities of this n8n.
 *
 * Slots fail closed: if the limiter cannot be reached, n8n gets no request, because the limiter exists to protect it.
 * Capabilities fail open: each call then learns them for itself.
 */
import { counted } from "../../platform/counted.ts";
import { describeBug, ObserverError } from "../../platform/errors.ts";
import { ObjectCalls } from "../../platform/object-calls.ts";
import { NOTHING_KNOWN } from "../capabilities/capabilities.ts";
import type { CapabilityStore } from "../capabilities/store.ts";
import type { Slot, TakeTurn } from "../slot.ts";
import type { N8nLimiter } from "./n8n-limiter.ts";

const RETRY_AFTER_FAILURE_SECONDS = 5;

export interface LimiterAccess {
  readonly namespace: DurableObjectNamespace<N8nLimiter>;
  /** The name of the n8n, each of which has its own limiter. */
  readonly instance: string;
  readonly log: (line: Readonly<Record<string, unknown>>) => void;
  readonly placement?: DurableObjectNamespaceGetDurableObjectOptions;
}

type Limiter = DurableObjectStub<N8nLimiter>;

const limiterCalls = ({ namespace, instance, placement = {} }: LimiterAccess): ObjectCalls<Limiter> =>
  new ObjectCalls("N8nLimiter", () => namespace.getByName(instance, placement));

/** @param askedBy the user who caused requests of `EVERYBODY` */
export function createTakeTurn(access: LimiterAccess, userId: string, askedBy = userId): TakeTurn {
  const limiter = limiterCalls(access);
  const logFailure = (error: unknown): void => {
    access.log({ event: "n8n-limiter-failed", ...describeBug(error) });
  };
  // If it fails, the caller still gets n8n's own answer.
  const pause = async (seconds: number): Promise<void> =>
    await limiter.repeatable(async (object) => await object.pause(seconds)).catch(logFailure);
  return async (timeLeftMs, requests) => {
    const until = Date.now() + timeLeftMs;
    const leftMs = (): number => Math.max(0, until - Date.now());
    // Repeating the request is safe: a slot that nobody receives ends by itself.
    const taken = limiter.repeatable(
      async (object) => await object.takeTurn(userId, leftMs(), requests, askedBy),
    );
    const answer = await taken.catch((error: unknown) => {
      logFailure(error);
      throw limiterUnreachable();
    });
    const [first, ...others] = slotsOf(answer, pause);
    if (first === undefined) throw slotRefused(answer.retryAfter);
    return { slots: [first, ...others], requests: answer.requests };
  };
}

/** An answer of `takeTurn` as it arrives from another isolate. */
interface HeldTurn extends Disposable {
  readonly slots: readonly Disposable[];
}

/** Disposing of a slot ends it; the answer is disposed of with its last slot. */
function slotsOf(answer: HeldTurn, pause: Slot["pause"]): Slot[] {
  let held = answer.slots.length;
  return answer.slots.map((slot) => ({
    pause,
    end() {
      slot[Symbol.dispose]();
      held -= 1;
      if (held === 0) answer[Symbol.dispose]();
    },
  }));
}

const slotRefused = (retryAfter: number): ObserverError =>
  new ObserverError("RATE_LIMITED", "The limit of requests to n8n is reached, or n8n is slow to answer.", {
    retryAfter,
    solution: `Wait ${counted(retryAfter, "second")}, then call again. A narrower window (workflowId, startedAfter) or a smaller limit asks less of n8n.`,
  });

const limiterUnreachable = (): ObserverError =>
  new ObserverError("RATE_LIMITED", "The limiter of requests to n8n did not answer.", {
    retryAfter: RETRY_AFTER_FAILURE_SECONDS,
    solution: `Wait ${counted(RETRY_AFTER_FAILURE_SECONDS, "second")}, then call again. If it happens again, tell the operator: the log has "n8n-limiter-failed".`,
  });

/** @param address the n8n's address; the capabilities of another address do not apply */
export function createCapabilityStore(access: LimiterAccess, address: string): CapabilityStore {
  const limiter = limiterCalls(access);
  const orLog = async <Result>(
    call: (object: Limiter) => Promise<Result>,
    otherwise: Result,
  ): Promise<Result> =>
    await limiter.repeatable(call).catch((error: unknown) => {
      access.log({ event: "capabilities-failed", ...describeBug(error) });
      return otherwise;
    });
  return {
    recall: async () => await orLog(async (object) => await object.capabilities(address), NOTHING_KNOWN),
    learn: async (learnt) =>
      await orLog(async (object) => await object.learnCapabilities(address, learnt), undefined),
  };
}
