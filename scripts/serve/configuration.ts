/**
 * The configuration of workerd for this Worker, in the text form of Cap'n Proto, made of what wrangler.toml says. Pure.
 * Promises: no secret and no other setting stands in it, only their names: workerd takes them from its environment.
 * The fields: https://github.com/cloudflare/workerd/blob/main/src/workerd/server/workerd.capnp
 */
import { SETTING_NAMES } from "../../src/settings/settings-table.ts";

/** What is needed of wrangler.toml. */
export interface WorkerConfiguration {
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
  /** Bindings of KV namespaces. */
  readonly keyValues: readonly string[];
  readonly objects: readonly { readonly binding: string; readonly className: string }[];
  readonly rateLimits: readonly {
    readonly binding: string;
    readonly limit: number;
    /** In seconds. */
    readonly period: number;
  }[];
}

/** Names on workerd's command line: `--socket-addr http=…`, `--directory-path data=…`. */
export const SOCKET = "http";
export const DATA_DIRECTORY = "data";

/** How the name of each folder in the data directory begins: there is one for each class of objects. */
export const DATA_FOLDER_PREFIX = "n8n-observer-";

const WORKER = "observer";
/** What `platform/entry.ts` has besides the Worker's own. */
const PLATFORM_OBJECTS = [
  { binding: "HOURLY_TASK", className: "HourlyTask" },
  { binding: "KEY_VALUE_STORE", className: "KeyValueStore" },
];

/** What workerd does by itself since a date, and warns of when it is asked for. */
const DEFAULT_SINCE: Readonly<Record<string, string>> = { nodejs_compat: "2026-08-04" };

/** As Cap'n Proto writes a text: like C. */
const quote = (text: string): string => JSON.stringify(text);

function toBindings({ keyValues, objects, rateLimits }: WorkerConfiguration): string[] {
  const entrypoint = (name: string): string => `(name = ${quote(WORKER)}, entrypoint = ${quote(name)}`;
  return [
    ...SETTING_NAMES.map((name) => `(name = ${quote(name)}, fromEnvironment = ${quote(name)})`),
    ...keyValues.map((name) => `(name = ${quote(name)}, kvNamespace = ${entrypoint("KeyValues")}))`),
    ...[...objects, ...PLATFORM_OBJECTS].map(
      ({ binding, className }) =>
        `(name = ${quote(binding)}, durableObjectNamespace = (className = ${quote(className)}))`,
    ),
    ...rateLimits.map(({ binding, limit, period }) => {
      const props = quote(JSON.stringify({ name: binding, limit, period }));
      return `(name = ${quote(binding)}, service = ${entrypoint("RateLimiter")}, props = (json = ${props})))`;
    }),
  ];
}

/** The key decides where an object's data lies: it must never change. */
function toNamespaces({ objects }: WorkerConfiguration): string[] {
  return [...objects, ...PLATFORM_OBJECTS].map(
    ({ className }) =>
      `(className = ${quote(className)}, uniqueKey = ${quote(DATA_FOLDER_PREFIX + className)}, enableSql = true)`,
  );
}

const list = (items: readonly string[]): string => `[\n${items.map((item) => `    ${item},\n`).join("")}  ]`;

/** @param module file name of the bundle, beside the configuration */
export function toCapnp(configuration: WorkerConfiguration, module: string): string {
  const { compatibilityDate } = configuration;
  const flags = configuration.compatibilityFlags.filter(
    (flag) => compatibilityDate < (DEFAULT_SINCE[flag] ?? "9999"),
  );
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
  compatibilityDate = ${quote(compatibilityDate)},
  compatibilityFlags = [${flags.map(quote).join(", ")}],
  bindings = ${list(toBindings(configuration))},
  durableObjectNamespaces = ${list(toNamespaces(configuration))},
  durableObjectStorage = (localDisk = ${quote(DATA_DIRECTORY)}),
);
`;
}
