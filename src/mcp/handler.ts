/**
 * Serves `/mcp`: one fresh MCP server per request, for the caller that sign-in has established. The
 * protocol is stateless; what outlives a request is in Durable Objects of ours, keyed by the user.
 */
import { localhostAllowedHostnames, type ServerContext } from "@modelcontextprotocol/server";
import { createMcpHandler, type StatelessMcpHandler } from "agents/mcp/server";
import * as z from "zod";
import type { RedactionSettings } from "../redaction/redact.ts";
import { callTool } from "./call-tool.ts";
import type { Tool, ToolContext } from "./define-tool.ts";
import { progressOf } from "./progress.ts";
import { createRequestRedactor } from "./request-redactor.ts";
import { createServer } from "./server.ts";

/** Who calls, in the context of which request. */
export interface CallOrigin {
  readonly userId: string;
  readonly requestUrl: string;
  readonly progress: ToolContext["progress"];
  readonly redact: ToolContext["redact"];
  /** Operator's log: no payload, no token. */
  readonly log: (line: Readonly<Record<string, unknown>>) => void;
}

export interface McpEndpointOptions {
  readonly tools: readonly Tool[];
  readonly createContext: (origin: CallOrigin) => ToolContext;
  /** Lets a user's call in. @throws ObserverError `RATE_LIMITED` when there were too many */
  readonly admit: (userId: string, log: CallOrigin["log"]) => Promise<void>;
  /** Secrets of ours that must not leave, whatever else happens. */
  readonly ownSecrets: () => readonly string[];
  /** What is redacted besides the baseline. @throws ObserverError `CONFIGURATION_ERROR` */
  readonly redaction: () => RedactionSettings;
  /** The host that clients use. */
  readonly hostname: string;
}

/** The caller as sign-in put it into the token. */
const authExtra = z.looseObject({ props: z.looseObject({ userId: z.string().min(1) }) });

function log(line: Readonly<Record<string, unknown>>): void {
  console.error(JSON.stringify(line));
}

export function createMcpEndpoint(options: McpEndpointOptions): StatelessMcpHandler {
  const tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  const handle = async (name: string, args: unknown, request: ServerContext) => {
    const { authInfo, req } = request.http ?? {};
    // Fails closed: without a caller there is no call.
    if (authInfo === undefined || req === undefined) throw new TypeError("A call without a verified caller.");
    const { userId } = authExtra.parse(authInfo.extra).props;
    const { redact, preview } = createRequestRedactor(
      [...options.ownSecrets(), authInfo.token],
      options.redaction,
    );
    const context = options.createContext({
      userId,
      requestUrl: req.url,
      progress: progressOf(request, redact),
      redact: preview,
      log,
    });
    return await callTool(name, args, {
      tools,
      context,
      admit: async () => await options.admit(userId, log),
      scopes: authInfo.scopes,
      redact,
      now: context.clock.now,
      newIncidentId: () => crypto.randomUUID(),
      log,
    });
  };
  const hostnames = [...new Set([options.hostname, ...localhostAllowedHostnames()])];
  const isLocal = localhostAllowedHostnames().includes(options.hostname);
  return createMcpHandler(() => createServer(tools.values(), handle), {
    route: "/mcp",
    allowedHostnames: isLocal ? localhostAllowedHostnames() : [options.hostname],
    allowedOriginHostnames: hostnames,
    onerror: (error) => log({ event: "mcp-error", error: error.name }),
  });
}
