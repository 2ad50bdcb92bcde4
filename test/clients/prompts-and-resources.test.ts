/**
 * Prompts, resources and completions over HTTP, asked by real clients of three revisions of the protocol; and who may
 * not have them.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { PROMPTS } from "../../src/features/index.ts";
import { canaryPattern } from "../real-n8n/canaries.ts";
import { type RecordedN8n, startRecordedN8n } from "../recorded-n8n/server.ts";
import { mcpPost } from "../support/mcp-post.ts";
import { signIn } from "../support/oauth-client.ts";
import { PASSPHRASE, SERVICE_TOKEN, startTestWorker, type TestWorker } from "../support/test-worker.ts";

let n8n: RecordedN8n;
let worker: TestWorker;

beforeAll(async () => {
  n8n = await startRecordedN8n();
  worker = await startTestWorker({ baseUrl: n8n.baseUrl, apiKey: n8n.apiKey });
});
afterAll(async () => {
  await worker.stop();
  await n8n.close();
});

const PICTURE = "ui://n8n-observer/waterfall.html";
const INFO = { name: "n8n-observer-test", version: "1.0.0" };
const withToken = (token: string) => ({ requestInit: { headers: { Authorization: `Bearer ${token}` } } });

/** What both SDKs can be asked for. */
type Asking = Pick<
  Client,
  | "listResources"
  | "listResourceTemplates"
  | "readResource"
  | "listPrompts"
  | "getPrompt"
  | "complete"
  | "close"
>;

async function connectModern(mode: "auto" | "legacy"): Promise<Asking> {
  const client = new Client(INFO, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(worker.mcpUrl), withToken(SERVICE_TOKEN)));
  return client;
}

async function connectFirst(): Promise<Asking> {
  const client = new FirstClient(INFO);
  await client.connect(new FirstTransport(new URL(worker.mcpUrl), withToken(SERVICE_TOKEN)));
  return client;
}

const read = z.looseObject({
  contents: z
    .array(
      z.looseObject({
        uri: z.string(),
        mimeType: z.string(),
        text: z.string(),
        _meta: z.unknown().optional(),
      }),
    )
    .length(1),
});

describe.each<[string, () => Promise<Asking>]>([
  ["a v2 client, 2026-07-28", async () => await connectModern("auto")],
  ["a v2 client in 2025 mode", async () => await connectModern("legacy")],
  ["a v1 client", connectFirst],
])("%s", (_name, connect) => {
  let client: Asking;
  beforeAll(async () => {
    client = await connect();
  });
  afterAll(async () => {
    await client.close();
  });

  test("is listed the picture, with its form and what it may load", async () => {
    const { resources } = await client.listResources();
    expect(resources.find(({ uri }) => uri === PICTURE)).toMatchObject({
      mimeType: "text/html;profile=mcp-app",
      _meta: { ui: { csp: {} } },
    });
    expect(resources.filter(({ uri }) => uri.startsWith("n8n://"))).toEqual([]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain("n8n://execution/{id}");
  });

  test("reads the picture: a page that loads nothing", async () => {
    const [page] = read.parse(await client.readResource({ uri: PICTURE })).contents;
    expect(page).toMatchObject({
      uri: PICTURE,
      mimeType: "text/html;profile=mcp-app",
      _meta: { ui: { csp: {} } },
    });
    expect(page?.text).toMatch(/^<!doctype html>/i);
    expect(page?.text).not.toMatch(/(?:src|href)="?https?:/);
    expect(page?.text.length).toBeLessThanOrEqual(40_000);
  });

  test("reads an execution as its summary, redacted", async () => {
    const [summary] = read.parse(await client.readResource({ uri: "n8n://execution/34" })).contents;
    expect(summary).toMatchObject({ uri: "n8n://execution/34", mimeType: "text/plain" });
    expect(summary?.text).toContain("Fetch Rate");
    expect(summary?.text).not.toMatch(canaryPattern);
  });

  test("is told in words why nothing can be read", async () => {
    await expect(client.readResource({ uri: "n8n://execution/999999" })).rejects.toThrow(
      "EXECUTION_NOT_FOUND",
    );
    await expect(client.readResource({ uri: "n8n://execution/x" })).rejects.toThrow("VALIDATION_ERROR");
  });

  test("gets every prompt that it is listed, and names of workflows to fill in", async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(PROMPTS.map(({ name }) => name));
    for (const { name, arguments: asked = [] } of prompts) {
      const given = Object.fromEntries(asked.map((argument) => [argument.name, `given ${argument.name}`]));
      const { messages } = await client.getPrompt({ name, arguments: given });
      expect(messages).toHaveLength(1);
      for (const value of Object.values(given)) expect(JSON.stringify(messages)).toContain(value);
    }
    const ref = { type: "ref/prompt", name: "review_mcp_server" } as const;
    const { completion } = await client.complete({ ref, argument: { name: "workflow", value: "MCP" } });
    expect(completion.values).toContain("MCP Server FamilyHub");
  });
});

interface Asked {
  readonly status: number;
  readonly challenge: string;
  readonly body: string;
}

/** Asked without a client's library, which would hide what is refused. */
async function ask(method: string, params: object, token: string | undefined): Promise<Asked> {
  const revision = { "mcp-protocol-version": "2025-11-25" };
  const response = await fetch(worker.mcpUrl, mcpPost(token, { method, params }, revision));
  const challenge = response.headers.get("www-authenticate") ?? "";
  return { status: response.status, challenge, body: await response.text() };
}

const REQUESTS: [method: string, params: object][] = [
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: PICTURE }],
  ["resources/read", { uri: "n8n://execution/34" }],
  ["prompts/list", {}],
  ["prompts/get", { name: "what_happened", arguments: { request: "req-100" } }],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "review_mcp_server" }, argument: { name: "workflow", value: "" } },
  ],
];

