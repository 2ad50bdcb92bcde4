/**
 * The n8n instances that this server reads, by name. `N8N_INSTANCES` names several; `N8N_BASE_URL` and its related
 * settings describe a single one, the instance `default`.
 *
 * Each entry of `N8N_INSTANCES` is read like the settings of a single n8n, so that both are checked alike. The settings
 * in `GENERAL` apply to each instance without a value of its own. The whole setting is secret: messages quote only
 * names that were checked.
 */
import * as z from "zod";
import { ObserverError, readOr, unlessFailed } from "../platform/errors.ts";
import { parseJson } from "../platform/parse-json.ts";
import { duplicateKeys } from "./duplicate-keys.ts";
import { secretsInHeaderValues } from "./n8n-headers.ts";
import { memoizeBySettings, readSetting, requireSetting, type SettingsSource, text } from "./source.ts";
import { fail } from "./values.ts";

const INSTANCES = "N8N_INSTANCES";

/** Member of an instance → the corresponding setting of a single n8n. */
const MEMBER_SETTINGS = {
  baseUrl: "N8N_BASE_URL",
  apiKey: "N8N_API_KEY",
  apiPath: "N8N_API_PATH",
  headers: "N8N_HEADERS",
  editorUrl: "N8N_EDITOR_URL",
  traceUrl: "TRACE_URL",
  maxConcurrent: "N8N_MAX_CONCURRENT",
  requestsPerMinute: "N8N_REQUESTS_PER_MINUTE",
  locationHint: "N8N_LOCATION_HINT",
} as const;
const SETTING_OF = new Map<string, string>(Object.entries(MEMBER_SETTINGS));
const MEMBER_OF = new Map([...SETTING_OF].map(([member, setting]) => [setting, member]));
const SETTING = new RegExp(`\\b(?:${Object.values(MEMBER_SETTINGS).join("|")})\\b`, "g");

/** Rewords a sentence with `N8N_API_KEY` for one of several instances: `apiKey of prod in N8N_INSTANCES`. */
export const wordForInstance = (sentence: string, instance: string): string =>
  sentence.replace(SETTING, (setting) => `${MEMBER_OF.get(setting)} of ${instance} in ${INSTANCES}`);

/** Where n8n is, and the key to read it. */
export type N8nSettings = ReturnType<typeof readN8nSettings>;
export type N8nLimits = ReturnType<typeof readN8nLimits>;

export interface N8nInstance extends N8nSettings {
  /** Identifies it for tools, in the activity log and in storage. */
  readonly name: string;
  readonly limits: N8nLimits;
  /** Where its Durable Objects are created; undefined leaves it to Cloudflare. */
  readonly locationHint: DurableObjectLocationHint | undefined;
}

/** The address of its public API. */
export const addressOf = ({ baseUrl, apiPath }: Pick<N8nSettings, "baseUrl" | "apiPath">): string =>
  baseUrl + (apiPath ?? "/api/v1");

const WHERE_TO_SET =
  " Set it in .dev.vars (local) or with `wrangler secret put` / [vars] in wrangler.toml (deployed), then restart.";

/** @throws ObserverError `CONFIGURATION_ERROR`, naming the setting and its fix. */
export function readN8nSettings(source: SettingsSource) {
  const baseUrl = requireSetting(source, "N8N_BASE_URL", "is missing", WHERE_TO_SET);
  return {
    /** Origin and optional base path, without a slash at the end. */
    baseUrl,
    apiKey: requireSetting(source, "N8N_API_KEY", "is missing", WHERE_TO_SET),
    /** Path of the public API below `baseUrl`, as in `/api/v1`; undefined for n8n's default. */
    apiPath: readSetting(source, "N8N_API_PATH"),
    /** Additional request headers, names in lower case. */
    headers: readSetting(source, "N8N_HEADERS"),
    /** Where people open n8n: origin and optional base path, without a slash at the end. */
    editorUrl: readSetting(source, "N8N_EDITOR_URL") ?? baseUrl,
    /** Address of a trace in a tracing tool, with `{traceId}` in it. */
    traceUrl: readSetting(source, "TRACE_URL"),
  };
}

/** The request limits for n8n, shared by all users. @throws ObserverError `CONFIGURATION_ERROR` */
export const readN8nLimits = memoizeBySettings((source) => ({
  maxConcurrent: readSetting(source, "N8N_MAX_CONCURRENT"),
  requestsPerMinute: readSetting(source, "N8N_REQUESTS_PER_MINUTE"),
}));

