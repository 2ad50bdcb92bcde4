/** What `npm run dev` has to know of the arguments that it passes on to wrangler. Pure. */
import { parseArgs } from "node:util";
import { parsePort } from "./ports.ts";

export interface DevArguments {
  /** The port that was asked for. */
  readonly port: number | undefined;
  /** False when the arguments name settings of another place than .dev.vars, or only ask for help. */
  readonly readsDevVars: boolean;
  /** False when the Worker will not answer on `http://localhost:<port>`. */
  readonly speaksHttp: boolean;
  /** Everything else, as given. */
  readonly wranglerArguments: readonly string[];
}

export function readDevArguments(args: readonly string[]): DevArguments {
  const { values, tokens } = parseArgs({
    args: [...args],
    options: {
      port: { type: "string" },
      "env-file": { type: "string", multiple: true },
      env: { type: "string", short: "e" },
      "local-protocol": { type: "string" },
      help: { type: "boolean", short: "h" },
    },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const port = typeof values.port === "string" ? parsePort(values.port) : undefined;
  const portTokens = tokens.filter((token) => token.kind === "option" && token.name === "port");
  const taken = new Set(
    port === undefined
      ? []
      : portTokens.flatMap((token) =>
          token.kind === "option" && token.inlineValue ? [token.index] : [token.index, token.index + 1],
        ),
  );
  const asksForHelp = values.help === true;
  return {
    port,
    readsDevVars: values["env-file"] === undefined && values.env === undefined && !asksForHelp,
    speaksHttp: values["local-protocol"] !== "https" && !asksForHelp,
    wranglerArguments: args.filter((_, index) => !taken.has(index)),
  };
}
