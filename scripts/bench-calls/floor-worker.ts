/** The smallest possible MCP server in a Worker: the same SDK, a bearer check, and a tool that returns its argument. */
import { McpServer } from "@modelcontextprotocol/server";
import { createMcpHandler } from "agents/mcp/server";
import * as z from "zod";

interface FloorEnv {
  readonly TOKEN: string;
}

const handle = createMcpHandler(() => {
  const server = new McpServer({ name: "floor", version: "1.0.0" });
  server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
    content: [{ type: "text", text }],
  }));
  return server;
});

export default {
  async fetch(request, env, ctx) {
    const isKnown = request.headers.get("authorization") === `Bearer ${env.TOKEN}`;
    return isKnown ? await handle(request, env, ctx) : new Response(null, { status: 401 });
  },
} satisfies ExportedHandler<FloorEnv>;
