/**
 * How commands run wrangler, which bundles and deploys the Worker: it sends no metrics and leaves no log files. None of
 * them runs `wrangler dev`, which opens a debugger for every web page. Arguments are visible in the process list, so
 * they hold no secret.
 */
import { inProject } from "../project.ts";

/** The program, for Node. */
export const WRANGLER = inProject("node_modules", "wrangler", "bin", "wrangler.js");

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
  };
  for (const name of MISLEADING_VARIABLES) delete environment[name];
  return environment;
}
