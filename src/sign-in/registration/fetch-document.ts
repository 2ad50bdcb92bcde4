/**
 * Reads a client's metadata document: one GET that follows no redirect, sends nothing of ours, and is
 * bounded in time and size. A redirect would let any open redirector on a listed host stand in for
 * that host. Who may be asked is decided before (`metadata-document.ts`).
 */

const MAXIMUM_DOCUMENT_BYTES = 5 * 1024;
export const DOCUMENT_TIMEOUT_MS = 5_000;
/** Of one isolate: anyone can make us ask. */
const MAXIMUM_AT_ONCE = 4;

export type DocumentReading =
  | { readonly outcome: "read"; readonly value: unknown }
  /** It answered without a usable document. */
  | { readonly outcome: "refused" }
  /** It did not answer in time, or too many are being asked. The next try may succeed. */
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
    // The reason is of no use to whoever asks.
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
  if (response.status >= 500 || response.status === 429) return { outcome: "unavailable" };
  if (response.status !== 200 || !isJson(response)) return { outcome: "refused" };
  const text = await readText(response, signal);
  return text === undefined ? { outcome: "refused" } : parse(text);
}

/** A listed host may also serve what its users wrote, as plain text or as a page. */
function isJson(response: Response): boolean {
  return /^application\/([a-z0-9.-]+\+)?json\s*(;|$)/i.test(response.headers.get("Content-Type") ?? "");
}

/** `undefined` when the body is too large or no UTF-8. */
async function readText(response: Response, signal: AbortSignal): Promise<string | undefined> {
  if (response.body === null) return undefined;
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let text = "";
  let bytes = 0;
  for await (const chunk of whileAllowed(response.body, signal)) {
    bytes += chunk.byteLength;
    if (bytes > MAXIMUM_DOCUMENT_BYTES) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** A body that never ends does not outlive the signal. */
async function* whileAllowed(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("The document took too long.")));
  });
  aborted.catch(() => undefined);
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), aborted]);
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function parse(text: string): DocumentReading {
  try {
    return { outcome: "read", value: JSON.parse(text) };
  } catch {
    return { outcome: "refused" };
  }
}
