/**
 * Runs a client's command in a home of its own, and keeps what it prints.
 * Promises: the person's own settings and tokens are neither read nor written; no command outlives the lane.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";

const TIMEOUT_MS = 90_000;
const STOP_MS = 2_000;

interface Finished {
  readonly code: number | null;
  /** Both of its streams, without colours. */
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
  /** For what asks a person: a terminal at which nobody types. Needs `script`, of util-linux or of macOS. */
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
  // A group of its own, so that what it starts ends with it.
  const child = spawn(program, args, {
    cwd: directory,
    env: environment,
    detached: true,
    // A terminal that ends would end what asks there; what asks nobody would wait for the end of its input.
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

/** @throws with what it printed, unless it ends with 0 */
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
    // Nothing of the group is left, which is what was wanted.
  }
}
