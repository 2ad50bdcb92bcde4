/**
 * Imports run one way, and a library stays in its places: this table says how. A place is a folder of
 * `src`, or a single file. `index.ts` wires everything and may import everything.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { importsOf, readSourceFiles, type SourceFile, type SourceImport } from "./source-imports.ts";

interface Allowance {
  /** Folders with a slash at the end, or single files. */
  readonly imports: readonly string[];
  /** Besides these, only their types, which leave nothing at run time. */
  readonly types?: readonly string[];
}

const PLACES: Record<string, Allowance> = {
  "errors.ts": { imports: [] },
  "settings.ts": { imports: ["errors.ts", "settings/"] },
  // Keys and patterns of redaction are checked by what is going to use them,
  // and the addresses of the allow list read as those of the people are.
  "settings/": {
    imports: ["errors.ts", "redaction/custom-patterns.ts", "redaction/key-rules.ts", "auth/email-address.ts"],
  },
  // What knows nothing of n8n, of MCP or of this server.
  "platform/": { imports: [] },
  "json/": { imports: [] },
  "redaction/": { imports: [] },
  // The client's side of it knows how a turn is taken; who shares the limits stands in the settings.
  "n8n-budget/": { imports: ["settings.ts", "errors.ts", "n8n/capabilities/"], types: ["n8n/turn.ts"] },
  "n8n/": { imports: ["json/", "errors.ts"], types: ["settings.ts"] },
  "executions/": { imports: ["json/omitted.ts"], types: ["n8n/schemas.ts", "n8n/read-plans.ts"] },
  // What a reader left out, how a stranger's name is shown, and what is a mark.
  "workflows/": {
    imports: ["json/omitted.ts", "executions/display-name.ts", "redaction/marks.ts"],
    types: ["n8n/schemas.ts", "n8n/workflow-schemas.ts"],
  },
  // What is a mark, and what may be shown.
  "trace/": { imports: ["platform/", "n8n/", "json/", "executions/", "errors.ts", "redaction/marks.ts"] },
  "mcp/": {
    imports: ["redaction/", "errors.ts", "executions/nearest-names.ts"],
    types: [
      "settings.ts",
      "n8n/capabilities/store.ts",
      "n8n/client.ts",
      "n8n/n8n-urls.ts",
      "trace/",
      "audit/entry.ts",
    ],
  },
  "tools/": {
    imports: [
      "platform/",
      "trace/",
      "executions/",
      "workflows/",
      "n8n/",
      "n8n-budget/take-turn.ts",
      "n8n-budget/instance-capabilities.ts",
      "json/",
      "settings.ts",
      "errors.ts",
      // What is a mark.
      "redaction/marks.ts",
      "mcp/define-tool.ts",
      // A text that must not be shortened is cut into pages by who knows where.
      "mcp/token-estimate.ts",
    ],
  },
  // The one place where the tools meet the server.
  "tools/endpoint.ts": {
    imports: ["settings.ts", "mcp/handler.ts", "audit/"],
    types: ["mcp/define-tool.ts"],
  },
  "auth/": { imports: ["settings.ts", "errors.ts", "pages/", "audit/"] },
  "audit/": { imports: ["errors.ts", "settings.ts"], types: ["trace/execution-memory.ts"] },
  "operator/": { imports: ["settings.ts", "errors.ts", "audit/", "auth/"] },
  "pages/": { imports: ["settings.ts", "errors.ts"] },
};

const EVERYWHERE = [""];

/** Where a library may be used. One that is not here may not be used at all. */
const LIBRARIES: Record<string, readonly string[]> = {
  zod: EVERYWHERE,
  hono: ["index.ts", "auth/", "pages/"],
  "@cloudflare/workers-oauth-provider": ["index.ts", "auth/", "operator/"],
  "@modelcontextprotocol/server": ["index.ts", "mcp/", "tools/endpoint.ts"],
  agents: ["index.ts", "mcp/", "tools/endpoint.ts"],
  "fastest-levenshtein": ["executions/nearest-names.ts"],
  yaml: ["workflows/atdf/"],
  "node:crypto": ["auth/", "pages/", "trace/correlation-digest.ts", "audit/request-id-digest.ts"],
  "cloudflare:workers": [
    ...["tools/endpoint.ts", "trace/trace-session.ts", "auth/passphrase-lock.ts"],
    ...["auth/oidc/user-ids.ts", "auth/registration/registration-gate.ts"],
    "auth/tokens/grant-ledger.ts",
    ...["auth/revoked-grants.ts", "auth/token-exchange.ts", "audit/audit-log.ts", "audit/record.ts"],
    "n8n-budget/n8n-budget.ts",
  ],
  oauth4webapi: ["auth/oidc/"],
};

