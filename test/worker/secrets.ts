/** Secrets of the Worker under test. They protect nothing. */
import { createHash } from "node:crypto";

export const PUBLIC_URL = "https://observer.example";
export const PASSPHRASE = "correct horse battery staple";

/** The only host from which the Worker under test reads metadata documents. */
export const DOCUMENT_HOST = "apps.example";

/** The address of a provider that issues assertions. */
export const MANAGED_ISSUER = "https://id.example";

/** A recorded n8n, which the Worker's objects find in their own settings. */
export const N8N_ORIGIN = "https://n8n.example";
export const N8N_API_KEY = "n8n-api-key-of-these-tests";

/** One token for each set of scopes that matters. */
export const SERVICE_TOKEN = {
  readOnly: "service-token-that-reads",
  readAndData: "service-token-that-reads-data",
  dataOnly: "service-token-without-read",
  /** Of a user who calls too often; no other test uses it, since it would meet the limit. */
  busy: "service-token-that-calls-too-often",
} as const;

function entry(name: string, token: string, scopes: string): string {
  return `${name} ${createHash("sha256").update(token).digest("hex")} ${scopes}`;
}

/** Of the server's operator. */
export const OPERATOR_TOKEN = "operator-token-of-the-tests-0123456789abcdef";

/** Bindings for the Worker project, in place of `.dev.vars`. */
export const TEST_BINDINGS = {
  N8N_BASE_URL: N8N_ORIGIN,
  N8N_API_KEY,
  PUBLIC_URL,
  ALLOWED_REDIRECT_HOSTS: "default, client.example",
  CLIENT_ID_DOCUMENTS: DOCUMENT_HOST,
  ACCESS_PASSPHRASE: PASSPHRASE,
  OPERATOR_TOKEN_SHA256: createHash("sha256").update(OPERATOR_TOKEN).digest("hex"),
  SERVICE_TOKENS: [
    entry("reader", SERVICE_TOKEN.readOnly, "n8n:read"),
    entry("nightly", SERVICE_TOKEN.readAndData, "n8n:read n8n:data"),
    entry("odd", SERVICE_TOKEN.dataOnly, "n8n:data"),
    entry("busy", SERVICE_TOKEN.busy, "n8n:read"),
  ].join(";"),
};
