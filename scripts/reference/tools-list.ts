/** The answer to `tools/list`, from the real MCP server to a real client, without a network. */
import { Client, InMemoryTransport, type Tool as ListedTool } from "@modelcontextprotocol/client";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import type { Tool } from "../../src/mcp/define-tool.ts";
import { createServer } from "../../src/mcp/server.ts";

export async function listTools(tools: Iterable<Tool>): Promise<ListedTool[]> {
  const server = createServer(
    { tools, origin: "http://localhost:8787" },
    async (name) => {
      throw new Error(`Nothing is called here, but ${name} was.`);
    },
    () => {},
  );
  const client = new Client({ name: "reference", version: "1.0.0" });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  try {
    return (await client.listTools()).tools;
  } finally {
    await client.close();
    await server.close();
  }
}

const tokensOf = (value: unknown): number => encode(JSON.stringify(value) ?? "").length;

/** Tokens. `shownToModel`: what hosts show their model in each conversation, names, descriptions and arguments. */
export function measureTools(listed: readonly ListedTool[]) {
  const tools = listed.map((tool) => ({
    name: tool.name,
    tokens: tokensOf(tool),
    inputTokens: tokensOf(tool.inputSchema),
    outputTokens: tokensOf(tool.outputSchema),
  }));
  const shown = listed.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return { total: tokensOf({ tools: listed }), shownToModel: tokensOf(shown), tools };
}
