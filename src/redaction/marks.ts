/**
 * The marks that replace secrets: `[REDACTED:kind]`, and `[REDACTED:kind#n]` where the secret has an identity. One
 * `Marks` serves one answer: the same secret gets the same mark everywhere in it, which shows that two values are
 * equal, and nothing else about them.
 */

const MARK = /\[REDACTED:[a-z][a-z-]{0,30}(?:#\d{1,9})?\]/;
const WHOLE_MARK = new RegExp(`^${MARK.source}$`);

export const MARKS = new RegExp(MARK.source, "g");

/** A pattern that, where both could match, passes over marks. Its first group is the mark. */
export function besideMarks(pattern: RegExp): RegExp {
  const flags = pattern.flags.includes("g") ? pattern.flags : `${pattern.flags}g`;
  return new RegExp(`(${MARK.source})|(?:${pattern.source})`, flags);
}

/** Replaces what a pattern of `besideMarks` finds, and leaves marks as they are. */
export const replaceBesideMarks = (
  text: string,
  pattern: RegExp,
  replace: (match: string) => string,
): string =>
  text.replace(pattern, (match: string, mark: string | undefined) =>
    mark === undefined ? replace(match) : match,
  );

export const kindsOfMarks = (text: string): string[] =>
  [...text.matchAll(MARKS)].map(([mark]) => mark.replace(/^\[REDACTED:|(?:#\d+)?\]$/g, ""));

/** The marks of a text show only their kind. */
export const withoutNumbers = (text: string): string =>
  text.replace(MARKS, (mark) => mark.replace(/#\d+/, ""));

export const markOfKind: MarkSecret = (kind) => `[REDACTED:${kind}]`;

export const isMark = (text: string): boolean => text.startsWith("[REDACTED:") && WHOLE_MARK.test(text);

/** For values found by patterns, which may end inside a mark: many stop at `#`. */
export const beginsWithMark = (text: string): boolean => text.startsWith("[REDACTED:");

/** Makes the mark of a secret; without the secret's text, a mark that shows only its kind. */
export type MarkSecret = (kind: string, secret?: string) => string;

/**
 * The marks of values that a tool receives redacted before it shows parts of them. They remember their secrets, so that
 * the answer can renumber them: numbers reveal how many secrets there were, and a tool does not show everything it
 * receives. They count from an unguessable number, so that no payload can contain one.
 */
export class PreviewMarks {
  readonly #secrets = new Map<string, { readonly kind: string; readonly secret: string | undefined }>();
  #next: number;

  /** @param firstNumber nine digits: greater than any number in an answer */
  constructor(firstNumber: number) {
    this.#next = firstNumber;
  }

  readonly of: MarkSecret = (kind, secret) => {
    const mark = `[REDACTED:${kind}#${this.#next}]`;
    this.#next += 1;
    this.#secrets.set(mark, { kind, secret });
    return mark;
  };

  replaceIn(text: string, mark: MarkSecret): string {
    if (this.#secrets.size === 0 || !text.includes("[REDACTED:")) return text;
    return text.replace(MARKS, (found) => {
      const known = this.#secrets.get(found);
      return known === undefined ? found : mark(known.kind, known.secret);
    });
  }
}

export class Marks {
  /** How many values were redacted, by kind. */
  readonly counts: Record<string, number> = {};
  readonly #known = new Map<string, { readonly kind: string; readonly mark: string }>();
  readonly #numbers = new Map<string, number>();

  readonly of: MarkSecret = (kind, secret) => {
    // The first kind under which a secret was seen stays its kind.
    const known = secret === undefined ? undefined : this.#known.get(secret);
    const counted = known?.kind ?? kind;
    this.counts[counted] = (this.counts[counted] ?? 0) + 1;
    if (known !== undefined) return known.mark;
    if (secret === undefined) return markOfKind(kind);
    const number = (this.#numbers.get(kind) ?? 0) + 1;
    this.#numbers.set(kind, number);
    const mark = `[REDACTED:${kind}#${number}]`;
    this.#known.set(secret, { kind, mark });
    return mark;
  };
}
