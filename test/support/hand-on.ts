/** What the proxies of the tests have in common: a request goes on unchanged, and its answer comes back as it is. */
import { type IncomingMessage, request as requestByHttp, type ServerResponse } from "node:http";
import { request as requestByHttps } from "node:https";
import { pipeline } from "node:stream/promises";

/**
 * Hands the request on to the same path of another origin, and streams the answer back, compressed or not.
 * @throws when either side breaks off
 */
export async function handOn(
  targetUrl: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // Who has gone meanwhile is not asked for.
  if (response.destroyed) throw new Error("Whoever asked has gone.");
  const { method = "GET", headers } = request;
  const target = new URL(targetUrl + (request.url ?? "/"));
  // Over https several hosts may share an address, and are told apart by their names.
  const upstream =
    target.protocol === "https:"
      ? requestByHttps(target, { method, headers: { ...headers, host: target.host } })
      : requestByHttp(target, { method, headers });
  // Who stops reading here must stop the other side too.
  response.once("close", () => upstream.destroy());
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    upstream.once("response", resolve);
    // It may break off more than once: each time nobody listened to would end the process.
    upstream.on("error", reject);
  });
  const [answer] = await Promise.all([answered, pipeline(request, upstream)]);
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  await pipeline(answer, response);
}
