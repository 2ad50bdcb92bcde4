/**
 * Prompts, resources and completions over HTTP, requested by real clients of three protocol revisions, and who may
 * not get them.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { PROMPTS } from "../../src/features/index.ts";
import { canaryPattern } from "../real-n8n/canaries.ts";
import { mcpPost } from "../support/mcp-post.ts";
import { signIn } from "../support/oauth-client.ts";
import { useRecordedWorker } from "../support/recorded-worker.ts";
import { PASSPHRASE, SERVICE_TOKEN } from "../support/test-worker.ts";

const server = useRecordedWorker();

const PICTURE = "ui://n8n-observer/waterfall.html";
const INFO = { name: "n8n-observer-test", version: "1.0.0" };
const withToken = (token: string) => ({ requestInit: { headers: { Authorization: `Bearer ${token}` } } });

/** The methods that both SDKs have. */
type ResourceClient = Pick<
  Client,
  | "listResources"
  | "listResourceTemplates"
  | "readResource"
  | "listPrompts"
  | "getPrompt"
  | "complete"
  | "close"
>;

async function connectModern(mode: "auto" | "legacy"): Promise<ResourceClient> {
  const client = new Client(INFO, { versionNegotiation: { mode } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(server.worker.mcpUrl), withToken(SERVICE_TOKEN)),
  );
  return client;
}

async function connectFirst(): Promise<ResourceClient> {
  const client = new FirstClient(INFO);
  await client.connect(new FirstTransport(new URL(server.worker.mcpUrl), withToken(SERVICE_TOKEN)));
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

describe.each<[string, () => Promise<ResourceClient>]>([
  ["a v2 client, 2026-07-28", async () => await connectModern("auto")],
  ["a v2 client in 2025 mode", async () => await connectModern("legacy")],
  ["a v1 client", connectFirst],
])("%s", (_name, connect) => {
  let client: ResourceClient;
  beforeAll(async () => {
    client = await connect();
  });
  afterAll(async () => {
    await client.close();
  });

  test("lists the picture, with its MIME type and content policy", async () => {
    const { resources } = await client.listResources();
    expect(resources.find(({ uri }) => uri === PICTURE)).toMatchObject({
      mimeType: "text/html;profile=mcp-app",
      _meta: { ui: { csp: {} } },
    });
    expect(resources.filter(({ uri }) => uri.startsWith("n8n://"))).toEqual([]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain("n8n://execution/{id}");
  });

  test("reads the picture, a page that loads nothing", async () => {
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

  test("gets an error code when a resource cannot be read", async () => {
    await expect(client.readResource({ uri: "n8n://execution/999999" })).rejects.toThrow(
      "EXECUTION_NOT_FOUND",
    );
    await expect(client.readResource({ uri: "n8n://execution/x" })).rejects.toThrow("VALIDATION_ERROR");
  });

  test("gets every listed prompt, and workflow names as completions", async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(PROMPTS.map(({ name }) => name));
    for (const { name, arguments: parameters = [] } of prompts) {
      const given = Object.fromEntries(
        parameters.map((argument) => [argument.name, `given ${argument.name}`]),
      );
      const { messages } = await client.getPrompt({ name, arguments: given });
      expect(messages).toHaveLength(1);
      for (const value of Object.values(given)) expect(JSON.stringify(messages)).toContain(value);
    }
    const ref = { type: "ref/prompt", name: "review_mcp_server" } as const;
    const { completion } = await client.complete({ ref, argument: { name: "workflow", value: "MCP" } });
    expect(completion.values).toContain("MCP Server FamilyHub");
  });
});

interface HttpAnswer {
  readonly status: number;
  readonly challenge: string;
  readonly body: string;
}

/** Requests without a client library, which would hide refusals. */
async function ask(method: string, params: object, token: string | undefined): Promise<HttpAnswer> {
  const revision = { "mcp-protocol-version": "2025-11-25" };
  const response = await fetch(server.worker.mcpUrl, mcpPost(token, { method, params }, revision));
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
  test.each(REQUESTS)("%s %j is answered 401 without a request to n8n", async (method, params) => {
    server.n8n.requests.length = 0;
    for (const token of [undefined, "no-token-of-ours"]) {
      const { status, challenge, body } = await ask(method, params, token);
      expect(status).toBe(401);
      expect(challenge).toContain("resource_metadata");
      expect(body).not.toContain("FamilyHub");
    }
    expect(server.n8n.requests).toEqual([]);
  });
});

const tokens = z.object({ access_token: z.string(), scope: z.string() });

/** A token with the payload scope only, which a client may request by refreshing (RFC 6749, section 6). */
async function tokenWithoutRead(): Promise<string> {
  const provider = await signIn(server.worker.mcpUrl, PASSPHRASE, true);
  const information = z.looseObject({ client_id: z.string() }).parse(provider.clientInformation());
  const response = await fetch(`${server.worker.origin}/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: provider.tokens()?.refresh_token ?? "",
      client_id: information.client_id,
      scope: "n8n:data",
      resource: server.worker.mcpUrl,
    }),
  });
  const { access_token, scope } = tokens.parse(await response.json());
  expect(scope).toBe("n8n:data");
  return access_token;
}

test("a token without n8n:read is answered 403 with that scope, without a request to n8n", async () => {
  const token = await tokenWithoutRead();
  server.n8n.requests.length = 0;
  for (const [method, params] of REQUESTS) {
    const { status, challenge } = await ask(method, params, token);
    expect([method, status]).toEqual([method, 403]);
    expect(challenge).toContain('error="insufficient_scope"');
    expect(challenge).toContain("n8n:read");
  }
  expect(server.n8n.requests).toEqual([]);
});

describe("a secret in a prompt's argument", () => {
  const SECRET = ["sk_live_4eC39HqLyjWDarj", "tT1zdp7dc"].join("");
  const withSecret = { name: "what_happened", arguments: { request: SECRET } };

  test("is returned only to its sender, and reaches neither n8n nor the log nor another answer", async () => {
    server.n8n.requests.length = 0;
    const own = await ask("prompts/get", withSecret, SERVICE_TOKEN);
    expect(own.body).toContain(SECRET);
    expect(server.n8n.requests).toEqual([]);
    expect(server.worker.output()).not.toContain(SECRET);
    for (const [method, params] of REQUESTS)
      expect((await ask(method, params, SERVICE_TOKEN)).body).not.toContain(SECRET);
  });

  test("is not repeated in a refusal", async () => {
    const wrong = { name: "what_happened", arguments: { request: SECRET.repeat(40) } };
    expect((await ask("prompts/get", wrong, SERVICE_TOKEN)).body).not.toContain(SECRET);
    const unknown = { name: "what_broke", arguments: { request: SECRET } };
    expect((await ask("prompts/get", unknown, SERVICE_TOKEN)).body).not.toContain(SECRET);
  });

  test("is not repeated by a resource, except as its URI", async () => {
    const { body } = await ask("resources/read", { uri: `n8n://trace/${SECRET}` }, SERVICE_TOKEN);
    expect(body.replaceAll(`n8n://trace/${SECRET}`, "")).not.toContain(SECRET);
  });
});
