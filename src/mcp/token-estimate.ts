/**
 * Estimates an upper bound for the tokens of a text: no tokenizer fits into a Worker, and each model has its own. Tests
 * compare it with real ones: JSON, prose, ids, code and the major scripts are never underestimated. Words of random
 * letters are, by up to a half, because only a dictionary could distinguish them from prose. Linear, pure.
 */

/** Longer runs of base64 or hash characters cost more than words. */
const DENSE_LENGTH = 20;
const WEIGHT_DENSE = 0.8;
const DENSE_SIGNS = new Set([..."+/_=-"].map((sign) => sign.charCodeAt(0)));

const LOWER = { perCharacter: 0.22, perStart: 0.25 };
const UPPER = { perCharacter: 0.3, perStart: 0.9 };
const DIGIT = { perCharacter: 0.35, perStart: 0.8 };
const SPACE = { perCharacter: 0.25, perStart: 0 };
const SIGN = { perCharacter: 0.65, perStart: 0.15 };
/** Latin-1 characters: whole words of them are mojibake. */
const LATIN = { perCharacter: 2, perStart: 0 };
/** Greek, Cyrillic, Hebrew, Arabic, … */
const ALPHABET = { perCharacter: 1.2, perStart: 0 };
/** Kana and Hangul. */
const SYLLABLE = { perCharacter: 1.2, perStart: 0 };
/** Common Han characters. */
const IDEOGRAPH = { perCharacter: 1.8, perStart: 0 };
/** Half of an emoji or of another rare character. */
const SURROGATE = { perCharacter: 2, perStart: 0 };
/** Up to three bytes, and thus up to three tokens. */
const RARE = { perCharacter: 3, perStart: 0 };

type CharacterClass = typeof LOWER;

function classOf(code: number): CharacterClass {
  if (code < 0x80) {
    if (code >= 0x61 && code <= 0x7a) return LOWER;
    if (code >= 0x41 && code <= 0x5a) return UPPER;
    if (code >= 0x30 && code <= 0x39) return DIGIT;
    return code <= 0x20 ? SPACE : SIGN;
  }
  if (code < 0x100) return LATIN;
  if (code < 0x800) return ALPHABET;
  if ((code >= 0x3000 && code <= 0x30ff) || (code >= 0xac00 && code <= 0xd7a3)) return SYLLABLE;
  if (code >= 0x4e00 && code <= 0x9fff) return IDEOGRAPH;
  return code >= 0xd800 && code <= 0xdfff ? SURROGATE : RARE;
}

/** A running estimate, with the current run of dense characters. */
class Estimate {
  #done = 0;
  #run = 0;
  #runWeight = 0;

  add(code: number, group: CharacterClass, weight: number): void {
    if (group === LOWER || group === UPPER || group === DIGIT || DENSE_SIGNS.has(code)) {
      this.#run += 1;
      this.#runWeight += weight;
    } else {
      this.#done = this.total() + weight;
      this.#run = 0;
      this.#runWeight = 0;
    }
  }

  total(): number {
    return this.#done + (this.#run < DENSE_LENGTH ? this.#runWeight : this.#run * WEIGHT_DENSE);
  }
}

/** A change of character class begins a token, as in `aQ4z`, except for a capital before lower-case letters. */
export function estimateTokens(text: string): number {
  const estimate = new Estimate();
  let before: CharacterClass | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const group = classOf(code);
    const isStart = group !== before && !(before === UPPER && group === LOWER);
    estimate.add(code, group, group.perCharacter + (isStart ? group.perStart : 0));
    before = group;
  }
  return Math.ceil(estimate.total());
}

/** The cheapest class of characters. */
const LEAST_PER_CHARACTER = LOWER.perCharacter;

/** Whether a text costs more than a number of tokens. Text that is far too long is not read. */
export const costsMore = (text: string, tokens: number): boolean =>
  text.length * LEAST_PER_CHARACTER > tokens || estimateTokens(text) > tokens;
