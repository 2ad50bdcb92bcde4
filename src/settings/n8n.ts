/** Where n8n is, and the key to read it. */
import { fail, type SettingsSource, safeUrl, text } from "./source.ts";

export interface N8nSettings {
  /** Origin and optional base path of the n8n instance, without a slash at the end. */
  readonly baseUrl: string;
  readonly apiKey: string;
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
