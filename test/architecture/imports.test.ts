/**
 * Imports run one way, and a library is used only where this table allows it. A place is a folder of
 * `src`. `index.ts` wires everything together and may import everything.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { importsOf, readSourceFiles, type SourceFile, type SourceImport } from "./source-imports.ts";

interface Allowance {
  /** Folders with a slash at the end, or single files. */
  readonly imports: readonly string[];
  /** Places from which only types may be imported, which leave nothing at run time. */
  readonly types?: readonly string[];
}

/** A place imports only from places above it in this table. */
const PLACES: Record<string, Allowance> = {
  "platform/": { imports: [] },
  "platform/time-limits.ts": { imports: [] },
  "json/": { imports: [] },
  "redaction/": { imports: [] },
  // The redaction settings are validated by the modules that use them.
  "settings/": { imports: ["platform/", "redaction/custom-patterns.ts", "redaction/key-rules.ts"] },
  "pages/": { imports: ["settings/", "platform/"] },
  "activity-log/": { imports: ["settings/", "platform/"] },
  "n8n/": { imports: ["json/", "platform/"], types: ["settings/index.ts"] },
  // The settings say which instances share limits.
  "n8n/limiter/": { imports: ["n8n/", "settings/index.ts", "platform/"] },
  "executions/": {
    // The words with which a tool says that it failed; what redaction hides of a workflow's texts.
    imports: [
      ...["json/omitted.ts", "json/members.ts", "json/path-text.ts", "platform/", "redaction/"],
      ...["n8n/run-order.ts", "n8n/tool-error-words.ts", "n8n/workflow-callers.ts"],
    ],
    types: ["n8n/schemas.ts", "n8n/read-plans.ts", "n8n/execution-outcome.ts"],
  },
  // `json/` for omitted and kept values.
  "workflows/": {
    imports: ["json/omitted.ts", "json/members.ts", "n8n/workflow-callers.ts", "platform/"],
    types: ["n8n/schemas.ts", "n8n/workflow-schemas.ts"],
  },
  // The history of one n8n, from the independent parts up to the queries.
  "history/request-ids/": { imports: ["json/path-text.ts"] },
  "history/report/": { imports: [] },
  // `redaction/marks.ts` recognizes redaction marks.
  "history/payload/": {
    imports: [
      ...["history/request-ids/", "redaction/marks.ts"],
      ...["json/json-walker.ts", "json/members.ts", "json/path-text.ts"],
    ],
    types: ["n8n/"],
  },
  "history/terms/": { imports: ["history/payload/", "redaction/marks.ts", "json/path-text.ts"] },
  "history/store/": {
    imports: ["history/terms/", "history/report/", "executions/execution-facts.ts", "n8n/schemas.ts"],
    types: ["n8n/execution-walk.ts", "n8n/view.ts"],
  },
  "history/reading/": {
    imports: [
      ...["history/store/", "history/terms/", "history/payload/", "history/request-ids/"],
      ...["executions/execution-facts.ts", "n8n/"],
    ],
  },
  "history/resuming/": { imports: ["history/store/"] },
  "history/scan/": {
    imports: ["history/reading/", "history/store/", "history/terms/", "history/payload/", "n8n/"],
    types: ["history/resuming/", "history/request-ids/"],
  },
  "history/trace/": {
    imports: [
      ...["history/scan/", "history/resuming/", "history/reading/", "history/store/", "history/terms/"],
      ...["history/payload/", "history/request-ids/", "n8n/", "json/path-text.ts"],
    ],
    types: ["history/report/"],
  },
  "history/search/": {
    imports: [
      ...["history/scan/", "history/resuming/", "history/reading/", "history/store/", "history/terms/"],
      ...["history/payload/", "history/request-ids/", "json/path-text.ts"],
    ],
  },
  "history/digest/": {
    // How a crashed worker is recognized, and which executions have not ended.
    imports: ["history/scan/", "executions/error-sentence.ts", "n8n/schemas.ts", "history/store/tables.ts"],
    types: ["history/store/", "history/report/", "n8n/"],
  },
  "history/query/": {
    // How a host is stored, which statuses exist, and which of them are not final.
    imports: [
      ...["history/digest/", "history/scan/", "history/store/tables.ts"],
      ...["executions/execution-facts.ts", "n8n/schemas.ts"],
    ],
    types: ["history/store/"],
  },
  "history/": { imports: ["history/"], types: ["n8n/", "executions/closer-look.ts"] },
  // Runs in an MCP host's frame, and is also bundled into our own page.
  "views/": { imports: [] },
  // The pages that show answers draw the same picture as a host.
  "pages/app/": { imports: ["pages/", "views/waterfall/", "platform/"] },
  "mcp/": {
    imports: ["redaction/", "platform/", "views/waterfall-page.ts"],
    types: ["settings/index.ts", "activity-log/entry.ts"],
  },
  "features/": {
    imports: [
      ...["history/", "executions/", "workflows/", "n8n/", "json/", "platform/"],
      // Recognizes a redaction mark.
      "redaction/marks.ts",
      "mcp/define-tool.ts",
      "mcp/define-prompt.ts",
      "mcp/degrade.ts",
    ],
    types: ["settings/index.ts", "mcp/resources.ts", "mcp/rendering/render-answer.ts"],
  },
  "sign-in/": { imports: ["settings/", "platform/", "pages/", "activity-log/"] },
  // Retention times come from the modules that store the data.
  "privacy/": {
    imports: [
      "settings/",
      "platform/",
      "pages/",
      "activity-log/",
      "sign-in/",
      "history/resuming/trace-states.ts",
    ],
  },
  "operator/": { imports: ["settings/", "platform/", "activity-log/", "sign-in/"] },
  // The one place where the tools meet the server.
  "wiring/": {
    imports: [
      ...["features/", "history/", "mcp/", "n8n/", "settings/", "platform/", "activity-log/"],
      "pages/app/addresses.ts",
    ],
    types: ["executions/closer-look.ts"],
  },
};

