/** What a client of the lane is, and what it is given. */
import { delimiter, dirname, join } from "node:path";
import type { InstalledClients } from "./install.ts";
import type { ModelServer } from "./model-server.ts";
import { type PlayedBrowser, playBrowser } from "./played-browser.ts";
import { type CommandOptions, type RunningCommand, runCommand, startCommand } from "./run-command.ts";

/** What was recorded, and what is true of it. */
export const REQUEST_ID = "req-deep-failure";
const FAILING_NODE = "Fetch Rate";

export interface LaneServer {
  readonly mcpUrl: string;
  readonly passphrase: string;
  readonly serviceToken: string;
}

/** One client's surroundings: a home of its own, a browser that is played, the server. */
export interface Surroundings {
  readonly server: LaneServer;
  readonly installed: InstalledClients;
  readonly model: ModelServer;
  readonly browser: PlayedBrowser;
  /** Empty at first; also its home. */
  readonly home: string;
  /** Runs one of the installed commands to its end. @throws unless it ends with 0 */
  readonly run: (command: string, args: readonly string[], more?: NodeJS.ProcessEnv) => Promise<string>;
  readonly start: (command: string, args: readonly string[], more?: NodeJS.ProcessEnv) => RunningCommand;
  /** The same where a person would have to be at a terminal. */
  readonly startInTerminal: Surroundings["start"];
  /** For programs that a client starts itself. */
  readonly environment: NodeJS.ProcessEnv;
}

export interface RealClient {
  /** As the table has it. */
  readonly name: string;
  /** The package whose version stands in the table. */
  readonly packageName: string;
  /** How it signed in, in the table. */
  readonly signIn: string;
  /** Does the main job. @returns what was seen, for the table @throws when it was not done */
  readonly doMainJob: (surroundings: Surroundings) => Promise<string>;
  /**
   * What it shows when the server refuses it: `server.serviceToken` is none of the server's, or the server is not set
   * up. Not there for a client that shows nothing of an answer.
   */
  readonly showRefusal?: (surroundings: Surroundings) => Promise<string>;
}

export async function surround(
  server: LaneServer,
  installed: InstalledClients,
  model: ModelServer,
  home: string,
): Promise<Surroundings> {
  const browser = await playBrowser(home);
  const commands = join(installed.directory, "node_modules", ".bin");
  const environment = {
    PATH: [browser.commands, dirname(installed.node), "/usr/bin", "/bin"].join(delimiter),
    HOME: home,
    TMPDIR: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    DISPLAY: ":0",
    NO_COLOR: "1",
  };
  const options = (
    command: string,
    args: readonly string[],
    more: NodeJS.ProcessEnv = {},
  ): CommandOptions => ({
    program: join(commands, command),
    args,
    directory: home,
    environment: { ...environment, ...more },
  });
  return {
    server,
    installed,
    model,
    browser,
    home,
    environment,
    run: async (...of) => await runCommand(options(...of)),
    start: (...of) => startCommand(options(...of)),
    startInTerminal: (...of) => startCommand({ ...options(...of), inTerminal: true }),
  };
}

/** @throws unless the true failing node stands in what the client said of the request, JSON in JSON or not */
export function demandTheNode(said: string): void {
  if (said.replaceAll("\\", "").includes(`failed at node "${FAILING_NODE}"`)) return;
  throw new Error(`The answer does not name the failing node:\n${said.slice(-2_000)}`);
}

/** @throws unless the listing names tools of ours */
export function demandTools(listing: string): void {
  const names = new Set(listing.match(/\b(?:trace_request|explain_failure|get_execution|list_workflows)\b/g));
  if (names.size !== 4) throw new Error(`The tools are not listed:\n${listing.slice(-2_000)}`);
}

/** What went wrong, where a library throws it. */
export async function refusalOf(connecting: Promise<unknown>): Promise<string> {
  return await connecting.then(
    () => "It connected.",
    (error: unknown) => String(error),
  );
}
