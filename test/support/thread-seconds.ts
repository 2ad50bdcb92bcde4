/** Seconds that this thread computes: unlike those of a clock, they say nothing of how busy the machine is. */
export function threadSeconds(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000_000;
}