const WIRING = "index.ts";
const FETCHES = ["auth/oidc/provider-fetch.ts", "auth/registration/fetch-document.ts", "n8n/client.ts"];
/** A call of the global, not of a method or of a property. */
const GLOBAL_FETCH = /(?<![\w.$])(?:globalThis\.|self\.)?fetch\s*\(/;

function isWithin(path: string, places: readonly string[]): boolean {
  return places.some(
    (place) => path === place || ((place === "" || place.endsWith("/")) && path.startsWith(place)),
  );
}

function placeOf(file: string): string {
  if (file in PLACES) return file;
  const end = file.indexOf("/");
  return end < 0 ? file : file.slice(0, end + 1);
}

function isAllowed({ file, target, isLibrary, isTypeOnly }: SourceImport): boolean {
  if (isLibrary) return isWithin(file, LIBRARIES[target] ?? []);
  if (file === WIRING) return true;
  const place = placeOf(file);
  if (placeOf(target) === place || (place === "tools/endpoint.ts" && target.startsWith("tools/")))
    return true;
  const allowance = PLACES[place];
  if (allowance === undefined) return false;
  const types = isTypeOnly ? (allowance.types ?? []) : [];
  return isWithin(target, [...allowance.imports, ...types]);
}

describe("imports run one way", () => {
  let files: SourceFile[] = [];

  beforeAll(async () => {
    files = await readSourceFiles();
  });

  test("each file imports only what its place may", () => {
    const imports = files.flatMap(importsOf);
    const forbidden = imports
      .filter((each) => !isAllowed(each))
      .map(({ file, target, isTypeOnly }) => `${file} imports ${target}${isTypeOnly ? " (types)" : ""}`);
    expect(imports.length).toBeGreaterThan(files.length);
    expect(forbidden).toEqual([]);
  });

  test("each place is in the table", () => {
    const unknown = files
      .map(({ path }) => placeOf(path))
      .filter((place) => !(place in PLACES) && place !== WIRING);
    expect([...new Set(unknown)]).toEqual([]);
  });

  test("only the n8n client fetches, what reads a client's document, and the one way to the OpenID provider", () => {
    const fetching = files
      .filter(({ text }) => GLOBAL_FETCH.test(withoutComments(text)))
      .map(({ path }) => path);
    expect(fetching.sort()).toEqual(FETCHES);
  });

  test("zod is imported as a namespace, which keeps the bundle small", () => {
    const wrong = files.filter(({ text }) => /import\s*(?:type\s*)?\{[^}]*\}\s*from "zod"/.test(text));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});

describe("reading imports", () => {
  const read = (text: string) => importsOf({ path: "trace/scan.ts", text })[0];

  test.each([
    [
      'import type { A } from "../n8n/client.ts";',
      { target: "n8n/client.ts", isTypeOnly: true, isLibrary: false },
    ],
    ['import {\n  type A,\n  type B,\n} from "./a.ts";', { target: "trace/a.ts", isTypeOnly: true }],
    ['import { type A, b } from "./a.ts";', { target: "trace/a.ts", isTypeOnly: false }],
    ['export { A } from "../errors.ts";', { target: "errors.ts", isTypeOnly: false }],
    ['import * as z from "zod";', { target: "zod", isLibrary: true, isTypeOnly: false }],
    ['import { A } from "@scope/name/deep";', { target: "@scope/name", isLibrary: true }],
    ['import { A } from "cloudflare:workers";', { target: "cloudflare:workers", isLibrary: true }],
    ['import "./side-effect.ts";', { target: "trace/side-effect.ts", isTypeOnly: false }],
    ['const a = await import("../mcp/handler.ts");', { target: "mcp/handler.ts", isTypeOnly: false }],
  ])("%s", (text, expected) => {
    expect(read(text)).toMatchObject(expected);
  });

  test("a forbidden import is seen", () => {
    const at = (file: string, target: string, isTypeOnly = false) =>
      isAllowed({ file, target, isTypeOnly, isLibrary: !target.endsWith(".ts") });
    expect(at("n8n/client.ts", "trace/scan.ts")).toBe(false);
    expect(at("tools/get-execution.ts", "mcp/handler.ts")).toBe(false);
    expect(at("executions/links.ts", "n8n/client.ts", true)).toBe(false);
    expect(at("executions/links.ts", "n8n/schemas.ts")).toBe(false);
    expect(at("executions/links.ts", "n8n/schemas.ts", true)).toBe(true);
    expect(at("trace/scan.ts", "hono")).toBe(false);
    expect(at("mcp/server.ts", "lodash")).toBe(false);
  });
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:])\/\/.*$/gm, "$1");
}
