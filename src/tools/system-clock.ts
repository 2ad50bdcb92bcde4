/** The time of the Worker. It stands still while nothing is waited for (Workers, "Performance and timers"). */
import type { Clock } from "../trace/back-off.ts";

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (milliseconds) => await new Promise((resolve) => setTimeout(resolve, milliseconds)),
};
