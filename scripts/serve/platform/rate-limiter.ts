/**
 * The counters under `[[ratelimits]]` of wrangler.toml, in memory: a restart forgets them, and there is one process.
 * On Cloudflare each location counts for itself.
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import * as z from "zod";
import { createCounter } from "./counter.ts";

/** As `configuration.ts` writes it into the binding. */
const limits = z.object({ name: z.string(), limit: z.int().positive(), period: z.int().positive() });

const count = createCounter();

export class RateLimiter extends WorkerEntrypoint<Env, unknown> {
  limit({ key }: { readonly key: string }): { readonly success: boolean } {
    return { success: count(limits.parse(this.ctx.props), key, Date.now()) };
  }
}
