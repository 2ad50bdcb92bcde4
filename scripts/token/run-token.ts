/** `npm run admin token` from its arguments to its exit code. */
import { SetupError } from "../setup/setup-error.ts";
import { placesIn } from "../setup/setup-run.ts";
import { readTokenArguments, TOKEN_USAGE, type TokenOptions } from "./arguments.ts";
import { addToken, readEntries, removeToken, writeEntries } from "./service-tokens.ts";
import { deployedTokens, localTokens } from "./token-store.ts";

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** Where the tokens are, and whom it tells. */
export interface TokenWorld {
  /** The project's folder. */
  readonly directory: string;
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
}

async function run(
  { action, deployed, json }: TokenOptions,
  { directory, print }: TokenWorld,
): Promise<void> {
  const places = placesIn(directory);
  const store = deployed ? deployedTokens(places) : localTokens(places);
  const entries = readEntries(await store.read());
  if (action.kind === "list") {
    if (json) for (const { name, scopes } of entries) print(JSON.stringify({ name, scopes }));
    else if (entries.length === 0)
      print("There are no service tokens. npm run admin token -- add <name> makes one.");
    else for (const { name, scopes } of entries) print(`${name.padEnd(24)}  ${scopes.join(" ")}`);
    return;
  }
  if (action.kind === "remove") {
    await store.write(writeEntries(removeToken(entries, action.name)));
    print(`Removed ${action.name}. ${store.after}`);
    return;
  }
  const made = addToken(entries, action.name, action.scopes);
  await store.write(writeEntries(made.entries));
  const { name, scopes } = action;
  if (json) return print(JSON.stringify({ name, scopes, token: made.token }));
  print(`The token ${name} (${scopes.join(" ")}), shown only now:\n\n${made.token}\n\n${store.after}`);
}

/** @returns the exit code */
export async function runToken(args: readonly string[], world: TokenWorld): Promise<number> {
  const parsed = readTokenArguments(args);
  if (parsed.kind === "help") {
    world.print(TOKEN_USAGE);
    return 0;
  }
  if (parsed.kind === "wrong") {
    world.printError(`${parsed.problem}\n\n${TOKEN_USAGE}`);
    return EXIT_USAGE;
  }
  try {
    await run(parsed.options, world);
    return 0;
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    world.printError(error.message);
    return EXIT_FAILED;
  }
}
