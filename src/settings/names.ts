/** Every setting by its name: for what hands settings on, or looks whether one is meant for this server. */

/** With any of these somebody gets in, here or at n8n. They never stand in wrangler.toml. */
export const SECRET_SETTINGS = [
  "N8N_API_KEY",
  "N8N_HEADERS",
  "N8N_INSTANCES",
  "ACCESS_PASSPHRASE",
  "OIDC_CLIENT_SECRET",
  "SERVICE_TOKENS",
  "OPERATOR_TOKEN_SHA256",
] as const;

const PLAIN_SETTINGS = [
  "N8N_BASE_URL",
  "N8N_API_PATH",
  "N8N_EDITOR_URL",
  "N8N_LOCATION_HINT",
  "N8N_MAX_CONCURRENT",
  "N8N_REQUESTS_PER_MINUTE",
  "PUBLIC_URL",
  "OIDC_ISSUER",
  "OIDC_CLIENT_ID",
  "OIDC_SCOPES",
  "OIDC_GROUPS_CLAIM",
  "OIDC_TRUST_EMAIL",
  "OIDC_SESSION_HOURS",
  "ALLOWED_EMAILS",
  "ALLOWED_EMAIL_DOMAINS",
  "ALLOWED_GROUPS",
  "ALLOWED_OBJECT_IDS",
  "DATA_EMAILS",
  "DATA_EMAIL_DOMAINS",
  "DATA_GROUPS",
  "DATA_OBJECT_IDS",
  "ALLOWED_REDIRECT_HOSTS",
  "CLIENT_ID_DOCUMENTS",
  "REQUEST_ID_PATHS",
  "REDACT_KEYS",
  "REDACT_ALLOW",
  "REDACT_PATTERNS",
  "REDACT_PII",
  "ERROR_TEXT",
  "AUDIT_DAYS",
  "INDEX_INTERVAL",
  "INDEX_DAYS",
  "INDEX_MAX_EXECUTIONS",
] as const;

export const SETTING_NAMES: readonly string[] = [...SECRET_SETTINGS, ...PLAIN_SETTINGS];
