/** wrangler.toml as wrangler itself reads it, and the classes of the code that it has to bind. */

import { readFile } from "node:fs/promises";
import { unstable_readConfig as readConfig, type Unstable_Config as WranglerConfig } from "wrangler";
import { CommandError } from "../command-line/command-error.ts";
import { inProject } from "../project.ts";
import type { WorkerConfiguration } from "./configuration.ts";

/** @throws Error when wrangler refuses it */
export function readWranglerConfig(env?: string): WranglerConfig {
  return readConfig({ config: inProject("wrangler.toml"), ...(env === undefined ? {} : { env }) });
}

/** @throws Error when something is missing without which the Worker does not run */
export function toWorkerConfiguration(config: WranglerConfig): WorkerConfiguration {
  const { compatibility_date: compatibilityDate } = config;
  if (compatibilityDate === undefined) throw new CommandError("wrangler.toml has no compatibility_date.");
  return {
    compatibilityDate,
    compatibilityFlags: config.compatibility_flags,
    keyValues: config.kv_namespaces.map(({ binding }) => binding),
    objects: config.durable_objects.bindings.map(({ name, class_name: className }) => ({
      binding: name,
      className,
    })),
    rateLimits: config.ratelimits.map(({ name, simple: { limit, period } }) => ({
      binding: name,
      limit,
      period,
    })),
  };
}

/** `export { ActivityLog } from "./activity-log/activity-log.ts";` */
const EXPORTED_CLASS = /^export \{ (?<name>[A-Z]\w+) \} from/gm;

/** The Worker's own classes of Durable Objects. */
export async function readObjectClasses(): Promise<string[]> {
  const source = await readFile(inProject("src", "index.ts"), "utf8");
  return [...source.matchAll(EXPORTED_CLASS)].map(({ groups }) => groups?.name ?? "");
}
