/** Reads the arguments of `npm run deploy` that matter before they are passed to wrangler. Pure. */
import { flag, type OptionsOf, readArguments, text } from "../command-line/arguments.ts";

export const DEPLOY_USAGE = `Deploys n8n-observer on Cloudflare, unless wrangler.toml shows that it could not work.

  npm run deploy
  npm run deploy -- --dry-run    deploys nothing, and says what a deployment needs

Further options are wrangler's: npx wrangler deploy --help`;

const FORM = {
  options: { "dry-run": flag, env: { ...text, short: "e" }, name: text },
  strict: false,
  allowPositionals: true,
} as const;

export function readDeployOptions(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
) {
  return readArguments(args, FORM, ({ values }) => ({
    /** Only check whether a deployment would work. */
    isDryRun: values["dry-run"] === true,
    /** The environment of wrangler.toml that is deployed; `undefined` for the one without a name. */
    env: textOf(values.env) ?? textOf(environment.CLOUDFLARE_ENV),
    // Cloudflare's own builds set the Worker's name, which then overrides the one in wrangler.toml.
    name: textOf(environment.WRANGLER_CI_OVERRIDE_NAME) ?? textOf(values.name),
    wranglerArguments: [...args],
  }));
}

export type DeployOptions = OptionsOf<typeof readDeployOptions>;

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
