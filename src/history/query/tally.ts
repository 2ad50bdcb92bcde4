/** Adds executions up. Sums are exact up to 2^53, the median and the 95th percentile by nearest rank. Pure. */

/** What is added up. */
export const SUM_NAMES = [
  ...(["items", "toolCalls", "llmCalls", "promptTokens", "completionTokens"] as const),
  ...(["estimatedPromptTokens", "estimatedCompletionTokens"] as const),
];
type SumName = (typeof SUM_NAMES)[number];
/** No model has items and calls of tools. */
const OF_EXECUTIONS: ReadonlySet<SumName> = new Set<SumName>(["items", "toolCalls"]);

/** @param isByModel the row `u` has the sums of one model, the row `e` those of the execution */
export const sumColumn = (name: SumName, isByModel: boolean): string =>
  isByModel && OF_EXECUTIONS.has(name)
    ? "0"
    : `${isByModel ? "u" : "e"}.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;

export type Measure = "count" | "failures" | "failureRate" | "medianMs" | "p95Ms" | SumName;
export const MEASURES: readonly Measure[] = [
  ...(["count", "failures", "failureRate", "medianMs", "p95Ms"] as const),
  ...SUM_NAMES,
];

/** Null where nothing is known: no execution, or none that has ended. */
export type Measured = Readonly<Record<Measure, number | null>>;

/** A part of a group, as SQL adds it up. */
export interface Part extends Readonly<Record<SumName, number>> {
  readonly count: number;
  readonly failures: number;
  /** Milliseconds; null for an execution that goes on. */
  readonly durations: readonly (number | null)[];
}

export class Tally {
  readonly #sums: Record<"count" | "failures" | SumName, number> = {
    count: 0,
    failures: 0,
    ...{ items: 0, llmCalls: 0, toolCalls: 0, promptTokens: 0, completionTokens: 0 },
    ...{ estimatedPromptTokens: 0, estimatedCompletionTokens: 0 },
  };
  readonly #durations: (readonly (number | null)[])[] = [];
  #sorted: Float64Array | null = null;

  add(part: Part): void {
    for (const name of ["count", "failures", ...SUM_NAMES] as const) this.#sums[name] += part[name];
    this.#durations.push(part.durations);
    this.#sorted = null;
  }

  addAll(other: Tally): void {
    this.add({ ...other.#sums, durations: [] });
    this.#durations.push(...other.#durations);
  }

  value(measure: Measure): number | null {
    const { count, failures } = this.#sums;
    switch (measure) {
      case "failureRate":
        return count === 0 ? null : failures / count;
      case "medianMs":
        return this.#quantile(0.5);
      case "p95Ms":
        return this.#quantile(0.95);
      default:
        return this.#sums[measure];
    }
  }

  get measured(): Measured {
    const [failureRate, medianMs, p95Ms] = [
      this.value("failureRate"),
      this.#quantile(0.5),
      this.#quantile(0.95),
    ];
    return { ...this.#sums, failureRate, medianMs, p95Ms };
  }

  #quantile(part: number): number | null {
    this.#sorted ??= sortedNumbers(this.#durations);
    return this.#sorted[Math.max(0, Math.ceil(part * this.#sorted.length) - 1)] ?? null;
  }
}

/** A typed array sorts a million numbers in a tenth of the time. */
function sortedNumbers(lists: readonly (readonly (number | null)[])[]): Float64Array {
  const numbers = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const list of lists)
    for (const one of list)
      if (one !== null) {
        numbers[end] = one;
        end += 1;
      }
  return numbers.subarray(0, end).sort();
}
