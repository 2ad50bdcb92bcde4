/**
 * `wrangler dev` in the background, in a process group of its own.
 * Promises: its output is kept, not shown, until asked for; `stop` ends it and whatever it started.
 */
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { startWrangler } from "./wrangler.ts";

/** How long wrangler gets to end by itself. */
const STOP_TIMEOUT_MS = 5_000;
/** How long its children get after it. */
const CHILDREN_TIMEOUT_MS = 500;
const POLL_INTERVAL_MS = 25;
const KEPT_OUTPUT_CHARACTERS = 20_000;

export interface BackgroundWrangler {
  readonly hasEnded: () => boolean;
  /** Resolves when it has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** The end of what it printed. */
  readonly output: () => string;
  /** Its exit code, or the signal that ended it; undefined while it runs. */
  readonly howEnded: () => string | undefined;
  /** From now on, hands on what it prints. */
  readonly showOutput: (write: (text: string) => void) => void;
  readonly stop: () => Promise<void>;
}

export function startBackgroundWrangler(args: readonly string[]): BackgroundWrangler {
  const child = startWrangler(args, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  let hasEnded = false;
  let howEnded: string | undefined;
  let kept = "";
  let write: (text: string) => void = () => {};
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      hasEnded = true;
      resolve();
    };
    child.once("exit", (code, signal) => {
      howEnded = signal === null ? `exit code ${code}` : `ended by ${signal}`;
      end();
    });
    child.once("error", (error) => {
      kept += error.message;
      end();
    });
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      kept = (kept + text).slice(-KEPT_OUTPUT_CHARACTERS);
      write(text);
    });
  }
  return {
    hasEnded: () => hasEnded,
    ended,
    output: () => kept.trim(),
    howEnded: () => howEnded,
    showOutput: (show) => {
      write = show;
    },
    stop: () => stop(child, ended),
  };
}

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill("SIGTERM");
  await Promise.race([ended, sleep(STOP_TIMEOUT_MS)]);
  const deadline = Date.now() + CHILDREN_TIMEOUT_MS;
  while (signalGroup(child, 0) && Date.now() < deadline) await sleep(POLL_INTERVAL_MS);
  signalGroup(child, "SIGKILL");
}

/** False when nothing is left of the group. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    return process.kill(-child.pid, signal);
  } catch {
    return false;
  }
}
