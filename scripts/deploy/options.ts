/** What `npm run deploy` has to know of the arguments that it passes on to wrangler. Pure. */
import { type Arguments, flag, readArguments, text } from "../command-line/arguments.ts";

export const DEPLOY_USAGE = `Deploys n8n-observer on Cloudflare, unless wrangler.toml shows that it could not work.

  npm run deploy
  npm run deploy -- --dry-run    deploys nothing, and says what a deployment needs

Further options are wrangler's: npx wrangler deploy --help`;

export interface DeployOptions {
  /** Only look whether a deployment would do. */
  readonly isDryRun: boolean;
  /** The environment of wrangler.toml that is deployed; `undefined` for the one without a name. */
  readonly env: string | undefined;
  /** Another name for the Worker. */
  readonly name: string | undefined;
  /** Everything, as given. */
  readonly wranglerArguments: readonly string[];
}

const FORM = {
  options: { "dry-run": flag, env: { ...text, short: "e" }, name: text },
  strict: false,
  allowPositionals: true,
} as const;

export function readDeployOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Arguments<DeployOptions> {
  return readArguments(args, FORM, ({ values }) => ({
    isDryRun: values["dry-run"] === true,
    env: textOf(values.env) ?? textOf(environment.CLOUDFLARE_ENV),
    // Cloudflare's own builds say under which name they deploy, whatever wrangler.toml says.
    name: textOf(environment.WRANGLER_CI_OVERRIDE_NAME) ?? textOf(values.name),
    wranglerArguments: [...args],
  }));
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
