/** Texts inside base64, percent-encoding and the JSON shape of Node's `Buffer`. Anything that is not a text is ignored. */

/** Enough to tell a text from binary. A multiple of four letters is a multiple of three bytes. */
const PROBE_LETTERS = 64;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters tell binary from text
const BINARY = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/;
const BEYOND_ASCII = /[\x80-\xff]/;
/** Western texts have few letters with accents; bytes that only happen to be letters have many. */
const LETTERS_FOR_EACH_MARKED = 6;

const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The bytes as UTF-8 text; undefined when they are binary. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = UTF_8.decode(bytes);
    return BINARY.test(text) ? undefined : text;
  } catch {
    // Not UTF-8, so not a text.
    return undefined;
  }
}

/** The value of each letter (RFC 4648 section 4 and 5), by its code; 64 for any other character. */
const VALUES = new Uint8Array(128).fill(64);
for (const [value, letter] of [
  ..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
].entries()) {
  VALUES[letter.charCodeAt(0)] = value;
}
VALUES[0x2d] = 62;
VALUES[0x5f] = 63;

/** Whether the first bytes may be text, without control characters. Rules out most of what only looks like base64. */
function beginsAsText(base64: string): boolean {
  const most = Math.min(base64.length - 4, PROBE_LETTERS);
  let bits = 0;
  for (let at = 0; at < most; at += 1) {
    bits = (bits << 6) | (VALUES[base64.charCodeAt(at) & 0x7f] ?? 64);
    if (at % 4 === 0) continue;
    // Each letter after the first of four completes a byte.
    const byte = (bits >> (6 - 2 * (at % 4))) & 0xff;
    if (byte < 0x20 ? byte < 9 || (byte > 13 && byte !== 0x1b) : byte === 0x7f) return false;
  }
  return true;
}

function binaryOf(base64: string): string {
  const plain = base64.includes("-") ? base64.replaceAll("-", "+") : base64;
  return atob(plain.includes("_") ? plain.replaceAll("_", "/") : plain);
}

/** How many bytes follow this first byte of a UTF-8 character (RFC 3629, section 4); -1 if it cannot be one. */
function bytesAfter(byte: number): number {
  if (byte < 0x80) return 0;
  if (byte >= 0xc2 && byte <= 0xdf) return 1;
  if (byte >= 0xe0 && byte <= 0xef) return 2;
  return byte >= 0xf0 && byte <= 0xf4 ? 3 : -1;
}

/** A check that is nearly always right, and much cheaper than a decoder error. */
function mayBeUtf8(binary: string): boolean {
  let following = 0;
  for (let at = 0; at < binary.length; at += 1) {
    const byte = binary.charCodeAt(at);
    if (following > 0) {
      if (byte < 0x80 || byte > 0xbf) return false;
      following -= 1;
    } else {
      following = bytesAfter(byte);
      if (following < 0) return false;
    }
  }
  return following === 0;
}

/** ISO 8859-1 has control characters where UTF-8 has parts of letters. */
function mayBeLatin(binary: string): boolean {
  let marked = 0;
  for (let at = 0; at < binary.length; at += 1) {
    const byte = binary.charCodeAt(at);
    if (byte < 0x80) continue;
    marked += 1;
    if (byte < 0xa0 || marked * LETTERS_FOR_EACH_MARKED > binary.length) return false;
  }
  return true;
}

function textIn(letters: string): string | undefined {
  try {
    const binary = binaryOf(letters);
    if (BINARY.test(binary)) return undefined;
    if (!BEYOND_ASCII.test(binary)) return binary;
    if (mayBeUtf8(binary)) return textOf(Uint8Array.from(binary, (byte) => byte.charCodeAt(0)));
    return mayBeLatin(binary) ? binary : undefined;
  } catch {
    // Not base64.
    return undefined;
  }
}

/** The text that this base64 (RFC 4648 section 4 or 5) encodes, in UTF-8 or ISO 8859-1; undefined if it encodes none. */
export function decodeBase64(base64: string): string | undefined {
  const letters = base64.replace(/(?<!=)=+$/, "");
  if (!beginsAsText(letters)) return undefined;
  // A single last letter holds no byte. A last group that is cut or does not belong to it leaves the text before it valid.
  const whole = letters.length % 4 === 1 ? undefined : textIn(letters);
  return whole ?? textIn(letters.slice(0, -(letters.length % 4 || 4)));
}

/** A character of UTF-8 (RFC 3629, section 4) that is percent-encoded. */
const ENCODED_CHARACTER =
  /%(?:[0-7][0-9a-f]|(?:c[2-9a-f]|d[0-9a-f])%[89ab][0-9a-f]|e[0-9a-f](?:%[89ab][0-9a-f]){2}|f[0-4](?:%[89ab][0-9a-f]){3})/gi;

/** The percent-decoded text; undefined if it is not percent-encoded. */
export function decodePercent(encoded: string): string | undefined {
  // Cheaper than a decoder error.
  if (encoded.replace(ENCODED_CHARACTER, "").includes("%")) return undefined;
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

export const isBufferShape = (object: object): object is BufferShape =>
  "type" in object && object.type === "Buffer" && "data" in object && Array.isArray(object.data);

export const isByte = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 255;

/** The bytes of the shape; anything that is not a byte (the mark for omitted content) is skipped. */
export const bytesOfBuffer = ({ data }: BufferShape): Uint8Array => Uint8Array.from(data.filter(isByte));
