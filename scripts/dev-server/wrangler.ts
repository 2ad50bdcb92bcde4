/**
 * Runs wrangler, with what every command of ours wants of it: it works offline, sends no metrics, leaves no log
 * files, shows nobody its storage and keeps no traces. Arguments are visible in the process list: no secret belongs
 * in them.
 */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { inProject, projectDirectory } from "../project.ts";

/** Would make wrangler read settings from elsewhere than where we say. */
const MISLEADING_VARIABLES = [
  "CLOUDFLARE_ENV",
  "CLOUDFLARE_INCLUDE_PROCESS_ENV",
  "CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV",
];

export function wranglerEnvironment(): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_SEND_ERROR_REPORTS: "false",
    WRANGLER_WRITE_LOGS: "false",
    WRANGLER_HIDE_BANNER: "true",
    // Would show and change the Worker's storage without a sign-in, and keep each request with its URL on disk.
    X_LOCAL_EXPLORER: "false",
    X_LOCAL_OBSERVABILITY: "false",
  };
  for (const name of MISLEADING_VARIABLES) delete environment[name];
  return environment;
}

export function startWrangler(args: readonly string[], options: SpawnOptions): ChildProcess {
  const wrangler = inProject("node_modules", "wrangler", "bin", "wrangler.js");
  return spawn(process.execPath, [wrangler, ...args], {
    cwd: projectDirectory,
    env: wranglerEnvironment(),
    ...options,
  });
}
