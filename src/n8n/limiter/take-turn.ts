/**
 * Takes a user's turns at the one budget there is.
 *
 * Fails closed: where the budget cannot be asked, n8n is not asked either. Not to hurt n8n is what it is for.
 */
import { describeBug, ObserverError } from "../../platform/errors.ts";
import type { TakeTurn } from "../turn.ts";
import type { N8nBudget } from "./n8n-budget.ts";

/** Nobody waits longer for a turn: a client that is told to come back knows more than one that hears nothing. */
const MAX_WAIT_MS = 10_000;
/** An object that was moved or updated is there again at the next try. */
const TRIES = 3;
const RETRY_AFTER_FAILURE_SECONDS = 5;

type Log = (line: Readonly<Record<string, unknown>>) => void;

/** The turns of one user. */
export function createTakeTurn(
  namespace: DurableObjectNamespace<N8nBudget>,
  userId: string,
  log: Log,
  placement: DurableObjectNamespaceGetDurableObjectOptions = {},
): TakeTurn {
  return async (maxWaitMs) => {
    const answer = await ask(namespace, userId, Math.min(MAX_WAIT_MS, maxWaitMs), log, placement);
    if (answer.turn === null) {
      throw new ObserverError(
        "RATE_LIMITED",
        "n8n is asked as much as this server may ask it, or is slow to answer.",
        {
          retryAfter: answer.retryAfter,
          solution: `Wait ${answer.retryAfter} seconds, then call again. A narrower window (workflowId, startedAfter) or a smaller limit asks less of n8n.`,
        },
      );
    }
    const { turn } = answer;
    return {
      pause: async (seconds) => await turn.pause(seconds),
      // Letting go of it is what ends it.
      end: () => answer[Symbol.dispose](),
    };
  };
}

async function ask(
  namespace: DurableObjectNamespace<N8nBudget>,
  userId: string,
  maxWaitMs: number,
  log: Log,
  placement: DurableObjectNamespaceGetDurableObjectOptions,
) {
  for (let failures = 1; ; failures += 1) {
    try {
      // A stub that has failed once fails from then on.
      return await namespace.getByName("n8n", placement).take(userId, maxWaitMs);
    } catch (error) {
      log({ event: "n8n-budget-failed", failures, ...describeBug(error) });
      if (failures === TRIES) {
        throw new ObserverError("RATE_LIMITED", "It is not known whether n8n may be asked now.", {
          retryAfter: RETRY_AFTER_FAILURE_SECONDS,
          solution: `Wait ${RETRY_AFTER_FAILURE_SECONDS} seconds, then call again. If it stays, tell the operator: the log has "n8n-budget-failed".`,
        });
      }
    }
  }
}
