/** How many of what, in words: `1 run`, `2 runs`, `0 retries`. The verb may come with it: `1 id is`. Pure. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
