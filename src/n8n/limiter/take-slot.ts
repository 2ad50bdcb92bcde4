/**
 * Takes a user's slots at the one limiter that an n8n has.
 *
 * Fails closed: where the limiter cannot be asked, n8n is not asked either. Not to hurt n8n is what it is for.
 */
import { counted } from "../../platform/counted.ts";
import { describeBug, ObserverError } from "../../platform/errors.ts";
import { ObjectCalls } from "../../platform/object-calls.ts";
import { SLOT_WAIT_MS } from "../../platform/time-limits.ts";
import type { TakeSlot } from "../slot.ts";
import type { N8nLimiter } from "./n8n-limiter.ts";

const RETRY_AFTER_FAILURE_SECONDS = 5;

type Log = (line: Readonly<Record<string, unknown>>) => void;

/** The slots of one user. @param instance the name of the n8n: each has a limiter of its own */
export function createTakeSlot(
  namespace: DurableObjectNamespace<N8nLimiter>,
  instance: string,
  userId: string,
  log: Log,
  placement: DurableObjectNamespaceGetDurableObjectOptions = {},
): TakeSlot {
  const limiter = new ObjectCalls("N8nLimiter", () => namespace.getByName(instance, placement));
  const failed = (error: unknown): void => log({ event: "n8n-limiter-failed", ...describeBug(error) });
  return async (maxWaitMs) => {
    const answer = await ask(limiter, userId, Math.min(SLOT_WAIT_MS, maxWaitMs), failed);
    if (answer.slot === null) {
      throw new ObserverError(
        "RATE_LIMITED",
        "n8n is asked as much as this server may ask it, or is slow to answer.",
        {
          retryAfter: answer.retryAfter,
          solution: `Wait ${counted(answer.retryAfter, "second")}, then call again. A narrower window (workflowId, startedAfter) or a smaller limit asks less of n8n.`,
        },
      );
    }
    return {
      async pause(seconds) {
        try {
          await limiter.repeatable(async (object) => await object.pause(seconds));
        } catch (error) {
          // What n8n answered is reported all the same.
          failed(error);
        }
      },
      // Letting go of it is what ends it.
      end: () => answer[Symbol.dispose](),
    };
  };
}

/** A slot that is given to nobody ends by itself: so it may be asked for again. */
async function ask(
  limiter: ObjectCalls<DurableObjectStub<N8nLimiter>>,
  userId: string,
  maxWaitMs: number,
  failed: (error: unknown) => void,
) {
  const until = Date.now() + maxWaitMs;
  try {
    return await limiter.repeatable(
      async (object) => await object.take(userId, Math.max(0, until - Date.now())),
    );
  } catch (error) {
    failed(error);
    throw new ObserverError("RATE_LIMITED", "It is not known whether n8n may be asked now.", {
      retryAfter: RETRY_AFTER_FAILURE_SECONDS,
      solution: `Wait ${counted(RETRY_AFTER_FAILURE_SECONDS, "second")}, then call again. If it stays, tell the operator: the log has "n8n-limiter-failed".`,
    });
  }
}
