/**
 * Starts the Worker in `wrangler dev`, with settings that only it gets to see: they are in a file that only
 * its owner can read, never in the process list.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type BackgroundWrangler, startBackgroundWrangler } from "./background-wrangler.ts";
import { writePrivately } from "./session-file.ts";

export interface LaunchOptions {
  /** Where the settings and the Worker's storage are kept. */
  readonly directory: string;
  readonly port: number;
  /** The settings, as an env file. */
  readonly envFile: string;
  readonly logLevel: "error" | "log";
  /** Another wrangler configuration than the project's own. */
  readonly config?: string;
}

export interface LaunchedWorker {
  readonly wrangler: BackgroundWrangler;
  readonly removeSettings: () => Promise<void>;
}

export async function launchWorker({
  directory,
  port,
  envFile,
  logLevel,
  config,
}: LaunchOptions): Promise<LaunchedWorker> {
  const settings = await writePrivately(directory, "secrets.env", envFile);
  const wrangler = startBackgroundWrangler([
    "dev",
    ...["--env-file", settings],
    ...["--port", String(port)],
    ...["--inspector-port", "0"],
    ...["--persist-to", join(directory, "state")],
    ...["--log-level", logLevel],
    ...(config === undefined ? [] : ["--config", config]),
    "--show-interactive-dev-session=false",
  ]);
  return { wrangler, removeSettings: async () => await rm(settings, { force: true }) };
}

/** What wrangler had to say, for an error. */
export function quoteOutput(wrangler: BackgroundWrangler): string {
  const output = wrangler.output();
  if (output !== "") return `wrangler says:\n\n${output}`;
  const how = wrangler.howEnded();
  return how === undefined
    ? "wrangler runs, and says nothing."
    : `wrangler said nothing (${how}). Start it again; npx wrangler dev shows more.`;
}
