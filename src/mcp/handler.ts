/**
 * Serves `/mcp` with a new MCP server per request, for the authenticated caller. The protocol is stateless; lasting state
 * is in Durable Objects, keyed by user.
 */
import {
  type AuthInfo,
  localhostAllowedHostnames,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { createMcpHandler } from "agents/mcp/server";
import * as z from "zod";
import type { ToolCallEntry } from "../activity-log/entry.ts";
import type { Span, SpanAttributes, Spans } from "../platform/spans.ts";
import type { Redacted, RedactionSettings } from "../redaction/redact.ts";
import type { CallerAccess } from "../settings/index.ts";
import { type AuditCall, createCallAudit } from "./call-audit.ts";
import { callTool, repeatedArguments } from "./call-tool.ts";
import type { CallContext, Tool } from "./define-tool.ts";
import type { Envelope } from "./envelope.ts";
import type { ReadRequest } from "./json-body.ts";
import { NO_PROGRESS, progressOf } from "./progress.ts";
import { messagesIn } from "./refuse-requests.ts";
import { createRequestRedactor, secretsNotIn } from "./request-redactor.ts";
import type { ScopeRefusal } from "./scope-challenge.ts";
import { createServer, type Offered } from "./server.ts";

/** The caller, and the parts of the call's context that come from the request. */
export interface CallOrigin extends Pick<CallContext, "progress" | "pause"> {
  readonly userId: string;
  readonly scopes: readonly string[];
  /** What decides what the caller sees. */
  readonly access: CallerAccess;
  /** Whether the tool shows payload, whatever it reads. */
  readonly showsData: boolean;
  readonly requestUrl: string;
  readonly redaction: Pick<CallContext, "redact" | "redactLarge" | "print">;
  /** Called for each chunk that n8n sends for this call. */
  readonly countBytes: (bytes: number) => void;
  readonly log: (line: Readonly<Record<string, unknown>>) => void;
}

export interface AdmittedCall extends Pick<CallContext, "pause"> {
  readonly leave: () => void;
  /** Called by long work every few milliseconds. */
  readonly giveWay: () => Promise<void>;
}

interface McpEndpointOptions<Context extends CallContext>
  extends Pick<Offered, "prompts" | "resources" | "instances"> {
  readonly tools: readonly Tool<Context>[];
  readonly createContext: (origin: CallOrigin) => Context;
  /** Admits a user's call. @throws ObserverError `RATE_LIMITED` */
  readonly admit: (userId: string) => Promise<AdmittedCall>;
  /** Our own secrets, which must never leave. */
  readonly ownSecrets: () => readonly string[];
  /** The operator's additions to the built-in redaction. @throws ObserverError `CONFIGURATION_ERROR` */
  readonly redaction: () => RedactionSettings;
  readonly audit: AuditCall;
  readonly spans: Spans;
  /** Digest of a request id for the activity log. */
  readonly digest: (requestId: string) => string | undefined;
  readonly publicUrl: string;
  /** Where people see an answer of a tool; undefined without pages. */
  readonly pageUrlOf?: ((tool: string, data: unknown) => string | undefined) | undefined;
}

/** The caller, as sign-in stored it with the token. */
const authExtra = z.looseObject({
  props: z.looseObject({
    userId: z.string().min(1),
    access: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("all") }),
      z.object({ kind: z.literal("rules"), numbers: z.array(z.int().min(1)) }),
      z.object({ kind: z.literal("own keys"), n8nKeys: z.record(z.string(), z.string()) }),
    ]),
  }),
});

/** A client that has closed its connection is noticed when something is sent to it: a comment of the stream. */
const KEEP_ALIVE_MS = 2_000;

/** As the activity log has it. */
function decidedBy(access: CallerAccess): Pick<ToolCallEntry, "rules" | "ownKey"> {
  if (access.kind === "rules") return { rules: [...access.numbers] };
  return access.kind === "own keys" ? { ownKey: true } : {};
}

type ToolSpan = Span<"n8n_observer.tool">;

/** The members of an activity-log entry that a span also shows. */
const toSpanAttributes = (entry: Omit<ToolCallEntry, "event">) =>
  ({
    "tool.name": entry.tool,
    "call.outcome": entry.outcome,
    "call.bytes_read": entry.bytesRead,
    "call.redactions": Object.values(entry.redactions).reduce((sum, count) => sum + count, 0),
    "request_id.digest": entry.ids.requestIdDigest,
    "n8n.instance": entry.ids.instance,
  }) satisfies SpanAttributes<"n8n_observer.tool">;

export function log(line: Readonly<Record<string, unknown>>): void {
  console.error(JSON.stringify(line));
}

/** Who calls a tool, at which address, and how progress reaches them. */
interface AskedBy {
  readonly authInfo: AuthInfo;
  readonly url: string;
  /** Aborts when the client has gone. */
  readonly gone: AbortSignal;
  readonly progress: (redact: (value: unknown) => Redacted) => CallContext["progress"];
}

/** A call from this server itself: the page for people. */
export interface DirectCall extends Pick<AskedBy, "authInfo" | "url" | "gone"> {
  readonly name: string;
  readonly args: unknown;
  /** Receives messages that are redacted already. */
  readonly progress?: (message: string) => Promise<void>;
}

