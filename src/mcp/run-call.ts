/**
 * Runs one tool call of a verified caller: with an entry in the activity log, a span, a redactor that knows this call's
 * secrets, and a place among the user's concurrent calls. `handler.ts` provides the caller and reports progress.
 */
import type { AuthInfo } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { ToolCallEntry } from "../activity-log/entry.ts";
import { interrupted } from "../platform/errors.ts";
import { log } from "../platform/log.ts";
import type { Span, SpanAttributes, Spans } from "../platform/spans.ts";
import type { Redacted, RedactionSettings } from "../redaction/redact.ts";
import type { CallerAccess } from "../settings/index.ts";
import { type AuditCall, createCallAudit } from "./call-audit.ts";
import { type CallDependencies, callTool, repeatedArguments } from "./call-tool.ts";
import type { CallContext, Tool } from "./define-tool.ts";
import type { Envelope } from "./envelope.ts";
import { createRequestRedactor, secretsNotIn } from "./request-redactor.ts";
import type { ScopeRefusal } from "./scope-challenge.ts";

/** The caller, and the parts of the call's context that come from the request. */
export interface CallOrigin extends Pick<CallContext, "progress" | "pause"> {
  readonly userId: string;
  readonly scopes: readonly string[];
  /** What limits the caller's view. */
  readonly access: CallerAccess;
  /** Whether the tool's answers contain payload. */
  readonly showsData: boolean;
  readonly requestUrl: string;
  /** Aborts when the client has gone. */
  readonly gone: AbortSignal;
  readonly redaction: Pick<CallContext, "redact" | "redactLarge" | "print">;
  /** Called for each chunk that n8n sends for this call. */
  readonly countBytes: (bytes: number) => void;
}

/** A call's place among the concurrent calls. After `pause` it may have none, if none became free in time. */
export interface AdmittedCall extends Pick<CallContext, "pause"> {
  /** Idempotent. */
  readonly leave: () => void;
  /** Called for each chunk that n8n sends for this call. */
  readonly noteRead: (bytes: number) => void;
  /** Called by long work every few milliseconds. */
  readonly giveWay: () => Promise<void>;
}

export interface CallRunnerOptions<Context extends CallContext>
  extends Pick<CallDependencies<Context>, "pageUrlOf"> {
  readonly tools: readonly Tool<Context>[];
  readonly createContext: (origin: CallOrigin) => Context;
  /** Admits a user's call. @throws ObserverError `RATE_LIMITED` */
  readonly admit: (userId: string) => Promise<AdmittedCall>;
  readonly ownSecrets: () => readonly string[];
  /** The operator's additions to the built-in redaction. @throws ObserverError `CONFIGURATION_ERROR` */
  readonly redaction: () => RedactionSettings;
  readonly audit: AuditCall;
  readonly spans: Spans;
  /** Digest of a request id for the activity log. */
  readonly digest: (requestId: string) => string | undefined;
}

/** Who calls a tool, at which address, and how progress reaches them. */
export interface Caller {
  readonly authInfo: AuthInfo;
  readonly url: string;
  /** Aborts when the client has gone. */
  readonly gone: AbortSignal;
  readonly progress: (redact: (value: unknown) => Redacted) => CallContext["progress"];
}

export interface CallRunner {
  /** Runs a call; a failure is an answer, too. */
  run(name: string, args: unknown, caller: Caller): Promise<Envelope>;
  /** Records a call that was refused before it reached its tool. */
  readonly noteScopeRefused: ScopeRefusal;
}

/** The caller, as sign-in stored it with the token. */
const authExtra = z.looseObject({
  props: z.looseObject({
    userId: z.string().min(1),
    grantId: z.string().optional(),
    access: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("all") }),
      z.object({ kind: z.literal("rules"), numbers: z.array(z.int().min(1)) }),
      z.object({ kind: z.literal("own keys"), n8nKeys: z.record(z.string(), z.string()) }),
    ]),
  }),
});

