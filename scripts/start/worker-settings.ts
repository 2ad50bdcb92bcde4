/**
 * The Worker's settings for the recorded n8n, as an env file. Every setting is named, so that none of the
 * person's own shines through; an empty one means its default. Pure.
 */
import { createHash } from "node:crypto";

export interface StartSecrets {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly passphrase: string;
  readonly serviceToken: string;
  /** Further callers: name → token. Each name is a user of its own. */
  readonly furtherTokens?: Readonly<Record<string, string>>;
  /** Settings in place of their defaults: name → value. */
  readonly furtherSettings?: Readonly<Record<string, string>>;
}

const ASK_SCOPES = "n8n:read n8n:data";

function toEntry(name: string, token: string): string {
  const hash = createHash("sha256").update(token).digest("hex");
  return `${name} ${hash} ${ASK_SCOPES}`;
}

export function toEnvFile({
  serviceToken,
  furtherTokens = {},
  furtherSettings = {},
  ...secrets
}: StartSecrets): string {
  const { baseUrl, apiKey, passphrase } = secrets;
  const tokens = { "npm-run-ask": serviceToken, ...furtherTokens };
  const settings = {
    N8N_BASE_URL: baseUrl,
    N8N_API_KEY: apiKey,
    PUBLIC_URL: "",
    ACCESS_PASSPHRASE: passphrase,
    SERVICE_TOKENS: Object.entries(tokens)
      .map(([name, token]) => toEntry(name, token))
      .join(";"),
    REQUEST_ID_PATHS: "",
    REDACT_KEYS: "",
    REDACT_PATTERNS: "",
    REDACT_ALLOW: "",
    REDACT_PII: "",
    N8N_MAX_CONCURRENT: "",
    N8N_REQUESTS_PER_MINUTE: "",
    ...furtherSettings,
  };
  return `${Object.entries(settings)
    .map(([name, value]) => `${name}='${value}'`)
    .join("\n")}\n`;
}
