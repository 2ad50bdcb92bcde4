/** Reads a request to a KV namespace, in the form in which workerd sends it. Pure. */

const MAX_LIST_KEYS = 1_000;
const MIN_SECONDS_TO_LIVE = 60;

export interface Listing {
  readonly prefix: string;
  readonly limit: number;
  /** Empty for the first page. */
  readonly cursor: string;
}

export function readListing(parameters: URLSearchParams): Listing {
  return {
    prefix: parameters.get("prefix") ?? "",
    limit: Math.min(Number(parameters.get("key_count_limit") ?? MAX_LIST_KEYS), MAX_LIST_KEYS),
    cursor: parameters.get("cursor") ?? "",
  };
}

/**
 * When an entry expires, in seconds since 1970; `null` if never. Workers KV refuses an entry that expires within a
 * minute, and so does this: it returns `NaN`.
 * @param now in milliseconds since 1970
 */
export function readExpiration(parameters: URLSearchParams, now: number): number | null {
  const secondsNow = Math.floor(now / 1_000);
  const toLive = parameters.get("expiration_ttl");
  const at = parameters.get("expiration");
  if (toLive === null && at === null) return null;
  const expiration = toLive === null ? Number(at) : secondsNow + Number(toLive);
  return expiration >= secondsNow + MIN_SECONDS_TO_LIVE ? expiration : Number.NaN;
}
