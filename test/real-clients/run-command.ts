/**
 * Runs a client's command in a home directory of its own, and keeps its output.
 * The developer's own settings and tokens are neither read nor written, and no command outlives the lane.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";

const TIMEOUT_MS = 90_000;
const STOP_MS = 2_000;

interface Finished {
  readonly code: number | null;
  /** Both output streams, without colours. */
  readonly text: string;
}

export interface RunningCommand {
  readonly printed: () => string;
  readonly finished: Promise<Finished>;
  readonly stop: () => Promise<void>;
}

export interface CommandOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly directory: string;
  readonly environment: NodeJS.ProcessEnv;
  /** For interactive commands: a terminal at which nobody types. Needs `script`, of util-linux or of macOS. */
  readonly inTerminal?: boolean;
}

function withTerminal(program: string, args: readonly string[]): [string, string[]] {
  if (process.platform === "darwin") return ["script", ["-q", "/dev/null", program, ...args]];
  const quoted = [program, ...args].map((each) => `'${each.replaceAll("'", "'\\''")}'`).join(" ");
  return ["script", ["-qec", quoted, "/dev/null"]];
}

export function startCommand(options: CommandOptions): RunningCommand {
  const { directory, environment, inTerminal = false } = options;
  const [program, args] = inTerminal
    ? withTerminal(options.program, options.args)
    : [options.program, options.args];
  // A process group of its own, so that its children end with it.
  const child = spawn(program, args, {
    cwd: directory,
    env: environment,
    detached: true,
    // Closing a terminal's input ends the command; an open input makes any other command wait.
    stdio: [inTerminal ? "pipe" : "ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  }
  const killOnExit = (): void => kill(child, "SIGKILL");
  process.once("exit", killOnExit);
  const timer = setTimeout(killOnExit, TIMEOUT_MS);
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      process.off("exit", killOnExit);
      resolve({ code, text: stripVTControlCharacters(printed) });
    });
  });
  return {
    printed: () => stripVTControlCharacters(printed),
    finished,
    stop: async () => {
      kill(child, "SIGTERM");
      const force = setTimeout(killOnExit, STOP_MS);
      await finished.catch(() => undefined);
      clearTimeout(force);
    },
  };
}

/** @throws with its output, unless it exits with 0 */
export async function runCommand(options: CommandOptions): Promise<string> {
  const { code, text } = await startCommand(options).finished;
  if (code !== 0) throw new Error(`${options.args.join(" ")} ended with ${code}:\n${text.slice(-2_000)}`);
  return text;
}

function kill({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The process group has already ended.
  }
}
