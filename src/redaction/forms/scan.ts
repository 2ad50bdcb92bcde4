/** One pass over a text for all forms of an index. */
import { beginsWord } from "./boundaries.ts";
import { BEGINS_SHORT, BEGINS_SLOT, type CompiledForm, type FormIndex, pairOf, slotOf } from "./compile.ts";
import { matchForm, type Span } from "./match.ts";
import { Runs } from "./runs.ts";

export interface Scanned {
  /** From the first to the last, apart from each other. */
  readonly spans: readonly Span[];
  /** Steps of work, for tests. */
  readonly steps: number;
}

/** A place at which anchors may stand. */
interface Place {
  readonly at: number;
  /** Whether a word begins there. */
  readonly begins: boolean;
  /** Where the secret before ends. */
  readonly done: number;
}

/** The longest secret of these forms that has its anchor here, and begins after the one before. */
function longest(forms: readonly CompiledForm[], runs: Runs, { at, begins, done }: Place): Span | undefined {
  let best: Span | undefined;
  for (const form of forms) {
    const span = matchForm(form, runs, at, begins);
    if (span !== undefined && span.from >= done && (best === undefined || span.to > best.to)) best = span;
  }
  return best;
}

/** The secret that begins or has its anchor here. */
function spanAt(index: FormIndex, runs: Runs, at: number, head: number, done: number): Span | undefined {
  const { text } = runs;
  const first = text.charCodeAt(at);
  const second = text.charCodeAt(at + 1);
  const isSlot = (head & BEGINS_SLOT) !== 0;
  const slot = isSlot ? (index.slots[slotOf(first, second, text.charCodeAt(at + 2))] ?? 0) : 0;
  const isShort = (head & BEGINS_SHORT) !== 0;
  if (slot === 0 && !isShort) return undefined;
  const place = { at, begins: beginsWord(text, at), done };
  const long = slot === 0 ? undefined : longest(index.buckets[slot] ?? [], runs, place);
  if (long !== undefined || !isShort || !place.begins) return long;
  return longest(index.buckets[index.pairs[pairOf(first, second)] ?? 0] ?? [], runs, place);
}

/** Where secrets stand in a text. Time grows with its length and no faster: see `Runs`. */
export function scanForms(index: FormIndex, text: string): Scanned {
  const { heads } = index;
  const runs = new Runs(text);
  const spans: Span[] = [];
  const last = text.length - 1;
  let done = 0;
  let first = text.charCodeAt(0);
  for (let at = 0; at < last; at += 1) {
    const second = text.charCodeAt(at + 1);
    const head = heads[pairOf(first, second)] ?? 0;
    first = second;
    if (head === 0) continue;
    const span = spanAt(index, runs, at, head, done);
    if (span === undefined) continue;
    spans.push(span);
    done = span.to;
    if (done > at + 1) {
      at = done - 1;
      first = text.charCodeAt(done);
    }
  }
  return { spans, steps: runs.steps + text.length };
}
