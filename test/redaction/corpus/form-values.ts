/** Values generated from the notation of the tables. Recall on them proves that the tables compile, and no more. */
import { charactersOf } from "../../../src/redaction/forms/alphabets.ts";
import { type Form, isRun, type Part, parseParts } from "../../../src/redaction/forms/notation.ts";
import type { Random } from "./random.ts";

/** A token of a form, and the part of it that is secret. */
export interface FormValue {
  readonly text: string;
  readonly secret: string;
}

const LONGEST_RUN = 400;

/** Begins and ends with letters or digits, as other signs there are taken for punctuation of the sentence. */
function textOf(part: Part, random: Random): string {
  if (!isRun(part)) return random.pick(part.texts);
  const characters = charactersOf(part.alphabet);
  const plain = characters.replace(/[^A-Za-z0-9]/g, "");
  const least = Math.max(part.least, 1);
  const length =
    part.most > LONGEST_RUN ? least + random.below(6) : least + random.below(part.most - least + 1);
  if (length < 3) return random.text(plain, length);
  // A digit among the letters, which most random tokens have.
  const digit = plain.includes("7") ? "7" : random.text(plain, 1);
  const middle = `${random.text(characters, Math.floor((length - 3) / 2))}${digit}`;
  return `${random.text(plain, 1)}${middle}${random.text(characters, length - 2 - middle.length)}${random.text(plain, 1)}`;
}

export function valueOfForm({ parts, secretFrom }: Form, random: Random): FormValue {
  const texts = parts.map((part) => textOf(part, random));
  return { text: texts.join(""), secret: texts.slice(secretFrom).join("") };
}

export function valueOfNotation(notation: string, random: Random): string {
  return parseParts(notation)
    .parts.map((part) => textOf(part, random))
    .join("");
}
