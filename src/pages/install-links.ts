/**
 * Links that hand the connector to an editor on the user's machine, which asks before it adds it.
 * No I/O. Forms: https://code.visualstudio.com/api/extension-guides/ai/mcp (`vscode:mcp/install`),
 * https://cursor.com/docs/context/mcp/install-links.
 */

const SERVER_NAME = "n8n-observer";

export function toVsCodeLink(connectorUrl: string): string {
  const config = { name: SERVER_NAME, type: "http", url: connectorUrl };
  return `vscode:mcp/install?${encodeURIComponent(JSON.stringify(config))}`;
}

export function toCursorLink(connectorUrl: string): string {
  const config = btoa(JSON.stringify({ url: connectorUrl }));
  return `cursor://anysphere.cursor-deeplink/mcp/install?name=${SERVER_NAME}&config=${encodeURIComponent(config)}`;
}
