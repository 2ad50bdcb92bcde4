/**
 * How commands run wrangler to bundle and deploy the Worker: it sends no metrics and writes no log files. No command runs
 * `wrangler dev`, whose debugger is open to every web page. Arguments are visible in the process list, so they hold no
 * secret.
 */
import { inProject } from "../project.ts";

/** The program, for Node. */
export const WRANGLER = inProject("node_modules", "wrangler", "bin", "wrangler.js");

/** Variables that would make wrangler read settings from other places. */
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
  };
  for (const name of MISLEADING_VARIABLES) delete environment[name];
  return environment;
}
