/** What would be deployed, as wrangler reads wrangler.toml and the code has it. */

import { readFile } from "node:fs/promises";
import type { Unstable_Config as WranglerConfig } from "wrangler";
import { CommandError } from "../command-line/command-error.ts";
import { inProject } from "../project.ts";
import type { Deployment } from "./findings.ts";

/** `export { ActivityLog } from "./activity-log/activity-log.ts";` */
const EXPORTED_CLASS = /^export \{ (?<name>[A-Z]\w+) \} from/gm;

/** @throws Error when neither says how the Worker is called */
export function toDeployment(config: WranglerConfig, name = config.name): Deployment {
  if (name === undefined) throw new CommandError("wrangler.toml has no name.");
  return {
    name,
    hasWorkersDev: config.workers_dev ?? true,
    vars: config.vars,
    keyValues: config.kv_namespaces.map(({ binding }) => binding),
    objects: config.durable_objects.bindings.map(({ class_name: className }) => className),
    migrated: config.migrations.flatMap(({ new_sqlite_classes: classes = [] }) => classes),
    rateLimits: config.ratelimits.map((limit) => limit.name),
    crons: config.triggers.crons ?? [],
    placement: config.placement === undefined ? undefined : Object.values(config.placement).join(" "),
  };
}

/** The Worker's own classes of Durable Objects. */
export async function readObjectClasses(): Promise<string[]> {
  const source = await readFile(inProject("src", "index.ts"), "utf8");
  return [...source.matchAll(EXPORTED_CLASS)].map(({ groups }) => groups?.name ?? "");
}
