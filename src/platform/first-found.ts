/** The first result of `look` that is not null; null if there is none. */
export function firstFound<One, Found>(all: Iterable<One>, look: (one: One) => Found | null): Found | null {
  for (const one of all) {
    const found = look(one);
    if (found !== null) return found;
  }
  return null;
}
