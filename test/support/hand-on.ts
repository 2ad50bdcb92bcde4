/** Forwards a request and its answer unchanged, for the proxies of the tests. */
import { type IncomingMessage, request as requestByHttp, type ServerResponse } from "node:http";
import { request as requestByHttps } from "node:https";
import { pipeline } from "node:stream/promises";

/**
 * Forwards the request to the same path of another origin, and streams the answer back, compressed or not.
 * @throws when either side breaks off
 */
export async function handOn(
  targetUrl: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // The client has disconnected meanwhile.
  if (response.destroyed) throw new Error("Whoever asked has gone.");
  const { method = "GET", headers } = request;
  const target = new URL(targetUrl + (request.url ?? "/"));
  // Over https, several hosts may share an address, and are distinguished by name.
  const upstream =
    target.protocol === "https:"
      ? requestByHttps(target, { method, headers: { ...headers, host: target.host } })
      : requestByHttp(target, { method, headers });
  // If the client stops reading, the other side has to stop too.
  response.once("close", () => upstream.destroy());
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    upstream.once("response", resolve);
    // It may fail more than once, and an unhandled error would end the process.
    upstream.on("error", reject);
  });
  const [answer] = await Promise.all([answered, pipeline(request, upstream)]);
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  await pipeline(answer, response);
}
