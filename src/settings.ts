/**
 * The one place that reads `env`. Parsed by zod, lazily (nothing at module scope, so that
 * `wrangler check startup` works without secrets), with errors that name the variable and its fix.
 */
import * as z from "zod";
import { ObserverError } from "./errors.ts";
import { checkPattern } from "./redaction/custom-patterns.ts";
import { isBaselineKey } from "./redaction/key-rules.ts";

export const SCOPES = ["n8n:read", "n8n:data"] as const;
/** `n8n:read` is everything without payload; `n8n:data` adds payloads, always redacted. */
export type Scope = (typeof SCOPES)[number];

/** A headless client that signs in with a fixed token. Only the token's hash is configured. */
export interface ServiceToken {
  readonly name: string;
  /** Lower-case hex of the token's SHA-256: 64 characters. */
  readonly sha256: string;
  readonly scopes: readonly Scope[];
}

/** Where request ids are looked for: JSON paths inside an item, one header, one custom data key. */
export const DEFAULT_REQUEST_ID_PATHS = [
  "body.context.requestId",
  "body.requestId",
  "context.requestId",
  "requestId",
  "headers.x-request-id",
  "customData.requestId",
] as const;

export interface N8nSettings {
  /** Origin and optional base path of the n8n instance, without a slash at the end. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

export interface SignInSettings {
  /** The passphrase for solo use. Without one, nobody gets in by passphrase. */
  readonly passphrase: string | undefined;
  readonly serviceTokens: readonly ServiceToken[];
}

/** A setting that is missing or malformed, with what to do about it. */
export interface SettingProblem {
  readonly setting: string;
  readonly problem: string;
  readonly solution: string;
}

/** The Worker's `env`, or anything with the settings as properties: any of them may be absent. */
export type SettingsSource = object;

const LOOPBACK_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** True for a host that never leaves this machine; only there is plain `http` acceptable. */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK_HOSTS.has(hostname) || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

function text(source: SettingsSource, name: string): string | undefined {
  const value: unknown = Reflect.get(source, name);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** Never quotes the value: a mistyped secret could be in it. */
function fail(setting: string, problem: string, solution: string): never {
  throw new ObserverError("CONFIGURATION_ERROR", `The setting ${setting} ${problem}.`, {
    field: setting,
    solution,
  });
}

const safeUrl = z
  .url({ protocol: /^https?$/ })
  .transform((value) => new URL(value))
  .refine((url) => url.protocol === "https:" || isLoopbackHost(url.hostname))
  .refine((url) => url.username === "" && url.password === "" && url.search === "" && url.hash === "");

/** Redaction knows our own key by its text, and a shorter one would turn up by chance. */
const MINIMUM_KEY_LENGTH = 8;

/**
 * Where n8n is and the key to read it.
 * @throws ObserverError `CONFIGURATION_ERROR`, naming the setting and its fix.
 */
export function readN8nSettings(source: SettingsSource): N8nSettings {
  const where =
    "Set it in .dev.vars (local) or with `wrangler secret put` / [vars] in wrangler.toml (deployed), then restart.";
  const rawUrl = text(source, "N8N_BASE_URL");
  if (rawUrl === undefined) {
    fail(
      "N8N_BASE_URL",
      "is missing",
      `Set it to the address of n8n, for example https://n8n.example.com. ${where}`,
    );
  }
  const url = safeUrl.safeParse(rawUrl);
  if (!url.success) {
    fail(
      "N8N_BASE_URL",
      "is not a usable address",
      "It must be an https URL (http only for localhost), without user, query or fragment. Leave /api/v1 out.",
    );
  }
  const apiKey = text(source, "N8N_API_KEY");
  if (apiKey === undefined) {
    fail("N8N_API_KEY", "is missing", `Create a read-only key in n8n under Settings > n8n API. ${where}`);
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    fail(
      "N8N_API_KEY",
      "holds characters that no key has",
      "Copy the key again, without spaces or line breaks.",
    );
  }
  if (apiKey.length < MINIMUM_KEY_LENGTH) {
    fail("N8N_API_KEY", "is too short for a key", "Copy the whole key from n8n under Settings > n8n API.");
  }
  const path = url.data.pathname.replace(/\/+$/, "").replace(/\/api\/v1$/, "");
  return { baseUrl: url.data.origin + path, apiKey };
}

/**
 * The origin that clients use. It is the OAuth issuer and the base of the resource `<origin>/mcp`.
 * Without the setting, a request to a loopback host stands for itself (`wrangler dev`).
 * @throws ObserverError `CONFIGURATION_ERROR` when it is missing on another host, or malformed.
 */
export function readPublicUrl(source: SettingsSource, requestUrl: string): string {
  const solution =
    "Set it to the origin that clients use, for example https://n8n-observer.example.workers.dev.";
  const raw = text(source, "PUBLIC_URL");
  if (raw === undefined) {
    const request = new URL(requestUrl);
    if (isLoopbackHost(request.hostname)) return request.origin;
    fail("PUBLIC_URL", "is missing", solution);
  }
  const url = safeUrl.safeParse(raw);
  if (!url.success || url.data.pathname !== "/") {
    fail("PUBLIC_URL", "is not an origin", `${solution} https only (http for localhost), no path.`);
  }
  return url.data.origin;
}

const serviceTokenEntry = z.tuple(
  [z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/), z.string().regex(/^[0-9a-fA-F]{64}$/), z.enum(SCOPES)],
  z.enum(SCOPES),
);

