/**
 * A program in a pseudo-terminal, so that tests can type as a person would. It uses python3's pty, for which nothing has
 * to be built. Keeps everything that the terminal shows, and ends the program with the test.
 */
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";

const COLUMNS = 100;
const ROWS = 40;
const POLL_INTERVAL_MS = 10;
const PATIENCE_MS = 30_000;
/** Set-up discards keys that arrive before its question, so typing waits. */
const QUESTION_IS_READY_MS = 30;

/** Relays input and output, and exits with the program's code. */
const DRIVER = `
import fcntl, os, pty, select, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ${ROWS}, ${COLUMNS}, 0, 0))
sources = [0, terminal]
while True:
    ready, _, _ = select.select(sources, [], [])
    if 0 in ready:
        typed = os.read(0, 65536)
        if typed:
            os.write(terminal, typed)
        else:
            sources.remove(0)
    if terminal in ready:
        try:
            shown = os.read(terminal, 65536)
        except OSError:
            break
        if not shown:
            break
        os.write(1, shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 0xff)
`;

export const KEYS = { enter: "\r", down: "\u001B[B", ctrlC: "\u0003" } as const;

export interface PseudoTerminal {
  /** The pid of the program's parent process. */
  readonly pid: number;
  /** Everything shown so far, control characters included. */
  raw(): string;
  /** The same without control characters. */
  shown(): string;
  /** Waits until this is shown, after the text that was last waited for. */
  sees(text: string | RegExp): Promise<void>;
  /** Waits until this is shown, then types. */
  answer(text: string | RegExp, keys: string): Promise<void>;
  type(keys: string): void;
  /** The exit code. */
  readonly ended: Promise<number>;
  stop(): Promise<void>;
}

export function openTerminal(
  command: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): PseudoTerminal {
  const child = spawn("python3", ["-c", DRIVER, ...command], {
    cwd,
    env: { ...env, TERM: "xterm", NO_COLOR: "1", CI: "" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let raw = "";
  let hasEnded = false;
  let seenUpTo = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    raw += text;
  });
  child.stdin.on("error", () => {});
  const ended = new Promise<number>((resolve) => {
    child.once("close", (code) => {
      hasEnded = true;
      resolve(code ?? -1);
    });
  });
  const shown = (): string => stripVTControlCharacters(raw);
  const find = (text: string | RegExp): number => {
    const rest = shown().slice(seenUpTo);
    if (typeof text === "string") {
      const at = rest.indexOf(text);
      return at === -1 ? -1 : seenUpTo + at + text.length;
    }
    const match = text.exec(rest);
    return match === null ? -1 : seenUpTo + match.index + match[0].length;
  };
  const sees = async (text: string | RegExp): Promise<void> => {
    const deadline = Date.now() + PATIENCE_MS;
    while (find(text) === -1) {
      if (hasEnded || Date.now() > deadline)
        throw new Error(`The terminal never showed ${String(text)}. It showed:\n${shown().slice(seenUpTo)}`);
      await sleep(POLL_INTERVAL_MS);
    }
    seenUpTo = find(text);
  };
  return {
    pid: child.pid ?? 0,
    raw: () => raw,
    shown,
    sees,
    answer: async (text, keys) => {
      await sees(text);
      await sleep(QUESTION_IS_READY_MS);
      child.stdin.write(keys);
    },
    type: (keys) => child.stdin.write(keys),
    ended,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
