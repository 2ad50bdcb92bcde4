/**
 * The commands, files and links that connect apps, for the start page and `npm run setup`. Formats:
 * https://code.claude.com/docs/en/mcp, https://cursor.com/docs/context/mcp,
 * https://cursor.com/docs/context/mcp/install-links, https://code.visualstudio.com/api/extension-guides/ai/mcp
 * (`vscode:mcp/install`), and the help of `codex mcp add` and `gemini mcp add`. No I/O.
 */

const SERVER_NAME = "n8n-observer";

export const toClaudeCodeCommand = (connectorUrl: string): string =>
  `claude mcp add --transport http ${SERVER_NAME} ${connectorUrl}`;

export const toCodexCommand = (connectorUrl: string): string =>
  `codex mcp add ${SERVER_NAME} --url ${connectorUrl}`;

export const toGeminiCommand = (connectorUrl: string): string =>
  `gemini mcp add --transport http ${SERVER_NAME} ${connectorUrl}`;

export const toInspectorCommand = (connectorUrl: string): string =>
  `npx @modelcontextprotocol/inspector --transport http --server-url ${connectorUrl}`;

export const toCursorFile = (connectorUrl: string): string =>
  JSON.stringify({ mcpServers: { [SERVER_NAME]: { url: connectorUrl } } });

/** The editor on the user's machine asks before it adds the connector. */
export function toVsCodeLink(connectorUrl: string): string {
  const config = { name: SERVER_NAME, type: "http", url: connectorUrl };
  return `vscode:mcp/install?${encodeURIComponent(JSON.stringify(config))}`;
}

export function toCursorLink(connectorUrl: string): string {
  const config = btoa(JSON.stringify({ url: connectorUrl }));
  return `cursor://anysphere.cursor-deeplink/mcp/install?name=${SERVER_NAME}&config=${encodeURIComponent(config)}`;
}