describe("without a token", () => {
  test.each(REQUESTS)("%s %j is answered 401, and n8n is not asked", async (method, params) => {
    n8n.requests.length = 0;
    for (const token of [undefined, "no-token-of-ours"]) {
      const { status, challenge, body } = await ask(method, params, token);
      expect(status).toBe(401);
      expect(challenge).toContain("resource_metadata");
      expect(body).not.toContain("FamilyHub");
    }
    expect(n8n.requests).toEqual([]);
  });
});

const tokens = z.object({ access_token: z.string(), scope: z.string() });

/** A token that may see payload and nothing else, as a client may ask for one (RFC 6749, section 6). */
async function tokenWithoutRead(): Promise<string> {
  const provider = await signIn(worker.mcpUrl, PASSPHRASE, true);
  const information = z.looseObject({ client_id: z.string() }).parse(provider.clientInformation());
  const response = await fetch(`${worker.origin}/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: provider.tokens()?.refresh_token ?? "",
      client_id: information.client_id,
      scope: "n8n:data",
      resource: worker.mcpUrl,
    }),
  });
  const { access_token, scope } = tokens.parse(await response.json());
  expect(scope).toBe("n8n:data");
  return access_token;
}

test("with a token that lacks n8n:read all is answered 403, with the scope that is needed, and n8n is not asked", async () => {
  const token = await tokenWithoutRead();
  n8n.requests.length = 0;
  for (const [method, params] of REQUESTS) {
    const { status, challenge } = await ask(method, params, token);
    expect([method, status]).toEqual([method, 403]);
    expect(challenge).toContain('error="insufficient_scope"');
    expect(challenge).toContain("n8n:read");
  }
  expect(n8n.requests).toEqual([]);
});

describe("a secret in the argument of a prompt", () => {
  const SECRET = ["sk_live_4eC39HqLyjWDarj", "tT1zdp7dc"].join("");
  const withSecret = { name: "what_happened", arguments: { request: SECRET } };

  test("comes back to whoever gave it, and to nobody else: neither n8n nor a log nor another's answer has it", async () => {
    n8n.requests.length = 0;
    const own = await ask("prompts/get", withSecret, SERVICE_TOKEN);
    expect(own.body).toContain(SECRET);
    expect(n8n.requests).toEqual([]);
    expect(worker.output()).not.toContain(SECRET);
    for (const [method, params] of REQUESTS)
      expect((await ask(method, params, SERVICE_TOKEN)).body).not.toContain(SECRET);
  });

  test("does not come back in a refusal", async () => {
    const wrong = { name: "what_happened", arguments: { request: SECRET.repeat(40) } };
    expect((await ask("prompts/get", wrong, SERVICE_TOKEN)).body).not.toContain(SECRET);
    const unknown = { name: "what_broke", arguments: { request: SECRET } };
    expect((await ask("prompts/get", unknown, SERVICE_TOKEN)).body).not.toContain(SECRET);
  });

  test("does not come back from a resource", async () => {
    const { body } = await ask("resources/read", { uri: `n8n://trace/${SECRET}` }, SERVICE_TOKEN);
    expect(body.replaceAll(`n8n://trace/${SECRET}`, "")).not.toContain(SECRET);
  });
});
