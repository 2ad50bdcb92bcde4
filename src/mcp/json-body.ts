/**
 * Reads the body of an MCP request once: the libraries below would clone it twice and parse it twice. A body that they
 * refuse (too large, or not JSON) is passed to them unparsed, so that the refusal is theirs.
 */
import { readRequestBody } from "@modelcontextprotocol/server";

/** The largest body that the MCP SDK reads. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** The largest batch that the MCP SDK answers; it refuses larger ones whole, but only after checking each message. */
const MAX_BATCH = 100;

export interface ReadRequest {
  /** Its body can still be read, unless `parsedBody` is set. */
  readonly request: Request;
  readonly parsedBody?: unknown;
}

export async function readJsonBody(request: Request): Promise<ReadRequest> {
  if (request.method !== "POST") return { request };
  const text = await readText(request);
  if (text === undefined) return { request };
  try {
    const body: unknown = JSON.parse(text);
    // One message more than allowed is enough for the SDK to refuse the whole batch.
    return { request, parsedBody: Array.isArray(body) ? body.slice(0, MAX_BATCH + 1) : body };
  } catch {
    const { url, method, headers } = request;
    return { request: new Request(url, { method, headers, body: text }) };
  }
}

/** Undefined for a body that is too large. */
async function readText(request: Request): Promise<string | undefined> {
  const length = request.headers.get("content-length");
  if (Number(length) > MAX_BODY_BYTES) return undefined;
  // The body cannot be longer than this header says (RFC 9110 §8.6).
  if (length !== null) return await request.text();
  // A clone, because the libraries have to read a body that turns out to be too large.
  const read = await readRequestBody(request.clone(), MAX_BODY_BYTES);
  return read.tooLarge ? undefined : read.text;
}
