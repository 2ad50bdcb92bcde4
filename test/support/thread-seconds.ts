/** CPU seconds of this thread, which do not depend on how busy the machine is. */
export function threadSeconds(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000_000;
}
