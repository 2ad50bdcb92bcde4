/** Every mention, in the source and in the bundle, of something that could reach out, with its reason. */

interface Explained {
  /** A source file or a package. */
  readonly where: string;
  /** Way out → number of mentions. */
  readonly ways: Readonly<Record<string, number>>;
  readonly why: string;
}

export const OURS: readonly Explained[] = [
  {
    where: "src/n8n/requests.ts",
    ways: { fetch: 1, ".fetch": 1, "method GET": 1 },
    why: "The one way to n8n: the platform's `fetch`, or a test's, is called in one place, with GET.",
  },
  {
    where: "src/sign-in/oidc/provider-fetch.ts",
    ways: { fetch: 1 },
    why: "The one way to the OpenID provider: its metadata, its keys, the exchange of a code, and the user's profile.",
  },
  {
    where: "src/index.ts",
    ways: { ".fetch": 2 },
    why: "Hands a request that came in to our own routes and to the roles of the OAuth library, in this Worker.",
  },
  ...[
    "src/sign-in/registration/document-clients.ts",
    "src/sign-in/registration/register-client.ts",
    "src/sign-in/tokens/serve-token.ts",
  ].map((where) => ({
    where,
    ways: { ".fetch": 1 },
    why: "The same, for three of its endpoints.",
  })),
  {
    where: "src/mcp/handler.ts",
    ways: { ".fetch": 1 },
    why: "The MCP library's handler, in this Worker.",
  },
  {
    where: "src/sign-in/registration/fetch-document.ts",
    ways: { fetch: 1, "method GET": 1 },
    why: "A client's metadata document, if CLIENT_ID_DOCUMENTS lists its host: it follows no redirect and sends nothing of ours.",
  },
  {
    where: "src/sign-in/serve-protected.ts",
    ways: { ".fetch": 1 },
    why: "The same, for the protected resource.",
  },
  ...[
    ...["src/pages/consent.tsx", "src/pages/page-sign-in.tsx"],
    ...["src/pages/app/data-switch.tsx", "src/pages/app/frame.tsx"],
  ].map((where) => ({
    where,
    ways: { "method POST": 1 },
    why: "A form of one of our pages, to ourselves.",
  })),
  {
    where: "src/sign-in/page/sign-in-to-page.ts",
    ways: { "import node:crypto": 1, "method POST": 1 },
    why: "Random bytes; a request that our own token endpoint is handed, in this Worker.",
  },
  ...[
    "src/sign-in/registration/registration-gate.ts",
    "src/n8n/limiter/n8n-limiter.ts",
    ...["src/activity-log/activity-log.ts", "src/activity-log/record.ts"],
    "src/sign-in/public-origin.ts",
    "src/sign-in/tokens/grant-ledger.ts",
    ...["src/sign-in/token-exchange.ts", "src/wiring/endpoint.ts"],
    ...["src/wiring/history-index.ts", "src/wiring/spans.ts"],
  ].map((where) => ({
    where,
    ways: { "import cloudflare:workers": 1 },
    why: "Durable Objects of ours, `env` (the bindings below), `waitUntil`, and the platform's traces.",
  })),
  ...["src/sign-in/oidc/user-ids.ts", "src/sign-in/passphrase-lock.ts"].map((where) => ({
    where,
    ways: { "import cloudflare:workers": 1, "import node:crypto": 1 },
    why: "A Durable Object of ours; an HMAC.",
  })),
  ...[
    ...["src/activity-log/request-id-digest.ts", "src/platform/sha256.ts"],
    ...["src/sign-in/same-secret.ts", "src/history/request-ids/correlation-digest.ts"],
  ].map((where) => ({
    where,
    ways: { "import node:crypto": 1 },
    why: "Hashes.",
  })),
];

export const LIBRARIES: readonly Explained[] = [
  {
    where: "@cloudflare/workers-oauth-provider",
    ways: { fetch: 2, ".fetch": 12, "import cloudflare:workers": 1 },
    why: "`fetch`: metadata documents as client ids, which is off, see below; and the keys of the organisation's provider, where enterprise-managed authorization is on. `.fetch`: handlers in this Worker.",
  },
  {
    where: "@modelcontextprotocol/server",
    ways: { ".connect": 4, Function: 1, globalThis: 1, self: 5 },
    why: "Connects a server to a transport in memory; `Function.prototype`, `crypto` and our own origin.",
  },
  {
    where: "agents",
    ways: { ".connect": 1, ".fetch": 2, "import node:async_hooks": 1 },
    why: "The same, and handlers in this Worker.",
  },
  {
    where: "hono",
    ways: { ".fetch": 2, globalThis: 1 },
    why: "Its own entry point; looks for AsyncLocalStorage.",
  },
  {
    where: "oauth4webapi",
    ways: { fetch: 4, ".fetch": 1, "method GET": 2, "method POST": 1, navigator: 1 },
    why: "`fetch`: only where it is given none; it is always given ours, see below. Looks for the runtime's name.",
  },
  {
    where: "zod",
    ways: { Function: 2, globalThis: 5, navigator: 1 },
    why: "Compiles schemas where code may be made from text, which a Worker forbids; its global registry.",
  },
];

/** Counts the mentions of each way out in each place. */
export function tally(ways: readonly { readonly where: string; readonly what: string }[]) {
  const counts: Record<string, Record<string, number>> = {};
  for (const { where, what } of ways) {
    counts[where] ??= {};
    counts[where][what] = (counts[where][what] ?? 0) + 1;
  }
  return counts;
}

/** The tally that a list explains. */
export const expected = (list: readonly Explained[]) =>
  Object.fromEntries(list.map(({ where, ways }) => [where, ways]));
