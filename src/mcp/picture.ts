/**
 * Serves the picture of an answer as an MCP App (extension `io.modelcontextprotocol/ui`, 2026-01-26). The page contains
 * no data: it draws the answer that the host already has, and calls tools through the host, like the model.
 */
import type { McpServer } from "@modelcontextprotocol/server";
import { WATERFALL_PAGE } from "../views/waterfall-page.ts";

const PICTURE_URI = "ui://n8n-observer/waterfall.html";
const MIME_TYPE = "text/html;profile=mcp-app";

/** For a tool whose answers can be drawn. Hosts from before 2026 read the second key. */
export const PICTURE_META = { ui: { resourceUri: PICTURE_URI }, "ui/resourceUri": PICTURE_URI };

/** Allows no origins, and requests no permissions. */
const PAGE_META = { ui: { csp: {}, prefersBorder: true } };

export function registerPicture(server: McpServer): void {
  const description = "Draws a trace, an explanation or an agent's run. For hosts that show MCP Apps.";
  server.registerResource(
    "waterfall",
    PICTURE_URI,
    { title: "Picture of an answer", description, mimeType: MIME_TYPE, _meta: PAGE_META },
    () => ({
      contents: [{ uri: PICTURE_URI, mimeType: MIME_TYPE, text: WATERFALL_PAGE, _meta: PAGE_META }],
    }),
  );
}
