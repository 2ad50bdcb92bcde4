/** wrangler.toml as wrangler itself reads it, and the Durable Object classes that it has to bind. */

import { readFile } from "node:fs/promises";
import { unstable_readConfig as readConfig, type Unstable_Config as WranglerConfig } from "wrangler";
import { inProject } from "../project.ts";

/** @throws Error when wrangler refuses it */
export function readWranglerConfig(env?: string): WranglerConfig {
  return readConfig({ config: inProject("wrangler.toml"), ...(env === undefined ? {} : { env }) });
}

/** `export { ActivityLog } from "./activity-log/activity-log.ts";` */
const EXPORTED_CLASS = /^export \{ (?<name>[A-Z]\w+) \} from/gm;

/** The Worker's own classes of Durable Objects. */
export async function readObjectClasses(): Promise<string[]> {
  const source = await readFile(inProject("src", "index.ts"), "utf8");
  return [...source.matchAll(EXPORTED_CLASS)].map(({ groups }) => groups?.name ?? "");
}
