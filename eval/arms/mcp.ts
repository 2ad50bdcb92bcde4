/** Any MCP server that speaks Streamable HTTP: its tools, and its answers as text. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { CommandError } from "../../scripts/command-line/command-error.ts";
import type { Arm } from "./arm.ts";

const CALL_TIMEOUT_MS = 120_000;

/** @param token is sent as a bearer token, to that address alone */
export async function connectMcpArm(name: string, url: string, token: string | undefined): Promise<Arm> {
  const client = new Client(
    { name: "n8n-observer-eval", version: "1.0.0" },
    { versionNegotiation: { mode: "auto" } },
  );
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers, redirect: "error" },
  });
  try {
    await client.connect(transport);
  } catch (error) {
    throw new CommandError(
      `${url} cannot be asked: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const { tools } = await client.listTools();
  return {
    name,
    tools: tools.map(({ name: tool, description = "", inputSchema }) => ({
      name: tool,
      description,
      inputSchema: { ...inputSchema },
    })),
    instructions: client.getInstructions(),
    call: async (tool, args) => {
      try {
        const { content } = await client.callTool(
          { name: tool, arguments: args },
          { timeout: CALL_TIMEOUT_MS },
        );
        return content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
      } catch (error) {
        return `Error: ${error instanceof Error ? error.message : String(error)}`;
      }
    },
    [Symbol.asyncDispose]: async () => await client.close(),
  };
}
