/** `npm run tools <name>`: what a contributor needs now and then: lanes of tests, benchmarks, recordings. */
import { runSubcommand } from "./command-line/subcommands.ts";
import { TOOLS } from "./command-line/tools-commands.ts";

await runSubcommand(TOOLS);
