/**
 * The marks that stand in for secrets: `[REDACTED:kind]`, and `[REDACTED:kind#n]` where the secret has an
 * identity. One `Marks` serves one answer: the same secret gets the same mark everywhere in it, so that
 * equality can still be seen, and nothing of the secret can.
 */

/** A mark, of ours or of an earlier pass. */
const MARK = /\[REDACTED:[a-z][a-z-]{0,30}(?:#\d{1,9})?\]/;
const WHOLE_MARK = new RegExp(`^${MARK.source}$`);

/** Every mark in a text. */
export const MARKS = new RegExp(MARK.source, "g");

/** A pattern that, where both could match, passes over marks. Its first group is the mark. */
export function besideMarks(pattern: RegExp): RegExp {
  const flags = pattern.flags.includes("g") ? pattern.flags : `${pattern.flags}g`;
  return new RegExp(`(${MARK.source})|(?:${pattern.source})`, flags);
}

export function isMark(text: string): boolean {
  return text.startsWith("[REDACTED:") && WHOLE_MARK.test(text);
}

/** For values that were found by a pattern, which may end inside the mark: `#` ends many. */
export function beginsWithMark(text: string): boolean {
  return text.startsWith("[REDACTED:");
}

/** Makes the mark of a secret; without its text, one that says its kind alone. */
export type MarkSecret = (kind: string, secret?: string) => string;

export class Marks {
  /** How many values were redacted, by kind. */
  readonly counts: Record<string, number> = {};
  readonly #known = new Map<string, { readonly kind: string; readonly mark: string }>();
  readonly #numbers = new Map<string, number>();

  readonly of: MarkSecret = (kind, secret) => {
    const { kind: counted, mark } =
      secret === undefined ? { kind, mark: `[REDACTED:${kind}]` } : this.#identify(kind, secret);
    this.counts[counted] = (this.counts[counted] ?? 0) + 1;
    return mark;
  };

  /** The first kind under which a secret was seen stays its kind. */
  #identify(kind: string, secret: string): { readonly kind: string; readonly mark: string } {
    const known = this.#known.get(secret);
    if (known !== undefined) return known;
    const number = (this.#numbers.get(kind) ?? 0) + 1;
    this.#numbers.set(kind, number);
    const identified = { kind, mark: `[REDACTED:${kind}#${number}]` };
    this.#known.set(secret, identified);
    return identified;
  }
}
