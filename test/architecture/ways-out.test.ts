/**
 * The server only reads, and reaches out in few places: every mention in the source of something that could reach out is
 * listed in `explained-ways-out.ts`. A new mention fails, and so does a stale entry. `bundle-ways-out.test.ts` checks the
 * deployed bundle in the same way.
 */
import { describe, expect, test } from "vitest";
import { expected, LIBRARIES, OURS, tally } from "./explained-ways-out.ts";
import { readSourceFiles } from "./source-imports.ts";
import { waysOutOf } from "./ways-out.ts";

test("the source reaches out only where it is explained", async () => {
  const files = await readSourceFiles();
  const ways = files.flatMap(({ path, text }) =>
    waysOutOf(text, path.endsWith("x") ? "tsx" : "ts").map(({ what }) => ({ where: `src/${path}`, what })),
  );
  // Imports of libraries are checked by `imports.test.ts`.
  const isOfThisTable = ({ what }: { what: string }): boolean => !/^import (?!node:|cloudflare:)/.test(what);
  expect(tally(ways.filter(isOfThisTable))).toEqual(expected(OURS));
  for (const { why } of [...OURS, ...LIBRARIES]) expect(why.length).toBeGreaterThan(5);
});

test("the OAuth library can fetch nothing but the keys of the configured provider", async () => {
  const code = (await readSourceFiles()).map(({ text }) => text).join("\n");
  expect(code).toContain("new OAuthAuthorizationServer");
  expect(code).not.toContain("clientIdMetadataDocumentEnabled");
  expect(code.match(/jwksUri: [\w.]+/g)).toEqual(["jwksUri: provider.jwks_uri"]);
});

test("the OpenID library makes requests only through our own fetch", async () => {
  const files = (await readSourceFiles()).filter(({ text }) => text.includes('from "oauth4webapi"'));
  const code = files.map(({ text }) => text.replace(/^import[\s\S]*?;$/gm, "")).join("\n");
  const requests = code.match(/\b(?:\w+Request|validateApplicationLevelSignature)\([^;]*/g) ?? [];
  expect(requests.length).toBeGreaterThan(3);
  for (const request of requests) expect(request).toMatch(/\b(?:options|requestOptions\(oidc\))[,)\s]/);
  expect(code).toContain("[customFetch]: fetchFromProvider");
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

  test("types are no way out, but a form of a page is", () => {
    expect(waysOutOf('import type { A } from "node:net"; interface B { fetch(): void }', "ts")).toEqual([]);
    expect(waysOutOf('const page = <form method="post" />', "tsx")).toMatchObject([{ what: "method POST" }]);
  });
});
