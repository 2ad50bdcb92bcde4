/**
 * The counters under `[[ratelimits]]` of wrangler.toml, in memory: a restart forgets them, and there is one process.
 * On Cloudflare each location counts for itself.
 */
import * as z from "zod";
import { createCounter } from "./counter.ts";
import type { PlatformEnv } from "./platform-env.ts";

/** As `configuration.ts` writes them into the binding. */
const limits = z.array(z.object({ name: z.string(), limit: z.int().positive(), period: z.int().positive() }));

const count = createCounter();

/** The bindings, with a counter for each limit in this process: a call of another entrypoint takes a tenth of a call. */
export function withRateLimits(env: PlatformEnv): Env {
  const counters = limits
    .parse(env.RATE_LIMITS)
    .map((limit): [string, RateLimit] => [
      limit.name,
      { limit: async ({ key }) => ({ success: count(limit, key, Date.now()) }) },
    ]);
  return { ...env, ...Object.fromEntries(counters) };
}
