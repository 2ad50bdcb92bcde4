/** Logs each call twice: when its ids are known, and when it ends, which a disconnecting client prevents. */
import * as z from "zod";
import type { ToolCallEntry } from "../activity-log/entry.ts";
import { ERROR_CODES, type ErrorCode } from "../platform/errors.ts";
import type { NamedId } from "./define-tool.ts";
import type { Envelope } from "./envelope.ts";

/** Receives the entries of one call. Never throws or waits. */
export type AuditCall = (entry: Omit<ToolCallEntry, "event">) => void;

interface CallAuditOptions {
  /** `tool` is one of our tools or `unknown`, because any other name is the caller's text. */
  readonly call: Pick<ToolCallEntry, "userId" | "clientId" | "grantId" | "tool" | "rules" | "ownKey">;
  readonly audit: AuditCall;
  /** Digest of a request id, which itself must not be stored, because it is the caller's free text. */
  readonly digest: (requestId: string) => string | undefined;
  readonly now: () => number;
}

const refused = z.object({ code: z.enum(ERROR_CODES) });
const redacted = z.object({ redactions: z.record(z.string(), z.int()) });

export function createCallAudit({ call, audit, digest, now }: CallAuditOptions) {
  const callId = crypto.randomUUID();
  const startedAt = now();
  let ids: ToolCallEntry["ids"] = {};
  let bytesRead = 0;
  const report = (outcome: ToolCallEntry["outcome"], redactions: ToolCallEntry["redactions"] = {}): void =>
    audit({
      time: new Date(startedAt).toISOString(),
      callId,
      ...call,
      ids,
      outcome,
      durationMs: Math.max(0, now() - startedAt),
      bytesRead,
      redactions,
    });
  return {
    noteIds(given: readonly NamedId[]): void {
      ids = toIds(given, digest);
      report("unfinished");
    },
    countBytes(bytes: number): void {
      bytesRead += bytes;
    },
    end(answer: Envelope): Envelope {
      report(outcomeOf(answer), redacted.safeParse(answer.meta).data?.redactions);
      return answer;
    },
    /** Logs a call that was refused before it reached a tool. */
    refuse: (code: ErrorCode): void => report(code),
  };
}

function toIds(given: readonly NamedId[], digest: CallAuditOptions["digest"]): ToolCallEntry["ids"] {
  const ids: ToolCallEntry["ids"] = {};
  for (const { as, value } of given) {
    const kept = as === "requestIdDigest" ? digest(value) : value;
    // A comparison names two executions.
    if (kept !== undefined) ids[as] = ids[as] === undefined ? kept : `${ids[as]} ${kept}`;
  }
  return ids;
}

function outcomeOf({ status, data }: Envelope): ToolCallEntry["outcome"] {
  if (status === "success") return "success";
  return refused.safeParse(data).data?.code ?? "TOOL_EXECUTION_FAILED";
}
