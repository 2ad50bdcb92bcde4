/** Time that passes, and waiting for it: whatever waits is given a clock, so that tests need not. */
export interface Clock {
  /** Epoch ms. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

/** The time of the Worker. It stands still while nothing is waited for (Workers, "Performance and timers"). */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (milliseconds) => await new Promise((resolve) => setTimeout(resolve, milliseconds)),
};