/** The name of the n8n of `N8N_BASE_URL`. */
export const DEFAULT_INSTANCE = "default";
export const MAX_INSTANCES = 20;
/** A letter first: JavaScript orders numeric keys before all others. */
const NAME = /^[a-z](?:[a-z0-9-]{0,28}[a-z0-9])?$/;
const NAME_RULE =
  "A name has up to 30 lower-case letters, digits and hyphens, and begins with a letter, as in prod or staging-eu.";

/** No example: redaction would treat its keys as real ones. */
const FORM =
  "Write a JSON object of names such as prod and staging, in which each has an object with baseUrl and apiKey. docs/instances.md shows one.";
const MEMBER_RULE = `An instance has baseUrl and apiKey, and may have ${Object.keys(MEMBER_SETTINGS).slice(2).join(", ")}.`;

/** Defaults for instances without their own value. */
const GENERAL: readonly string[] = [
  MEMBER_SETTINGS.traceUrl,
  MEMBER_SETTINGS.maxConcurrent,
  MEMBER_SETTINGS.requestsPerMinute,
  MEMBER_SETTINGS.locationHint,
];

const entry = z.strictObject({
  baseUrl: z.string().optional(),
  apiKey: z.string().optional(),
  apiPath: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  editorUrl: z.string().optional(),
  traceUrl: z.string().optional(),
  maxConcurrent: z.number().optional(),
  requestsPerMinute: z.number().optional(),
  locationHint: z.string().optional(),
}) satisfies z.ZodType<{ [Member in keyof typeof MEMBER_SETTINGS]?: unknown }>;

/** Whether `N8N_INSTANCES` is used, with one instance or several. */
const hasNamedInstances = (source: SettingsSource): boolean => text(source, INSTANCES) !== undefined;

/** Every n8n, in the order of the setting. @throws ObserverError `CONFIGURATION_ERROR`: it fails closed. */
export const readInstances = memoizeBySettings((source): ReadonlyMap<string, N8nInstance> => {
  const raw = text(source, INSTANCES);
  if (raw === undefined) return new Map([[DEFAULT_INSTANCE, toInstance(DEFAULT_INSTANCE, source)]]);
  refuseBoth(source);
  const entries = entriesOf(raw);
  const instances = entries.map(([name, value]) => readEntry(name, value, source));
  refuseSharedAddress(instances);
  return new Map(instances.map((instance) => [instance.name, instance]));
});

/** The names in `N8N_INSTANCES`. Empty for a single unnamed instance, and while the settings are malformed. */
export const namesOfInstances = (source: SettingsSource): readonly string[] =>
  hasNamedInstances(source) ? usableInstances(source).map(({ name }) => name) : [];

/** Every n8n; empty while the settings are malformed, which every call then reports. */
export const usableInstances = (source: SettingsSource): readonly N8nInstance[] =>
  readOr(() => [...readInstances(source).values()], []);

/** The shared limits for an instance that is no longer configured. @throws ObserverError `CONFIGURATION_ERROR` */
export function limitsOfInstance(source: SettingsSource, name: string | undefined): N8nLimits {
  const general = readN8nLimits(source);
  if (!hasNamedInstances(source) || name === undefined) return general;
  return readInstances(source).get(name)?.limits ?? general;
}

/** Groups of instances that share a key. A key belongs to one n8n, so one of them is probably wrong. */
export function instancesSharingKey(instances: Iterable<N8nInstance>): readonly (readonly string[])[] {
  const byKey = Map.groupBy(instances, ({ apiKey }) => apiKey);
  return [...byKey.values()]
    .filter((sharing) => sharing.length > 1)
    .map((sharing) => sharing.map(({ name }) => name));
}

function toInstance(name: string, source: SettingsSource): N8nInstance {
  return {
    name,
    ...readN8nSettings(source),
    limits: readN8nLimits(source),
    locationHint: readSetting(source, "N8N_LOCATION_HINT"),
  };
}

/** With both set, the effective one is unclear, and a leftover key would never be rotated. */
function refuseBoth(source: SettingsSource): void {
  const own = Object.values(MEMBER_SETTINGS).filter((name) => !GENERAL.includes(name));
  const given = own.filter((name) => text(source, name) !== undefined);
  if (given.length === 0) return;
  fail(
    INSTANCES,
    `is set together with ${given.join(", ")}`,
    `In ${INSTANCES} each n8n has its own, so take the others out; or, for one n8n alone, take ${INSTANCES} out.`,
  );
}

function entriesOf(raw: string): (readonly [name: string, value: unknown])[] {
  const json = parseJson(raw);
  if (json === undefined) fail(INSTANCES, "is not valid JSON", FORM);
  const parsed = z.record(z.string(), z.unknown()).safeParse(json);
  if (!parsed.success) fail(INSTANCES, "is not a JSON object", FORM);
  const entries = Object.entries(parsed.data);
  const wrong = entries.findIndex(([name]) => !NAME.test(name));
  if (wrong >= 0) fail(INSTANCES, `has an invalid name (number ${wrong + 1})`, NAME_RULE);
  refuseRepeated(raw);
  if (entries.length === 0) fail(INSTANCES, "names no instance", FORM);
  if (entries.length > MAX_INSTANCES)
    fail(INSTANCES, `names more than ${MAX_INSTANCES} instances`, "Let another server read the others.");
  return entries;
}

