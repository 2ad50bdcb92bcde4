/** Single bits of an array of bytes. Pure. */

export const hasBit = (bits: Uint8Array, bit: number): boolean =>
  ((bits[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0;

export function setBit(bits: Uint8Array, bit: number): void {
  bits[bit >>> 3] = (bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
}
