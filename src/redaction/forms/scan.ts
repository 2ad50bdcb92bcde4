/** One pass over a text for all forms of an index. */
import { beginsWordAfter, mayBeginEscape } from "./boundaries.ts";
import { BEGINS_SHORT, BEGINS_SLOT, type CompiledForm, type FormIndex, pairOf, slotOf } from "./compile.ts";
import { matchForm, type Span } from "./match.ts";
import { Runs } from "./runs.ts";

export interface Scanned {
  /** From the first to the last, apart from each other. */
  readonly spans: readonly Span[];
  /** Steps of work, for tests. */
  readonly steps: number;
}

/** The longest secret of these forms that has its anchor here, and begins after the one before. */
function longest(forms: readonly CompiledForm[], runs: Runs, at: number, done: number): Span | undefined {
  let best: Span | undefined;
  for (const form of forms) {
    const span = matchForm(form, runs, at);
    if (span !== undefined && span.from >= done && (best === undefined || span.to > best.to)) best = span;
  }
  return best;
}

/** The secret that begins or has its anchor here. */
function spanAt(index: FormIndex, runs: Runs, at: number, head: number, done: number): Span | undefined {
  const { text } = runs;
  if ((head & BEGINS_SHORT) !== 0 && beginsWordAfter(text, at, runs.lastEscape)) {
    const pair = pairOf(text.charCodeAt(at), text.charCodeAt(at + 1));
    const span = longest(index.buckets[index.pairs[pair] ?? 0] ?? [], runs, at, done);
    if (span !== undefined) return span;
  }
  if ((head & BEGINS_SLOT) === 0) return undefined;
  const slot = slotOf(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2));
  const bucket = index.slots[slot] ?? 0;
  return bucket === 0 ? undefined : longest(index.buckets[bucket] ?? [], runs, at, done);
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
    if (mayBeginEscape(first)) runs.lastEscape = at;
    first = second;
    if (head === 0) continue;
    const span = spanAt(index, runs, at, head, done);
    if (span === undefined) continue;
    spans.push(span);
    done = span.to;
    // Nobody looked what stands in it.
    runs.lastEscape = done;
    if (done > at + 1) {
      at = done - 1;
      first = text.charCodeAt(done);
    }
  }
  return { spans, steps: runs.steps + text.length };
}
