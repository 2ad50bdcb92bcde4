/** The arguments of `npm run admin token`. Pure. */
import { parseArgs } from "node:util";
import type { Scope } from "../../src/settings/index.ts";

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

export type TokenAction =
  | { readonly kind: "list" }
  | { readonly kind: "add"; readonly name: string; readonly scopes: readonly Scope[] }
  | { readonly kind: "remove"; readonly name: string };

export interface TokenOptions {
  readonly action: TokenAction;
  readonly deployed: boolean;
  readonly json: boolean;
}

export type TokenArguments =
  | { readonly kind: "run"; readonly options: TokenOptions }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly problem: string };

const flag = { type: "boolean" } as const;
const wrong = (problem: string): TokenArguments => ({ kind: "wrong", problem });

export function readTokenArguments(args: readonly string[]): TokenArguments {
  const parsed = parse(args);
  if (parsed === undefined) return wrong("One of the arguments is not known here.");
  const { values, positionals } = parsed;
  if (values.help) return { kind: "help" };
  const [command, name, ...more] = positionals;
  const common = { deployed: values.deployed === true, json: values.json === true };
  if (values.data && command !== "add") return wrong("--data goes with add alone.");
  if (command === "list" && name === undefined)
    return { kind: "run", options: { action: { kind: "list" }, ...common } };
  if ((command !== "add" && command !== "remove") || more.length > 0)
    return wrong("The commands are list, add <name> and remove <name>.");
  if (name === undefined)
    return wrong(`${command} takes a name: npm run admin token -- ${command} nightly-report`);
  const action: TokenAction =
    command === "remove"
      ? { kind: "remove", name }
      : { kind: "add", name, scopes: values.data ? ["n8n:read", "n8n:data"] : ["n8n:read"] };
  return { kind: "run", options: { action, ...common } };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { data: flag, deployed: flag, json: flag, help: { ...flag, short: "h" } },
    });
  } catch {
    return undefined;
  }
}
