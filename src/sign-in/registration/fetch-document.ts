/**
 * Reads a client's metadata document: one GET that follows no redirect, sends no data of ours, and is limited in time
 * and size. With redirects, any open redirector on a listed host could impersonate that host. `metadata-document.ts`
 * decides beforehand which addresses may be read.
 */
import { parseJson } from "../../platform/parse-json.ts";
import { readWithin } from "../read-within.ts";

const MAXIMUM_DOCUMENT_BYTES = 5 * 1024;
export const DOCUMENT_TIMEOUT_MS = 5_000;
/** Per isolate, because anyone can cause such a request. */
const MAXIMUM_AT_ONCE = 4;

export type DocumentReading =
  | { readonly outcome: "read"; readonly value: unknown }
  /** It answered without a usable document. */
  | { readonly outcome: "refused" }
  /** A retry may succeed: no answer in time, too many requests in flight, or a bot check (403). */
  | { readonly outcome: "unavailable" };

let atOnce = 0;

export async function fetchDocument(url: string): Promise<DocumentReading> {
  if (atOnce >= MAXIMUM_AT_ONCE) return { outcome: "unavailable" };
  atOnce++;
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), DOCUMENT_TIMEOUT_MS);
  try {
    return await read(url, abort.signal);
  } catch {
    // The caller has no use for the reason.
    return { outcome: "unavailable" };
  } finally {
    clearTimeout(timer);
    abort.abort();
    atOnce--;
  }
}

async function read(url: string, signal: AbortSignal): Promise<DocumentReading> {
  const response = await fetch(url, {
    method: "GET",
    redirect: "manual",
    headers: { Accept: "application/json" },
    cache: "no-store",
    signal,
  });
  if (response.status >= 500 || [403, 429].includes(response.status)) return { outcome: "unavailable" };
  if (response.status !== 200 || !isJson(response)) return { outcome: "refused" };
  const value = parseJson((await readText(response)) ?? "");
  return value === undefined ? { outcome: "refused" } : { outcome: "read", value };
}

/** A listed host may also serve texts of its users, as plain text or as a page. */
const isJson = (response: Response): boolean =>
  /^application\/([a-z0-9.-]+\+)?json\s*(;|$)/i.test(response.headers.get("Content-Type") ?? "");

/** `undefined` if the body is too large or not UTF-8. */
async function readText(response: Response): Promise<string | undefined> {
  const bytes = await readWithin(MAXIMUM_DOCUMENT_BYTES, response);
  try {
    return bytes && new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return undefined;
  }
}
