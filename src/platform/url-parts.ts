/** Caches parsed URLs: nearly all requests to `/mcp` have the same few. */
import { memoizeLast } from "./memoize.ts";

type Part = "host" | "hostname" | "origin" | "pathname" | "search";

/** More are never live at once. */
const MOST_REMEMBERED = 16;

/** @throws TypeError for a text that is no URL */
export const urlParts = memoizeLast((text): Readonly<Record<Part, string>> => {
  const { host, hostname, origin, pathname, search } = new URL(text);
  return { host, hostname, origin, pathname, search };
}, MOST_REMEMBERED);
