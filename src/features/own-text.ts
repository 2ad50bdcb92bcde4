/**
 * A failure as an answer shows it: without what it does not have, and with what its error says in its own words
 * where the caller may see that. Such a text stands inside `data`, and is redacted before it is cut, so that a secret
 * at the edge is not told by half.
 */
import * as z from "zod";
import type { Failure, OwnText } from "../executions/failure.ts";
import { shortened } from "./shortened.ts";
import type { ToolContext } from "./tool-context.ts";

/** Of each part of an error's own text, where an answer has little room. */
export const SHORT_TEXT = 400;

type MayLack = "name" | "type" | "code" | "httpCode" | "lineNumber";

/** A failure without the members that say nothing. */
export type ShownFailure<Shown extends Failure = Failure> = Omit<Shown, MayLack | "hasOwnText"> & {
  readonly [Key in MayLack]?: Exclude<Failure[Key], null>;
} & {
  /** There is a text, which this caller is not shown. */
  readonly hasOwnText?: true;
  readonly ownText?: OwnText;
};

export interface ShowOptions {
  readonly context: Pick<ToolContext, "mayShowErrorText" | "redact">;
  /** Most characters of each part of the error's own text. */
  readonly length?: number;
}

const ownTextShape = z.object({ message: z.string(), description: z.string().optional() });

/** @param own what the error says; null when it says nothing */
export function showFailure<Shown extends Failure>(
  { name, type, code, httpCode, lineNumber, hasOwnText: _hasOwnText, ...shown }: Shown,
  own: OwnText | null,
  options: ShowOptions,
): ShownFailure<Shown> {
  return {
    ...shown,
    ...(name === null ? {} : { name }),
    ...(type === null ? {} : { type }),
    ...(code === null ? {} : { code }),
    ...(httpCode === null ? {} : { httpCode }),
    ...(lineNumber === null ? {} : { lineNumber }),
    ...shownText(own, options),
  };
}

function shownText(
  own: OwnText | null,
  { context, length = Number.POSITIVE_INFINITY }: ShowOptions,
): Pick<ShownFailure, "hasOwnText" | "ownText"> {
  if (own === null) return {};
  if (!context.mayShowErrorText()) return { hasOwnText: true };
  const { message, description } = ownTextShape.parse(context.redact(own));
  const shown = { message: shortened(message, length) };
  return {
    ownText: description === undefined ? shown : { ...shown, description: shortened(description, length) },
  };
}

/** For guidance, where there is a text that is not shown. */
export function aboutOwnText(failure: ShownFailure | null): string {
  return failure?.hasOwnText === true ? " What the error says in its own words needs n8n:data." : "";
}
