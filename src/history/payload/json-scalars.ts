/** The texts and numbers of a JSON value with their paths, down to the depth that is searched everywhere. Pure. */
import { MAX_WALKED_DEPTH } from "../../json/json-walker.ts";
import { parsedJson } from "../../json/members.ts";
import type { PathSegment } from "../../json/path-text.ts";

export interface FoundScalar {
  /** The digits, for a number. */
  readonly text: string;
  /** The last key of the path, ignoring positions. */
  readonly key: string;
  readonly depth: number;
  /** Created on demand, because most are not needed. */
  readonly path: () => readonly PathSegment[];
}

interface Link {
  readonly before: Link | null;
  readonly segment: PathSegment;
  readonly key: string;
  readonly depth: number;
}

interface Open {
  readonly value: unknown;
  readonly link: Link | null;
}

/** JSON inside strings of JSON: deeper nesting was never seen. */
export const MAX_NESTED_JSON = 3;

export const lastKeyOf = (path: readonly PathSegment[]): string =>
  path.findLast((segment) => typeof segment === "string") ?? "";

/** In document order. @param onTooDeep is called for each container that is too deep to be searched @param also a value of another type */
export function* scalarsIn(
  root: unknown,
  rootPath: readonly PathSegment[],
  onTooDeep: () => void = () => {},
  also?: boolean | null,
): Generator<FoundScalar, void> {
  const outside = { key: lastKeyOf(rootPath), depth: rootPath.length };
  const open: Open[] = [{ value: root, link: null }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, link } = next;
    const { key, depth } = link ?? outside;
    if (typeof value === "string" || typeof value === "number" || value === also) {
      yield { text: String(value), key, depth, path: () => [...rootPath, ...toPath(link)] };
    } else if (typeof value === "object" && value !== null) {
      if (depth >= MAX_WALKED_DEPTH) onTooDeep();
      else openMembers(value, { before: link, key, depth: depth + 1 }, open);
    }
  }
}

/** Pushes members in reverse, so that the first is popped first. */
function openMembers(container: object, place: Omit<Link, "segment">, open: Open[]): void {
  if (Array.isArray(container)) {
    for (let index = container.length - 1; index >= 0; index -= 1)
      open.push({ value: container[index], link: { ...place, segment: index } });
  } else {
    for (const [key, value] of Object.entries<unknown>({ ...container }).reverse())
      open.push({ value, link: { ...place, segment: key, key } });
  }
}

function toPath(link: Link | null): PathSegment[] {
  const path: PathSegment[] = [];
  for (let at = link; at !== null; at = at.before) path.push(at.segment);
  return path.reverse();
}

/** Before the decimal point: n8n keeps fractions as JavaScript does. */
const LONG_INTEGER = /(?<![.\d])\d{16}/;
/** A string, also an unterminated one, so that this is linear; or such a number. */
const STRING_OR_LONG_INTEGER = /"(?:[^"\\]|\\.)*"?|(?<![.\d])-?\d{16,}(?![\d.eE])/gs;

/** Makes texts of integers that JavaScript would round. */
const withAllDigits = (json: string): string =>
  json.replace(STRING_OR_LONG_INTEGER, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${token}"`,
  );

/** The object or array that a text contains as JSON; undefined if it does not. */
export function parseContainer(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  return parsedJson(LONG_INTEGER.test(text) ? withAllDigits(text) : text);
}
