/**
 * Read-only, and one way out: every mention in the source and in the built bundle of something that could
 * reach out is in the list below, with its reason. One that is new fails, and so does one that is gone.
 */
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WRANGLER, wranglerEnvironment } from "../../scripts/dev-server/wrangler.ts";
import { projectDirectory } from "../../scripts/project.ts";
import { readSourceFiles } from "./source-imports.ts";
import { waysOutOf } from "./ways-out.ts";

interface Explained {
  /** A file of ours, or a package. */
  readonly where: string;
  /** What → how often. */
  readonly ways: Readonly<Record<string, number>>;
  readonly why: string;
}

const OURS: readonly Explained[] = [
  {
    where: "src/n8n/requests.ts",
    ways: { fetch: 1, ".fetch": 1, "method GET": 1 },
    why: "The one way to n8n: the platform's `fetch`, or a test's, is called in one place, with GET.",
  },
  {
    where: "src/sign-in/oidc/provider-fetch.ts",
    ways: { fetch: 1 },
    why: "The one way to the OpenID provider: its metadata, its keys, a code for a token, and who somebody is.",
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
    ...["src/activity-log/request-id-digest.ts", "src/sign-in/digest.ts"],
    ...["src/pages/respond.ts", "src/history/request-ids/correlation-digest.ts"],
  ].map((where) => ({
    where,
    ways: { "import node:crypto": 1 },
    why: "Hashes.",
  })),
];

const LIBRARIES: readonly Explained[] = [
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

const TIMEOUT_MS = 120_000;

function tally(ways: readonly { readonly where: string; readonly what: string }[]) {
  const counts: Record<string, Record<string, number>> = {};
  for (const { where, what } of ways) {
    counts[where] ??= {};
    counts[where][what] = (counts[where][what] ?? 0) + 1;
  }
  return counts;
}

const expected = (list: readonly Explained[]) =>
  Object.fromEntries(list.map(({ where, ways }) => [where, ways]));

test("the source reaches out only where it is explained", async () => {
  const files = await readSourceFiles();
  const ways = files.flatMap(({ path, text }) =>
    waysOutOf(text, path.endsWith("x") ? "tsx" : "ts").map(({ what }) => ({ where: `src/${path}`, what })),
  );
  // Which file may import which library is told by the other table.
  const isOfThisTable = ({ what }: { what: string }): boolean => !/^import (?!node:|cloudflare:)/.test(what);
  expect(tally(ways.filter(isOfThisTable))).toEqual(expected(OURS));
  for (const { why } of [...OURS, ...LIBRARIES]) expect(why.length).toBeGreaterThan(5);
});

test("of what the OAuth library would fetch, only keys of the configured provider are left", async () => {
  const code = (await readSourceFiles()).map(({ text }) => text).join("\n");
  expect(code).toContain("new OAuthAuthorizationServer");
  expect(code).not.toContain("clientIdMetadataDocumentEnabled");
  expect(code.match(/jwksUri: [\w.]+/g)).toEqual(["jwksUri: provider.jwks_uri"]);
});

test("the OpenID library makes no request but through our way to the provider", async () => {
  const files = (await readSourceFiles()).filter(({ text }) => text.includes('from "oauth4webapi"'));
  const code = files.map(({ text }) => text.replace(/^import[\s\S]*?;$/gm, "")).join("\n");
  const requests = code.match(/\b(?:\w+Request|validateApplicationLevelSignature)\([^;]*/g) ?? [];
  expect(requests.length).toBeGreaterThan(3);
  for (const request of requests) expect(request).toMatch(/\b(?:options|requestOptions\(oidc\))[,)\s]/);
  expect(code).toContain("[customFetch]: fetchFromProvider");
});

describe("the bundle that is deployed", () => {
  let directory: string;
  let output = "";
  let bundle = "";

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "n8n-observer-bundle-"));
    const wrangler = spawn(process.execPath, [WRANGLER, "deploy", "--dry-run", "--outdir", directory], {
      cwd: projectDirectory,
      env: wranglerEnvironment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [wrangler.stdout, wrangler.stderr])
      stream?.on("data", (chunk: Buffer) => {
        output += chunk.toString();
      });
    const code = await new Promise((resolve) => wrangler.once("close", resolve));
    expect(code, output).toBe(0);
    bundle = await readFile(join(directory, "index.js"), "utf8");
  }, TIMEOUT_MS);
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  /** esbuild writes the path of each module above it. */
  function modules(): { at: number; where: string }[] {
    return [...bundle.matchAll(/^\/\/ ((?:node_modules|src)\/\S+\.\w+)$/gm)].map(
      ({ index, 1: path = "" }) => ({
        at: index,
        where: path.replace(/^node_modules\/((?:@[^/]+\/)?[^/]+)\/.*$/, "$1"),
      }),
    );
  }

  test("reaches out only where it is explained", () => {
    const all = modules();
    expect(all.length).toBeGreaterThan(100);
    const whereOf = (at: number): string => all.findLast((module) => module.at <= at)?.where ?? "before all";
    const ways = waysOutOf(bundle, "js").map(({ what, at }) => ({ where: whereOf(at), what }));
    expect(tally(ways)).toEqual(expected([...OURS, ...LIBRARIES]));
  });

  test("is given no binding that leads elsewhere", () => {
    const bindings = [...output.matchAll(/^env\.(\w+)(?: \(([^)]*)\))?\s+(\S.*?)\s*$/gm)].map(
      ([, name, , kind]) => `${name}: ${kind}`,
    );
    expect(bindings.sort()).toEqual([
      "ACTIVITY_LOG: Durable Object",
      "CALL_LIMIT: Rate Limit",
      "GRANT_LEDGER: Durable Object",
      "HISTORY_INDEX: Durable Object",
      "N8N_LIMITER: Durable Object",
      "OAUTH_KV: KV Namespace",
      "OPERATOR_CALLS: Rate Limit",
      "PASSPHRASE_LOCK: Durable Object",
      "PUBLIC_ADDRESS: Durable Object",
      "REGISTRATION_GATE: Durable Object",
      "USER_IDS: Durable Object",
    ]);
  });
});

