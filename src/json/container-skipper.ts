/** Skips the rest of an object or array and counts its members. Fast: checks only that brackets and strings balance. */
import { endsEscaped, findStringEnd } from "./strings.ts";
import { COMMA, QUOTE } from "./tokens.ts";

export class ContainerSkipper {
  #depth = 1;
  #inString = false;
  #escaped = false;
  #commas = 0;
  #isEmpty = true;

  /** Begins inside a container, after its opening bracket or a comma. @param depth how many containers are open */
  begin(depth = 1): void {
    this.#depth = depth;
    this.#inString = false;
    this.#escaped = false;
    this.#commas = 0;
    this.#isEmpty = true;
  }

  get count(): number {
    return this.#isEmpty ? 0 : this.#commas + 1;
  }

  /** The offset of the closing bracket, or -1 when it is in a later chunk. */
  walk(chunk: Uint8Array, start: number): number {
    let at = this.#inString ? this.#endString(chunk, start) : start;
    // A local, not a field: this loop visits every byte of 100 MB except those of strings.
    let depth = this.#depth;
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (byte <= 0x20) continue;
      if (byte === QUOTE) {
        this.#isEmpty = false;
        this.#inString = true;
        at = this.#endString(chunk, at + 1) - 1;
      } else if (byte === COMMA) {
        if (depth === 1) this.#commas += 1;
      } else if ((byte | 0x20) === 0x7b) {
        this.#isEmpty = false;
        depth += 1;
      } else if ((byte | 0x20) === 0x7d) {
        depth -= 1;
        if (depth === 0) break;
      } else {
        this.#isEmpty = false;
      }
    }
    this.#depth = depth;
    return depth === 0 ? at : -1;
  }

  /** The offset after the string, or the end of the chunk when the string continues. */
  #endString(chunk: Uint8Array, start: number): number {
    if (start >= chunk.length) return start;
    const first = this.#escaped ? start + 1 : start;
    const end = findStringEnd(chunk, first);
    this.#inString = end === -1;
    this.#escaped = end === -1 && endsEscaped(chunk, first);
    return end === -1 ? chunk.length : end + 1;
  }
}
