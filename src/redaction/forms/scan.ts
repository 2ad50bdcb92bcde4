/** One pass over a text for all forms of an index. */
import { beginsWord } from "./boundaries.ts";
import { type AnchoredForms, BEGINS_SHORT, BEGINS_SLOT, type FormIndex, pairOf, slotOf } from "./compile.ts";
import { endOfText, matchForm, type Span } from "./match.ts";
import { Runs } from "./runs.ts";

export interface Scanned {
  /** In ascending order, not overlapping. */
  readonly spans: readonly Span[];
  /** Steps of work, for tests. */
  readonly steps: number;
}

/** A text and its runs, which few texts need. */
interface Scan {
  readonly text: string;
  readonly runs: () => Runs;
}

/** The longest secret of these forms that has its anchor here and does not overlap the previous one. */
function longest(
  bucket: readonly AnchoredForms[],
  { text, runs }: Scan,
  { at, begins, done }: { readonly at: number; readonly begins: boolean; readonly done: number },
): Span | undefined {
  const fourth = text.charCodeAt(at + 3);
  let best: Span | undefined;
  for (const anchored of bucket) {
    if (anchored.fourth !== fourth && anchored.fourth >= 0) continue;
    if (anchored.mustBeginWord && !begins) continue;
    const end = endOfText(text, anchored.anchor, at);
    if (end < 0) continue;
    for (const form of anchored.forms) {
      const span = matchForm(form, runs(), { from: at, to: end }, begins);
      if (span !== undefined && span.from >= done && (best === undefined || span.to > best.to)) best = span;
    }
  }
  return best;
}

function spanAt(index: FormIndex, scan: Scan, at: number, head: number, done: number): Span | undefined {
  const { text } = scan;
  const first = text.charCodeAt(at);
  const second = text.charCodeAt(at + 1);
  const isSlot = (head & BEGINS_SLOT) !== 0;
  const slot = isSlot ? (index.slots[slotOf(first, second, text.charCodeAt(at + 2))] ?? 0) : 0;
  const isShort = (head & BEGINS_SHORT) !== 0;
  if (slot === 0 && !isShort) return undefined;
  const place = { at, begins: beginsWord(text, at), done };
  const long = slot === 0 ? undefined : longest(index.buckets[slot] ?? [], scan, place);
  if (long !== undefined || !isShort || !place.begins) return long;
  return longest(index.buckets[index.pairs[pairOf(first, second)] ?? 0] ?? [], scan, place);
}

/** Where secrets occur in a text. Time grows with its length and no faster: see `Runs`. */
export function scanForms(index: FormIndex, text: string): Scanned {
  const { heads } = index;
  let runs: Runs | undefined;
  const scan: Scan = {
    text,
    runs: () => {
      runs ??= new Runs(text);
      return runs;
    },
  };
  const spans: Span[] = [];
  const last = text.length - 1;
  let done = 0;
  let first = text.charCodeAt(0);
  for (let at = 0; at < last; at += 1) {
    const second = text.charCodeAt(at + 1);
    const head = heads[pairOf(first, second)] ?? 0;
    first = second;
    if (head === 0) continue;
    const span = spanAt(index, scan, at, head, done);
    if (span === undefined) continue;
    spans.push(span);
    done = span.to;
    if (done > at + 1) {
      at = done - 1;
      first = text.charCodeAt(done);
    }
  }
  return { spans, steps: (runs?.steps ?? 0) + text.length };
}