function refuseRepeated(raw: string): void {
  const [path] = duplicateKeys(raw);
  if (path === undefined) return;
  const [instance = "", member = ""] = path;
  if (path.length === 1) fail(INSTANCES, `names ${instance} twice`, "Give each instance a name of its own.");
  const what = path.length === 2 && Object.hasOwn(MEMBER_SETTINGS, member) ? member : "a member";
  fail(INSTANCES, `has ${what} of ${instance} twice`, "Keep one of the two, and take the other out.");
}

function readEntry(name: string, value: unknown, source: SettingsSource): N8nInstance {
  const parsed = entry.safeParse(value);
  if (!parsed.success) refuseEntry(name, value, parsed.error);
  return unlessFailed(
    () => toInstance(name, toSource(parsed.data, source)),
    (error) => {
      throw named(error, name, parsed.data);
    },
  );
}

/** The instance as settings of a single n8n, with the shared defaults filled in. */
function toSource(members: z.infer<typeof entry>, source: SettingsSource): SettingsSource {
  const general = GENERAL.map((setting) => [setting, text(source, setting)]);
  const own = Object.entries(members).map(([member, value]) => [
    SETTING_OF.get(member) ?? member,
    typeof value === "object" ? JSON.stringify(value) : String(value),
  ]);
  return Object.fromEntries([...general, ...own]);
}

/** An error in a shared setting is reported without an instance's name. */
function named(error: ObserverError, name: string, members: object): ObserverError {
  const { field = "" } = error.details;
  const isGeneral = !Object.keys(members).some((member) => SETTING_OF.get(member) === field);
  const isNeeded = field === MEMBER_SETTINGS.baseUrl || field === MEMBER_SETTINGS.apiKey;
  if (isGeneral && !isNeeded) return error;
  return new ObserverError(error.code, wordForInstance(error.message, name), {
    ...error.details,
    field: INSTANCES,
    solution: wordForInstance(error.details.solution, name),
  });
}

function refuseEntry(name: string, value: unknown, { issues: [issue] }: z.ZodError): never {
  if (issue?.code === "unrecognized_keys") {
    const position = Object.keys(Object(value)).indexOf(issue.keys[0] ?? "") + 1;
    fail(INSTANCES, `has an unknown member in ${name} (number ${position})`, MEMBER_RULE);
  }
  const [member] = issue?.path ?? [];
  if (member === undefined) fail(INSTANCES, `has no JSON object for ${name}`, FORM);
  const expected = issue?.code === "invalid_type" ? issue.expected : "something else";
  fail(
    INSTANCES,
    `has the wrong kind of value for ${String(member)} of ${name}`,
    member === "headers"
      ? "headers is a JSON object of header names and their values, which are texts."
      : `The value of ${String(member)} is a ${expected}.`,
  );
}

function refuseSharedAddress(instances: readonly N8nInstance[]): void {
  const addresses: [string, (instance: N8nInstance) => string][] = [
    ["baseUrl", addressOf],
    ["editorUrl", ({ editorUrl }) => editorUrl],
  ];
  for (const [member, toAddress] of addresses) {
    const shared = [...Map.groupBy(instances, toAddress).values()].find(({ length }) => length > 1);
    if (shared === undefined) continue;
    const names = shared.map(({ name }) => name).join(" and ");
    fail(
      INSTANCES,
      `gives ${names} one address (${member})`,
      "Two names for one n8n would read it twice. Give each its own address, or keep one of them.",
    );
  }
}

/** A JSON string. A colon follows member names, which messages may quote. */
const JSON_TEXT = /"((?:[^"\\]|\\.)*)"(\s*:)?/gs;

/** All keys and headers, for redaction. Never throws: every value in a malformed setting counts as a secret. */
export function secretsInInstances(source: SettingsSource): string[] {
  const raw = text(source, INSTANCES);
  if (raw === undefined) return [];
  return unlessFailed(
    () =>
      [...readInstances(source).values()].flatMap(({ apiKey, headers }) => [
        apiKey,
        ...secretsInHeaderValues(Object.values(headers)),
      ]),
    () => {
      const texts = [...raw.matchAll(JSON_TEXT)].filter(([, , colon]) => colon === undefined);
      return [raw, ...secretsInHeaderValues(texts.map(([, value = ""]) => value))];
    },
  );
}
