/**
 * Limits how many calls a user may make in a period, before anything is created for a call, and as many requests of
 * each other kind: these send nothing to n8n, but a loop of them would take the thread, too. The number is in
 * wrangler.toml, under `[[ratelimits]]`. Cloudflare counts per location, and the count cannot be read.
 *
 * Fails open: this only keeps one user from taking the Worker's time from the others. n8n is protected by the limiter,
 * which fails closed, so a fault of this counter need not stop everybody.
 */
import type { ReadRequest } from "../mcp/json-body.ts";
import { isCall, messagesIn, refuseRequest } from "../mcp/refuse-requests.ts";
import { type Clock, systemClock } from "../platform/clock.ts";
import { counted } from "../platform/counted.ts";
import { describeBug, ObserverError } from "../platform/errors.ts";

/** The period in wrangler.toml. After waiting this long a user may call again. */
export const CALL_LIMIT_PERIOD_SECONDS = 60;

/** Requests that clients send whenever they connect: each kind has its own count, all others share one. */
const CONNECTING = new Set([
  "initialize",
  "notifications/initialized",
  "server/discover",
  "GET",
  "DELETE",
  "tools/list",
  "prompts/list",
  "resources/list",
]);

/** The delay of a refusal: a tight loop of calls that are refused at once would cost as much time as real work. */
const REFUSAL_DELAY_MS = 3_000;

interface CallLimitOptions {
  readonly limit: RateLimit;
  readonly log: (line: Readonly<Record<string, unknown>>) => void;
  readonly clock?: Clock;
}

interface Caller {
  readonly userId: string;
  /** Called for the first refusal in a period: a loop of refused calls must not fill the activity log. */
  readonly noteRefused: (tool: string) => void;
}

interface CallLimits {
  /** The error for calls of these tools; undefined if all are within the limit. */
  readonly ofTools: (tools: readonly string[], caller: Caller) => Promise<ObserverError | undefined>;
  /** The answer to a request with calls beyond the limit; undefined for any other request. */
  readonly ofRequest: (request: ReadRequest, caller: Caller) => Promise<Response | undefined>;
}

export function createCallLimits({ limit, log, clock = systemClock }: CallLimitOptions): CallLimits {
  const isWithin = async (key: string): Promise<boolean> => {
    try {
      return (await limit.limit({ key })).success;
    } catch (error) {
      log({ event: "call-limit-failed", ...describeBug(error) });
      return true;
    }
  };
  /** User → when a refusal was last logged, in epoch ms. */
  const loggedAt = new Map<string, number>();
  const isFirst = (userId: string): boolean => {
    const now = clock.now();
    // A time in the future was stored before the clock was set back.
    for (const [other, at] of loggedAt)
      if (Math.abs(now - at) >= CALL_LIMIT_PERIOD_SECONDS * 1_000) loggedAt.delete(other);
    if (loggedAt.has(userId)) return false;
    loggedAt.set(userId, now);
    return true;
  };
  const errorOf = async (keys: readonly string[], tool: string, { userId, noteRefused }: Caller) => {
    const within = await Promise.all(keys.map(isWithin));
    if (within.every(Boolean)) return undefined;
    if (isFirst(userId)) noteRefused(tool);
    await clock.sleep(REFUSAL_DELAY_MS);
    return refused();
  };
  return {
    async ofTools(tools, caller) {
      const keys = tools.map(() => caller.userId);
      return await errorOf(keys, tools[0] ?? "", caller);
    },
    async ofRequest({ request, parsedBody }, caller) {
      const { userId } = caller;
      const requested = messagesIn(parsedBody);
      const keyOf = (kind: string): string => `${userId}\n${CONNECTING.has(kind) ? kind : "other"}`;
      const keys = requested.messages.map((one) => (isCall(one) ? userId : keyOf(one.method)));
      const tool = requested.messages.find(isCall)?.params?.name ?? "";
      const error = await errorOf(keys.length === 0 ? [keyOf(request.method)] : keys, tool, caller);
      return error && refuseRequest(requested, error, request, clock.now());
    },
  };
}

const refused = (): ObserverError =>
  new ObserverError("RATE_LIMITED", "The limit of calls for one user is reached.", {
    retryAfter: CALL_LIMIT_PERIOD_SECONDS,
    solution: `Wait ${counted(CALL_LIMIT_PERIOD_SECONDS, "second")}, then call again, one call after the other.`,
  });
