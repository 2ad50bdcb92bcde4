/**
 * How many tokens a text costs a model, estimated from above: no tokenizer fits into a Worker, and each
 * model has its own. Calibrated in the tests against a real tokenizer. Linear, pure.
 */

/** Long runs without a space are ids, hashes or base64, and cost more than words. */
const DENSE_RUN = /[A-Za-z0-9+/_=-]{20,}/g;

const WEIGHT_DENSE = 0.8;
const WEIGHT_LETTER = 0.3;
const WEIGHT_DIGIT = 0.55;
const WEIGHT_SPACE = 0.3;
const WEIGHT_SIGN = 0.6;
/** Japanese, Chinese and accents up to two, an emoji (two units) up to four. */
const WEIGHT_OTHER = 2;

function weightOf(code: number): number {
  if (code >= 0x80) return WEIGHT_OTHER;
  if ((code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)) return WEIGHT_LETTER;
  if (code >= 0x30 && code <= 0x39) return WEIGHT_DIGIT;
  return code <= 0x20 ? WEIGHT_SPACE : WEIGHT_SIGN;
}

export function estimateTokens(text: string): number {
  let dense = 0;
  const rest = text.replace(DENSE_RUN, (run) => {
    dense += run.length;
    return "";
  });
  let tokens = dense * WEIGHT_DENSE;
  for (let at = 0; at < rest.length; at += 1) tokens += weightOf(rest.charCodeAt(at));
  return Math.ceil(tokens);
}
