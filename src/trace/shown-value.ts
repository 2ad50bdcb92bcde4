/**
 * What redaction leaves of one value when nothing is known but its place: its path, and not what stands beside
 * it. Where only a neighbour could tell (`{ name: "authorization", value: "…" }`), nothing is left of it. Pure.
 */
import { MARKS } from "../redaction/marks.ts";
import { type Redact, textAt } from "./hit-excerpt.ts";
import type { PathSegment } from "./request-id-paths.ts";

/** Named by a neighbour: pairs of name and value, lists of them, and arguments of a command line. */
const NAMED_BY_NEIGHBOUR =
  /^(values?|content|(string|header|field|parameter)value|rawheaders|args|argv|arguments|command|cmd)$/i;

/** The text without marks; empty when all of it is secret, or may be. */
export function shownAt(path: readonly PathSegment[], value: string, redact: Redact): string {
  if (isNamedByNeighbour(path)) return "";
  const container = path.reduceRight<unknown>(
    (inner, segment) => Object.fromEntries([[segment, inner]]),
    value,
  );
  return (textAt(redact(container), path) ?? "").replaceAll(MARKS, " ");
}

function isNamedByNeighbour(path: readonly PathSegment[]): boolean {
  const [last, before] = path.toReversed();
  if (typeof last === "number" && typeof before === "number") return true;
  return path.some((segment) => typeof segment === "string" && NAMED_BY_NEIGHBOUR.test(segment));
}
