/** Runs a program silently and keeps the end of its output. */
import { type SpawnOptionsWithoutStdio, spawn } from "node:child_process";

const MAX_OUTPUT_CHARACTERS = 100_000;

export interface ProcessResult {
  readonly succeeded: boolean;
  /** The end of both output streams. */
  readonly output: string;
  readonly stdout: string;
}

/** @param input the program's standard input @throws Error if the program cannot be started */
export async function runProcess(
  command: string,
  args: readonly string[],
  { input = "", ...options }: SpawnOptionsWithoutStdio & { readonly input?: string } = {},
): Promise<ProcessResult> {
  const child = spawn(command, [...args], options);
  let output = "";
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout = (stdout + text).slice(-MAX_OUTPUT_CHARACTERS);
    output = (output + text).slice(-MAX_OUTPUT_CHARACTERS);
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output = (output + text).slice(-MAX_OUTPUT_CHARACTERS);
  });
  // A program may end before it has read its input: the exit code decides.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { succeeded: code === 0, output, stdout };
}
