/** What can be sought in the values of executions. Pure. */
import type { Sought } from "./look.ts";
import { compileRequestIdPaths } from "./request-id-paths.ts";

/** Letters, digits, `_` and `-` carry an id on: `req-100` is no part of `req-1001` or `req-100-b`. */
const ID_CHARACTER = /[\p{L}\p{N}_-]/u;

/** True when the id stands in the text with no id character on either side. */
export function mentions(text: string, requestId: string): boolean {
  for (let at = text.indexOf(requestId); at !== -1; at = text.indexOf(requestId, at + 1)) {
    // Two UTF-16 units, since a letter may be written with both.
    const before = [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? "";
    const end = at + requestId.length;
    const [after = ""] = text.slice(end, end + 2);
    if (!ID_CHARACTER.test(before) && !ID_CHARACTER.test(after)) return true;
  }
  return false;
}

/** The id as a whole, alone or among other text. */
export function soughtId(requestId: string): Sought {
  return { text: requestId, fits: (value) => mentions(value, requestId) };
}

/** Any value that holds the text. */
export function soughtText(text: string): Sought {
  return { text, fits: (value) => value.includes(text) };
}

/** The whole value, at a path that ends like this one. */
export function soughtValueAt(path: string, expected: string): Sought {
  const paths = compileRequestIdPaths([path]);
  return { text: expected, fits: (value, at) => value === expected && paths.matches(at) };
}
