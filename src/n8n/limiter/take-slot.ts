/**
 * Takes a user's slots at the one limiter that an n8n has.
 *
 * Fails closed: where the limiter cannot be asked, n8n is not asked either. Not to hurt n8n is what it is for.
 */
import { counted } from "../../platform/counted.ts";
import { describeBug, ObserverError } from "../../platform/errors.ts";
import { ObjectCalls } from "../../platform/object-calls.ts";
import { SLOT_WAIT_MS } from "../../platform/time-limits.ts";
import type { Slot, TakeSlot, TakeTurn } from "../slot.ts";
import type { N8nLimiter } from "./n8n-limiter.ts";

const RETRY_AFTER_FAILURE_SECONDS = 5;

type Log = (line: Readonly<Record<string, unknown>>) => void;

type Limiter = ObjectCalls<DurableObjectStub<N8nLimiter>>;

/** The slots of one user. @param instance the name of the n8n: each has a limiter of its own */
export function createTakeSlot(
  namespace: DurableObjectNamespace<N8nLimiter>,
  instance: string,
  userId: string,
  log: Log,
  placement: DurableObjectNamespaceGetDurableObjectOptions = {},
): TakeSlot {
  const limiter = openLimiter(namespace, instance, placement);
  const failed = failing(log);
  return async (maxWaitMs) => {
    const answer = await ask(
      maxWaitMs,
      async (waitMs) => await limiter.repeatable(async (object) => await object.take(userId, waitMs())),
      failed,
    );
    if (answer.slot === null) throw refused(answer.retryAfter);
    // Letting go of it is what ends it.
    return toSlot(() => answer[Symbol.dispose](), limiter, failed);
  };
}

/** The turns of one user: some slots by one call. */
export function createTakeTurn(
  namespace: DurableObjectNamespace<N8nLimiter>,
  instance: string,
  userId: string,
  log: Log,
  placement: DurableObjectNamespaceGetDurableObjectOptions = {},
): TakeTurn {
  const limiter = openLimiter(namespace, instance, placement);
  const failed = failing(log);
  return async (maxWaitMs, requests) => {
    const answer = await ask(
      maxWaitMs,
      async (waitMs) =>
        await limiter.repeatable(async (object) => await object.takeTurn(userId, waitMs(), requests)),
      failed,
    );
    const held = [...answer.slots];
    if (held.length === 0) throw refused(answer.retryAfter);
    let open = held.length;
    const slots = held.map((one) =>
      toSlot(
        () => {
          one[Symbol.dispose]();
          open -= 1;
          if (open === 0) answer[Symbol.dispose]();
        },
        limiter,
        failed,
      ),
    );
    return { slots, requests: answer.requests };
  };
}

const openLimiter = (
  namespace: DurableObjectNamespace<N8nLimiter>,
  instance: string,
  placement: DurableObjectNamespaceGetDurableObjectOptions,
): Limiter => new ObjectCalls("N8nLimiter", () => namespace.getByName(instance, placement));

type Failed = (error: unknown) => void;

const failing =
  (log: Log): Failed =>
  (error) =>
    log({ event: "n8n-limiter-failed", ...describeBug(error) });

const toSlot = (end: () => void, limiter: Limiter, failed: Failed): Slot => ({
  async pause(seconds) {
    try {
      await limiter.repeatable(async (object) => await object.pause(seconds));
    } catch (error) {
      // What n8n answered is reported all the same.
      failed(error);
    }
  },
  end,
});

const refused = (retryAfter: number): ObserverError =>
  new ObserverError("RATE_LIMITED", "The limit of requests to n8n is reached, or n8n is slow to answer.", {
    retryAfter,
    solution: `Wait ${counted(retryAfter, "second")}, then call again. A narrower window (workflowId, startedAfter) or a smaller limit asks less of n8n.`,
  });

/**
 * A slot that is given to nobody ends by itself: so it may be asked for again.
 * @param call asks the limiter, which is to wait for as long as `waitMs` then says
 */
async function ask<Answer>(
  maxWaitMs: number,
  call: (waitMs: () => number) => Promise<Answer>,
  failed: Failed,
): Promise<Answer> {
  const until = Date.now() + Math.min(SLOT_WAIT_MS, maxWaitMs);
  try {
    return await call(() => Math.max(0, until - Date.now()));
  } catch (error) {
    failed(error);
    throw new ObserverError("RATE_LIMITED", "The limiter of requests to n8n did not answer.", {
      retryAfter: RETRY_AFTER_FAILURE_SECONDS,
      solution: `Wait ${counted(RETRY_AFTER_FAILURE_SECONDS, "second")}, then call again. If it happens again, tell the operator: the log has "n8n-limiter-failed".`,
    });
  }
}
