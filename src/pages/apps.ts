/**
 * How to connect each app, according to its own documentation: https://zed.dev/docs/ai/mcp, Windsurf's
 * `mcp_config.json` (`serverUrl`), goose's "Using extensions", LibreChat's `mcpServers`,
 * https://manual.raycast.com/ai/model-context-protocol, Postman's "MCP requests",
 * https://learn.microsoft.com/microsoft-copilot-studio/mcp-add-existing-server-to-agent. No I/O.
 */
import {
  toClaudeCodeCommand,
  toCodexCommand,
  toCursorFile,
  toCursorLink,
  toGeminiCommand,
  toInspectorCommand,
  toVsCodeLink,
} from "./client-commands.ts";
import type { CopyableProps } from "./copyable.tsx";

/** A paragraph, a list of steps (both with `code` and **words** as in Markdown), a line to copy, or a link. */
export type Block =
  | string
  | readonly string[]
  | CopyableProps
  | { readonly link: string; readonly href: string };

export interface App {
  readonly title: string;
  readonly blocks: readonly Block[];
}

const app = (title: string, ...blocks: readonly Block[]): App => ({ title, blocks });

/** Apps that connect from their makers' servers, so this server must be reachable from the internet. */
export const APPS_ON_THE_INTERNET = [
  app("Claude, on the web and the desktop", [
    "Open Settings → Connectors → Add custom connector.",
    "Paste the connector URL, and choose Add.",
    "Choose Connect, and sign in.",
  ]),
  app("ChatGPT", [
    "Under Settings → Apps & Connectors → Advanced, turn on Developer mode.",
    "Choose Create, paste the connector URL, and leave OAuth as it is.",
    "Sign in. In a chat, add it from the + menu.",
  ]),
];

export const COPILOT_STUDIO = app("Copilot Studio", [
  "In your agent, open Tools → Add a tool → New tool → Model Context Protocol.",
  "Give it a name and a description, and paste the connector URL.",
  "Under Authentication choose OAuth 2.0, then Dynamic discovery. Whoever runs this server must first allow the callback that it then shows (docs/clients.md).",
  "Create a connection, and sign in.",
]);

/** The most used apps that run on the user's own computer, and n8n itself. */
export const appsOnAComputer = (url: string): App[] => [
  app(
    "Claude Code",
    { id: "claude-code", name: "Command for Claude Code", text: toClaudeCodeCommand(url) },
    "Then type `/mcp`, choose n8n-observer and sign in.",
  ),
  app(
    "VS Code",
    { link: "Add to VS Code", href: toVsCodeLink(url) },
    "Or run **MCP: Add Server** from the command palette, choose HTTP, and paste the connector URL.",
  ),
  app(
    "Cursor",
    { link: "Add to Cursor", href: toCursorLink(url) },
    "Or write this into `~/.cursor/mcp.json`:",
    { id: "cursor", name: "Content of Cursor’s mcp.json", text: toCursorFile(url) },
  ),
  app(
    "n8n",
    [
      `Add the node MCP Client, or MCP Client Tool below an AI Agent. Choose the server transport HTTP Streamable, and paste \`${url}\` as the endpoint.`,
      "Authentication: MCP OAuth2. In a new credential, paste the same as the server URL, then Connect my account. Or Bearer Auth, with a service token from whoever runs this server.",
    ],
    // Nodes without a choice of transport use the one that MCP deprecated (SSE).
    "An older MCP Client Tool with the field SSE Endpoint does not work: delete it, and add it again.",
  ),
];

const toServersFile = (server: object): string => JSON.stringify({ mcpServers: { "n8n-observer": server } });

/** @param furtherOnline apps that connect from the internet, if they can reach this server */
export const furtherApps = (url: string, furtherOnline: readonly App[]): App[] => [
  app(
    "Codex",
    { id: "codex", name: "Command for Codex", text: toCodexCommand(url) },
    "It opens the sign-in at once. Later: `codex mcp login n8n-observer`",
  ),
  app(
    "Gemini CLI",
    { id: "gemini-cli", name: "Command for Gemini CLI", text: toGeminiCommand(url) },
    "Then, in Gemini CLI, sign in with `/mcp auth n8n-observer`.",
  ),
  app("Zed", "Add this to Zed’s settings, and sign in when Zed asks:", {
    id: "zed",
    name: "Setting for Zed",
    text: `"context_servers": ${JSON.stringify({ "n8n-observer": { url } })}`,
  }),
  app(
    "Windsurf",
    "Write this into `~/.codeium/windsurf/mcp_config.json`, with a service token from whoever runs this server:",
    {
      id: "windsurf",
      name: "Content of Windsurf’s mcp_config.json",
      text: toServersFile({ serverUrl: url, headers: { Authorization: "Bearer <service token>" } }),
    },
  ),
  app(
    "Goose",
    [
      "Open Extensions → Add custom extension.",
      "Choose the type Streamable HTTP, and paste the connector URL as the endpoint.",
      "Add it, and sign in.",
    ],
    "In a terminal: `goose configure`, Add Extension, Remote Extension (Streamable HTTP).",
  ),
  app(
    "LibreChat",
    "Whoever runs this server adds LibreChat’s callback to `ALLOWED_REDIRECT_HOSTS`: `https://your-librechat/api/mcp/n8n-observer/oauth/callback`. Then add this to `librechat.yaml`, and restart LibreChat:",
    {
      id: "librechat",
      name: "Setting for LibreChat",
      text: `mcpServers: { n8n-observer: { type: streamable-http, url: "${url}" } }`,
    },
  ),
  ...furtherOnline,
  app("Raycast", [
    "Run the command Install MCP Server.",
    "Choose the transport HTTP, and paste the connector URL.",
    "Add the HTTP header `Authorization` with `Bearer` and a service token from whoever runs this server.",
  ]),
  app("Postman", [
    "Choose New → MCP, then HTTP, and paste the connector URL.",
    "Choose Connect, and sign in; or, under Authorization, choose Bearer Token with a service token.",
  ]),
  app(
    "MCP inspector",
    { id: "inspector", name: "Command for the MCP inspector", text: toInspectorCommand(url) },
    "It opens in the browser. Choose Connect, and sign in. It needs Node 22.19 or later.",
  ),
  app(
    "Apps that start local programs only",
    "For example Claude Desktop without connectors: write this into `claude_desktop_config.json`.",
    // mcp-remote forwards everything to the remote server, and signs in for the app.
    {
      id: "mcp-remote",
      name: "Configuration with mcp-remote",
      text: toServersFile({ command: "npx", args: ["-y", "mcp-remote", url] }),
    },
  ),
  app(
    "Any other app",
    "Add a remote MCP server with the connector URL, over streamable HTTP. The app finds the sign-in by itself. An app without a browser sends a service token: `Authorization: Bearer …`",
  ),
];
