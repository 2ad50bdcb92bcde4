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
  /** For `npm run audit` and `npm run users`. */
  readonly operatorToken: string;
  /** Further callers: name → token. Each name is a user of its own. */
  readonly furtherTokens?: Readonly<Record<string, string>>;
  /** Further settings, by name. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Nobody signs in elsewhere. */
const NO_ORGANISATION = {
  OIDC_ISSUER: "",
  OIDC_CLIENT_ID: "",
  OIDC_CLIENT_SECRET: "",
  OIDC_SCOPES: "",
  OIDC_GROUPS_CLAIM: "",
  OIDC_TRUST_EMAIL: "",
  OIDC_SESSION_HOURS: "",
  ALLOWED_EMAILS: "",
  ALLOWED_EMAIL_DOMAINS: "",
  ALLOWED_GROUPS: "",
  ALLOWED_OBJECT_IDS: "",
  DATA_EMAILS: "",
  DATA_EMAIL_DOMAINS: "",
  DATA_GROUPS: "",
  DATA_OBJECT_IDS: "",
} as const;

const ASK_SCOPES = "n8n:read n8n:data";

const sha256 = (token: string): string => createHash("sha256").update(token).digest("hex");

function toEntry(name: string, token: string): string {
  return `${name} ${sha256(token)} ${ASK_SCOPES}`;
}

export function toEnvFile({ serviceToken, furtherTokens = {}, ...others }: StartSecrets): string {
  const { baseUrl, apiKey, passphrase, operatorToken } = others;
  const tokens = { "npm-run-ask": serviceToken, ...furtherTokens };
  const settings = {
    N8N_BASE_URL: baseUrl,
    N8N_API_KEY: apiKey,
    N8N_INSTANCES: "",
    PUBLIC_URL: "",
    ACCESS_PASSPHRASE: passphrase,
    SERVICE_TOKENS: Object.entries(tokens)
      .map(([name, token]) => toEntry(name, token))
      .join(";"),
    ...NO_ORGANISATION,
    REQUEST_ID_PATHS: "",
    ERROR_TEXT: "",
    REDACT_KEYS: "",
    REDACT_PATTERNS: "",
    REDACT_ALLOW: "",
    REDACT_PII: "",
    N8N_MAX_CONCURRENT: "",
    N8N_REQUESTS_PER_MINUTE: "",
    AUDIT_DAYS: "",
    OPERATOR_TOKEN_SHA256: sha256(operatorToken),
    ...others.settings,
  };
  return `${Object.entries(settings)
    .map(([name, value]) => `${name}='${value}'`)
    .join("\n")}\n`;
}
