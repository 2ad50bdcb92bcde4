/** What `npm run deploy` has to know of the arguments that it passes on to wrangler. Pure. */
import { parseArgs } from "node:util";

export interface DeployOptions {
  /** Only look whether a deployment would do. */
  readonly isDryRun: boolean;
  /** Only show wrangler's help. */
  readonly isHelp: boolean;
  /** The environment of wrangler.toml that is deployed; `undefined` for the one without a name. */
  readonly env: string | undefined;
  /** Another name for the Worker. */
  readonly name: string | undefined;
  /** Everything, as given. */
  readonly wranglerArguments: readonly string[];
}

export function readDeployOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): DeployOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      "dry-run": { type: "boolean" },
      env: { type: "string", short: "e" },
      name: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
    strict: false,
    allowPositionals: true,
  });
  return {
    isDryRun: values["dry-run"] === true,
    isHelp: values.help === true,
    env: textOf(values.env) ?? textOf(environment.CLOUDFLARE_ENV),
    // Cloudflare's own builds say under which name they deploy, whatever wrangler.toml says.
    name: textOf(environment.WRANGLER_CI_OVERRIDE_NAME) ?? textOf(values.name),
    wranglerArguments: [...args],
  };
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
