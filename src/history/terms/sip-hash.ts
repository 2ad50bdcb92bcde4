/**
 * SipHash-2-4 of texts (Aumasson and Bernstein, 2012), of their UTF-8, in whole numbers of 32 bits. It makes no
 * object and no copy of a text: it is asked for every word that an execution holds. Pure but for `high` and `low`.
 */

const KEY_BYTES = 16;
const COMPRESSION_ROUNDS = 2;
const FINALIZATION_ROUNDS = 4;
const BLOCK_BYTES = 8;

export class SipHash {
  /** The upper 32 bits of what was hashed last, signed. */
  high = 0;
  /** The lower 32 bits of what was hashed last, signed. */
  low = 0;
  readonly #k0Low: number;
  readonly #k0High: number;
  readonly #k1Low: number;
  readonly #k1High: number;

  /** @param key 16 bytes. @throws RangeError for any other number of them */
  constructor(key: Uint8Array) {
    if (key.length !== KEY_BYTES) throw new RangeError(`A key of SipHash has ${KEY_BYTES} bytes.`);
    const words = new DataView(key.buffer, key.byteOffset, key.byteLength);
    this.#k0Low = words.getInt32(0, true);
    this.#k0High = words.getInt32(4, true);
    this.#k1Low = words.getInt32(8, true);
    this.#k1High = words.getInt32(12, true);
  }

  /** Hashes a stretch of the text into `high` and `low`. Half a surrogate pair is hashed as three bytes of its own. */
  hash(text: string, from = 0, to = text.length): void {
    let v0Low = this.#k0Low ^ 0x70736575;
    let v0High = this.#k0High ^ 0x736f6d65;
    let v1Low = this.#k1Low ^ 0x6e646f6d;
    let v1High = this.#k1High ^ 0x646f7261;
    let v2Low = this.#k0Low ^ 0x6e657261;
    let v2High = this.#k0High ^ 0x6c796765;
    let v3Low = this.#k1Low ^ 0x79746573;
    let v3High = this.#k1High ^ 0x74656462;
    let at = from;
    let length = 0;
    /** Bytes of a character that the block before had no room for, the next one lowest. */
    let waiting = 0;
    let waitingBytes = 0;
    for (let isLast = false, isDone = false; !isDone; ) {
      let blockLow = 0;
      let blockHigh = 0;
      let rounds = COMPRESSION_ROUNDS;
      if (isLast) {
        isDone = true;
        rounds = FINALIZATION_ROUNDS;
        v2Low ^= 0xff;
      } else {
        let filled = 0;
        while (filled < BLOCK_BYTES) {
          let byte: number;
          if (waitingBytes > 0) {
            byte = waiting & 0xff;
            waiting >>>= 8;
            waitingBytes -= 1;
          } else if (at < to) {
            const code = text.charCodeAt(at);
            at += 1;
            if (code < 0x80) byte = code;
            else if (code < 0x800) {
              byte = 0xc0 | (code >> 6);
              waiting = 0x80 | (code & 0x3f);
              waitingBytes = 1;
            } else {
              const next = (code & 0xfc00) === 0xd800 && at < to ? text.charCodeAt(at) : 0;
              if ((next & 0xfc00) === 0xdc00) {
                at += 1;
                const point = 0x10000 + ((code & 0x3ff) << 10) + (next & 0x3ff);
                byte = 0xf0 | (point >> 18);
                waiting =
                  0x80 |
                  ((point >> 12) & 0x3f) |
                  ((0x80 | ((point >> 6) & 0x3f)) << 8) |
                  ((0x80 | (point & 0x3f)) << 16);
                waitingBytes = 3;
              } else {
                byte = 0xe0 | (code >> 12);
                waiting = 0x80 | ((code >> 6) & 0x3f) | ((0x80 | (code & 0x3f)) << 8);
                waitingBytes = 2;
              }
            }
          } else {
            isLast = true;
            blockHigh |= length << 24;
            break;
          }
          if (filled < 4) blockLow |= byte << (8 * filled);
          else blockHigh |= byte << (8 * (filled - 4));
          filled += 1;
          length += 1;
        }
        v3Low ^= blockLow;
        v3High ^= blockHigh;
      }
      for (let round = 0; round < rounds; round += 1) {
        let sum = (v0Low >>> 0) + (v1Low >>> 0);
        v0High = (v0High + v1High + (sum > 0xffffffff ? 1 : 0)) | 0;
        v0Low = sum | 0;
        sum = (v2Low >>> 0) + (v3Low >>> 0);
        v2High = (v2High + v3High + (sum > 0xffffffff ? 1 : 0)) | 0;
        v2Low = sum | 0;
        let swap = v1High;
        v1High = ((swap << 13) | (v1Low >>> 19)) ^ v0High;
        v1Low = ((v1Low << 13) | (swap >>> 19)) ^ v0Low;
        swap = v3High;
        v3High = ((swap << 16) | (v3Low >>> 16)) ^ v2High;
        v3Low = ((v3Low << 16) | (swap >>> 16)) ^ v2Low;
        swap = v0High;
        v0High = v0Low;
        v0Low = swap;
        sum = (v2Low >>> 0) + (v1Low >>> 0);
        v2High = (v2High + v1High + (sum > 0xffffffff ? 1 : 0)) | 0;
        v2Low = sum | 0;
        sum = (v0Low >>> 0) + (v3Low >>> 0);
        v0High = (v0High + v3High + (sum > 0xffffffff ? 1 : 0)) | 0;
        v0Low = sum | 0;
        swap = v1High;
        v1High = ((swap << 17) | (v1Low >>> 15)) ^ v2High;
        v1Low = ((v1Low << 17) | (swap >>> 15)) ^ v2Low;
        swap = v3High;
        v3High = ((swap << 21) | (v3Low >>> 11)) ^ v0High;
        v3Low = ((v3Low << 21) | (swap >>> 11)) ^ v0Low;
        swap = v2High;
        v2High = v2Low;
        v2Low = swap;
      }
      v0Low ^= blockLow;
      v0High ^= blockHigh;
    }
    this.low = v0Low ^ v1Low ^ v2Low ^ v3Low;
    this.high = v0High ^ v1High ^ v2High ^ v3High;
  }
}
