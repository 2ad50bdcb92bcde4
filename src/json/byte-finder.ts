/**
 * Finds a text in JSON bytes before anything is parsed, in every spelling that JSON allows, across
 * chunk boundaries.
 *
 * Promises: no false negative, for any writer that leaves ASCII letters and digits as they are (all do).
 * It looks for the longest part of the text that JSON never escapes
 * (also not in JSON held in a string), or, where there is none, for each way to spell a character.
 * So a hit is a reason to parse, not a match.
 */

/**
 * Characters that writers of JSON spell in one way only: ASCII without quotes, slashes, and what some escape
 * for the sake of HTML, `+` and `=` among it.
 */
const NEVER_ESCAPED = /[A-Za-z0-9_.:;,@#$%^*()[\]{}|~?!-]+/g;

/** What to look for: the text is in the bytes only if one of these is. */
function needlesOf(text: string): Uint8Array[] {
  const encoder = new TextEncoder();
  const runs = text.match(NEVER_ESCAPED) ?? [];
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), "");
  if (longest !== "") return [encoder.encode(longest)];
  const [first = ""] = text;
  const unit = first.charCodeAt(0).toString(16).padStart(4, "0");
  const spellings = new Set([
    first,
    JSON.stringify(first).slice(1, -1),
    `u${unit}`,
    `u${unit.toUpperCase()}`,
  ]);
  return [...spellings].map((spelling) => encoder.encode(spelling));
}

/** Boyer–Moore–Horspool over bytes, with the end of the last chunk carried over. */
class NeedleFinder {
  readonly #needle: Uint8Array;
  readonly #shift: Uint8Array;
  #carry: Uint8Array = new Uint8Array();

  constructor(needle: Uint8Array) {
    this.#needle = needle;
    const length = Math.min(needle.length, 255);
    this.#shift = new Uint8Array(256).fill(length);
    // Only the last 255 bytes decide the shift, so that it fits into a byte.
    for (let at = Math.max(0, needle.length - 255); at < needle.length - 1; at += 1) {
      this.#shift[needle[at] ?? 0] = needle.length - 1 - at;
    }
  }

  has(chunk: Uint8Array): boolean {
    const overlap = this.#needle.length - 1;
    if (this.#carry.length > 0) {
      const seam = new Uint8Array(this.#carry.length + Math.min(overlap, chunk.length));
      seam.set(this.#carry);
      seam.set(chunk.subarray(0, overlap), this.#carry.length);
      if (this.indexIn(seam, 0) !== -1) return true;
      this.#carry = chunk.length >= overlap ? new Uint8Array() : seam.slice(-overlap);
    }
    if (chunk.length >= overlap) this.#carry = overlap === 0 ? new Uint8Array() : chunk.slice(-overlap);
    else if (this.#carry.length === 0) this.#carry = chunk.slice();
    return this.indexIn(chunk, 0) !== -1;
  }

  /** Where the needle begins first, from this offset on and before that one; -1 when it does not. */
  indexIn(bytes: Uint8Array, from: number, before = bytes.length): number {
    const needle = this.#needle;
    const last = needle.length - 1;
    const lastByte = needle[last];
    const limit = Math.min(bytes.length, before + last);
    let end = from + last;
    while (end < limit) {
      const byte = bytes[end] ?? 0;
      if (byte === lastByte) {
        let back = 1;
        while (back <= last && bytes[end - back] === needle[last - back]) back += 1;
        if (back > last) return end - last;
      }
      end += this.#shift[byte] ?? 1;
    }
    return -1;
  }
}

/** How many bytes each spelling is first looked for in. */
const FIRST_STEP = 256;

/** Give it the bytes chunk by chunk; it stays true once the text may be in them. */
export class ByteFinder {
  readonly #finders: NeedleFinder[];
  #found = false;

  /** @param text not empty */
  constructor(text: string) {
    this.#finders = needlesOf(text).map((needle) => new NeedleFinder(needle));
  }

  write(chunk: Uint8Array): boolean {
    // No short cut between the finders: each has to see every chunk.
    for (const finder of this.#finders) if (!this.#found && finder.has(chunk)) this.#found = true;
    return this.#found;
  }

  get found(): boolean {
    return this.#found;
  }

  /**
   * Where the text may stand first in bytes that are there as a whole, from this offset on; infinity when
   * it does not. What was written before does not count.
   */
  indexIn(bytes: Uint8Array, from: number): number {
    let first = Number.POSITIVE_INFINITY;
    let start = from;
    // In growing steps: a spelling that is nowhere must not cost a pass for each hit of another.
    for (let step = FIRST_STEP; start < bytes.length && first === Number.POSITIVE_INFINITY; step *= 2) {
      for (const finder of this.#finders) {
        const at = finder.indexIn(bytes, start, Math.min(first, start + step));
        if (at !== -1) first = at;
      }
      start += step;
    }
    return first;
  }
}
