/**
 * Creates the MCP server by the book on a real n8n by its public API, and calls it as a client would.
 * When `seedByTheBook` returns, everything is published and both servers answer `tools/list`.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import * as z from "zod";
import type { RunningN8n } from "../boot.ts";
import { type ApiAccess, callApi } from "../n8n-api.ts";
import {
  type BookDefinition,
  type BookKey,
  type BookWorld,
  bookDefinitions,
  bookKeys,
  bookPaths,
  bookTags,
} from "./workflows.ts";

export interface SeededBook {
  ids: Record<BookKey, string>;
  /** The bearer token of the servers. */
  bearerToken: string;
  world: BookWorld;
}

const created = z.object({ id: z.string() });
const taggable = z.object({ data: z.array(z.object({ id: z.string(), name: z.string() })) });
/** The longest wait for a server after its activation, in milliseconds. */
const patience = 20_000;

export async function seedByTheBook(n8n: RunningN8n, upstreamUrl: string): Promise<SeededBook> {
  const access = { baseUrl: n8n.baseUrl, key: n8n.writeKey };
  const bearerToken = randomUUID();
  const world: BookWorld = {
    ids: {},
    baseUrl: n8n.baseUrl,
    upstreamUrl,
    bearerCredential: await createCredential(access, bearerToken),
  };
  const tagIds = await createTags(access);
  for (const key of bookKeys) {
    world.ids[key] = await createBookWorkflow(access, bookDefinitions[key](world), tagIds);
  }
  for (const path of Object.values(bookPaths)) await waitForServer(n8n, path, bearerToken);
  return { ids: z.record(z.enum(bookKeys), z.string()).parse(world.ids), bearerToken, world };
}

async function createCredential(access: ApiAccess, token: string): Promise<BookWorld["bearerCredential"]> {
  const name = "Household bearer";
  const body = { name, type: "httpBearerAuth", data: { token } };
  return { id: created.parse(await callApi(access, "POST", "/credentials", body)).id, name };
}

/** Existing ones are kept. */
export async function createTags(access: ApiAccess): Promise<Map<string, string>> {
  const { data } = taggable.parse(await callApi(access, "GET", "/tags?limit=100"));
  const ids = new Map(data.map(({ id, name }) => [name, id]));
  for (const name of bookTags) {
    if (!ids.has(name)) ids.set(name, created.parse(await callApi(access, "POST", "/tags", { name })).id);
  }
  return ids;
}

/** Creates, tags and publishes a workflow. */
export async function createBookWorkflow(
  access: ApiAccess,
  { name, nodes: placed, connections, settings, tags }: BookDefinition,
  tagIds: ReadonlyMap<string, string>,
): Promise<string> {
  const nodes = placed.map((each, index) => ({ ...each, position: [index * 220, 0] }));
  const body = { name, nodes, connections, settings };
  const { id } = created.parse(await callApi(access, "POST", "/workflows", body));
  await callApi(
    access,
    "PUT",
    `/workflows/${id}/tags`,
    tags.map((tag) => ({ id: tagIds.get(tag) })),
  );
  await callApi(access, "POST", `/workflows/${id}/activate`);
  return id;
}

/** A tool as a client of the server sees it. */
export interface ListedTool {
  name: string;
  description?: string | undefined;
  inputSchema: Record<string, unknown>;
}

async function connect(n8n: RunningN8n, path: string, token: string): Promise<Client> {
  const client = new Client({ name: "n8n-observer-tests", version: "1.0.0" });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${n8n.baseUrl}/mcp/${path}`), { requestInit }),
  );
  return client;
}

export async function listTools(n8n: RunningN8n, path: string, token: string): Promise<ListedTool[]> {
  const client = await connect(n8n, path, token);
  try {
    const { tools } = await client.listTools();
    return tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  } finally {
    await client.close();
  }
}

/** The text of the tool's answer. */
export async function callTool(
  n8n: RunningN8n,
  path: string,
  token: string,
  name: string,
  args: Record<string, unknown>,
): Promise<string> {
  const client = await connect(n8n, path, token);
  try {
    return JSON.stringify((await client.callTool({ name, arguments: args })).content);
  } finally {
    await client.close();
  }
}

async function waitForServer(n8n: RunningN8n, path: string, token: string): Promise<void> {
  const deadline = Date.now() + patience;
  let last: unknown;
  while (Date.now() < deadline) {
    try {
      await listTools(n8n, path, token);
      return;
    } catch (error) {
      last = error;
      await sleep(200);
    }
  }
  throw new Error(`The MCP server ${path} did not answer within ${patience} ms.`, { cause: last });
}
