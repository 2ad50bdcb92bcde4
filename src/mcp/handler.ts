/** Serves `/mcp` with a new MCP server per request. Persistent state is in Durable Objects, keyed by user. */
import {
  type AuthInfo,
  localhostAllowedHostnames,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { createMcpHandler } from "agents/mcp/server";
import * as z from "zod";
import { log } from "../platform/log.ts";
import type { CallContext } from "./define-tool.ts";
import type { Envelope } from "./envelope.ts";
import type { ReadRequest } from "./json-body.ts";
import { NO_PROGRESS, progressOf } from "./progress.ts";
import { messagesIn } from "./refuse-requests.ts";
import { type Caller, type CallRunnerOptions, createCallRunner } from "./run-call.ts";
import { createServer, type Offered } from "./server.ts";

interface McpEndpointOptions<Context extends CallContext>
  extends CallRunnerOptions<Context>,
    Pick<Offered, "prompts" | "resources" | "instances"> {
  readonly publicUrl: string;
}

/** How often a comment is sent on the stream: only sending reveals that a client has closed its connection. */
const KEEP_ALIVE_MS = 2_000;

/** A call from this server itself: the page for people. */
export interface DirectCall extends Omit<Caller, "progress"> {
  readonly name: string;
  readonly args: unknown;
  /** Receives redacted messages. */
  readonly progress?: (message: string) => Promise<void>;
}

/** For callers whom sign-in has verified. */
export interface McpEndpoint {
  serve(request: ReadRequest, authInfo: AuthInfo): Promise<Response>;
  /** Calls a tool as MCP does, without an MCP message. */
  call(call: DirectCall): Promise<Envelope>;
}

export function createMcpEndpoint<Context extends CallContext>(
  options: McpEndpointOptions<Context>,
): McpEndpoint {
  const { run, noteScopeRefused } = createCallRunner(options);
  const { hostname } = new URL(options.publicUrl);
  const localHostnames = localhostAllowedHostnames();
  const runForClient = async (name: string, args: unknown, request: ServerContext) => {
    const { authInfo, req } = request.http ?? {};
    // Fails closed: without a caller there is no call.
    if (authInfo === undefined || req === undefined) throw new TypeError("A call without a verified caller.");
    return await run(name, args, {
      authInfo,
      url: req.url,
      gone: request.mcpReq.signal,
      progress: (redact) => progressOf(request, redact),
    });
  };
  const offered = { ...options, origin: options.publicUrl };
  const calledTools = new WeakMap<Request, string>();
  const serve = ({ requestInfo }: { requestInfo?: Request }): McpServer => {
    const called = requestInfo === undefined ? undefined : calledTools.get(requestInfo);
    return createServer(offered, runForClient, noteScopeRefused, called);
  };
  const handler = createMcpHandler(serve, {
    route: "/mcp",
    allowedHostnames: localHostnames.includes(hostname) ? localHostnames : [hostname],
    allowedOriginHostnames: [...new Set([hostname, ...localHostnames])],
    keepAliveMs: KEEP_ALIVE_MS,
    onerror: (error) => log({ event: "mcp-error", error: error.name }),
  });
  // Passes the caller, not the request's context, with which the library would copy each answer through another stream.
  return {
    async serve({ request, ...body }, authInfo) {
      const { messages, isBatch } = messagesIn(body.parsedBody);
      const [call] = isBatch ? [] : messages;
      if (call?.method === "tools/call") calledTools.set(request, call.params?.name ?? "");
      return await handler.fetch(request, { authInfo, ...body });
    },
    async call({ name, args, progress: report, ...caller }) {
      const progress: Caller["progress"] = (redact) =>
        report === undefined
          ? NO_PROGRESS
          : async (_done, message) => await report(z.string().parse(redact(message).value));
      return await run(name, args, { ...caller, progress });
    },
  };
}
