/** The day of a time, in UTC. */
export const dayOf = (time: Date): string =>
  time.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
