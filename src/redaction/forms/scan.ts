/** One pass over a text for all forms of an index. */
import { beginsWord } from "./boundaries.ts";
import { type CompiledForm, type FormIndex, pairOf, slotOf } from "./compile.ts";
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

/** Where secrets stand in a text. Time grows with its length and no faster: see `Runs`. */
export function scanForms({ slots, pairs, buckets }: FormIndex, text: string): Scanned {
  const runs = new Runs(text);
  const spans: Span[] = [];
  let done = 0;
  let at = 0;
  let first = text.charCodeAt(0);
  let second = text.charCodeAt(1);
  while (at < text.length) {
    const third = text.charCodeAt(at + 2);
    const bucket = slots[slotOf(first, second, third)] ?? 0;
    const short = pairs[pairOf(first, second)] ?? 0;
    let span: Span | undefined;
    if (bucket !== 0) span = longest(buckets[bucket] ?? [], runs, at, done);
    if (span === undefined && short !== 0 && beginsWord(text, at)) {
      span = longest(buckets[short] ?? [], runs, at, done);
    }
    if (span === undefined) {
      at += 1;
      first = second;
      second = third;
      continue;
    }
    spans.push(span);
    done = span.to;
    at = done;
    first = text.charCodeAt(at);
    second = text.charCodeAt(at + 1);
  }
  return { spans, steps: runs.steps + text.length };
}
