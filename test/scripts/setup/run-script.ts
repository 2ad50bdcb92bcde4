/** Runs the set-up and the token command without a terminal, in this process or as programs of a copy of the project. */
import { spawn } from "node:child_process";
import { runSetup } from "../../../scripts/setup/run-setup.ts";
import { runToken } from "../../../scripts/token/run-token.ts";

export interface ScriptRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function collect(
  run: (world: { print: (line: string) => void; printError: (line: string) => void }) => Promise<number>,
): Promise<ScriptRun> {
  const out: string[] = [];
  const errors: string[] = [];
  const code = await run({ print: (line) => out.push(line), printError: (line) => errors.push(line) });
  return { code, stdout: `${out.join("\n")}\n`, stderr: errors.join("\n") };
}

export const setupIn = async (
  directory: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<ScriptRun> =>
  await collect(async (world) => runSetup(args, { ...world, directory, environment, terminal: undefined }));

export const tokenIn = async (directory: string, ...args: readonly string[]): Promise<ScriptRun> =>
  await collect(async (world) => runToken(args, { ...world, directory }));

export function runScript(
  directory: string,
  script: string,
  args: readonly string[],
  { input = "", env = {} }: { readonly input?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<ScriptRun> {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? -1, stdout, stderr }));
  });
}
