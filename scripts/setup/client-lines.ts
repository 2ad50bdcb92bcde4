/** How to connect each app, for a terminal: the commands and files that the start page shows. Pure. */
import {
  toClaudeCodeCommand,
  toCodexCommand,
  toCursorFile,
  toGeminiCommand,
  toInspectorCommand,
} from "../../src/pages/client-commands.ts";
import { isLoopbackHost } from "../../src/settings/index.ts";

function clientLines(connectorUrl: string) {
  const isLoopback = isLoopbackHost(new URL(connectorUrl).hostname);
  const fromTheInternet = [
    {
      client: "Claude (web, desktop)",
      line: `Settings > Connectors > Add custom connector: ${connectorUrl}`,
    },
    { client: "ChatGPT", line: `Settings > Apps & Connectors > Create (in Developer mode): ${connectorUrl}` },
  ];
  return [
    ...(isLoopback ? [] : fromTheInternet),
    { client: "Claude Code", line: toClaudeCodeCommand(connectorUrl) },
    { client: "Codex", line: toCodexCommand(connectorUrl) },
    { client: "Gemini CLI", line: toGeminiCommand(connectorUrl) },
    { client: "VS Code", line: `MCP: Add Server > HTTP: ${connectorUrl}` },
    { client: "Cursor (mcp.json)", line: toCursorFile(connectorUrl) },
    {
      client: "n8n (MCP Client)",
      line: `HTTP Streamable, Bearer Auth with a service token: ${connectorUrl}`,
    },
    { client: "MCP inspector", line: toInspectorCommand(connectorUrl) },
  ];
}

export function renderClientLines(connectorUrl: string): string {
  const lines = clientLines(connectorUrl);
  const width = Math.max(...lines.map(({ client }) => client.length));
  return lines.map(({ client, line }) => `${client.padEnd(width)}  ${line}`).join("\n");
}
