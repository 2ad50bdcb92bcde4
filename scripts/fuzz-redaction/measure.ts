/**
 * What a text costs, measured at growing sizes: a text that grows faster than its length is never read at a size at
 * which it would hang. Says how much a megabyte takes, and whether that is only what was seen before it was given up.
 */

export interface Rate {
  readonly millisecondsForMegabyte: number;
  /** It was given up before it had its size: at that it takes more. */
  readonly isMore: boolean;
}

export interface Cost {
  readonly milliseconds: number;
  /** Of what was given. */
  readonly characters: number;
}

const MEGABYTE = 1_000_000;
const SMALLEST = 5_000;
/** No single reading shall take much longer, were it to grow with the square of the size. */
const LONGEST_MILLISECONDS = 2_000;
/** A size that is no more than so much larger tells nothing new. */
const LEAST_STEP = 1.3;
/** The time of a thread is counted in ticks of some milliseconds: what is shorter is told by the clock. */
const SURE_MILLISECONDS = 30;

export const rateOf = ({ milliseconds, characters }: Cost): number => (milliseconds * MEGABYTE) / characters;

/** The fastest of some runs, in milliseconds: others on the machine only make it slower. */
export function fastest(runs: number, run: () => void): number {
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
 * @param cost of a text of about so many characters
 * @param most how large the text shall get
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
