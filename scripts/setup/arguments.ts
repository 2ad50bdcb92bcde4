/** The arguments of `npm run setup`. Pure. Secrets are never arguments, which other users of the machine can see. */
import {
  type Arguments,
  flag,
  type Parsed,
  readArguments,
  requireOneAtMost,
  text,
  toPort,
  WrongArguments,
} from "../command-line/arguments.ts";

export const SETUP_USAGE = `Sets n8n-observer up, on this machine or on Cloudflare, by asking a few questions. Can be run again.

  npm run setup                      asks for all it needs
  npm run setup -- --local           on this machine: writes .dev.vars
  npm run setup -- --deploy          on Cloudflare: deploys and sets the secrets

  --url <address>          n8n's address
  --key-from-env           n8n's API key is in the environment variable N8N_API_KEY
  --key-file <file>        n8n's API key is in this file (- for standard input)
  --passphrase-from-env    the passphrase is in the environment variable ACCESS_PASSPHRASE
  --passphrase-file <file> the passphrase is in this file (- for standard input)
  --make-passphrase        makes one, and shows it once
  --service-token <name>   makes a token for a client without a browser, and shows it once
  --no-service-token       makes none
  --worker <name>          the Worker's name on Cloudflare (default: that of wrangler.toml)
  --start, --no-start      starts the server on this machine when all is set up, or does not
  --port <port>            its port (default: 8787, or the next one that is free)
  --no-open                does not open the start page of a deployed server
  --anew                   forgets an earlier set-up that was not finished
  --yes                    asks no questions, and accepts a key that can write, with a warning
  --help                   this text

Secrets are never arguments. Exit code: 0 done, 1 failed, 2 wrong arguments, 130 stopped with Ctrl-C.`;

export interface SecretSource {
  readonly kind: "environment" | "file";
  /** The variable's or the file's name; - is standard input. */
  readonly name: string;
}

export type SetupOptions = ReturnType<typeof toOptions>;

const OPTIONS = {
  local: flag,
  deploy: flag,
  url: text,
  "key-from-env": flag,
  "key-file": text,
  "passphrase-from-env": flag,
  "passphrase-file": text,
  "make-passphrase": flag,
  "service-token": text,
  "no-service-token": flag,
  worker: text,
  start: flag,
  "no-start": flag,
  port: text,
  "no-open": flag,
  anew: flag,
  yes: { ...flag, short: "y" },
} as const;

/** The names of Workers: https://developers.cloudflare.com/workers/configuration/routing/workers-dev/ */
export const WORKER_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** The input is not quoted: it could be a secret. */
const UNKNOWN =
  "One of the arguments is not known here. Secrets are no arguments: see --key-file and --passphrase-file.";

/** At most one option of each row may be given. */
const EXCLUSIVE = [
  ["local", "deploy"],
  ["key-from-env", "key-file"],
  ["passphrase-from-env", "passphrase-file", "make-passphrase"],
  ["service-token", "no-service-token"],
  ["start", "no-start"],
];

export function readSetupArguments(args: readonly string[]): Arguments<SetupOptions> {
  return readArguments(args, { options: OPTIONS }, ({ values }) => toOptions(values), UNKNOWN);
}

function toOptions(values: Parsed<{ options: typeof OPTIONS }>["values"]) {
  for (const names of EXCLUSIVE) requireOneAtMost(names, values);
  if (values.worker !== undefined && !WORKER_NAME.test(values.worker))
    throw new WrongArguments("--worker takes a name of a-z, 0-9 and hyphens.");
  const key = secretSource(values["key-from-env"], "N8N_API_KEY", values["key-file"]);
  const passphrase = secretSource(
    values["passphrase-from-env"],
    "ACCESS_PASSPHRASE",
    values["passphrase-file"],
  );
  if (key?.name === "-" && passphrase?.name === "-")
    throw new WrongArguments("Key and passphrase cannot both come from standard input.");
  return {
    place: values.local ? ("local" as const) : values.deploy ? ("cloudflare" as const) : undefined,
    url: values.url,
    key,
    passphrase: values["make-passphrase"] ? ("make" as const) : passphrase,
    serviceToken: values["no-service-token"] ? (false as const) : values["service-token"],
    worker: values.worker,
    start: values.start ? true : values["no-start"] ? false : undefined,
    port: values.port === undefined ? undefined : toPort(values.port),
    open: values["no-open"] !== true,
    anew: values.anew === true,
    yes: values.yes === true,
  };
}

function secretSource(
  isInEnvironment: boolean | undefined,
  variable: string,
  file: string | undefined,
): SecretSource | undefined {
  if (isInEnvironment) return { kind: "environment", name: variable };
  return file === undefined ? undefined : { kind: "file", name: file };
}
