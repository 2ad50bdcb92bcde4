/** Sums up executions. Sums are exact up to 2^53; median and 95th percentile are by nearest rank. Pure. */
import { nthSmallest } from "./nth-smallest.ts";

/** Zero for executions without an agent or a model. */
export const SUMS_OF_AGENTS = [
  "toolCalls",
  "llmCalls",
  "promptTokens",
  "completionTokens",
  "estimatedPromptTokens",
  "estimatedCompletionTokens",
] as const;
export const SUM_NAMES = ["items", ...SUMS_OF_AGENTS] as const;

export const MEASURES = ["count", "failures", "failureRate", "medianMs", "p95Ms", ...SUM_NAMES] as const;
export type Measure = (typeof MEASURES)[number];

/** Measures that need the times at which executions ended. */
export const OF_DURATIONS: readonly Measure[] = ["medianMs", "p95Ms"];

/** Null if unknown: there was no execution, or none has ended. */
export type Measured = Readonly<Partial<Record<Measure, number | null>>>;

/** What is summed up per group, in this order. */
export const COUNTED = ["count", "failures", ...SUM_NAMES] as const;

export interface Part {
  readonly sums: readonly number[];
  /** Milliseconds, of executions that have ended. */
  readonly durations: readonly number[];
}

export class Tally {
  #sums: readonly number[] = COUNTED.map(() => 0);
  readonly #durations: (readonly number[])[] = [];
  #numbers: Float64Array | null = null;

  add({ sums, durations }: Part): void {
    this.#sums = this.#sums.map((sum, index) => sum + (sums[index] ?? 0));
    this.#durations.push(durations);
    this.#numbers = null;
  }

  merge(other: Tally): void {
    this.add({ sums: other.#sums, durations: [] });
    this.#durations.push(...other.#durations);
  }

  value(measure: Measure): number | null {
    switch (measure) {
      case "failureRate":
        return this.#sum("count") === 0 ? null : this.#sum("failures") / this.#sum("count");
      case "medianMs":
        return this.#quantile(0.5);
      case "p95Ms":
        return this.#quantile(0.95);
      default:
        return this.#sum(measure);
    }
  }

  get measured(): Measured {
    return Object.fromEntries(MEASURES.map((name) => [name, this.value(name)]));
  }

  #sum(name: (typeof COUNTED)[number]): number {
    return this.#sums[COUNTED.indexOf(name)] ?? 0;
  }

  #quantile(part: number): number | null {
    this.#numbers ??= concatenated(this.#durations);
    return nthSmallest(this.#numbers, Math.max(0, Math.ceil(part * this.#numbers.length) - 1));
  }
}

function concatenated(lists: readonly (readonly number[])[]): Float64Array {
  const numbers = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const list of lists) {
    numbers.set(list, end);
    end += list.length;
  }
  return numbers;
}
