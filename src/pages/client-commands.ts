/**
 * What is copied into each app that is set up by a command or a file: the start page and `npm run setup` show the same.
 * No I/O. Forms: https://code.claude.com/docs/en/mcp, https://cursor.com/docs/context/mcp, and the help of `codex mcp add`
 * and `gemini mcp add`.
 */

const SERVER_NAME = "n8n-observer";

export function toClaudeCodeCommand(connectorUrl: string): string {
  return `claude mcp add --transport http ${SERVER_NAME} ${connectorUrl}`;
}

export function toCodexCommand(connectorUrl: string): string {
  return `codex mcp add ${SERVER_NAME} --url ${connectorUrl}`;
}

export function toGeminiCommand(connectorUrl: string): string {
  return `gemini mcp add --transport http ${SERVER_NAME} ${connectorUrl}`;
}

export function toInspectorCommand(connectorUrl: string): string {
  return `npx @modelcontextprotocol/inspector --transport http --server-url ${connectorUrl}`;
}

/** Content of Cursor's mcp.json. */
export function toCursorFile(connectorUrl: string): string {
  return JSON.stringify({ mcpServers: { [SERVER_NAME]: { url: connectorUrl } } });
}
