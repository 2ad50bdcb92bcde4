/**
 * Renders an answer of `trace_request` for a terminal: the text that models read, and the command that continues the
 * trace. Pure. Text from n8n is sanitized.
 */
import * as z from "zod";
import { TRACE_RENDERING } from "../../src/features/trace-request/compact-tree.ts";
import { renderAnswer } from "../../src/mcp/rendering/render-answer.ts";
import { toPlainText } from "./plain-text.ts";

/** Only the fields needed here; others pass through. */
const trace = z.looseObject({
  requestId: z.string(),
  found: z.boolean(),
  coverage: z.looseObject({ stoppedBy: z.string().exactOptional() }),
  traceId: z.string(),
});

const meta = z.looseObject({});

export const traceAnswer = z.discriminatedUnion("status", [
  z.looseObject({ status: z.literal("success"), message: z.string(), data: trace, meta }),
  z.looseObject({
    status: z.literal("error"),
    data: z.looseObject({ code: z.string(), message: z.string(), details: z.looseObject({}) }),
    meta,
  }),
]);
export type TraceAnswer = z.infer<typeof traceAnswer>;

export function renderTrace(answer: TraceAnswer): string {
  const text = renderAnswer(answer, TRACE_RENDERING);
  if (answer.status === "error") return text;
  const { coverage, traceId } = answer.data;
  const isWhole = (coverage.stoppedBy ?? "complete") === "complete";
  return isWhole ? text : `${text}\nTo go on: npm run ask -- --trace ${toPlainText(traceId)}`;
}