/** For callers whom sign-in has verified. */
export interface McpEndpoint {
  /** Answers a request of MCP. */
  serve(request: ReadRequest, authInfo: AuthInfo): Promise<Response>;
  /** Calls a tool as MCP does, without a message in between. */
  call(call: DirectCall): Promise<Envelope>;
}

export function createMcpEndpoint<Context extends CallContext>(
  options: McpEndpointOptions<Context>,
): McpEndpoint {
  const tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  const beginAudit = (name: string, { extra, clientId }: AuthInfo, audit = options.audit) => {
    const { userId, access } = authExtra.parse(extra).props;
    const call = { userId, clientId, tool: tools.has(name) ? name : "unknown", ...decidedBy(access) };
    return createCallAudit({ call, audit, digest: options.digest, now: Date.now });
  };
  const answer = async (name: string, args: unknown, asked: AskedBy, span: ToolSpan) => {
    const { authInfo, url, gone, progress } = asked;
    const { userId, access } = authExtra.parse(authInfo.extra).props;
    const audit = beginAudit(name, authInfo, (entry) => {
      options.audit(entry);
      span.set(toSpanAttributes(entry));
    });
    const { redact, redactWithPauses, preview, unnumbered, print } = createRequestRedactor(
      [
        ...secretsNotIn(repeatedArguments(tools.get(name), args), options.ownSecrets()),
        authInfo.token,
        ...(access.kind === "own keys" ? Object.values(access.n8nKeys) : []),
      ],
      options.redaction,
    );
    let place: AdmittedCall | undefined;
    const others = async (): Promise<void> =>
      await (place === undefined ? context.clock.sleep(0) : place.giveWay());
    const context = options.createContext({
      userId,
      scopes: authInfo.scopes,
      access,
      showsData: tools.get(name)?.scope === "n8n:data",
      requestUrl: url,
      progress: progress(redact),
      pause: async (milliseconds) => await (place?.pause ?? context.clock.sleep)(milliseconds),
      redaction: {
        redact: preview,
        redactLarge: async (value) => await unnumbered(value, others),
        print: async (value) => await print(value, others),
      },
      countBytes: audit.countBytes,
      log,
    });
    const envelope = await callTool(name, args, {
      tools,
      context,
      admit: async () => {
        place = await options.admit(userId);
        gone.addEventListener("abort", place.leave);
        // While it waited.
        if (gone.aborted) place.leave();
        return place.leave;
      },
      scopes: authInfo.scopes,
      redact,
      redactAnswer: async (value) => await redactWithPauses(value, others),
      now: context.clock.now,
      noteIds: audit.noteIds,
      newIncidentId: () => crypto.randomUUID(),
      ...(options.pageUrlOf === undefined ? {} : { pageUrlOf: options.pageUrlOf }),
      log,
    });
    return audit.end(envelope);
  };
  const { hostname } = new URL(options.publicUrl);
  const hostnames = [...new Set([hostname, ...localhostAllowedHostnames()])];
  const isLocal = localhostAllowedHostnames().includes(hostname);
  const enter = async (name: string, args: unknown, asked: AskedBy) =>
    await options.spans.enter("n8n_observer.tool", async (span) => await answer(name, args, asked, span));
  const handle = async (name: string, args: unknown, request: ServerContext) => {
    const { authInfo, req } = request.http ?? {};
    // Fails closed: without a caller there is no call.
    if (authInfo === undefined || req === undefined) throw new TypeError("A call without a verified caller.");
    return await enter(name, args, {
      authInfo,
      url: req.url,
      gone: request.mcpReq.signal,
      progress: (redact) => progressOf(request, redact),
    });
  };
  const noteScopeRefused: ScopeRefusal = (tool, caller) =>
    beginAudit(tool.name, caller).refuse("INSUFFICIENT_SCOPE");
  const offered = { ...options, origin: options.publicUrl };
  const calledBy = new WeakMap<Request, string>();
  const serve = ({ requestInfo }: { requestInfo?: Request }): McpServer => {
    const called = requestInfo === undefined ? undefined : calledBy.get(requestInfo);
    return createServer(offered, handle, noteScopeRefused, called);
  };
  const handler = createMcpHandler(serve, {
    route: "/mcp",
    allowedHostnames: isLocal ? localhostAllowedHostnames() : [hostname],
    allowedOriginHostnames: hostnames,
    keepAliveMs: KEEP_ALIVE_MS,
    onerror: (error) => log({ event: "mcp-error", error: error.name }),
  });
  // The caller is given, not the context of the request: the library would copy each answer through a stream of its own.
  return {
    async serve({ request, ...body }, authInfo) {
      const { messages, isBatch } = messagesIn(body.parsedBody);
      const [call] = isBatch ? [] : messages;
      if (call?.method === "tools/call") calledBy.set(request, call.params?.name ?? "");
      return await handler.fetch(request, { authInfo, ...body });
    },
    async call({ name, args, progress: report, ...asked }) {
      const progress: AskedBy["progress"] = (redact) =>
        report === undefined
          ? NO_PROGRESS
          : async (_done, message) => await report(z.string().parse(redact(message).value));
      return await enter(name, args, { ...asked, progress });
    },
  };
}
