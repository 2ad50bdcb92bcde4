/**
 * The paths at which a value is *the* request id. A known path matches the end of a longer one: `requestId` also means
 * `body.context.requestId`. Positions in arrays are ignored. A key may itself contain dots: a known path matches the
 * last keys joined by dots, but never part of a key. Pure.
 */
import { endsOf, formatQuoted, keysOf, namesIn, type PathSegment } from "../../json/path-text.ts";

export interface RequestIdPaths {
  /** True if the path ends with a known one. */
  matches(path: readonly PathSegment[]): boolean;
  endWith(key: string): boolean;
  mayStandIn(text: string): boolean;
  /** A formatted path for callers without payload: names that are neither in a known path nor n8n's become `*`. */
  withoutPayload(path: string): string;
}

/** Names that n8n puts around a payload. Payload keys may be people's names. */
const NAMES_OF_N8N = ["body", "headers", "query", "params", "customdata", "error", "message"];

/** An MCP server's answer, such as this one's: a workflow that asks about a request has not received it. */
const ANSWER_OF_TOOL = "structuredcontent";

/** @param paths dotted paths as `readRequestIdPaths` returns them, compared case-insensitively */
export function compileRequestIdPaths(paths: readonly string[]): RequestIdPaths {
  const known = paths.map((path) => path.toLowerCase().split("."));
  const wholePaths = new Set(known.map((path) => path.join(".")));
  const longest = Math.max(...[...wholePaths].map(({ length }) => length));
  const lastKeys = new Set(known.flatMap((path) => path.map((_name, from) => path.slice(from).join("."))));
  const shownNames = new Set([...known.flat(), ...NAMES_OF_N8N]);
  const isShown = (name: string): boolean =>
    name.split(".").every((part) => shownNames.has(part.toLowerCase()));
  const lastNames = new Set(known.map((path) => path.at(-1) ?? ""));
  const anyLastName = new RegExp([...lastNames].map(escapeForRegExp).join("|"), "i");
  return {
    matches(path) {
      const names = namesIn(path);
      const ends = endsOf(names, longest).filter((end) => wholePaths.has(end));
      if (ends.length === 0) return false;
      const isAnswer = names.some(
        (name) => name.length === ANSWER_OF_TOOL.length && name.toLowerCase() === ANSWER_OF_TOOL,
      );
      return !isAnswer || ends.some((end) => end.split(".").includes(ANSWER_OF_TOOL));
    },
    endWith: (key) => lastKeys.has(key.toLowerCase()),
    mayStandIn: (text) => anyLastName.test(text),
    withoutPayload: (path) =>
      keysOf(path)
        .map((name) => (isShown(name) ? name : "*"))
        .filter((name, index, all) => name !== "*" || all[index - 1] !== "*")
        .join("."),
  };
}

const escapeForRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

export const MAX_KEPT_PATH = 512;
/** A longer key is in no known path, because the setting's keys are shorter. */
const MAX_KEPT_KEY = 200;
const LEFT_OUT = "…";

/** The path with "…" for long keys, and in its middle if too long. Keys stay whole, so that redaction knows them. */
export function formatKeptPath(path: readonly PathSegment[]): string {
  const segments = path.map((segment) => (String(segment).length > MAX_KEPT_KEY ? LEFT_OUT : segment));
  const whole = formatQuoted(segments);
  if (whole.length <= MAX_KEPT_PATH) return whole;
  const withEnd = (from: number): string =>
    formatQuoted([...segments.slice(0, 1), LEFT_OUT, ...segments.slice(from)]);
  let from = segments.length;
  while (withEnd(from - 1).length <= MAX_KEPT_PATH) from -= 1;
  return withEnd(from);
}
