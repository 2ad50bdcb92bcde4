/** Where redaction takes something away: the paths of secrets in a value, without the secrets. Pure. */
import { MARKS } from "../../redaction/marks.ts";

/** What goes for its size or its place, and is no secret. */
const HARMLESS = /^\[REDACTED:(binary|path|internal|too-deep)\b/;

/** The paths at which the redacted value has a mark that the value has not, such as `options.headers[0].value`. */
export function secretPaths(value: unknown, redacted: unknown, path = ""): string[] {
  if (typeof redacted === "string") {
    const before = typeof value === "string" ? marksIn(value) : [];
    return marksIn(redacted).length > before.length ? [path] : [];
  }
  if (typeof redacted !== "object" || redacted === null || typeof value !== "object" || value === null)
    return [];
  return Object.entries(redacted).flatMap(([key, member]) =>
    secretPaths(Reflect.get(value, key), member, joined(path, key, Array.isArray(redacted))),
  );
}

function marksIn(text: string): string[] {
  return [...text.matchAll(MARKS)].map(([mark]) => mark).filter((mark) => !HARMLESS.test(mark));
}

function joined(path: string, key: string, isList: boolean): string {
  if (isList) return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}
