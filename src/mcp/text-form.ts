/**
 * In which form a client gets the text of an answer: as JSON, if it knows no structured content or asks for JSON in
 * its address (`/mcp?text=json`); else as a rendering.
 */

/** The first revision of MCP with `structuredContent`. */
const FIRST_WITH_STRUCTURED_CONTENT = "2025-06-18";

/** The revision that was agreed on. Clients of before 2025-06-18 send no such header (MCP, "Protocol Version Header"). */
const REVISION_HEADER = "mcp-protocol-version";
const REVISION = /^\d{4}-\d{2}-\d{2}$/;

export function wantsJsonText(request: Request | undefined): boolean {
  if (request === undefined) return true;
  if (new URL(request.url).searchParams.get("text") === "json") return true;
  const revision = request.headers.get(REVISION_HEADER) ?? "";
  return !REVISION.test(revision) || revision < FIRST_WITH_STRUCTURED_CONTENT;
}
