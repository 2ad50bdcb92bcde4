/** `ALLOWED_REDIRECT_HOSTS`: where codes may be sent. Pure. */

/** One rule of the allow list. A redirect URI that matches any of them may be used. */
export type RedirectRule =
  /** `http` on a loopback host, any port and path (RFC 8252 §7.3). */
  | { readonly kind: "loopback" }
  /** `https` on this host (with its port, if it names one), any path. */
  | { readonly kind: "host"; readonly host: string }
  /** This URI, character for character. */
  | { readonly kind: "exact"; readonly uri: string }
  /** Any URI of this prefix, which ends with a slash, and one plain path segment. */
  | { readonly kind: "segment"; readonly prefix: string };

/** A rule as written in the setting: `n8n` stands for the callbacks of every n8n that this server reads. */
export type WrittenRule = RedirectRule | { readonly kind: "n8n" };

/**
 * Callbacks of well-known clients, from their documentation or registrations. Those that run on the user's own computer
 * use `loopback`, according to their sources: Codex (`http://127.0.0.1:<port>/callback/<id>`,
 * openai/codex `codex-rs/rmcp-client/src/perform_oauth_login.rs`), Goose (`http://127.0.0.1:<port>/oauth_callback`,
 * block/goose `crates/goose/src/oauth/mod.rs`), Zed (`http://127.0.0.1:<port>/callback`, zed-industries/zed
 * `crates/context_server/src/oauth.rs`), Gemini CLI (`http://localhost:<port>/oauth/callback`,
 * google-gemini/gemini-cli `packages/core/src/mcp/oauth-provider.ts`).
 *
 * Callbacks that the tenants of a service share are left out, because one tenant could send another a link to approve.
 * Copilot Studio's is one (`https://global.consent.azure-apim.net/redirect/<connector>`): see docs/clients.md.
 */
export const DEFAULT_REDIRECTS = [
  "loopback",
  "n8n",
  // Claude
  "https://claude.ai/api/mcp/auth_callback",
  "https://claude.com/api/mcp/auth_callback",
  // ChatGPT: all connectors, each connector, and the review of apps
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
  // Postman: https://www.postman.com/.well-known/oauth/client-metadata.json. Its page hands the code to the app.
  "https://oauth.pstmn.io/v1/callback",
  "https://oauth.pstmn.io/v1/browser-callback",
] as const;

/** The rules of one entry; `default` means the built-in list. `undefined` when the entry is malformed. */
export function parseRedirects(entry: string): readonly WrittenRule[] | undefined {
  if (entry === "default") return defaultRedirectRules;
  const rule = toRule(entry);
  return rule === undefined ? undefined : [rule];
}

function toRule(entry: string): WrittenRule | undefined {
  if (entry === "loopback" || entry === "n8n") return { kind: entry };
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

/** True for a host of two labels or more, with or without a port, spelled as the URL parser does. */
export function isHost(entry: string): boolean {
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)+(:\d+)?$/.test(entry)) return false;
  return URL.parse(`https://${entry}/`)?.host === entry;
}

export const defaultRedirectRules: readonly WrittenRule[] = DEFAULT_REDIRECTS.flatMap(
  (entry) => toRule(entry) ?? [],
);
