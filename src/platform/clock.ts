/** Time and sleeping, passed in so that tests need not wait. */
export interface Clock {
  /** Epoch ms. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

/** The Worker's clock. It advances only while something is awaited (Workers, "Performance and timers"). */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (milliseconds) => await new Promise((resolve) => setTimeout(resolve, milliseconds)),
};
