/** Texts inside base64, percent-encoding and inside the JSON shape of Node's `Buffer`. Gives texts only: the rest is binary. */

/** Enough to tell a text from binary. A multiple of four letters is a multiple of three bytes. */
const PROBE_LETTERS = 64;
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what tells binary from text
const BINARY = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/;

function bytesOf(base64: string): Uint8Array {
  const binary = atob(base64.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** The bytes as UTF-8 text; undefined when they are binary. `isPart`: the last character may be cut off. */
export function textOf(bytes: Uint8Array, isPart = false): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isPart });
    return BINARY.test(text) ? undefined : text;
  } catch {
    // Not UTF-8, so not a text.
    return undefined;
  }
}

/** The text that this is in base64 (RFC 4648 section 4 or 5); undefined when it is none. */
export function decodeBase64(base64: string): string | undefined {
  const letters = base64.replace(/=+$/, "");
  if (letters.length % 4 === 1) return undefined;
  try {
    const probe = textOf(bytesOf(letters.slice(0, PROBE_LETTERS)), true);
    return probe === undefined ? undefined : textOf(bytesOf(letters));
  } catch {
    // Not base64.
    return undefined;
  }
}

/** The text that this is in percent-encoding; undefined when it is none. */
export function decodePercent(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded.replaceAll("+", " "));
  } catch {
    // Not encoded, or not in UTF-8.
    return undefined;
  }
}

/** What `JSON.stringify` makes of a `Buffer`: `{ type: "Buffer", data: [104, 105] }`. */
export interface BufferShape {
  readonly type: "Buffer";
  readonly data: readonly unknown[];
}

export function isBufferShape(object: object): object is BufferShape {
  return "type" in object && object.type === "Buffer" && "data" in object && Array.isArray(object.data);
}

const isByte = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 255;

/** The bytes of the shape; what is no byte (the mark of what was left out) is passed over. */
export function bytesOfBuffer({ data }: BufferShape): Uint8Array {
  return Uint8Array.from(data.filter(isByte));
}
