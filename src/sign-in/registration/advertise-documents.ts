/** The authorization server's metadata (RFC 8414), and in it that documents may stand for clients. */
import type { OAuthAuthorizationServer } from "@cloudflare/workers-oauth-provider";
import * as z from "zod";
import { readRegistrationSettings } from "../../settings/index.ts";

const serverMetadata = z.record(z.string(), z.unknown());

/** The library advertises documents only when it reads them itself, which is off. */
export async function serveServerMetadata(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  server: OAuthAuthorizationServer<Env>,
): Promise<Response> {
  const response = await server.fetch(request, env, ctx);
  const isOn = readRegistrationSettings(env).documentHosts.length > 0;
  if (!isOn || request.method !== "GET" || !response.ok) return response;
  const metadata = serverMetadata.parse(await response.json());
  const headers = new Headers(response.headers);
  headers.delete("Content-Length");
  return Response.json({ ...metadata, client_id_metadata_document_supported: true }, { headers });
}
