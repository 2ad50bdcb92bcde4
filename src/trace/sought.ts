/** What can be sought in the values of executions. Pure. */
import type { Redact } from "./hit-excerpt.ts";
import type { Sought } from "./look.ts";
import { compileRequestIdPaths } from "./request-id-paths.ts";
import { shownAt } from "./shown-value.ts";

/** Letters, digits, `_` and `-` carry an id on: `req-100` is no part of `req-1001` or `req-100-b`. */
const ID_CHARACTER = /[\p{L}\p{N}_-]/u;

/** Where the id first stands in the text with no id character on either side; -1 when it does not. */
function mentionIn(text: string, requestId: string): number {
  for (let at = text.indexOf(requestId); at !== -1; at = text.indexOf(requestId, at + 1)) {
    // Two UTF-16 units, since a letter may be written with both.
    const before = [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? "";
    const end = at + requestId.length;
    const [after = ""] = text.slice(end, end + 2);
    if (!ID_CHARACTER.test(before) && !ID_CHARACTER.test(after)) return at;
  }
  return -1;
}

/** True when the id stands in the text as a whole. */
export function mentions(text: string, requestId: string): boolean {
  return mentionIn(text, requestId) >= 0;
}

/** Longer texts are not redacted whole: a hit is judged by what stands around it. */
const AROUND_HIT = 8 * 1024;

/** The id as a whole, alone or among other text; where redaction takes it away, it is not found. */
export function soughtId(requestId: string, redact: Redact): Sought {
  return {
    text: requestId,
    fits(value, path) {
      const at = mentionIn(value, requestId);
      if (at < 0) return false;
      const around = value.slice(Math.max(0, at - AROUND_HIT), at + requestId.length + AROUND_HIT);
      return mentions(shownAt(path, around, redact), requestId);
    },
  };
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
