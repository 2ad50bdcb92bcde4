/**
 * Where n8n's own OAuth client is sent back to, for each n8n that this server reads: whoever runs it trusts it already,
 * and signs in there to read it. The whole address and nothing else of the host: webhooks of anyone's workflows answer
 * there too. Pure.
 */
import { ObserverError } from "../platform/errors.ts";
import { readInstances } from "./instances.ts";
import type { SettingsSource } from "./source.ts";

/**
 * n8n sends `redirect_uris: ["<its address>/rest/oauth2-credential/callback"]` when it registers, and asks for the same
 * (n8n 2.40.5, `dist/oauth/oauth.service.js`, `getBaseUrl`; its address is what it calls `N8N_EDITOR_BASE_URL`).
 */
const CALLBACK_PATH = "/rest/oauth2-credential/callback";

/**
 * On n8n Cloud one address takes the codes of all customers' instances, and hands each to the one that began
 * (https://github.com/n8n-io/n8n/pull/21808, https://github.com/n8n-io/n8n/issues/23712). Not by default: see
 * docs/decisions.md.
 */
const CLOUD_CALLBACK = "https://oauth.n8n.cloud/oauth2/callback";

/** Whether access goes to an n8n, ours or not: there it belongs to whoever began, not to whoever allowed it. */
export const isCallbackOfN8n = (uri: string): boolean =>
  uri === CLOUD_CALLBACK || uri.endsWith(CALLBACK_PATH);

/** None while the settings of an n8n are malformed, which each call then says. */
export function n8nCallbacks(source: SettingsSource): readonly string[] {
  return [...new Set(addressesOf(source).map((address) => address + CALLBACK_PATH))];
}

/** Both that an n8n may have: where this server asks it, and where people open it. */
function addressesOf(source: SettingsSource): string[] {
  try {
    return [...readInstances(source).values()].flatMap(({ baseUrl, editorUrl }) => [baseUrl, editorUrl]);
  } catch (error) {
    if (!(error instanceof ObserverError)) throw error;
    return [];
  }
}
