/**
 * The Worker as `npm run serve` runs it: the same Worker, with replacements for what Cloudflare's platform provides.
 *
 *   KeyValues       the KV namespace, on disk
 *   RateLimit       the counters under [[ratelimits]], in memory
 *   HourlyTask      the cron trigger
 *   fetch           the client's address and the requested URL, as Cloudflare passes them
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

/** Set once per process; the task's alarm is on disk and survives a restart. */
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
