/** What `look` finds in the first of them in which it finds anything; null if in none. */
export function firstFound<One, Found>(all: Iterable<One>, look: (one: One) => Found | null): Found | null {
  for (const one of all) {
    const found = look(one);
    if (found !== null) return found;
  }
  return null;
}
