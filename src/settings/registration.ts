/** Which clients may register: where codes may be sent, and whose metadata documents are read. */
import { n8nCallbacks } from "./n8n-callbacks.ts";
import { fail, keepingLast, listOf, type SettingsSource, text } from "./source.ts";

/** One rule of the allow list. A redirect URI that matches any of them may be used. */
export type RedirectRule =
  /** `http` on a loopback host, any port and path (RFC 8252 §7.3). */
  | { readonly kind: "loopback" }
  /** `https` on this host (with its port, if it names one), any path. */
  | { readonly kind: "host"; readonly host: string }
  /** This URI, character for character. */
  | { readonly kind: "exact"; readonly uri: string }
  /** Whatever begins like this, which ends with a slash, and has one plain path segment more. */
  | { readonly kind: "segment"; readonly prefix: string };

export interface RegistrationSettings {
  readonly redirects: readonly RedirectRule[];
  /** Hosts whose documents may stand for a client. None: documents are off. */
  readonly documentHosts: readonly string[];
}

const REDIRECTS = "ALLOWED_REDIRECT_HOSTS";
const DOCUMENTS = "CLIENT_ID_DOCUMENTS";

/** The callbacks of each n8n that this server reads. */
const OWN_N8N = "n8n";

/**
 * Callbacks of well-known clients, as their makers document them or their registrations name them. What runs on the
 * person's own computer is `loopback`, as the source of each says: Codex (`http://127.0.0.1:<port>/callback/<id>`,
 * openai/codex `codex-rs/rmcp-client/src/perform_oauth_login.rs`), Goose (`http://127.0.0.1:<port>/oauth_callback`,
 * block/goose `crates/goose/src/oauth/mod.rs`), Zed (`http://127.0.0.1:<port>/callback`, zed-industries/zed
 * `crates/context_server/src/oauth.rs`), Gemini CLI (`http://localhost:<port>/oauth/callback`,
 * google-gemini/gemini-cli `packages/core/src/mcp/oauth-provider.ts`).
 */
export const DEFAULT_REDIRECTS = [
  "loopback",
  OWN_N8N,
  // Claude
  "https://claude.ai/api/mcp/auth_callback",
  "https://claude.com/api/mcp/auth_callback",
  // ChatGPT: the one of all connectors, the one of each connector, and that of the review of apps.
  "https://chatgpt.com/connector_platform_oauth_redirect",
  "https://chatgpt.com/connector/oauth/*",
  "https://platform.openai.com/apps-manage/oauth",
  // Visual Studio Code
  "https://vscode.dev/redirect",
  "https://insiders.vscode.dev/redirect",
  // Cursor
  "https://www.cursor.com/agents/mcp/oauth/callback",
  "https://www.cursor.com/bot/mcp/oauth/callback",
  // Le Chat
  "https://callback.mistral.ai/v1/integrations_auth/oauth2_callback",
  // Perplexity
  "https://www.perplexity.ai/rest/connections/oauth_callback",
  "https://enterprise.perplexity.ai/rest/connections/oauth_callback",
  // Grok
  "https://grok.com/connectors-oauth-exchange-code/",
  // Microsoft Copilot Studio: one of each connector (https://github.com/Teamwork/mcp/issues/67,
  // https://github.com/pantalytics/odoo-mcp-pro/pull/57).
  "https://global.consent.azure-apim.net/redirect/*",
  // Postman: https://www.postman.com/.well-known/oauth/client-metadata.json. Its page hands the code to the app.
  "https://oauth.pstmn.io/v1/callback",
  "https://oauth.pstmn.io/v1/browser-callback",
] as const;

/**
 * Which clients may register.
 * @throws ObserverError `CONFIGURATION_ERROR` for a malformed entry: it fails closed.
 */
export const readRegistrationSettings = keepingLast((source): RegistrationSettings => {
  return { redirects: readRedirects(source), documentHosts: readDocumentHosts(source) };
});

/** The word `default` stands for the built-in list: without it, the setting replaces that list. */
function readRedirects(source: SettingsSource): RedirectRule[] {
  const entries = text(source, REDIRECTS) === undefined ? ["default"] : listOf(source, REDIRECTS);
  const expanded = entries.flatMap((entry) => (entry === "default" ? DEFAULT_REDIRECTS : [entry]));
  const written = expanded.filter((entry) => entry !== OWN_N8N);
  const rules = written.flatMap((entry) => toRedirectRule(entry) ?? []);
  if (rules.length !== written.length || expanded.length === 0) {
    fail(
      REDIRECTS,
      "has a malformed entry",
      'List hosts (agents.example.com), whole callbacks (https://agents.example.com/callback; a last segment "*" is any one segment), "loopback", "n8n" for the callback of your own n8n, or "default" for the built-in list, separated by commas.',
    );
  }
  const ofOwnN8n = expanded.includes(OWN_N8N) ? n8nCallbacks(source) : [];
  return [...rules, ...ofOwnN8n.map((uri): RedirectRule => ({ kind: "exact", uri }))];
}

function toRedirectRule(entry: string): RedirectRule | undefined {
  if (entry === "loopback") return { kind: "loopback" };
  if (!entry.includes("/")) return isHost(entry) ? { kind: "host", host: entry } : undefined;
  const isOpen = entry.endsWith("/*");
  const uri = isOpen ? entry.slice(0, -1) : entry;
  const url = URL.parse(uri);
  // A URL that the parser writes differently would match nothing, or something unexpected.
  if (url?.protocol !== "https:" || url.href !== uri || url.username !== "" || url.password !== "") {
    return undefined;
  }
  if (/[#*]/.test(uri) || (isOpen && url.search !== "")) return undefined;
  return isOpen ? { kind: "segment", prefix: uri } : { kind: "exact", uri };
}

/** A host of two labels or more, with or without a port; lower case, as a URL has it. */
function isHost(entry: string): boolean {
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?$/.test(entry)) return false;
  return URL.parse(`https://${entry}/`)?.host === entry;
}

function readDocumentHosts(source: SettingsSource): string[] {
  if (text(source, DOCUMENTS)?.toLowerCase() === "off") return [];
  const hosts = listOf(source, DOCUMENTS);
  if (!hosts.every((host) => isHost(host) && !/[:]|\.\d+$/.test(host))) {
    fail(
      DOCUMENTS,
      "has an entry that is no host",
      "List hosts such as claude.ai, without scheme, port or path, separated by commas; or set it to off, the default.",
    );
  }
  return hosts;
}