function toAuditedAccess(access: CallerAccess): Pick<ToolCallEntry, "rules" | "ownKey"> {
  if (access.kind === "rules") return { rules: [...access.numbers] };
  return access.kind === "own keys" ? { ownKey: true } : {};
}

type ToolSpan = Span<"n8n_observer.tool">;

const toSpanAttributes = (entry: Omit<ToolCallEntry, "event">) =>
  ({
    "tool.name": entry.tool,
    "call.outcome": entry.outcome,
    "call.bytes_read": entry.bytesRead,
    "call.redactions": Object.values(entry.redactions).reduce((sum, count) => sum + count, 0),
    "request_id.digest": entry.ids.requestIdDigest,
    "n8n.instance": entry.ids.instance,
  }) satisfies SpanAttributes<"n8n_observer.tool">;

export function createCallRunner<Context extends CallContext>(
  options: CallRunnerOptions<Context>,
): CallRunner {
  const tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  const beginAudit = (name: string, { extra, clientId }: AuthInfo, audit = options.audit) => {
    const { userId, grantId, access } = authExtra.parse(extra).props;
    const tool = tools.has(name) ? name : "unknown";
    const call = { userId, clientId, grantId, tool, ...toAuditedAccess(access) };
    return createCallAudit({ call, audit, digest: options.digest, now: Date.now });
  };
  const runIn = async (span: ToolSpan, name: string, args: unknown, caller: Caller) => {
    const { authInfo, url, gone, progress } = caller;
    const { userId, access } = authExtra.parse(authInfo.extra).props;
    const audit = beginAudit(name, authInfo, (entry) => {
      options.audit(entry);
      span.set(toSpanAttributes(entry));
    });
    const { redact, redactWithPauses, preview, unnumbered, print } = createRequestRedactor(
      secretsNotIn(repeatedArguments(tools.get(name), args), options.ownSecrets()),
      options.redaction,
      [authInfo.token, ...(access.kind === "own keys" ? Object.values(access.n8nKeys) : [])],
    );
    let place: AdmittedCall | undefined;
    const giveWay = async (): Promise<void> =>
      await (place === undefined ? context.clock.sleep(0) : place.giveWay());
    const context = options.createContext({
      userId,
      scopes: authInfo.scopes,
      access,
      showsData: tools.get(name)?.scope === "n8n:data",
      requestUrl: url,
      gone,
      progress: progress(redact),
      pause: async (milliseconds) => await (place?.pause ?? context.clock.sleep)(milliseconds),
      redaction: {
        redact: preview,
        redactLarge: async (value) => await unnumbered(value, giveWay),
        print: async (value) => await print(value, giveWay),
      },
      countBytes: (bytes) => {
        audit.countBytes(bytes);
        place?.noteRead(bytes);
      },
    });
    const envelope = await callTool(name, args, {
      tools,
      context,
      admit: async () => {
        place = await options.admit(userId);
        gone.addEventListener("abort", place.leave);
        if (!gone.aborted) return place.leave;
        // The client left while the call waited. If the call ran, clients that leave could run more than the limit.
        place.leave();
        throw interrupted("The client disconnected while its call was queued.");
      },
      scopes: authInfo.scopes,
      redact,
      redactAnswer: async (value) => await redactWithPauses(value, giveWay),
      now: context.clock.now,
      noteIds: audit.noteIds,
      newIncidentId: () => crypto.randomUUID(),
      pageUrlOf: options.pageUrlOf,
      log,
    });
    return audit.end(envelope);
  };
  return {
    run: async (name, args, caller) =>
      await options.spans.enter("n8n_observer.tool", async (span) => await runIn(span, name, args, caller)),
    noteScopeRefused: (tool, caller) => beginAudit(tool.name, caller).refuse("INSUFFICIENT_SCOPE"),
  };
}
