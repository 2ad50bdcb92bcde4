/** What the operator's commands have in common: usage, problems and exit codes. */
import { AskError } from "../ask/ask-error.ts";
import { toPlainText } from "../ask/plain-text.ts";
import type { Arguments } from "./arguments.ts";

const EXIT_DONE = 0;
export const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** @param run gives an exit code, or nothing when all is done */
export async function runCommand<Options>(
  parsed: Arguments<Options>,
  usage: string,
  run: (options: Options) => Promise<number | undefined>,
): Promise<number> {
  if (parsed.kind === "help") {
    console.log(usage);
    return EXIT_DONE;
  }
  if (parsed.kind === "wrong") {
    console.error(`${toPlainText(parsed.problem)}\n\n${usage}`);
    return EXIT_USAGE;
  }
  try {
    return (await run(parsed.options)) ?? EXIT_DONE;
  } catch (error) {
    if (!(error instanceof AskError)) throw error;
    console.error(toPlainText(error.message));
    return EXIT_FAILED;
  }
}
