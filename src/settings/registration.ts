/** Which clients may register: where codes may be sent, and whose metadata documents are read. */
import { unlessFailed } from "../platform/errors.ts";
import { readInstances } from "./instances.ts";
import type { RedirectRule } from "./redirect-rules.ts";
import { memoizeBySettings, readSetting, type SettingsSource } from "./source.ts";

export interface RegistrationSettings {
  readonly redirects: readonly RedirectRule[];
  /** Hosts whose documents may describe a client, and addresses of single documents. Empty: documents are off. */
  readonly documentSources: readonly string[];
  /** Whether clients may register by themselves (RFC 7591). */
  readonly isOpen: boolean;
}

/** Which clients may register. @throws ObserverError `CONFIGURATION_ERROR` for a malformed entry: it fails closed. */
export const readRegistrationSettings = memoizeBySettings(
  (source): RegistrationSettings => ({
    redirects: readSetting(source, "ALLOWED_REDIRECT_HOSTS").flatMap((rule) =>
      rule.kind === "n8n" ? n8nCallbacks(source) : [rule],
    ),
    documentSources: readSetting(source, "CLIENT_ID_DOCUMENTS"),
    isOpen: readSetting(source, "CLIENT_REGISTRATION"),
  }),
);

/**
 * n8n sends `redirect_uris: ["<its address>/rest/oauth2-credential/callback"]` when it registers, and asks for the same
 * (n8n 2.40.5, `dist/oauth/oauth.service.js`, `getBaseUrl`; its address is what it calls `N8N_EDITOR_BASE_URL`).
 */
const CALLBACK_PATH = "/rest/oauth2-credential/callback";

/**
 * On n8n Cloud one address receives the codes of all customers' instances and forwards each to the one that began
 * (https://github.com/n8n-io/n8n/pull/21808, https://github.com/n8n-io/n8n/issues/23712). Not by default: see
 * docs/decisions.md.
 */
const CLOUD_CALLBACK = "https://oauth.n8n.cloud/oauth2/callback";

/** Whether access goes to an n8n, ours or not: it then belongs to whoever started the sign-in, not to whoever approves it. */
export const isCallbackOfN8n = (uri: string): boolean =>
  uri === CLOUD_CALLBACK || uri.endsWith(CALLBACK_PATH);

/**
 * The callbacks of the OAuth clients of each n8n that this server reads: whoever runs that n8n trusts it already,
 * and signs in there to read it. The whole address and nothing else of the host: webhooks of anyone's workflows answer
 * there too. Empty while the settings of an n8n are malformed, which every call then reports.
 */
function n8nCallbacks(source: SettingsSource): RedirectRule[] {
  const instances = unlessFailed(
    () => [...readInstances(source).values()],
    () => [],
  );
  // The address for API requests, and the one that people open.
  const addresses = instances.flatMap(({ baseUrl, editorUrl }) => [baseUrl, editorUrl]);
  return [...new Set(addresses)].map((address) => ({ kind: "exact", uri: address + CALLBACK_PATH }));
}
