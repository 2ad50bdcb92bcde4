/**
 * workerd's configuration for this Worker, as Cap'n Proto text, derived from wrangler.toml. Pure.
 * Promises: it holds the names of settings, never their values: workerd reads those from its environment.
 * The fields: https://github.com/cloudflare/workerd/blob/main/src/workerd/server/workerd.capnp
 */
import type { Unstable_Config as WranglerConfig } from "wrangler";
import { SETTING_NAMES } from "../../src/settings/settings-table.ts";
import { CommandError } from "../command-line/command-error.ts";

/** The relevant parts of wrangler.toml. */
export type WorkerConfiguration = Pick<
  WranglerConfig,
  "compatibility_date" | "compatibility_flags" | "kv_namespaces" | "durable_objects" | "ratelimits"
>;

/** Names on workerd's command line: `--socket-addr http=…`, `--directory-path data=…`. */
export const SOCKET = "http";
export const DATA_DIRECTORY = "data";

/** Prefix of the folders in the data directory. There is one for each class of Durable Objects. */
export const DATA_FOLDER_PREFIX = "n8n-observer-";

const WORKER = "observer";
/** Durable Objects that `platform/entry.ts` adds to the Worker's own. */
const PLATFORM_OBJECTS = [
  { name: "HOURLY_TASK", class_name: "HourlyTask" },
  { name: "KEY_VALUE_STORE", class_name: "KeyValueStore" },
];

const objectsOf = ({ durable_objects: { bindings } }: WorkerConfiguration) => [
  ...bindings,
  ...PLATFORM_OBJECTS,
];

/** Flags that are defaults since a date: workerd warns if they are set after it. */
const DEFAULT_SINCE: Readonly<Record<string, string>> = { nodejs_compat: "2026-08-04" };

/** A Cap'n Proto string literal, as in C. */
const quote = (text: string): string => JSON.stringify(text);

function toBindings(configuration: WorkerConfiguration): string[] {
  const entrypoint = (name: string): string => `(name = ${quote(WORKER)}, entrypoint = ${quote(name)}`;
  return [
    ...SETTING_NAMES.map((name) => `(name = ${quote(name)}, fromEnvironment = ${quote(name)})`),
    ...configuration.kv_namespaces.map(
      ({ binding }) => `(name = ${quote(binding)}, kvNamespace = ${entrypoint("KeyValues")}))`,
    ),
    ...objectsOf(configuration).map(
      ({ name, class_name: className }) =>
        `(name = ${quote(name)}, durableObjectNamespace = (className = ${quote(className)}))`,
    ),
    `(name = "RATE_LIMITS", json = ${quote(JSON.stringify(configuration.ratelimits.map(({ name, simple }) => ({ name, ...simple }))))})`,
  ];
}

/** The key decides where an object's data lies: it must never change. */
function toNamespaces(configuration: WorkerConfiguration): string[] {
  return objectsOf(configuration).map(
    ({ class_name: className }) =>
      `(className = ${quote(className)}, uniqueKey = ${quote(DATA_FOLDER_PREFIX + className)}, enableSql = true)`,
  );
}

const list = (items: readonly string[]): string => `[\n${items.map((item) => `    ${item},\n`).join("")}  ]`;

/** @param module file name of the bundle, beside the configuration @throws CommandError without a compatibility date */
export function toCapnp(configuration: WorkerConfiguration, module: string): string {
  const { compatibility_date: date } = configuration;
  if (date === undefined) throw new CommandError("wrangler.toml has no compatibility_date.");
  const flags = configuration.compatibility_flags.filter((flag) => date < (DEFAULT_SINCE[flag] ?? "9999"));
  return `# Made by \`npm run serve\` of wrangler.toml. Start it with:
#   workerd serve <this file> --socket-addr ${SOCKET}=127.0.0.1:8787 --directory-path ${DATA_DIRECTORY}=<folder>
using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = ${quote(WORKER)}, worker = .worker),
    # n8n may be on this machine, or in a private network.
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
    (name = ${quote(DATA_DIRECTORY)}, disk = (writable = true)),
  ],
  sockets = [(name = ${quote(SOCKET)}, service = ${quote(WORKER)}, http = ())],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed ${quote(module)})],
  compatibilityDate = ${quote(date)},
  compatibilityFlags = [${flags.map(quote).join(", ")}],
  bindings = ${list(toBindings(configuration))},
  durableObjectNamespaces = ${list(toNamespaces(configuration))},
  durableObjectStorage = (localDisk = ${quote(DATA_DIRECTORY)}),
);
`;
}
