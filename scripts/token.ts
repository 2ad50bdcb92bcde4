/**
 * `npm run token`: who may come in without a browser.
 * Promises: a token is shown once and kept nowhere; only its SHA-256 is; whatever fails leaves things as they were.
 */
import { SetupError } from "./setup/setup-error.ts";
import { readTokenArguments, TOKEN_USAGE, type TokenOptions } from "./token/arguments.ts";
import { addToken, readEntries, removeToken, writeEntries } from "./token/service-tokens.ts";
import { deployedTokens, localTokens } from "./token/token-store.ts";

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

async function run({ action, deployed, json }: TokenOptions): Promise<void> {
  const store = deployed ? deployedTokens : localTokens;
  const entries = readEntries(await store.read());
  if (action.kind === "list") {
    if (json) for (const { name, scopes } of entries) console.log(JSON.stringify({ name, scopes }));
    else if (entries.length === 0) console.log("There are no service tokens.");
    else for (const { name, scopes } of entries) console.log(`${name.padEnd(24)}  ${scopes.join(" ")}`);
    return;
  }
  if (action.kind === "remove") {
    await store.write(writeEntries(removeToken(entries, action.name)));
    console.log(`Removed ${action.name}. ${store.after}`);
    return;
  }
  const made = addToken(entries, action.name, action.scopes);
  await store.write(writeEntries(made.entries));
  const { name, scopes } = action;
  if (json) return console.log(JSON.stringify({ name, scopes, token: made.token }));
  console.log(`The token ${name} (${scopes.join(" ")}), shown only now:\n\n${made.token}\n\n${store.after}`);
}

const parsed = readTokenArguments(process.argv.slice(2));
if (parsed.kind === "help") console.log(TOKEN_USAGE);
else if (parsed.kind === "wrong") {
  console.error(`${parsed.problem}\n\n${TOKEN_USAGE}`);
  process.exitCode = EXIT_USAGE;
} else {
  await run(parsed.options).catch((error: unknown) => {
    if (!(error instanceof SetupError)) throw error;
    console.error(error.message);
    process.exitCode = EXIT_FAILED;
  });
}
