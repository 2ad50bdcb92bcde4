/**
 * Reads the body of an MCP request once, before anything is made for it: the libraries below would clone it twice and
 * parse it twice. A body that they refuse (too large, or not JSON) is left to them, so that the refusal is theirs.
 */
import { readRequestBody } from "@modelcontextprotocol/server";

/** The largest body that the MCP SDK reads. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

export interface ReadRequest {
  /** Its body can still be read, unless it was parsed. */
  readonly request: Request;
  readonly parsedBody?: unknown;
}

export async function readJsonBody(request: Request): Promise<ReadRequest> {
  const length = request.headers.get("content-length");
  if (request.method !== "POST" || Number(length) > MAX_BODY_BYTES) return { request };
  // Without a length, only reading shows that a body is too large; then the libraries have to read it again.
  const read = await readRequestBody(length === null ? request.clone() : request, MAX_BODY_BYTES);
  if (read.tooLarge) return { request };
  try {
    const parsedBody: unknown = JSON.parse(read.text);
    return { request, parsedBody };
  } catch {
    const { url, method, headers } = request;
    return { request: new Request(url, { method, headers, body: read.text }) };
  }
}
