/**
 * Takes a user's turns at the one budget that an n8n has.
 *
 * Fails closed: where the budget cannot be asked, n8n is not asked either. Not to hurt n8n is what it is for.
 */
import { counted } from "../../platform/counted.ts";
import { describeBug, ObserverError } from "../../platform/errors.ts";
import { ObjectCalls } from "../../platform/object-calls.ts";
import { TURN_WAIT_MS } from "../../platform/time-limits.ts";
import type { TakeTurn } from "../turn.ts";
import type { N8nBudget } from "./n8n-budget.ts";

const RETRY_AFTER_FAILURE_SECONDS = 5;

type Log = (line: Readonly<Record<string, unknown>>) => void;

/** The turns of one user. @param instance the name of the n8n: each has a budget of its own */
export function createTakeTurn(
  namespace: DurableObjectNamespace<N8nBudget>,
  instance: string,
  userId: string,
  log: Log,
  placement: DurableObjectNamespaceGetDurableObjectOptions = {},
): TakeTurn {
  const budget = new ObjectCalls("N8nBudget", () => namespace.getByName(instance, placement));
  const failed = (error: unknown): void => log({ event: "n8n-budget-failed", ...describeBug(error) });
  return async (maxWaitMs) => {
    const answer = await ask(budget, userId, Math.min(TURN_WAIT_MS, maxWaitMs), failed);
    if (answer.turn === null) {
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
          await budget.repeatable(async (object) => await object.pause(seconds));
        } catch (error) {
          // What n8n answered is told all the same.
          failed(error);
        }
      },
      // Letting go of it is what ends it.
      end: () => answer[Symbol.dispose](),
    };
  };
}

/** A turn that is given to nobody ends by itself: so it may be asked for again. */
async function ask(
  budget: ObjectCalls<DurableObjectStub<N8nBudget>>,
  userId: string,
  maxWaitMs: number,
  failed: (error: unknown) => void,
) {
  const until = Date.now() + maxWaitMs;
  try {
    return await budget.repeatable(
      async (object) => await object.take(userId, Math.max(0, until - Date.now())),
    );
  } catch (error) {
    failed(error);
    throw new ObserverError("RATE_LIMITED", "It is not known whether n8n may be asked now.", {
      retryAfter: RETRY_AFTER_FAILURE_SECONDS,
      solution: `Wait ${counted(RETRY_AFTER_FAILURE_SECONDS, "second")}, then call again. If it stays, tell the operator: the log has "n8n-budget-failed".`,
    });
  }
}
