/** Makes a passphrase that can be read aloud and typed: 5 groups of 4 characters, 100 bits. */
import { randomInt } from "node:crypto";

/** No ambiguous characters (0 and o, 1 and l). 32 characters, 5 bits each. */
export const PASSPHRASE_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789";
const GROUPS = 5;
const GROUP_LENGTH = 4;

function group(): string {
  return Array.from({ length: GROUP_LENGTH }, () =>
    PASSPHRASE_ALPHABET.charAt(randomInt(PASSPHRASE_ALPHABET.length)),
  ).join("");
}

export function createPassphrase(): string {
  return Array.from({ length: GROUPS }, group).join("-");
}
