/** Asks the Worker in front of two n8n instances as an MCP client does, and an n8n itself as nobody but a test does. */
import { env, withEnv } from "cloudflare:workers";
import { expect, vi } from "vitest";
import * as z from "zod";
import { askWith } from "../worker/ask-with.ts";
import { PUBLIC_URL, SERVICE_TOKEN } from "../worker/secrets.ts";
import { N8NS, type Name } from "./n8ns.ts";

type Settings = Readonly<Record<string, string>>;

const rpc = z.object({ result: z.looseObject({}) });
const toolResult = z.looseObject({
  structuredContent: z.looseObject({ message: z.string().optional(), data: z.looseObject({}) }),
});

export async function send(settings: Settings, message: object): Promise<Record<string, unknown>> {
  const init = {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      Host: new URL(PUBLIC_URL).host,
      Authorization: `Bearer ${SERVICE_TOKEN.readAndData}`,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
  };
  const asked = withEnv({ ...env, ...settings }, () => askWith(settings, `${PUBLIC_URL}/mcp`, init));
  const response = z.instanceof(Response).parse(await asked);
  expect(response.status).toBe(200);
  const text = await response.text();
  const [, event = text] = /^data: (.*)$/m.exec(text) ?? [];
  return rpc.parse(JSON.parse(event)).result;
}

export async function call(name: string, args: object, settings: Settings = {}) {
  const result = await send(settings, { method: "tools/call", params: { name, arguments: args } });
  return toolResult.parse(result).structuredContent;
}

export const dataOf = async (name: string, args: object, settings: Settings = {}) =>
  (await call(name, args, settings)).data;

/** What an n8n itself says of an execution. */
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
 * Sees what the Worker and its objects send, which have one `fetch` with the test, until mocks are restored.
 * @param away the n8n that does not answer: a proxy says that it reaches none
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
