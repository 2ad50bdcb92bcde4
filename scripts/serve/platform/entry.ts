/**
 * The Worker as `npm run serve` runs it: the same one, with what Cloudflare's platform does around it on Cloudflare.
 *
 *   KeyValues       the KV namespace, on disk
 *   RateLimit       the counters under [[ratelimits]], in memory
 *   HourlyTask      the cron trigger
 *   fetch           who asks and at which address, as Cloudflare would tell it
 *
 * It is bundled by wrangler like the Worker itself, and runs in workerd alone: no Node, no development server.
 */
import worker from "../../../src/index.ts";
import { startHourlyTask } from "./hourly-task.ts";
import type { PlatformEnv } from "./platform-env.ts";
import { toPublicRequest } from "./public-request.ts";
import { withRateLimits } from "./rate-limits.ts";

export * from "../../../src/index.ts";
export { HourlyTask } from "./hourly-task.ts";
export { KeyValueStore } from "./key-value-store.ts";
export { KeyValues } from "./key-values.ts";

/** Once for each start; what is kept of it outlives the next one. */
let started: Promise<void> | undefined;
let publicEnv: Env | undefined;

function start(env: PlatformEnv): Promise<void> {
  started = startHourlyTask(env.HOURLY_TASK).catch((error: unknown) => {
    started = undefined;
    throw error;
  });
  return started;
}

export default {
  fetch(request, env, ctx) {
    if (started === undefined) ctx.waitUntil(start(env));
    publicEnv ??= withRateLimits(env);
    return worker.fetch(toPublicRequest(request, publicEnv), publicEnv, ctx);
  },
} satisfies ExportedHandler<PlatformEnv>;
