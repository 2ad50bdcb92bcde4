/**
 * Any Unicode character, as a unit of random strings: `fc.string({ unit: anyCharacter })`. The same as the library's
 * `binary`, which first spends a second on listing all million of them.
 */
import fc from "fast-check";

const LAST_BEFORE_SURROGATES = 0xd7ff;
const FIRST_AFTER_SURROGATES = 0xe000;
const LAST = 0x10ffff;

export const anyCharacter = fc
  .integer({ min: 0, max: LAST - (FIRST_AFTER_SURROGATES - LAST_BEFORE_SURROGATES - 1) })
  .map((index) =>
    String.fromCodePoint(
      index <= LAST_BEFORE_SURROGATES ? index : index + FIRST_AFTER_SURROGATES - LAST_BEFORE_SURROGATES - 1,
    ),
  );
