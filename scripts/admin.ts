/** `npm run admin <name>`: what the operator of a server does. */
import { ADMIN } from "./command-line/admin-commands.ts";
import { runSubcommand } from "./command-line/subcommands.ts";

await runSubcommand(ADMIN);
