/** Ids that an answer hands out and receives back: few tokens, and unguessable. */

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
/** 82 bits. */
const LENGTH = 16;

export function newShortId(): string {
  const bytes = new Uint8Array(LENGTH * 2);
  crypto.getRandomValues(bytes);
  const largest = 256 - (256 % ALPHABET.length);
  const usable = bytes.filter((byte) => byte < largest).slice(0, LENGTH);
  // Very rarely, too many of the 32 bytes are out of range.
  if (usable.length < LENGTH) return newShortId();
  return Array.from(usable, (byte) => ALPHABET[byte % ALPHABET.length]).join("");
}
