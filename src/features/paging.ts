/** Pages through results by cursor (n8n's or our own) or by offset; answers have `nextCursor` or `nextOffset`. */
import * as z from "zod";
import { parsedJson } from "../json/members.ts";
import type { Guidance } from "../mcp/define-tool.ts";
import { isObject } from "../platform/is-object.ts";
import { nextCall, wholeNumber } from "./params.ts";

/** As many as fit into an answer: the next cursor skips entries that the token budget cuts from a page. */
const MAX_PAGE = 100;
const MAX_CURSOR = 1_000;

export const pageLimit = (fallback: number): z.ZodDefault<z.ZodNumber> =>
  wholeNumber(1, MAX_PAGE).default(fallback).describe("How many");

/** @param isCursor whether the decoded text is a valid cursor of the tool */
export const cursorArgument = (isCursor: (decoded: string) => boolean): z.ZodString =>
  z
    .string()
    .refine(
      (cursor) => cursor.length <= MAX_CURSOR && isCursor(decodeCursor(cursor)),
      "must be a nextCursor of an earlier answer of this tool",
    )
    .describe("nextCursor of the last answer");

/** The decoded text of a cursor; empty when it is not base64. */
export function decodeCursor(cursor: string): string {
  try {
    return atob(cursor);
  } catch {
    return "";
  }
}

/** n8n's cursors hold a small JSON object. For another list's cursor, n8n silently starts from the beginning. */
const holdsMember =
  (member: string) =>
  (decoded: string): boolean => {
    const value = parsedJson(decoded);
    return isObject(value) && Object.hasOwn(value, member);
  };

export const executionCursor = cursorArgument(holdsMember("lastId"));
export const workflowCursor = cursorArgument(holdsMember("offset"));

export const offsetArgument = (most = Number.MAX_SAFE_INTEGER): z.ZodDefault<z.ZodNumber> =>
  wholeNumber(0, most).default(0);

/** How many entries exceed a limit; undefined if none. */
export const countBeyond = (most: number, all: readonly unknown[]): number | undefined =>
  all.length > most ? all.length - most : undefined;

/** The offset of the next page; null at the end. @param end of this page */
export const nextOffsetOf = (end: number, total: number): number | null => (end < total ? end : null);

export const MORE_SENTENCE = "There are more: call again with nextCursor.";

/** Guidance to the same page with fewer entries: nextCursor would skip the entries that did not fit. */
export function smallerPage(tool: string, input: Readonly<Record<string, unknown>>, fits: number): Guidance {
  const message = "The same page with fewer entries. Continue with its nextCursor, not with this one.";
  return nextCall(message, tool, { ...input, limit: Math.max(1, fits) });
}
