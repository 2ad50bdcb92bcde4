/** Counts tokens with two real tokenizers and returns the larger number, as each model has its own. */
import { countTokens as countCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens as countO200k } from "gpt-tokenizer/encoding/o200k_base";

/** Counts text that looks like a control token as text. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

export function countTokens(text: string): number {
  return Math.max(countO200k(text, AS_TEXT), countCl100k(text, AS_TEXT));
}
