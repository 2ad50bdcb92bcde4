/** Shows arguments and results of calls: values with `n8n:data`, redacted before they are cut; otherwise their shapes. */
import * as z from "zod";
import type { AgentRun } from "../../executions/agent-run/agent-run.ts";
import { keyOf } from "../../executions/agent-run/calls.ts";
import type { ModelCall, ToolCall } from "../../executions/agent-run/evidence.ts";
import { shapeOf } from "../../executions/agent-run/shape.ts";
import { type IsKnownField, mentionedIn } from "../../executions/known-fields.ts";
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { shortened } from "../shown.ts";
import type { WorkflowContext } from "../tool-context.ts";

/** How much of a value is shown: a number of characters, its shape, or nothing. */
export type Detail = number | "shape" | "none";

type ShownValues = Readonly<Record<string, unknown>>;

export type ShowValues = (call: ModelCall | ToolCall, detail: Detail) => ShownValues;

function valuesOf({ facts }: ModelCall | ToolCall): ShownValues {
  if ("text" in facts) return facts.isEmpty ? {} : { said: facts.text };
  const { toolName, arguments: given, result, errorText } = facts;
  return { toolName: toolName ?? undefined, arguments: given, result, error: errorText ?? undefined };
}

function shapesOf({ facts }: ModelCall | ToolCall, isKnown: IsKnownField): ShownValues {
  if ("text" in facts) return {};
  const shape = (value: typeof facts.result) => (value === undefined ? undefined : shapeOf(value, isKnown));
  return { argumentShape: shape(facts.arguments), resultShape: shape(facts.result) };
}

const redacted = z.object({ calls: z.array(z.record(z.string(), z.unknown())) });

/** Redacts all calls at once, so that a secret has the same number everywhere. */
export function createShowValues(
  runs: readonly AgentRun[],
  execution: ExecutionWithData,
  context: WorkflowContext,
): ShowValues {
  const isKnown = mentionedIn([execution]);
  const calls = runs.flatMap(({ evidence }) => [...evidence.models, ...evidence.tools]);
  if (!context.mayReadData) return (call, detail) => (detail === "none" ? {} : shapesOf(call, isKnown));
  const shown = redacted.parse(context.redact({ calls: calls.map(valuesOf) })).calls;
  const byCall = new Map(calls.map((call, index) => [keyOf(call), shown[index] ?? {}]));
  return (call, detail) => {
    if (detail === "none") return {};
    if (detail === "shape") return shapesOf(call, isKnown);
    const values = Object.entries(byCall.get(keyOf(call)) ?? {});
    return Object.fromEntries(values.map(([member, value]) => [member, cut(value, detail)]));
  };
}

function cut(value: unknown, length: number): unknown {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= length ? value : shortened(text, length);
}