describe("finding ways out", () => {
  test.each<[string, string[]]>([
    ['fetch("https://x.test")', ["fetch"]],
    ["const f = fetch; f(url)", ["fetch"]],
    ["globalThis.fetch(url)", ["globalThis", ".fetch"]],
    ['globalThis["fetch"](url)', ["globalThis", ".fetch"]],
    ["const { fetch: f } = self", ["self"]],
    ["env.OTHER.fetch(url)", [".fetch"]],
    ["new WebSocket(url)", ["WebSocket"]],
    ["new XMLHttpRequest()", ["XMLHttpRequest"]],
    ["new EventSource(url)", ["EventSource"]],
    ["navigator.sendBeacon(url)", ["navigator", ".sendBeacon"]],
    ['import { connect } from "cloudflare:sockets"', ["import cloudflare:sockets"]],
    ['import net from "node:net"', ["import node:net"]],
    ['export * from "node:https"', ["import node:https"]],
    ['await import("node:tls")', ["import() node:tls"]],
    ["await import(name)", ["import() of what is computed"]],
    ['require("http")', ["require"]],
    ['eval("fetch()")', ["eval"]],
    ["new Function(text)", ["Function"]],
    ['send(url, { method: "delete" })', ["method DELETE"]],
    ['send(url, { "method": "PATCH" })', ["method PATCH"]],
    ["// fetch(url)", []],
    ['const text = "fetch(url)"', []],
    ["const handler = { async fetch(request) {} }", []],
    ['notify({ method: "notifications/progress" })', []],
  ])("%s", (text, ways) => {
    expect(
      waysOutOf(text, "js")
        .map(({ what }) => what)
        .sort(),
    ).toEqual([...ways].sort());
  });

  test("in types, there are none; in a page, forms are", () => {
    expect(waysOutOf('import type { A } from "node:net"; interface B { fetch(): void }', "ts")).toEqual([]);
    expect(waysOutOf('const page = <form method="post" />', "tsx")).toMatchObject([{ what: "method POST" }]);
  });
});
