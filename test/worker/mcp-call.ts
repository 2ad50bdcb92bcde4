/** Calls the Worker under test as an MCP client. */
import { env, withEnv } from "cloudflare:workers";
import * as z from "zod";
import { type McpMessage, mcpPost } from "../support/mcp-post.ts";
import { askWith } from "./ask-with.ts";
import { N8N_API_KEY, N8N_ORIGIN, PUBLIC_URL, SERVICE_TOKEN } from "./secrets.ts";

/** Settings for the n8n that the test provides. */
export const N8N = { N8N_BASE_URL: N8N_ORIGIN, N8N_API_KEY };

/** Over the network each request names its host. */
export const HOST = { Host: new URL(PUBLIC_URL).host };

/** Tools read the Worker's settings, not those of the request, so both are set. */
export async function askMcp(
  message: McpMessage,
  {
    settings = N8N,
    token = SERVICE_TOKEN.readAndData,
  }: { settings?: Record<string, string>; token?: string } = {},
): Promise<Response> {
  const answer = withEnv({ ...env, ...settings }, () =>
    askWith(settings, `${PUBLIC_URL}/mcp`, mcpPost(token, message, HOST)),
  );
  return z.instanceof(Response).parse(await answer);
}
