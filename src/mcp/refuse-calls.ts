/**
 * Refuses calls of tools before an MCP server is made for them, since making one costs more than to refuse.
 *
 * Promises: what is no call of a tool, or no JSON, is left to the MCP handler; a refusal has the form of any other
 * answer. It is not HTTP's 429, which clients show as a broken connection: a model reads why, and when to call again.
 */
import * as z from "zod";
import type { ObserverError } from "../platform/errors.ts";
import { errorEnvelope } from "./envelope.ts";
import { renderAnswer } from "./rendering/render-answer.ts";
import { wantsJsonText } from "./server.ts";

/** A message that calls a tool, by its name or as a resource or completion. */
const callMessage = z.object({
  id: z.union([z.string(), z.number()]),
  method: z.enum(["tools/call", "resources/read", "completion/complete"]),
  params: z.looseObject({ name: z.string().optional() }).optional(),
});
type CallMessage = z.infer<typeof callMessage>;

interface RequestedCalls {
  readonly calls: readonly CallMessage[];
  /** Clients from before 2025-06-18 may send several messages at once. */
  readonly isBatch: boolean;
}

/** JSON-RPC leaves the codes from here on to servers. */
const REFUSED = -32_000;

export function callsIn(parsedBody: unknown): RequestedCalls {
  const isBatch = Array.isArray(parsedBody);
  const messages: readonly unknown[] = isBatch ? parsedBody : [parsedBody];
  return { calls: messages.flatMap((message) => callMessage.safeParse(message).data ?? []), isBatch };
}

/** @param now epoch ms */
export function refuseCalls(
  { calls, isBatch }: RequestedCalls,
  error: ObserverError,
  request: Request,
  now: number,
): Response {
  const answers = calls.map((call) => ({
    jsonrpc: "2.0",
    id: call.id,
    ...toRefusal(call, error, request, now),
  }));
  const headers = { "Access-Control-Allow-Origin": "*" };
  return Response.json(isBatch ? answers : answers[0], { headers });
}

function toRefusal({ method }: CallMessage, error: ObserverError, request: Request, now: number) {
  if (method !== "tools/call")
    return { error: { code: REFUSED, message: `${error.message} ${error.details.solution}` } };
  const timestamp = new Date(now).toISOString().replace(/\.\d+Z$/, "Z");
  const envelope = errorEnvelope(error, { timestamp });
  const text = wantsJsonText(request) ? JSON.stringify(envelope) : renderAnswer(envelope);
  const content = [{ type: "text", text }];
  // Clients from before 2026-07-28 ignore `resultType`.
  return { result: { resultType: "complete", content, structuredContent: envelope, isError: true } };
}