function readServiceTokens(source: SettingsSource): ServiceToken[] {
  const raw = text(source, "SERVICE_TOKENS");
  if (raw === undefined) return [];
  const entries = raw
    .split(/[;\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  const tokens = entries.map((entry, index) => {
    const parsed = serviceTokenEntry.safeParse(entry.split(/\s+/));
    if (!parsed.success) {
      fail(
        "SERVICE_TOKENS",
        `has a malformed entry (number ${index + 1})`,
        `Each entry is: name, SHA-256 of the token in hex, then scopes (${SCOPES.join(", ")}), separated by spaces. Entries are separated by ";" or new lines.`,
      );
    }
    const [name, sha256, ...scopes] = parsed.data;
    return { name, sha256: sha256.toLowerCase(), scopes: [...new Set(scopes)] };
  });
  const names = new Set(tokens.map((token) => token.name));
  if (names.size !== tokens.length) {
    fail(
      "SERVICE_TOKENS",
      "uses a name twice",
      "Give each entry a name of its own: it is the caller's identity.",
    );
  }
  return tokens;
}

/** Shorter ones can be guessed even behind the lock-out. */
const MINIMUM_PASSPHRASE_LENGTH = 12;

/**
 * Who may sign in, in the solo form.
 * @throws ObserverError `CONFIGURATION_ERROR` for a malformed entry: it fails closed.
 */
export function readSignInSettings(source: SettingsSource): SignInSettings {
  const passphrase = text(source, "ACCESS_PASSPHRASE");
  if (passphrase !== undefined && passphrase.length < MINIMUM_PASSPHRASE_LENGTH) {
    fail(
      "ACCESS_PASSPHRASE",
      "is too short",
      `Use at least ${MINIMUM_PASSPHRASE_LENGTH} characters, for example from \`openssl rand -base64 24\`.`,
    );
  }
  return { passphrase, serviceTokens: readServiceTokens(source) };
}

const requestIdPath = z.string().regex(/^[^.\s]+(\.[^.\s]+)*$/);

/**
 * The paths at which a request id is *the* request id, as dotted paths. `headers.<name>` is matched
 * without regard to case, `customData.<key>` means n8n's custom execution data.
 * The setting is a list separated by commas, semicolons or new lines.
 * @throws ObserverError `CONFIGURATION_ERROR`
 */
export function readRequestIdPaths(source: SettingsSource): readonly string[] {
  const raw = text(source, "REQUEST_ID_PATHS");
  if (raw === undefined) return DEFAULT_REQUEST_ID_PATHS;
  const paths = raw
    .split(/[,;\n]/)
    .map((path) => path.trim())
    .filter((path) => path !== "");
  if (paths.length === 0 || paths.some((path) => !requestIdPath.safeParse(path).success)) {
    fail(
      "REQUEST_ID_PATHS",
      "has a malformed path",
      `List dotted paths separated by commas, for example: ${DEFAULT_REQUEST_ID_PATHS.join(", ")}.`,
    );
  }
  return paths;
}

/** What is redacted besides the baseline, and what is not. */
export interface RedactionSettings {
  /** Further keys whose values are secret. */
  readonly keys: readonly string[];
  /** Keys that are not, though they look like it. */
  readonly allow: readonly string[];
  readonly patterns: readonly RegExp[];
  /** Whether addresses, telephone numbers, cards and bank accounts are redacted too. */
  readonly personalData: boolean;
}

const keyName = z.string().regex(/^[\p{L}\p{N}_. -]{2,100}$/u);

function readKeyNames(source: SettingsSource, setting: string): string[] {
  const names = (text(source, setting) ?? "")
    .split(/[,;\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const wrong = names.findIndex((name) => !keyName.safeParse(name).success);
  if (wrong >= 0) {
    fail(
      setting,
      `has a malformed name (number ${wrong + 1})`,
      "List names of keys separated by commas, for example: customerNumber, x-tenant-key. The way they are spelled (camelCase, snake_case, kebab-case) makes no difference.",
    );
  }
  return names;
}

function readAllowedKeys(source: SettingsSource): string[] {
  const names = readKeyNames(source, "REDACT_ALLOW");
  const refused = names.findIndex(isBaselineKey);
  if (refused >= 0) {
    fail(
      "REDACT_ALLOW",
      `names a key that is always redacted (number ${refused + 1})`,
      "Take it out: passwords, secrets, keys, cookies and authorization cannot be allowed.",
    );
  }
  return names;
}

const MAX_PATTERNS = 50;

/** Line by line, since a pattern may hold any other separator. */
function readPatterns(source: SettingsSource): RegExp[] {
  const lines = (text(source, "REDACT_PATTERNS") ?? "")
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (lines.length > MAX_PATTERNS) {
    fail("REDACT_PATTERNS", `has more than ${MAX_PATTERNS} patterns`, "Join some of them with |.");
  }
  return lines.map((line, index) => {
    const checked = checkPattern(line);
    if ("problem" in checked) {
      fail(
        "REDACT_PATTERNS",
        `has a pattern that is refused (number ${index + 1}): it ${checked.problem}`,
        "Write one regular expression per line, for example ACME-[A-Z0-9]{8,32} or /acme-\\d{6}/i. docs/redaction.md says which are taken.",
      );
    }
    return checked.pattern;
  });
}

function readSwitch(source: SettingsSource, setting: string): boolean {
  const value = text(source, setting)?.toLowerCase() ?? "off";
  if (value !== "on" && value !== "off")
    fail(setting, "is neither on nor off", "Set it to on or off; off is the default.");
  return value === "on";
}

/**
 * What is redacted besides the baseline.
 * @throws ObserverError `CONFIGURATION_ERROR` for a name or pattern that is refused, with the reason.
 */
export function readRedactionSettings(source: SettingsSource): RedactionSettings {
  return {
    keys: readKeyNames(source, "REDACT_KEYS"),
    allow: readAllowedKeys(source),
    patterns: readPatterns(source),
    personalData: readSwitch(source, "REDACT_PII"),
  };
}

/** Every setting that is wrong, for `check_connection` and the landing page. Empty when all is well. */
export function settingProblems(source: SettingsSource, requestUrl: string): SettingProblem[] {
  const readers = [
    () => readN8nSettings(source),
    () => readPublicUrl(source, requestUrl),
    () => readSignInSettings(source),
    () => readRequestIdPaths(source),
    () => readRedactionSettings(source),
  ];
  return readers.flatMap((read) => {
    try {
      read();
      return [];
    } catch (error) {
      if (!(error instanceof ObserverError)) throw error;
      return [
        { setting: error.details.field ?? "", problem: error.message, solution: error.details.solution },
      ];
    }
  });
}

/** Our own secrets: whatever else happens, these never leave in an answer. */
export function ownSecrets(source: SettingsSource): string[] {
  return ["N8N_API_KEY", "ACCESS_PASSPHRASE"].flatMap((name) => text(source, name) ?? []);
}
