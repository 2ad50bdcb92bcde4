/** Caches parsed URLs: nearly all requests to `/mcp` have the same few. */

type Part = "host" | "hostname" | "origin" | "pathname" | "search";
export type UrlParts = Readonly<Record<Part, string>>;

/** More are never live at once. Only a made-up URL is longer than this. */
const MOST_REMEMBERED = 16;
const LONGEST_REMEMBERED = 300;

const remembered = new Map<string, UrlParts>();

/** @throws TypeError for a text that is no URL */
export function urlParts(text: string): UrlParts {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const { host, hostname, origin, pathname, search } = new URL(text);
  const parts = { host, hostname, origin, pathname, search };
  if (text.length > LONGEST_REMEMBERED) return parts;
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(text, parts);
  return parts;
}
