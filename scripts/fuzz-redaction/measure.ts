/**
 * Measures the cost of a text at growing sizes: one whose cost is superlinear is never redacted at a size at which it
 * would hang.
 */

export interface Rate {
  readonly millisecondsForMegabyte: number;
  /** Measuring was aborted at a smaller size: the full size takes more. */
  readonly isMore: boolean;
}

export interface Cost {
  readonly milliseconds: number;
  /** Length of the measured text. */
  readonly characters: number;
}

const MEGABYTE = 1_000_000;
const SMALLEST = 5_000;
/** Bound of a single run, if the cost grows with the square of the size. */
const LONGEST_MILLISECONDS = 2_000;
/** A size that grows by a smaller factor tells nothing new. */
const LEAST_STEP = 1.3;
/** The time of a thread is counted in ticks of some milliseconds: shorter runs are measured by the clock. */
const SURE_MILLISECONDS = 30;

export const rateOf = ({ milliseconds, characters }: Cost): number => (milliseconds * MEGABYTE) / characters;

/** The fastest of some runs, in milliseconds: other load on the machine only makes a run slower. */
export function fastest(runs: number, run: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let count = 0; count < runs; count += 1) {
    const cpu = process.threadCpuUsage();
    const begun = performance.now();
    run();
    const passed = performance.now() - begun;
    const { user, system } = process.threadCpuUsage(cpu);
    best = Math.min(best, passed < SURE_MILLISECONDS ? passed : (user + system) / 1_000);
  }
  return best;
}

/**
 * @param cost of a text of about `size` characters
 * @param most the full size of the text
 */
export function growingRate(cost: (size: number) => Cost, most: number): Rate {
  for (let size = Math.min(SMALLEST, most); ; ) {
    const measured = cost(size);
    const millisecondsForMegabyte = rateOf(measured);
    if (size >= most) return { millisecondsForMegabyte, isMore: false };
    const step = Math.sqrt(LONGEST_MILLISECONDS / Math.max(measured.milliseconds, 1));
    if (step < LEAST_STEP && size * step < most) return { millisecondsForMegabyte, isMore: true };
    size = Math.min(most, size * step);
  }
}
