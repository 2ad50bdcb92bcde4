/** Where n8n is, and the key to read it. */
import { readN8nHeaders } from "./n8n-headers.ts";
import { fail, type SettingsSource, safeUrl, text } from "./source.ts";

export interface N8nSettings {
  /** Origin and optional base path of the n8n instance, without a slash at the end. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Path of the public API below `baseUrl`, with a slash at its start and none at its end; n8n's own when not set. */
  readonly apiPath: string | undefined;
  /** Further request headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where people open n8n: origin and optional base path, without a slash at the end. */
  readonly editorUrl: string;
}

/** Redaction knows our own key by its text, and a shorter one would turn up by chance. */
const MINIMUM_KEY_LENGTH = 8;

/**
 * Where n8n is and the key to read it.
 * @throws ObserverError `CONFIGURATION_ERROR`, naming the setting and its fix.
 */
export function readN8nSettings(source: SettingsSource): N8nSettings {
  const where =
    "Set it in .dev.vars (local) or with `wrangler secret put` / [vars] in wrangler.toml (deployed), then restart.";
  if (text(source, "N8N_BASE_URL") === undefined) {
    fail(
      "N8N_BASE_URL",
      "is missing",
      `Set it to the address of n8n, for example https://n8n.example.com. ${where}`,
    );
  }
  const baseUrl = readAddress(source, "N8N_BASE_URL") ?? "";
  const apiKey = text(source, "N8N_API_KEY");
  if (apiKey === undefined) {
    fail("N8N_API_KEY", "is missing", `Create a read-only key in n8n under Settings > n8n API. ${where}`);
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    fail(
      "N8N_API_KEY",
      "has characters that do not occur in a key",
      "Copy the key again, without spaces or line breaks.",
    );
  }
  if (apiKey.length < MINIMUM_KEY_LENGTH) {
    fail("N8N_API_KEY", "is too short for a key", "Copy the whole key from n8n under Settings > n8n API.");
  }
  return {
    baseUrl,
    apiKey,
    apiPath: readApiPath(source),
    headers: readN8nHeaders(source),
    editorUrl: readAddress(source, "N8N_EDITOR_URL") ?? baseUrl,
  };
}

/** Origin and path of an address; undefined when it is not set. */
function readAddress(source: SettingsSource, setting: string): string | undefined {
  const raw = text(source, setting);
  if (raw === undefined) return undefined;
  const url = safeUrl.safeParse(raw);
  if (!url.success) {
    fail(
      setting,
      "is not a usable address",
      "It must be an https URL (http only for localhost), without user, query or fragment. Leave /api/v1 out.",
    );
  }
  return url.data.origin + url.data.pathname.replace(/\/+$/, "").replace(/\/api\/v1$/, "");
}

const API_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]{1,100}){1,8}$/;

function readApiPath(source: SettingsSource): string | undefined {
  const path = text(source, "N8N_API_PATH")?.replace(/\/+$/, "");
  if (path === undefined || API_PATH.test(path)) return path;
  fail(
    "N8N_API_PATH",
    "is not a path",
    "Set it to the path of n8n's public API below N8N_BASE_URL, as in /automation-api/v1 (N8N_PUBLIC_API_ENDPOINT and /v1), or leave it out: /api/v1 is the default.",
  );
}
