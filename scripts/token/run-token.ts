/** `npm run admin token` from its arguments to its exit code. */
import { runCommand, type Terminal } from "../command-line/command.ts";
import { placesIn } from "../setup/setup-run.ts";
import { readTokenArguments, TOKEN_USAGE, type TokenOptions } from "./arguments.ts";
import { addToken, readEntries, removeToken, writeEntries } from "./service-tokens.ts";
import { deployedTokens, localTokens } from "./token-store.ts";

/** Where the tokens are stored, and where messages go. */
export interface TokenWorld extends Terminal {
  /** The project's folder. */
  readonly directory: string;
}

async function run(
  { action, deployed, json }: TokenOptions,
  { directory, print }: TokenWorld,
): Promise<undefined> {
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
  if (json) print(JSON.stringify({ name, scopes, token: made.token }));
  else print(`The token ${name} (${scopes.join(" ")}), shown only now:\n\n${made.token}\n\n${store.after}`);
}

/** @returns the exit code */
export async function runToken(args: readonly string[], world: TokenWorld): Promise<number> {
  const runInWorld = async (options: TokenOptions) => await run(options, world);
  return await runCommand({ usage: TOKEN_USAGE, read: readTokenArguments, run: runInWorld }, args, world);
}
