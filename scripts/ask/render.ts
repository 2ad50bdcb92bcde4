/**
 * An answer of `trace_request` for a terminal: as every model reads it, and below, what a person would type to go on.
 * Pure. Whatever comes from n8n is made harmless on the way.
 */
import { TRACE_RENDERING } from "../../src/features/trace-request/compact-tree.ts";
import { renderAnswer } from "../../src/mcp/rendering/render-answer.ts";
import type { TraceAnswer } from "./answer.ts";
import { toPlainText } from "./plain-text.ts";

export function renderTrace(answer: TraceAnswer): string {
  const text = renderAnswer(answer, TRACE_RENDERING);
  if (answer.status === "error") return text;
  const { coverage, traceId } = answer.data;
  const isWhole = (coverage.stoppedBy ?? "complete") === "complete";
  return isWhole ? text : `${text}\nTo go on: npm run ask -- --trace ${toPlainText(traceId)}`;
}
