/** The contract of a client in this lane, and the environment it runs in. */
import { delimiter, dirname, join } from "node:path";
import type { InstalledClients } from "./install.ts";
import type { ModelServer } from "./model-server.ts";
import { type PlayedBrowser, playBrowser } from "./played-browser.ts";
import { type CommandOptions, type RunningCommand, runCommand, startCommand } from "./run-command.ts";

/** A recorded request, and the node at which it failed. */
export const REQUEST_ID = "req-deep-failure";
const FAILING_NODE = "Fetch Rate";

export interface LaneServer {
  readonly mcpUrl: string;
  readonly passphrase: string;
  readonly serviceToken: string;
}

/** What one client runs with: a home directory of its own, a simulated browser, the server. */
export interface Surroundings {
  readonly server: LaneServer;
  readonly installed: InstalledClients;
  readonly model: ModelServer;
  readonly browser: PlayedBrowser;
  /** An empty directory, which is also the client's `HOME`. */
  readonly home: string;
  /** Runs one of the installed commands to its end. @throws unless it ends with 0 */
  readonly run: (command: string, args: readonly string[], more?: NodeJS.ProcessEnv) => Promise<string>;
  readonly start: (command: string, args: readonly string[], more?: NodeJS.ProcessEnv) => RunningCommand;
  /** The same, for commands that require a terminal. */
  readonly startInTerminal: Surroundings["start"];
  /** For programs that the client has to start itself. */
  readonly environment: NodeJS.ProcessEnv;
}

export interface RealClient {
  /** As shown in the table. */
  readonly name: string;
  /** The package whose version is shown in the table. */
  readonly packageName: string;
  /** How it signed in, as shown in the table. */
  readonly signIn: string;
  /** Traces the recorded request. @returns what was observed, for the table @throws when that failed */
  readonly doMainJob: (surroundings: Surroundings) => Promise<string>;
  /**
   * Returns what the client shows when the server refuses it, because `server.serviceToken` is invalid or the server is
   * misconfigured. Absent for a client that shows nothing of such an answer.
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

/** @throws unless the client's output names the failing node; escaped JSON is accepted */
export function demandTheNode(said: string): void {
  if (said.replaceAll("\\", "").includes(`failed at node "${FAILING_NODE}"`)) return;
  throw new Error(`The answer does not name the failing node:\n${said.slice(-2_000)}`);
}

/** @throws unless the listing names our tools */
export function demandTools(listing: string): void {
  const names = new Set(listing.match(/\b(?:trace_request|explain_failure|get_execution|list_workflows)\b/g));
  if (names.size !== 4) throw new Error(`The tools are not listed:\n${listing.slice(-2_000)}`);
}

/** The error with which a library refuses to connect. */
export async function refusalOf(connecting: Promise<unknown>): Promise<string> {
  return await connecting.then(
    () => "It connected.",
    (error: unknown) => String(error),
  );
}
