/** The arguments of `npm run admin token`. Pure. */
import type { Scope } from "../../src/settings/index.ts";
import { flag, type OptionsOf, readArguments, WrongArguments } from "../command-line/arguments.ts";

export const TOKEN_USAGE = `Service tokens, for clients that cannot open a browser: n8n itself, scripts. Only a token's SHA-256 is kept.

  npm run admin token -- list                  names and scopes
  npm run admin token -- add <name>            makes a token, and shows it once
  npm run admin token -- remove <name>         it does not count any more

  --data               with add: it may see payloads, redacted (n8n:data); else all but payloads (n8n:read)
  --deployed           those of the Worker that npm run setup has deployed, not those in .dev.vars
  --json               a line of JSON for each token
  --help               this text

The server on this machine has to be started again; the deployed one knows within a minute.
Exit code: 0 done, 1 failed, 2 wrong arguments.`;

type TokenAction =
  | { readonly kind: "list" }
  | { readonly kind: "add"; readonly name: string; readonly scopes: readonly Scope[] }
  | { readonly kind: "remove"; readonly name: string };

const FORM = { allowPositionals: true, options: { data: flag, deployed: flag, json: flag } } as const;
const UNKNOWN = "One of the arguments is not known here.";

export const readTokenArguments = (args: readonly string[]) =>
  readArguments(
    args,
    FORM,
    ({ values: { data = false, deployed = false, json = false }, positionals }) => {
      const action = actionOf(positionals, data ? ["n8n:read", "n8n:data"] : ["n8n:read"]);
      if (data && action.kind !== "add") throw new WrongArguments("--data goes with add alone.");
      return { action, deployed, json };
    },
    UNKNOWN,
  );
export type TokenOptions = OptionsOf<typeof readTokenArguments>;

function actionOf([command, name, ...more]: readonly string[], scopes: readonly Scope[]): TokenAction {
  if (command === "list" && name === undefined) return { kind: "list" };
  if ((command !== "add" && command !== "remove") || more.length > 0)
    throw new WrongArguments("The commands are list, add <name> and remove <name>.");
  if (name === undefined)
    throw new WrongArguments(`${command} takes a name: npm run admin token -- ${command} nightly-report`);
  return command === "remove" ? { kind: "remove", name } : { kind: "add", name, scopes };
}
