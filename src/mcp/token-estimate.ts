/**
 * Estimates from above how many tokens a text costs a model: no tokenizer fits into a Worker, and each model has its
 * own. Calibrated in the tests against real ones: JSON, prose, ids, code and the great scripts are never estimated too
 * low. Words of random letters are, by up to a half: only a dictionary tells them from prose. Linear, pure.
 */

/** Long runs of the characters of base64 and of hashes cost more than words. */
const DENSE_LENGTH = 20;
const WEIGHT_DENSE = 0.8;
const DENSE_SIGNS = new Set([..."+/_=-"].map((sign) => sign.charCodeAt(0)));

const LOWER = { perCharacter: 0.22, perStart: 0.25 };
const UPPER = { perCharacter: 0.3, perStart: 0.9 };
const DIGIT = { perCharacter: 0.35, perStart: 0.8 };
const SPACE = { perCharacter: 0.25, perStart: 0 };
const SIGN = { perCharacter: 0.65, perStart: 0.15 };
/** Signs of Latin-1: whole words of them are mojibake. */
const LATIN = { perCharacter: 2, perStart: 0 };
/** Greek, Cyrillic, Hebrew, Arabic, … */
const ALPHABET = { perCharacter: 1.2, perStart: 0 };
/** Kana and Hangul. */
const SYLLABLE = { perCharacter: 1.2, perStart: 0 };
/** The common Han. */
const IDEOGRAPH = { perCharacter: 1.8, perStart: 0 };
/** Half an emoji, or half of a character that is rare. */
const SURROGATE = { perCharacter: 2, perStart: 0 };
/** Three bytes, which may be three tokens. */
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

/** An estimate as it grows: what is done, and the run of dense characters that may go on. */
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

/** A change of class begins a token: `aQ4z` is no word. A capital before small letters is one, though. */
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

/** No class of characters costs less. */
const LEAST_PER_CHARACTER = LOWER.perCharacter;

/** Whether a text costs more than so many tokens. A text that is far too long is not read. */
export function costsMore(text: string, tokens: number): boolean {
  return text.length * LEAST_PER_CHARACTER > tokens || estimateTokens(text) > tokens;
}
