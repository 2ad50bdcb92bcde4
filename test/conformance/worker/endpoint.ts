/**
 * Stands in for src/tools/endpoint.ts in the test-only Worker: the same endpoint with the suite's tools in
 * place of ours. Everything in front of it (routes, sign-in, Host and Origin checks) is the Worker's own.
 */
import { env } from "cloudflare:workers";
import { createMcpEndpoint } from "../../../src/mcp/handler.ts";
import { ownSecrets, readPublicUrl, readRedactionSettings } from "../../../src/settings.ts";
import { createToolContext } from "../../../src/tools/tool-context.ts";
import { FIXTURE_TOOLS } from "./tools.ts";

export async function handleMcp(request: Request, _env: Env, ctx: ExecutionContext): Promise<Response> {
  const endpoint = createMcpEndpoint({
    tools: FIXTURE_TOOLS,
    createContext: (origin) => createToolContext(env, origin),
    ownSecrets: () => ownSecrets(env),
    redaction: () => readRedactionSettings(env),
    hostname: new URL(readPublicUrl(env, request.url)).hostname,
  });
  return await endpoint(request, env, ctx);
}
