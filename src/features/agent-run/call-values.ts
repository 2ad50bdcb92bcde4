/**
 * What calls were given and answered, as an answer shows it: values with `n8n:data`, redacted before they are cut, so
 * that a secret at the edge is not told by half; else what they look like.
 */
import * as z from "zod";
import type { AgentRun } from "../../executions/agent-run/agent-run.ts";
import { keyOf } from "../../executions/agent-run/calls.ts";
import type { ModelCall, ToolCall } from "../../executions/agent-run/evidence.ts";
import { shapeOf } from "../../executions/agent-run/shape.ts";
import { type IsKnownField, mentionedIn } from "../../executions/known-fields.ts";
import type { ExecutionWithData } from "../../n8n/schemas.ts";
import { shortened } from "../shown.ts";
import type { ToolContext } from "../tool-context.ts";

/** How much of a value is shown: so many characters, what it looks like, or nothing. */
export type Detail = number | "shape" | "none";

export type ShownValues = Readonly<Record<string, unknown>>;

/** Gives a call's values in as much detail as there is room for. */
export type ShowValues = (call: ModelCall | ToolCall, detail: Detail) => ShownValues;

type Value = readonly [member: string, value: unknown];

/** The members of a call that are payload. */
function valuesOf(call: ModelCall | ToolCall): Value[] {
  const { facts } = call;
  if ("text" in facts) return facts.isEmpty ? [] : [["said", facts.text]];
  return [
    ...(facts.toolName === null ? [] : [["toolName", facts.toolName] as const]),
    ...(facts.arguments === undefined ? [] : [["arguments", facts.arguments] as const]),
    ...(facts.result === undefined ? [] : [["result", facts.result] as const]),
    ...(facts.errorText === null ? [] : [["error", facts.errorText] as const]),
  ];
}

function shapesOf(call: ModelCall | ToolCall, isKnown: IsKnownField): ShownValues {
  const { facts } = call;
  if ("text" in facts) return {};
  return {
    ...(facts.arguments === undefined ? {} : { argumentShape: shapeOf(facts.arguments, isKnown) }),
    ...(facts.result === undefined ? {} : { resultShape: shapeOf(facts.result, isKnown) }),
  };
}

const redacted = z.object({ calls: z.array(z.record(z.string(), z.unknown())) });

/** Of all calls at once: the same secret has the same number wherever it is. */
export function createShowValues(
  runs: readonly AgentRun[],
  execution: ExecutionWithData,
  context: ToolContext,
): ShowValues {
  const isKnown = mentionedIn([execution]);
  const calls = runs.flatMap(({ evidence }) => [...evidence.models, ...evidence.tools]);
  if (!context.mayReadData) return (call, detail) => (detail === "none" ? {} : shapesOf(call, isKnown));
  const plain = calls.map((call) => Object.fromEntries(valuesOf(call)));
  const shown = redacted.parse(context.redact({ calls: plain })).calls;
  const byCall = new Map(calls.map((call, index) => [keyOf(call), shown[index] ?? {}]));
  return (call, detail) => {
    if (detail === "none") return {};
    if (detail === "shape") return shapesOf(call, isKnown);
    const values = Object.entries(byCall.get(keyOf(call)) ?? {});
    return Object.fromEntries(values.map(([member, value]) => [member, cut(value, detail)]));
  };
}

/** A value that is too long is shown as the beginning of its text. */
function cut(value: unknown, length: number): unknown {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.length <= length) return value;
  return shortened(text, length);
}
