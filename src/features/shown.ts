/**
 * Shows untrusted values in an answer: redacted first and then cut, so that no part of a secret at the cut is shown.
 * Absent members of a failure are left out.
 */
import * as z from "zod";
import type { Failure, OwnText } from "../executions/failure.ts";
import type { N8nUrls } from "../n8n/n8n-urls.ts";
import { traceIdOf } from "../platform/traceparent.ts";
import { MARKS } from "../redaction/marks.ts";
import type { WorkflowContext } from "./tool-context.ts";

/** Cuts redacted text, but never through a mark. @param length maximum number of characters, not counting the ellipsis */
export function shortened(redacted: string, length: number): string {
  if (redacted.length <= length) return redacted;
  const cut = [...redacted.matchAll(MARKS)].find(
    ({ index, 0: mark }) => index < length && length < index + mark.length,
  );
  return `${redacted.slice(0, cut?.index ?? length)}…`;
}

type WithoutNull<Members> = { readonly [Key in keyof Members]?: Exclude<Members[Key], null> | undefined };

/** Turns null members into undefined, which an answer leaves out. */
export function withoutNull<Members extends object>(members: Members): WithoutNull<Members>;
export function withoutNull(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([key, value]) => [key, value ?? undefined]));
}

/** The trace that n8n wrote to OpenTelemetry, and where it opens. Empty without one, or if n8n's text is not a `traceparent`. */
export function showOtelTrace(traceparent: string | undefined, urls: N8nUrls) {
  const otelTraceId = traceIdOf(traceparent ?? "");
  return otelTraceId === undefined ? {} : { otelTraceId, traceUrl: urls.trace(otelTraceId) };
}

/** Maximum length of each part of an error's own text in a short answer. */
export const SHORT_TEXT = 400;

type MayLack = "name" | "type" | "code" | "httpCode" | "lineNumber";

export type ShownFailure<Shown extends Failure = Failure> = Omit<Shown, MayLack | "hasOwnText"> &
  WithoutNull<Pick<Failure, MayLack>> & {
    /** There is a text that this caller may not see. */
    readonly hasOwnText?: true;
    readonly ownText?: OwnText;
  };

interface ShowOptions {
  readonly context: Pick<WorkflowContext, "mayShowErrorText" | "redact">;
  readonly length?: number;
}

const ownTextShape = z.object({ message: z.string(), description: z.string().optional() });

/** @param own the error's own text; null when it has none */
export function showFailure<Shown extends Failure>(
  { name, type, code, httpCode, lineNumber, hasOwnText: _hasOwnText, ...shown }: Shown,
  own: OwnText | null,
  options: ShowOptions,
): ShownFailure<Shown> {
  return {
    ...shown,
    ...withoutNull({ name, type, code, httpCode, lineNumber }),
    ...shownText(own, options),
  };
}

function shownText(
  own: OwnText | null,
  { context, length = Number.POSITIVE_INFINITY }: ShowOptions,
): Pick<ShownFailure, "hasOwnText" | "ownText"> {
  if (own === null) return {};
  if (!context.mayShowErrorText) return { hasOwnText: true };
  const { message, description } = ownTextShape.parse(context.redact(own));
  const shown = { message: shortened(message, length) };
  return {
    ownText: description === undefined ? shown : { ...shown, description: shortened(description, length) },
  };
}

export const ownTextHint = (failure: ShownFailure | null): string =>
  failure?.hasOwnText === true ? " The error's own text needs n8n:data." : "";
