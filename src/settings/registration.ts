/** Which clients may register: where codes may be sent, and which metadata documents are read. */
import { usableInstances } from "./instances.ts";
import type { RedirectRule } from "./redirect-rules.ts";
import { memoizeBySettings, readSetting, type SettingsSource } from "./source.ts";

export type RegistrationSettings = ReturnType<typeof readRegistrationSettings>;

/** @throws ObserverError `CONFIGURATION_ERROR` for a malformed entry: it fails closed. */
export const readRegistrationSettings = memoizeBySettings((source) => ({
  redirects: readSetting(source, "ALLOWED_REDIRECT_HOSTS").flatMap((rule): RedirectRule[] =>
    rule.kind === "n8n" ? n8nCallbacks(source) : [rule],
  ),
  /** Hosts whose documents may describe a client, and addresses of single documents. Empty if documents are off. */
  documentSources: readSetting(source, "CLIENT_ID_DOCUMENTS"),
  /** Whether clients may register by themselves (RFC 7591). */
  isOpen: readSetting(source, "CLIENT_REGISTRATION"),
}));

/** Below n8n's N8N_EDITOR_BASE_URL (n8n 2.40.5, `dist/oauth/oauth.service.js`, `getBaseUrl`). */
const CALLBACK_PATH = "/rest/oauth2-credential/callback";

/**
 * n8n Cloud's address for the codes of all customers (https://github.com/n8n-io/n8n/pull/21808,
 * https://github.com/n8n-io/n8n/issues/23712). Not allowed by default: see docs/decisions.md.
 */
const CLOUD_CALLBACK = "https://oauth.n8n.cloud/oauth2/callback";

/** Whether access goes to any n8n, where it belongs to the person who started the sign-in, not the one who approves it. */
export const isCallbackOfN8n = (uri: string): boolean =>
  uri === CLOUD_CALLBACK || uri.endsWith(CALLBACK_PATH);

/**
 * The OAuth callbacks of every n8n that this server reads: whoever runs that n8n trusts it already. Only these exact
 * addresses, because other paths of the host may be webhooks of anyone's workflows.
 */
function n8nCallbacks(source: SettingsSource): RedirectRule[] {
  // API requests and people may use different addresses.
  const addresses = usableInstances(source).flatMap(({ baseUrl, editorUrl }) => [baseUrl, editorUrl]);
  return [...new Set(addresses)].map((address) => ({ kind: "exact", uri: address + CALLBACK_PATH }));
}
