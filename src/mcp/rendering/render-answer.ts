/**
 * Renders an answer as text for a model or a person: the message, the data, the suggested next call, and counts of what
 * was left out and redacted. Promises: the text contains everything in the answer; untrusted text stays on its line,
 * after its key; it takes no more tokens than the JSON, usually half. Pure.
 */
import * as z from "zod";
import { isObject } from "../../platform/is-object.ts";
import type { JsonValue } from "../../redaction/redact.ts";
import type { Envelope } from "../envelope.ts";
import { memberLines } from "./members.ts";
import { withoutRepeats } from "./repeats.ts";
import type { JsonObject } from "./table.ts";
import type { TreeRendering } from "./tree.ts";
import { callText, sentence } from "./words.ts";

export interface Rendering {
  /** Name of a list in the data → how to draw it: as a tree, or item by item in order. */
  readonly trees?: Readonly<Record<string, TreeRendering | "in order">>;
}

/** An object from `JSON.parse`, unchanged: `z.record` would copy it and lose a member named `__proto__`. */
const jsonObject = z.custom<{ [key: string]: JsonValue }>(isObject);

const shape = z.object({ message: z.string().optional(), data: jsonObject, meta: jsonObject });
const refusal = z.object({ code: z.string(), message: z.string(), details: jsonObject });
const guidanceShape = z.strictObject({ message: z.string(), example: z.string() });

/** @throws ZodError when the envelope is invalid */
export function renderAnswer(envelope: Envelope, rendering: Rendering = {}): string {
  // The answer is sent as JSON, which drops undefined members.
  const { message = "", data, meta } = shape.parse(JSON.parse(JSON.stringify(envelope)));
  const lines =
    envelope.status === "error" ? refusalLines(data) : [sentence(message), ...dataLines(data, rendering)];
  return [...lines, ...metaLines(meta)].filter((line) => line !== "").join("\n");
}

function dataLines(data: JsonObject, { trees }: Rendering): string[] {
  const { _guidance: guidance, ...members } = jsonObject.parse(withoutRepeats(data));
  if (!guidanceShape.safeParse(guidance).success)
    return memberLines(guidance === undefined ? members : { ...members, _guidance: guidance }, trees);
  return [...memberLines(members, trees), `Next: ${guidanceText(guidance)}`];
}

function guidanceText(guidance: JsonValue | undefined): string {
  const { message, example } = guidanceShape.parse(guidance);
  return `${sentence(message)} ${callText(example)}`;
}

function refusalLines(data: JsonObject): string[] {
  const { code, message, details } = refusal.parse(data);
  const { solution, ...facts } = details;
  return [
    `${sentence(code)}: ${sentence(message)}`,
    ...(typeof solution === "string" ? [`Fix: ${sentence(solution)}`] : []),
    ...dataLines(facts, {}),
  ];
}

function metaLines({ timestamp, leftOut, redactions, withheld, ...others }: JsonObject): string[] {
  return [
    ...memberLines(others),
    ...leftOutLines(leftOut),
    ...(isObject(redactions) ? [`Redacted: ${counts(redactions)}`] : []),
    ...(isObject(withheld) ? [`Withheld: ${counts(withheld)}`] : []),
    ...(typeof timestamp === "string" ? [`At ${timestamp}`] : []),
  ];
}

function leftOutLines(leftOut: JsonValue | undefined): string[] {
  if (!isObject(leftOut)) return [];
  const { _guidance: guidance, solution, ...left } = jsonObject.parse(leftOut);
  const advice = guidance === undefined ? sentence(String(solution ?? "")) : guidanceText(guidance);
  return [`Left out: ${counts(left)}. ${advice}`.trimEnd()];
}

/** Contains only numbers and our own sentences. */
function counts(members: Readonly<Record<string, unknown>>): string {
  return Object.entries(members)
    .map(([name, value]) => sentence(typeof value === "number" ? `${name} ${value}` : String(value)))
    .join(", ");
}