const EVERYWHERE = [""];
/** Every place may import these. */
const BY_ALL = ["platform/"];

/** Where a library may be used. A library without an entry may not be used at all. */
const LIBRARIES: Record<string, readonly string[]> = {
  zod: EVERYWHERE,
  hono: ["index.ts", "sign-in/", "pages/"],
  "@cloudflare/workers-oauth-provider": ["index.ts", "sign-in/", "operator/"],
  "@modelcontextprotocol/server": ["index.ts", "mcp/", "wiring/endpoint.ts"],
  agents: ["index.ts", "mcp/", "wiring/endpoint.ts"],
  "fastest-levenshtein": ["platform/nearest-names.ts"],
  yaml: ["workflows/atdf/"],
  croner: ["history/digest/schedule.ts"],
  "node:crypto": [
    "sign-in/",
    "history/request-ids/correlation-digest.ts",
    "platform/sha256.ts",
    "activity-log/request-id-digest.ts",
  ],
  "cloudflare:workers": [
    ...["wiring/endpoint.ts", "wiring/history-index.ts", "wiring/spans.ts", "sign-in/passphrase-lock.ts"],
    ...["sign-in/oidc/user-ids.ts", "sign-in/registration/registration-gate.ts"],
    ...["sign-in/tokens/grant-ledger.ts", "sign-in/public-origin.ts"],
    ...["sign-in/token-exchange.ts", "activity-log/activity-log.ts", "activity-log/record.ts"],
    "n8n/limiter/n8n-limiter.ts",
  ],
  oauth4webapi: ["sign-in/oidc/"],
};

