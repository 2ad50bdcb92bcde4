/** The transitive closure: the starts, and everything reachable from them by `next`. Pure. */
export function closureOf(starts: Iterable<string>, next: (name: string) => Iterable<string>): Set<string> {
  const found = new Set(starts);
  // Iterating a set also visits elements that are added meanwhile.
  for (const name of found) for (const following of next(name)) found.add(following);
  return found;
}
