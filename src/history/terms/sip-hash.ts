/**
 * SipHash-2-4 (Aumasson and Bernstein, 2012) of texts in UTF-8, in 32-bit integers. It creates no objects and copies no
 * text, because it runs for every word of an execution.
 */

const KEY_BYTES = 16;
const COMPRESSION_ROUNDS = 2;
const FINALIZATION_ROUNDS = 4;

/** UTF-16 units. */
export const MAX_HASHED = 256;
/** At most three bytes for each unit, plus the last block. */
const BUFFER_BYTES = MAX_HASHED * 3 + 8;

/** The carry of adding two 32-bit numbers with this sum. */
const carry = (a: number, b: number, sum: number): number => ((a & b) | ((a | b) & ~sum)) >>> 31;

export class SipHash {
  /** The upper and lower 32 bits of the last hash, signed. */
  high = 0;
  low = 0;
  readonly #key: Int32Array;
  readonly #bytes = new Uint8Array(BUFFER_BYTES);
  /** The same bytes in groups of four: SipHash is little-endian, like every machine that this runs on. */
  readonly #words = new Int32Array(this.#bytes.buffer);

  /** @param key 16 bytes. @throws RangeError for any other length */
  constructor(key: Uint8Array) {
    if (key.length !== KEY_BYTES) throw new RangeError(`A key of SipHash has ${KEY_BYTES} bytes.`);
    this.#key = new Int32Array(Uint8Array.from(key).buffer);
  }

  /** Hashes part of a text into `high` and `low`. @throws RangeError if it is longer than `MAX_HASHED` */
  hash(text: string, from = 0, to = text.length): void {
    if (to - from > MAX_HASHED) throw new RangeError("A text is too long to be hashed.");
    const length = this.#encode(text, from, to);
    const last = length & ~7;
    this.#bytes.fill(0, length, last + 8);
    this.#bytes[last + 7] = length;
    this.#hashBlocks(last / 8 + 1);
  }

  /** Writes the text in UTF-8 (RFC 3629). @returns the number of bytes */
  #encode(text: string, from: number, to: number): number {
    const bytes = this.#bytes;
    let length = 0;
    for (let at = from; at < to; at += 1) {
      const code = text.charCodeAt(at);
      if (code < 0x80) {
        bytes[length++] = code;
        continue;
      }
      const next = (code & 0xfc00) === 0xd800 && at + 1 < to ? text.charCodeAt(at + 1) : 0;
      const isPair = (next & 0xfc00) === 0xdc00;
      const point = isPair ? 0x10000 + ((code & 0x3ff) << 10) + (next & 0x3ff) : code;
      if (isPair) at += 1;
      if (point < 0x800) bytes[length++] = 0xc0 | (point >> 6);
      else {
        if (point < 0x10000) bytes[length++] = 0xe0 | (point >> 12);
        else {
          bytes[length++] = 0xf0 | (point >> 18);
          bytes[length++] = 0x80 | ((point >> 12) & 0x3f);
        }
        bytes[length++] = 0x80 | ((point >> 6) & 0x3f);
      }
      bytes[length++] = 0x80 | (point & 0x3f);
    }
    return length;
  }

  /** Each 64-bit number of the state, `v0` to `v3` in the paper, is split into two 32-bit numbers. */
  #hashBlocks(blocks: number): void {
    const [k0Low = 0, k0High = 0, k1Low = 0, k1High = 0] = this.#key;
    const words = this.#words;
    let v0Low = k0Low ^ 0x70736575;
    let v0High = k0High ^ 0x736f6d65;
    let v1Low = k1Low ^ 0x6e646f6d;
    let v1High = k1High ^ 0x646f7261;
    let v2Low = k0Low ^ 0x6e657261;
    let v2High = k0High ^ 0x6c796765;
    let v3Low = k1Low ^ 0x79746573;
    let v3High = k1High ^ 0x74656462;
    for (let block = 0; block <= blocks; block += 1) {
      let low = 0;
      let high = 0;
      let rounds = FINALIZATION_ROUNDS;
      if (block < blocks) {
        low = words[block * 2] ?? 0;
        high = words[block * 2 + 1] ?? 0;
        rounds = COMPRESSION_ROUNDS;
      } else v2Low ^= 0xff;
      v3Low ^= low;
      v3High ^= high;
      for (; rounds > 0; rounds -= 1) {
        let sum = (v0Low + v1Low) | 0;
        v0High = (v0High + v1High + carry(v0Low, v1Low, sum)) | 0;
        v0Low = sum;
        sum = (v2Low + v3Low) | 0;
        v2High = (v2High + v3High + carry(v2Low, v3Low, sum)) | 0;
        v2Low = sum;
        let before = v1High;
        v1High = ((before << 13) | (v1Low >>> 19)) ^ v0High;
        v1Low = ((v1Low << 13) | (before >>> 19)) ^ v0Low;
        before = v3High;
        v3High = ((before << 16) | (v3Low >>> 16)) ^ v2High;
        v3Low = ((v3Low << 16) | (before >>> 16)) ^ v2Low;
        before = v0High;
        v0High = v0Low;
        v0Low = before;
        sum = (v2Low + v1Low) | 0;
        v2High = (v2High + v1High + carry(v2Low, v1Low, sum)) | 0;
        v2Low = sum;
        sum = (v0Low + v3Low) | 0;
        v0High = (v0High + v3High + carry(v0Low, v3Low, sum)) | 0;
        v0Low = sum;
        before = v1High;
        v1High = ((before << 17) | (v1Low >>> 15)) ^ v2High;
        v1Low = ((v1Low << 17) | (before >>> 15)) ^ v2Low;
        before = v3High;
        v3High = ((before << 21) | (v3Low >>> 11)) ^ v0High;
        v3Low = ((v3Low << 21) | (before >>> 11)) ^ v0Low;
        before = v2High;
        v2High = v2Low;
        v2Low = before;
      }
      v0Low ^= low;
      v0High ^= high;
    }
    this.low = v0Low ^ v1Low ^ v2Low ^ v3Low;
    this.high = v0High ^ v1High ^ v2High ^ v3High;
  }
}