const WIRING = "index.ts";
const FETCHES = [
  "n8n/requests.ts",
  // In the browser, and only from this server: the page's policy allows nothing else.
  "pages/app/app-script.ts",
  "sign-in/oidc/provider-fetch.ts",
  "sign-in/registration/fetch-document.ts",
];
/** A call of the global function, not of a method. */
const GLOBAL_FETCH = /(?<![\w.$])(?:globalThis\.|self\.)?fetch\s*\(/;

function isWithin(path: string, places: readonly string[]): boolean {
  return places.some(
    (place) => path === place || ((place === "" || place.endsWith("/")) && path.startsWith(place)),
  );
}

function placeOf(file: string): string {
  const [place = file] = Object.keys(PLACES)
    .filter((known) => isWithin(file, [known]))
    .toSorted((one, other) => other.length - one.length);
  return place;
}

function isAllowed({ file, target, isLibrary, isTypeOnly }: SourceImport): boolean {
  if (isLibrary) return isWithin(file, LIBRARIES[target] ?? []);
  if (file === WIRING) return true;
  const place = placeOf(file);
  if (placeOf(target) === place) return true;
  const allowance = PLACES[place];
  if (allowance === undefined) return false;
  const types = isTypeOnly ? (allowance.types ?? []) : [];
  return isWithin(target, [...allowance.imports, ...types, ...(place === "platform/" ? [] : BY_ALL)]);
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

  test("no place in the table may import from one below it, so there are no cycles", () => {
    const order = Object.keys(PLACES);
    const upward = Object.entries(PLACES).flatMap(([place, { imports, types = [] }]) =>
      [...imports, ...types]
        .map(placeOf)
        .filter((target) => order.indexOf(target) > order.indexOf(place) || !order.includes(target))
        .map((target) => `${place} → ${target}`),
    );
    expect(upward).toEqual([]);
  });

  test("a feature imports nothing from another feature", () => {
    const featureOf = (path: string): string | undefined => /^features\/([^/]+)\//.exec(path)?.[1];
    const between = files
      .flatMap(importsOf)
      .filter(({ file, target }) => featureOf(file) !== undefined && featureOf(target) !== undefined)
      .filter(({ file, target }) => featureOf(file) !== featureOf(target))
      .map(({ file, target }) => `${file} imports ${target}`);
    expect(between).toEqual([]);
  });

  test("every place is in the table", () => {
    const unknown = files
      .map(({ path }) => placeOf(path))
      .filter((place) => !(place in PLACES) && place !== WIRING);
    expect([...new Set(unknown)]).toEqual([]);
  });

  test("tools read n8n and its history only through their caller's view, and no module makes an unrestricted one", () => {
    const textsIn = (places: readonly string[]) => files.filter(({ path }) => isWithin(path, places));
    const raw = textsIn(["features/"]).filter(({ text }) =>
      /\b(?:N8nClient|ExecutionStore|InstanceHistory|KnownExecutions)\b/.test(withoutComments(text)),
    );
    expect(raw.map(({ path }) => path)).toEqual([]);
    const whole = files.filter(({ text }) =>
      /\bView\.everything\b|\bVisibleN8n\.whole\b/.test(withoutComments(text)),
    );
    expect(whole.map(({ path }) => path)).toEqual(["n8n/visible-n8n.ts"]);
  });

  test("only these modules call fetch", () => {
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
  const read = (text: string) => importsOf({ path: "history/scan.ts", text })[0];

  test.each([
    [
      'import type { A } from "../n8n/client.ts";',
      { target: "n8n/client.ts", isTypeOnly: true, isLibrary: false },
    ],
    ['import {\n  type A,\n  type B,\n} from "./a.ts";', { target: "history/a.ts", isTypeOnly: true }],
    ['import { type A, b } from "./a.ts";', { target: "history/a.ts", isTypeOnly: false }],
    ['export { A } from "../platform/errors.ts";', { target: "platform/errors.ts", isTypeOnly: false }],
    ['import * as z from "zod";', { target: "zod", isLibrary: true, isTypeOnly: false }],
    ['import { A } from "@scope/name/deep";', { target: "@scope/name", isLibrary: true }],
    ['import { A } from "cloudflare:workers";', { target: "cloudflare:workers", isLibrary: true }],
    ['import "./side-effect.ts";', { target: "history/side-effect.ts", isTypeOnly: false }],
    ['const a = await import("../mcp/handler.ts");', { target: "mcp/handler.ts", isTypeOnly: false }],
  ])("%s", (text, expected) => {
    expect(read(text)).toMatchObject(expected);
  });

  test("a forbidden import is recognized", () => {
    const at = (file: string, target: string, isTypeOnly = false) =>
      isAllowed({ file, target, isTypeOnly, isLibrary: !target.endsWith(".ts") });
    expect(at("n8n/client.ts", "history/scan.ts")).toBe(false);
    expect(at("features/executions/get-execution.ts", "mcp/handler.ts")).toBe(false);
    expect(at("executions/links.ts", "n8n/client.ts", true)).toBe(false);
    expect(at("executions/links.ts", "n8n/schemas.ts")).toBe(false);
    expect(at("executions/links.ts", "n8n/schemas.ts", true)).toBe(true);
    expect(at("history/scan.ts", "hono")).toBe(false);
    expect(at("mcp/server.ts", "lodash")).toBe(false);
    expect(at("json/omitted.ts", "platform/counted.ts")).toBe(true);
    expect(at("platform/counted.ts", "settings/index.ts")).toBe(false);
  });
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:])\/\/.*$/gm, "$1");
}
