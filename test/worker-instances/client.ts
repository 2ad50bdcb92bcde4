/** Calls the Worker in front of two n8n instances as an MCP client, and reads an n8n directly. */
import { expect, vi } from "vitest";
import * as z from "zod";
import { type McpMessage, readMessage, toolCall } from "../support/mcp-post.ts";
import { askMcp } from "../worker/mcp-call.ts";
import { N8NS, type Name } from "./n8ns.ts";

type Settings = Readonly<Record<string, string>>;

const rpc = z.object({ result: z.looseObject({}) });
const toolResult = z.looseObject({
  structuredContent: z.looseObject({ message: z.string().optional(), data: z.looseObject({}) }),
});

export async function send(settings: Settings, message: McpMessage): Promise<Record<string, unknown>> {
  const response = await askMcp(message, { settings });
  expect(response.status).toBe(200);
  return rpc.parse(await readMessage(response)).result;
}

export async function call(name: string, args: object, settings: Settings = {}) {
  const result = await send(settings, toolCall(name, args));
  return toolResult.parse(result).structuredContent;
}

export const dataOf = async (name: string, args: object, settings: Settings = {}) =>
  (await call(name, args, settings)).data;

/** An execution as its n8n itself returns it. */
export async function executionIn(name: Name, id: string) {
  const { baseUrl, apiKey } = N8NS[name];
  const headers = { "X-N8N-API-KEY": apiKey };
  const answer = await fetch(`${baseUrl}/api/v1/executions/${id}`, { headers });
  return z
    .looseObject({ id: z.string(), startedAt: z.string(), workflowId: z.string() })
    .parse(await answer.json());
}

interface Sent {
  readonly to: string;
  readonly key: string | null;
}

/**
 * Records what the Worker and its objects send, which share one `fetch` with the test, until mocks are restored.
 * @param away the n8n that is out of reach: a proxy answers 502 for it
 */
export function watchRequests(away?: Name): Sent[] {
  const sent: Sent[] = [];
  const send = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    const { origin } = new URL(request.url);
    sent.push({ to: origin, key: request.headers.get("x-n8n-api-key") });
    if (away !== undefined && origin === N8NS[away].baseUrl) return new Response(null, { status: 502 });
    return await send(input, init);
  });
  return sent;
}
