/**
 * Reads the body of an MCP request once. Without it, the libraries below clone the request twice and parse it twice.
 * A body that they would refuse (too large, or not JSON) is left to them, so that the refusal is theirs.
 */

/** The largest body that the MCP SDK reads. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

export interface ReadRequest {
  /** Still readable unless `parsedBody` is given. */
  readonly request: Request;
  readonly parsedBody?: unknown;
}

export async function readJsonBody(request: Request): Promise<ReadRequest> {
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  // Without a length, only reading would show that it is too large.
  if (request.method !== "POST" || !(length > 0 && length <= MAX_BODY_BYTES)) return { request };
  const text = await request.text();
  try {
    const parsedBody: unknown = JSON.parse(text);
    return { request, parsedBody };
  } catch {
    const { url, method, headers } = request;
    return { request: new Request(url, { method, headers, body: text }) };
  }
}
