/**
 * The part of a text that rules have changed, with its surroundings. Only this part has to be read again, for secrets
 * that could not be recognized next to the secret that a mark now replaces. So a text that keeps changing only at its
 * end costs no more than one that stays the same.
 */

/** No rule looks farther than this from the secret that it finds. */
const AROUND = 2_000;
/** Words up to this length are not cut. */
const LONGEST_WORD = 1_000;
const SHORTEST = 16_000;

const SPACE = 32;

export class ChangedStretch {
  #before = "";
  #after = "";
  /** Lengths of the unchanged beginning and end. */
  #head = Number.POSITIVE_INFINITY;
  #tail = Number.POSITIVE_INFINITY;

  addChange(text: string, changed: string): void {
    const most = Math.min(text.length, changed.length);
    let head = 0;
    while (head < most && head < this.#head && text.charCodeAt(head) === changed.charCodeAt(head)) head += 1;
    let tail = 0;
    while (
      tail < most - head &&
      tail < this.#tail &&
      text.charCodeAt(text.length - tail - 1) === changed.charCodeAt(changed.length - tail - 1)
    )
      tail += 1;
    this.#head = head;
    this.#tail = tail;
  }

  /** The changed stretch alone; the text around it is kept for `whole`. */
  narrow(text: string): string {
    const from = this.#beginBefore(text, this.#head - AROUND);
    const to = this.#endAfter(text, text.length - this.#tail + AROUND);
    this.#head = Number.POSITIVE_INFINITY;
    this.#tail = Number.POSITIVE_INFINITY;
    if (text.length < SHORTEST) return text;
    this.#before += text.slice(0, from);
    this.#after = text.slice(to) + this.#after;
    return text.slice(from, to);
  }

  whole(text: string): string {
    return this.#before + text + this.#after;
  }

  #beginBefore(text: string, at: number): number {
    let from = at;
    while (from > 0 && at - from < LONGEST_WORD && text.charCodeAt(from - 1) > SPACE) from -= 1;
    return Math.max(0, from);
  }

  #endAfter(text: string, at: number): number {
    let to = at;
    while (to < text.length && to - at < LONGEST_WORD && text.charCodeAt(to) > SPACE) to += 1;
    return Math.min(text.length, to);
  }
}
