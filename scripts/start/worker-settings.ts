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
}

const ASK_SCOPES = "n8n:read n8n:data";

export function toEnvFile({ baseUrl, apiKey, passphrase, serviceToken }: StartSecrets): string {
  const hash = createHash("sha256").update(serviceToken).digest("hex");
  const settings = {
    N8N_BASE_URL: baseUrl,
    N8N_API_KEY: apiKey,
    PUBLIC_URL: "",
    ACCESS_PASSPHRASE: passphrase,
    SERVICE_TOKENS: `npm-run-ask ${hash} ${ASK_SCOPES}`,
    REQUEST_ID_PATHS: "",
    REDACT_KEYS: "",
    REDACT_PATTERNS: "",
    REDACT_ALLOW: "",
    REDACT_PII: "",
  };
  return `${Object.entries(settings)
    .map(([name, value]) => `${name}='${value}'`)
    .join("\n")}\n`;
}
