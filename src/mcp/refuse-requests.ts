/**
 * Refuses requests before an MCP server is created for them, which would cost more than the refusal.
 *
 * Promises: a refusal has the form of any other answer, so that a model reads why, and when to call again. Clients show
 * HTTP's 429 as a broken connection; only a request without another form of answer gets it.
 */
import * as z from "zod";
import type { ObserverError } from "../platform/errors.ts";
import { errorEnvelope, toTimestamp } from "./envelope.ts";
import { renderAnswer } from "./rendering/render-answer.ts";
import { wantsJsonText } from "./server.ts";

/** A message to this server. A notification has no id. */
const message = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z
    .looseObject({ name: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
type Message = z.infer<typeof message>;

interface Messages {
  readonly messages: readonly Message[];
  /** Clients from before 2025-06-18 may send several messages at once. */
  readonly isBatch: boolean;
}

/** The first code that JSON-RPC leaves to servers. */
const REFUSED = -32_000;

export function messagesIn(parsedBody: unknown): Messages {
  const isBatch = Array.isArray(parsedBody);
  const all: readonly unknown[] = isBatch ? parsedBody : [parsedBody];
  const messages = all.flatMap((one) => message.safeParse(one).data ?? []);
  return { messages, isBatch };
}

/** Whether it calls a tool: by name, or through a resource or completion. */
export const isCall = ({ method }: Message): boolean =>
  ["tools/call", "resources/read", "completion/complete"].includes(method);

/** @param now epoch ms */
export function refuseRequest(
  { messages, isBatch }: Messages,
  error: ObserverError,
  request: Request,
  now: number,
): Response {
  const answers = messages.flatMap((one) =>
    one.id === undefined ? [] : { jsonrpc: "2.0", id: one.id, ...toRefusal(one, error, request, now) },
  );
  const headers = { "Access-Control-Allow-Origin": "*" };
  if (answers.length === 0)
    return new Response(null, {
      status: 429,
      headers: { ...headers, "Retry-After": String(error.details.retryAfter) },
    });
  return Response.json(isBatch ? answers : answers[0], { headers });
}

function toRefusal({ method }: Message, error: ObserverError, request: Request, now: number) {
  if (method !== "tools/call")
    return { error: { code: REFUSED, message: `${error.message} ${error.details.solution}` } };
  const envelope = errorEnvelope(error, { timestamp: toTimestamp(now) });
  const text = wantsJsonText(request) ? JSON.stringify(envelope) : renderAnswer(envelope);
  const content = [{ type: "text", text }];
  // Clients from before 2026-07-28 ignore `resultType`.
  return { result: { resultType: "complete", content, structuredContent: envelope, isError: true } };
}
