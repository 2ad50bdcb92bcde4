/** Runs a command from its arguments to its exit code: 0 done, 1 failed, 2 wrong arguments. */
import type { ParseArgsConfig } from "node:util";
import { toPlainLines, toPlainText } from "../ask/plain-text.ts";
import { type Arguments, type Parsed, readArguments, WrongArguments } from "./arguments.ts";
import { CommandError } from "./command-error.ts";

const EXIT_DONE = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;

/** Where a command writes. */
export interface Terminal {
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
}

export interface Command<Options> {
  readonly usage: string;
  readonly read: (args: readonly string[]) => Arguments<Options>;
  /** @returns an exit code, or undefined on success @throws CommandError, WrongArguments */
  readonly run: (options: Options) => Promise<number | undefined>;
}

const CONSOLE: Terminal = { print: (line) => console.log(line), printError: (line) => console.error(line) };

export async function runCommand<Options>(
  { usage, read, run }: Command<Options>,
  args: readonly string[] = process.argv.slice(2),
  { print, printError }: Terminal = CONSOLE,
): Promise<number> {
  const refuse = (problem: string): number => {
    printError(`${toPlainText(problem)}\n\n${usage}`);
    return EXIT_USAGE;
  };
  const parsed = read(args);
  if (parsed.kind === "help") {
    print(usage);
    return EXIT_DONE;
  }
  if (parsed.kind === "wrong") return refuse(parsed.problem);
  try {
    return (await run(parsed.options)) ?? EXIT_DONE;
  } catch (error) {
    if (error instanceof WrongArguments) return refuse(error.message);
    if (!(error instanceof CommandError)) throw error;
    // The message may quote a server.
    printError(toPlainLines(error.message));
    return EXIT_FAILED;
  }
}

/** Runs a script that uses its options as parsed. */
export async function runScript<const Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
  run: (parsed: Parsed<Config>) => Promise<number | undefined>,
): Promise<void> {
  const read = (args: readonly string[]) => readArguments(args, config, (parsed) => parsed);
  process.exitCode = await runCommand({ usage, read, run });
}
