/** mcp-remote, for apps that only know stdio; the first SDK simulates such an app. */
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { demandTheNode, demandTools, REQUEST_ID, type RealClient } from "../client.ts";

const TIMEOUT_MS = 60_000;

export const mcpRemote: RealClient = {
  name: "mcp-remote (for apps that only know stdio)",
  packageName: "mcp-remote",
  signIn: "OAuth",
  doMainJob: async ({ server, installed, browser, environment, home }) => {
    const transport = new StdioClientTransport({
      command: join(installed.directory, "node_modules", ".bin", "mcp-remote"),
      args: [server.mcpUrl],
      env: Object.fromEntries(
        Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      ),
      cwd: home,
      stderr: "pipe",
    });
    let printed = "";
    transport.stderr?.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
    });
    const client = new Client({ name: "an app that only knows stdio", version: "1.0.0" });
    try {
      const connecting = client.connect(transport, { timeout: TIMEOUT_MS });
      const callback = await browser.signIn(() => printed, server.passphrase);
      await connecting;
      demandTools(JSON.stringify(await client.listTools()));
      const args = { name: "trace_request", arguments: { requestId: REQUEST_ID } };
      demandTheNode(JSON.stringify(await client.callTool(args)));
      return `called back at ${callback}; tools listed, the failing node named`;
    } finally {
      await client.close();
    }
  },
};
